//! Reading the businesses of a store as records, of one that no engine runs on or as it was at a point.
//!
//! What always holds: records come by kind, and of a kind in the order of their keys, so a store that holds the same
//! gives the same; they are read a few at a time, and none is kept. Rows that do not decode are set aside and left out; the
//! store counts them.

use super::record::Moved;
use super::settle::{check_finished, check_store};
use crate::domain::{Business, BusinessId};
use crate::store::keys::{installation_kind, kind};
use crate::store::{Key, KeyRange, Order, Record, Rows, Store, StoreError, keys, whole_value};

/// How many rows are read in one step, and how many bytes of records.
const ROWS_PER_STEP: usize = 256;
const BYTES_PER_STEP: usize = 256 << 10;

/// Which businesses are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// All.
    All,
    /// The one with this id.
    Id(BusinessId),
    /// Those that are called so, in any case.
    Named(String),
}

impl Which {
    fn is(&self, business: &Business) -> bool {
        match self {
            Self::All => true,
            Self::Id(id) => business.id == *id,
            Self::Named(name) => business.name.to_lowercase() == name.to_lowercase(),
        }
    }
}

/// What was read, and what of it cannot move or was not asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// How many API keys stay behind: of those only hashes are kept, and whoever has one is let in where it is.
    pub keys: u64,
    /// How many webhook endpoints stay behind, since nobody asked for their secrets.
    pub endpoints: u64,
}

/// The businesses that are meant, in the order of their creation.
///
/// # Errors
/// When the store fails, or was left half-way by something else.
pub fn meant(store: &Store, which: &Which) -> Result<Vec<Business>, StoreError> {
    check_store(store)?;
    check_finished(store)?;
    let mut meant = Vec::new();
    let all = keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX);
    for row in store.scan(&all, Order::Ascending) {
        let key = row?.0;
        let business = keys::listed_business(&key).and_then(|id| store.get::<Business>(&keys::profile(id)));
        let business = store.usable(&key, business)?.flatten();
        meant.extend(business.filter(|business| which.is(business)));
    }
    Ok(meant)
}

/// What of a business is still to be handed out, part by part.
pub struct Leaving {
    of: BusinessId,
    with_secrets: bool,
    /// What comes first.
    business: Option<Business>,
    /// Which kind of records comes now, and what of it is left.
    part: usize,
    left: KeyRange,
    records: u64,
    ended: bool,
    left_out: LeftOut,
}

/// The record that is in a row.
type Decode = fn(&[u8]) -> Result<Moved, StoreError>;
/// A kind of rows, and the record that is in one; of keys only how many there are is told.
type Part = (u8, Option<Decode>);

/// The kinds in the order in which they come.
const PARTS: [Part; 9] = [
    (kind::SERVICE, Some(|row| Record::decode(row).map(Moved::Service))),
    (kind::STAFF, Some(|row| Record::decode(row).map(Moved::Staff))),
    (kind::CONTACT, Some(|row| Record::decode(row).map(Moved::Contact))),
    (kind::APPOINTMENT, Some(|row| Record::decode(row).map(Moved::Appointment))),
    (kind::CALL, Some(|row| Record::decode(row).map(Moved::Call))),
    (kind::MESSAGE, Some(|row| Record::decode(row).map(Moved::Message))),
    (kind::KNOWLEDGE, Some(|row| Record::decode(row).map(Moved::Knowledge))),
    (kind::WEBHOOK, Some(|row| Record::decode(row).map(Moved::Webhook))),
    (kind::KEY, None),
];

impl Leaving {
    /// A business, of whose webhook endpoints come only `with_secrets`.
    pub fn of(business: Business, with_secrets: bool) -> Self {
        let of = business.id;
        let (business, left) = (Some(business), keys::of_kind(of, PARTS[0].0));
        let left_out = LeftOut::default();
        Self { of, with_secrets, business, part: 0, left, records: 0, ended: false, left_out }
    }

    /// The kinds of rows that are read, its profile's apart.
    pub(crate) fn kinds() -> impl Iterator<Item = u8> {
        PARTS.iter().map(|(kind, _)| *kind)
    }

    /// The kind of rows that is read next; none at the end.
    pub(crate) fn kind(&self) -> Option<u8> {
        PARTS.get(self.part).map(|(kind, _)| *kind)
    }

    /// The next records, of [`ROWS_PER_STEP`] rows at most: the business first, its end last, and none behind that.
    ///
    /// # Errors
    /// When reading fails.
    pub fn next(&mut self, store: &Store, rows: &dyn Rows) -> Result<Vec<Moved>, StoreError> {
        if let Some(business) = self.business.take() {
            self.records = 1;
            return Ok(vec![Moved::Business(business)]);
        }
        while let Some((kind, record)) = PARTS.get(self.part) {
            let moved = self.step(store, rows, *kind, *record)?;
            self.records += moved.len() as u64;
            if !moved.is_empty() {
                return Ok(moved);
            }
        }
        let is_whole = std::mem::replace(&mut self.ended, true);
        Ok(if is_whole { Vec::new() } else { vec![Moved::End { records: self.records }] })
    }

    /// The records of the next rows of a kind; goes on to the next kind behind the last one.
    fn step(
        &mut self,
        store: &Store,
        rows: &dyn Rows,
        kind: u8,
        record: Option<Decode>,
    ) -> Result<Vec<Moved>, StoreError> {
        let (mut moved, mut bytes) = (Vec::new(), 0);
        for (read, row) in (1..).zip(rows.scan(&self.left, Order::Ascending)) {
            let (key, row) = row?;
            self.left = self.left.after(Key::new(&key));
            match record {
                None => self.left_out.keys += 1,
                Some(_) if kind == kind::WEBHOOK && !self.with_secrets => self.left_out.endpoints += 1,
                Some(record) => {
                    let read = whole_value(rows, &key, row).and_then(|whole| {
                        let whole =
                            whole.ok_or_else(|| StoreError::damaged("record", "its pieces are gone"))?;
                        bytes += whole.len();
                        record(&whole)
                    });
                    moved.extend(store.usable(&key, read)?);
                }
            }
            if read == ROWS_PER_STEP || bytes >= BYTES_PER_STEP {
                return Ok(moved);
            }
        }
        self.part += 1;
        if let Some(kind) = self.kind() {
            self.left = keys::of_kind(self.of, kind);
        }
        Ok(moved)
    }

    /// What was left behind so far.
    pub fn left_out(&self) -> LeftOut {
        self.left_out
    }
}
