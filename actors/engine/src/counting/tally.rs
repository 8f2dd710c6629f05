//! Counts all rows of a store. The caller passes the rows in key order: the rows of the installation, and
//! then the rows of one business after another.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use domain::{ApiKey, BudgetKind, BusinessId, Usage};
use store::keys::{installation_kind, kind};
use store::records::AuditRecord;
use store::{Key, LONG_VALUE_BYTES_MAX, Record, keys, piece_of, whole_value_by};

use super::{BUSINESS, Difference, Differences, Found, decodes};

/// The maximum number of listed businesses that are held in memory (16 bytes each). If there are more, the tally does
/// not compare the list of businesses with the rows.
const LISTED_MAX: usize = 4 << 20;
/// The maximum number of API keys that are held in memory (9 bytes each). If there are more, the tally does not compare
/// the number of API keys of a business with the recorded number.
const KEYS_MAX: usize = 4 << 20;

#[derive(Default)]
pub(crate) struct Tally {
    set_aside: BTreeSet<BusinessId>,
    /// The listed businesses whose rows are not counted yet, in key order.
    listed: VecDeque<BusinessId>,
    has_all_listed: bool,
    /// The prefixes of the valid API keys in key order, each with a flag that is true if the key's record
    /// decodes.
    live_keys: Vec<([u8; 8], bool)>,
    has_all_keys: bool,
    current: Option<Current>,
    differences: Differences,
    different: Vec<BusinessId>,
}

struct Current {
    of: BusinessId,
    is_listed: bool,
    has_profile: bool,
    found: Found,
    newest: Option<Newest>,
}

/// The newest of the audit entries that were read so far: its row and, for a long value, the pieces of the value.
struct Newest {
    key: Key,
    row: Vec<u8>,
    pieces: BTreeMap<Vec<u8>, Vec<u8>>,
    bytes: usize,
}

impl Tally {
    /// A business in `set_aside` is reported as different even if its counts match.
    pub(crate) fn new(set_aside: impl IntoIterator<Item = BusinessId>) -> Self {
        let set_aside = set_aside.into_iter().collect();
        Self { set_aside, has_all_listed: true, has_all_keys: true, ..Self::default() }
    }

    pub(crate) fn row(&mut self, key: &[u8], value: &[u8]) {
        let (Ok(of), Ok(kind)) = (keys::business_of(key), keys::kind_of(key)) else { return };
        if of == BusinessId::INSTALLATION {
            return self.of_installation(kind, key, value);
        }
        let is_of_current = self.current.as_ref().is_some_and(|current| current.of == of);
        if !is_of_current {
            self.finish();
            let is_listed = self.is_listed(of);
            self.current =
                Some(Current { of, is_listed, has_profile: false, found: Found::default(), newest: None });
        }
        let Some(current) = &mut self.current else { return };
        match kind {
            kind::PROFILE => current.has_profile = true,
            kind::AUDIT => {
                let (key, row) = (Key::new(key), value.to_vec());
                current.newest = Some(Newest { key, row, pieces: BTreeMap::new(), bytes: 0 });
            }
            kind::KEY => {
                let Ok(prefix) = keys::prefix_from_value(value) else {
                    current.found.add(kind, false);
                    return;
                };
                let place = self.live_keys.binary_search_by_key(&prefix, |key| key.0).ok();
                if let Some(place) = place {
                    current.found.add(kind, self.live_keys[place].1);
                }
            }
            _ => match (piece_of(key), &mut current.newest) {
                (None, _) => current.found.add(kind, decodes(kind, key, value)),
                (Some(whole), Some(newest))
                    if whole == newest.key && newest.bytes + value.len() <= LONG_VALUE_BYTES_MAX =>
                {
                    newest.bytes += value.len();
                    newest.pieces.insert(key.to_vec(), value.to_vec());
                }
                _ => {}
            },
        }
    }

