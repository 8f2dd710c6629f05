//! Counts the records of one business as of one point in time, in steps.

use domain::{ApiKey, BusinessId, Usage};
use store::kept::{COUNTED, Counted};
use store::keys::{installation_kind, kind};
use store::{Frozen, Key, KeyRange, Order, Record, Rows, StoreError, keys};

use super::{Difference, Found, decodes, recorded_usage};

const ROWS_PER_STEP: usize = 192;
/// The number of rows that [`Counting::begin`] reads: the profile and the newest audit entry.
pub(crate) const ROWS_TO_BEGIN: usize = 2;

pub(crate) struct Counting {
    of: BusinessId,
    recorded: Usage,
    found: Found,
    /// The index in [`COUNTED`] of the kind that is being counted. `left` contains its uncounted rows.
    place: usize,
    left: KeyRange,
}

impl Counting {
    pub(crate) fn kinds(of: BusinessId) -> Vec<(BusinessId, u8)> {
        let counted = COUNTED.iter().map(|counted| (of, counted.kind));
        let others =
            [(of, kind::PROFILE), (of, kind::AUDIT), (BusinessId::INSTALLATION, installation_kind::API_KEY)];
        counted.chain(others).collect()
    }

    /// Begins to count a business. Returns `None` if it was deleted or has no recorded usage.
    pub(crate) fn begin(rows: &Frozen, of: BusinessId) -> Result<Option<Self>, StoreError> {
        if rows.get(&keys::profile(of))?.is_none() {
            return Ok(None);
        }
        let recorded = recorded_usage(rows, of)?;
        rows.release(of, kind::PROFILE);
        rows.release(of, kind::AUDIT);
        let left = keys::of_kind(of, COUNTED[0].kind);
        Ok(recorded.map(|recorded| Self { of, recorded, found: Found::default(), place: 0, left }))
    }

    /// Counts the next rows. Returns the number of rows read, or `None` if all rows were already counted.
    pub(crate) fn step(&mut self, rows: &Frozen) -> Result<Option<usize>, StoreError> {
        let Some(&Counted { kind, .. }) = COUNTED.get(self.place) else { return Ok(None) };
        let mut read = 0;
        for row in rows.scan(&self.left, Order::Ascending).take(ROWS_PER_STEP) {
            let (key, value) = row?;
            read += 1;
            self.left = self.left.after(Key::new(&key));
            match kind {
                kind::KEY => {
                    read += 1;
                    let Ok(prefix) = keys::prefix_from_value(&value) else {
                        self.found.add(kind, false);
                        continue;
                    };
                    let key = rows.get(&keys::api_key(prefix))?;
                    let Some(key) = key.map(|key| ApiKey::decode(&key).ok()) else { continue };
                    if key.as_ref().is_none_or(|key| key.revoked_at.is_none()) {
                        self.found.add(kind, key.is_some());
                    }
                }
                _ => self.found.add(kind, decodes(kind, &key, &value)),
            }
        }
        if read < ROWS_PER_STEP {
            rows.release(self.of, kind);
            if kind == kind::KEY {
                rows.release(BusinessId::INSTALLATION, installation_kind::API_KEY);
            }
            self.place += 1;
            if let Some(counted) = COUNTED.get(self.place) {
                self.left = keys::of_kind(self.of, counted.kind);
            }
        }
        Ok(Some(read))
    }

    pub(crate) fn differences(&self) -> Vec<Difference> {
        self.found.differences(self.of, &self.recorded, None)
    }
}
