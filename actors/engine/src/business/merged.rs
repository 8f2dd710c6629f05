//! Merged contacts. A merge deletes a contact and writes an [`Alias`], which refers from the deleted contact
//! to the other contact (the survivor). A record that refers to the merged contact is read as a record of the
//! survivor, until a background job ([`crate::maintenance`]) moves the record. No new record refers to a
//! merged contact.

use domain::{Alias, BusinessId, Contact, ContactId};
use store::{Key, Order, Record, Store, StoreError, keys};

use super::state::State;
use crate::scans::Reader;

/// The maximum number of aliases that a look-up follows. Usually a look-up follows at most one alias, but each merge
/// during the look-up can add another alias.
const STEPS_MAX: usize = 16;

/// A view of the rows of a business. It may include changes that are not durable yet.
pub(crate) trait Look {
    fn row(&self, key: &Key) -> Result<Option<Vec<u8>>, StoreError>;
    fn record<R: Record>(&self, key: &Key) -> Result<Option<R>, StoreError>;
}

macro_rules! looks {
    ($($type:ty: $row:ident, $record:ident;)*) => {$(
        impl Look for $type {
            fn row(&self, key: &Key) -> Result<Option<Vec<u8>>, StoreError> {
                self.$row(key)
            }

            fn record<R: Record>(&self, key: &Key) -> Result<Option<R>, StoreError> {
                self.$record(key)
            }
        }
    )*};
}
looks! {
    Store: get_raw, get;
    Reader<'_>: get_raw, get;
    State: read_raw, read;
}

/// Returns the contact with this id, or the contact into which it was merged. Returns `None` if the contact is unknown
/// or was erased.
pub(crate) fn contact(
    rows: &impl Look,
    of: BusinessId,
    id: ContactId,
) -> Result<Option<Contact>, StoreError> {
    follow(rows, of, id, |key| rows.record(key))
}

/// Like [`contact`], but returns only the id, and also finds a contact that cannot be decoded.
pub(crate) fn survivor(
    rows: &impl Look,
    of: BusinessId,
    id: ContactId,
) -> Result<Option<ContactId>, StoreError> {
    follow(rows, of, id, |key| rows.row(key)?.map(|_| keys::id_at_end(key)).transpose())
}

fn follow<T>(
    rows: &impl Look,
    of: BusinessId,
    mut id: ContactId,
    read: impl Fn(&Key) -> Result<Option<T>, StoreError>,
) -> Result<Option<T>, StoreError> {
    for _ in 0..STEPS_MAX {
        if let Some(found) = read(&keys::contact(of, id))? {
            return Ok(Some(found));
        }
        let Some(alias) = rows.record::<Alias>(&keys::alias(of, id))? else { return Ok(None) };
        id = alias.into;
    }
    Ok(None)
}

/// The owner of records: the contact `id`. While a merge moves the records of another contact to `id`, `from` is this
/// other contact, and its records already count as records of `id`. Otherwise `from` is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Whose {
    pub(crate) id: ContactId,
    pub(crate) from: Option<ContactId>,
}

impl Whose {
    /// Returns the contact to which an id refers after all merges, or `None` if the contact is unknown or was erased.
    pub(crate) fn of(rows: &impl Look, of: BusinessId, asked: ContactId) -> Result<Option<Self>, StoreError> {
        let Some(id) = survivor(rows, of, asked)? else { return Ok(None) };
        let from = rows.row(&keys::merging(of, id))?;
        Ok(Some(Self { id, from: from.map(|from| keys::id_at_end(&from)).transpose()? }))
    }

    pub(crate) fn has(&self, contact: Option<ContactId>) -> bool {
        contact.is_some() && (contact == Some(self.id) || contact == self.from)
    }
}

impl State {
    pub(crate) fn contact(&self, id: ContactId) -> Result<Option<Contact>, StoreError> {
        contact(self, self.id, id)
    }

    /// The contacts that were merged into a contact, at most [`domain::MERGES_MAX`].
    pub(crate) fn merged_into(&self, into: ContactId) -> Result<Vec<ContactId>, StoreError> {
        let (mut merged, mut range) = (Vec::new(), keys::aliases_of(self.id, into));
        while let Some((key, _)) = self.next_in(&range, Order::Ascending)? {
            range = range.after(key);
            merged.push(keys::id_at_end(&key)?);
        }
        Ok(merged)
    }
}