    /// Reports the businesses that were set aside during the count. The count may lack some of their rows.
    pub(crate) fn set_aside_meanwhile(&mut self, businesses: impl Iterator<Item = BusinessId>) {
        self.finish();
        for of in businesses {
            if self.set_aside.insert(of) && !self.different.contains(&of) {
                self.differences.add(whole_business(of, None, 0));
            }
        }
    }

    pub(crate) fn end(self) -> Differences {
        self.end_with_businesses().0
    }

    pub(crate) fn end_with_businesses(mut self) -> (Differences, Vec<BusinessId>) {
        self.finish();
        while let Some(of) = self.listed.pop_front() {
            self.is_missing(of, None);
        }
        (self.differences, self.different)
    }

    fn of_installation(&mut self, kind: u8, key: &[u8], value: &[u8]) {
        match kind {
            installation_kind::BUSINESS_INDEX => {
                let Ok(of) = keys::listed_business(key) else { return };
                self.has_all_listed &= self.listed.len() < LISTED_MAX;
                if self.has_all_listed {
                    self.listed.push_back(of);
                } else {
                    self.listed.clear();
                }
            }
            installation_kind::API_KEY => {
                let decoded = ApiKey::decode(value).ok();
                let is_live = decoded.as_ref().is_none_or(|key| key.revoked_at.is_none());
                let prefix = key.get(17..25).and_then(|prefix| prefix.try_into().ok());
                if let Some(prefix) = prefix.filter(|_| is_live) {
                    self.has_all_keys &= self.live_keys.len() < KEYS_MAX;
                    if self.has_all_keys {
                        self.live_keys.push((prefix, decoded.is_some()));
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns true if `listed` contains the business. Removes this business and all businesses before it from
    /// `listed`. The businesses before it have no rows, so each of them is reported as missing.
    fn is_listed(&mut self, of: BusinessId) -> bool {
        while let Some(next) = self.listed.front().copied().filter(|next| *next <= of) {
            self.listed.pop_front();
            if next == of {
                return true;
            }
            self.is_missing(next, None);
        }
        false
    }

    fn is_missing(&mut self, of: BusinessId, recorded: Option<Usage>) {
        self.differences.add(whole_business(of, recorded, 0));
    }

    fn finish(&mut self) {
        let Some(current) = self.current.take() else { return };
        let Current { of, is_listed, has_profile, found, .. } = current;
        let recorded = current.newest.and_then(Newest::usage);
        let is_as_listed = is_listed == has_profile || !self.has_all_listed;
        if !is_as_listed {
            return self.is_missing(of, recorded);
        }
        if !has_profile {
            return;
        }
        let without = (!self.has_all_keys).then_some(BudgetKind::Keys);
        let differences = recorded.map(|recorded| found.differences(of, &recorded, without));
        let differences = differences.unwrap_or_default();
        if differences.is_empty() && self.set_aside.contains(&of) {
            self.differences.add(whole_business(of, recorded, found.rows() + 1));
        }
        if !differences.is_empty() {
            self.different.push(of);
        }
        differences.into_iter().for_each(|difference| self.differences.add(difference));
    }
}

/// Returns the recorded and the found number of rows of a business. Both returned numbers include the row of the
/// profile. The parameter `found` includes this row. The parameter `recorded` does not, so this function adds one.
fn whole_business(of: BusinessId, recorded: Option<Usage>, found: u64) -> Difference {
    let rows = |usage: Usage| BudgetKind::kept().map(|kind| usage.of(kind).rows).sum::<u64>() + 1;
    Difference { business_id: of, kind: BUSINESS.into(), recorded: recorded.map(rows), found }
}

impl Newest {
    fn usage(self) -> Option<Usage> {
        let Self { key, row, pieces, .. } = self;
        let value = whole_value_by(|key| Ok(pieces.get(key).cloned()), &key, row);
        AuditRecord::decode(&value.ok()??).ok()?.usage
    }
}
