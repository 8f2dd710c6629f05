//! The table of the kinds of records as data, for code that walks all kinds.

use domain::{BudgetKind, BusinessId, ContactId};

use super::{IndexRow, KINDS, Kept, OnStamp, SearchChange, put, restamped, search_change};
use crate::{Batch, Key, StoreError};

/// Returns the key and the index rows of a stored record.
type Places = fn(BusinessId, &[u8]) -> Result<(Key, Vec<IndexRow>), StoreError>;
/// Passes each stamp of a stored record to a function. If the function changed a stamp, returns the writes that store
/// the record with its new stamps.
type Restamp = fn(BusinessId, &[u8], OnStamp<'_>) -> Result<Option<Batch>, StoreError>;
/// Moves a stored record from the first contact to the second. Returns the writes, or `None` if the record does not
/// belong to the first contact.
type MoveToContact = fn(
    BusinessId,
    &[u8],
    (ContactId, ContactId),
) -> Result<Option<(Batch, Option<SearchChange>)>, StoreError>;

#[derive(Clone, Copy)]
pub struct Kind {
    pub rows: u8,
    pub name: &'static str,
    pub budget: Option<BudgetKind>,
    pub decodes: fn(&[u8]) -> bool,
    pub places: Places,
    pub restamp: Restamp,
    pub search: Option<u8>,
    /// Returns the search text of a stored record.
    pub search_text: fn(&[u8]) -> Result<String, StoreError>,
    pub by_contact: Option<u8>,
    /// Returns the contact to which a stored record belongs.
    pub contact: fn(&[u8]) -> Result<Option<ContactId>, StoreError>,
    pub move_to_contact: MoveToContact,
    indexes: &'static [u8],
}

impl Kind {
    pub(super) const fn of<R: Kept>() -> Self {
        Self {
            rows: R::KIND,
            name: R::NAME,
            budget: R::BUDGET,
            decodes: |value| R::decode(value).is_ok(),
            places: |of, value| {
                let record = R::decode(value)?;
                Ok((record.key(of), record.index(of)))
            },
            restamp: |of, value, stamp| {
                let moved = restamped::<R>(value, stamp)?;
                Ok(moved.map(|(before, after)| {
                    let mut batch = Batch::default();
                    put(of, Some(&before), &after, &mut batch);
                    batch
                }))
            },
            search: R::SEARCH,
            search_text: |value| R::decode(value).map(|record| record.search_text()),
            by_contact: R::BY_CONTACT,
            contact: |value| Ok(R::decode(value)?.contact().and_then(|contact| *contact)),
            move_to_contact: |of, value, (from, into)| {
                let before = R::decode(value)?;
                let mut after = before.clone();
                match after.contact() {
                    Some(contact) if *contact == Some(from) => *contact = Some(into),
                    _ => return Ok(None),
                }
                let mut batch = Batch::default();
                put(of, Some(&before), &after, &mut batch);
                Ok(Some((batch, search_change(Some(&before), Some(&after)))))
            },
            indexes: R::INDEXES,
        }
    }
}

pub fn kind(rows: u8) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.rows == rows)
}

/// Returns the kind of records whose search texts are stored in rows of the kind `rows`.
pub fn searched_in(rows: u8) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.search == Some(rows))
}

/// Returns the kind of the records to which index rows of the kind `rows` belong. Finds only indexes whose keys end
/// with the last part of the record's key ([`crate::keys::indexed`]).
pub fn indexed_by(rows: u8) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.indexes.contains(&rows))
}
