//! The name index of contacts. A row has the names of contacts with consecutive ids, folded for comparison
//! ([`fold_name`]).
//!
//! Invariants:
//! - A name is in the last row whose id (in the row's key) is not greater than the contact's id.
//! - A row has at most [`NAMES_PER_ROW_MAX`] names.
//! - Rows are deleted only if no reader has seen their contacts ([`super::contact_import`]).

use domain::{Contact, ContactId, fold_name};
use store::records::NamesRecord;
use store::{Batch, Order, Record, StoreError, keys};

use super::state::State;

/// The maximum number of names per row. A larger row makes a search cheaper and a new contact more expensive.
pub(crate) const NAMES_PER_ROW_MAX: usize = 64;

type Names = Vec<(ContactId, String)>;

/// Updates the index. `after` is `None` for a deleted contact.
pub(super) fn index(
    state: &State,
    before: Option<&Contact>,
    after: Option<&Contact>,
    batch: &mut Batch,
) -> Result<(), StoreError> {
    let folded = |contact: &Contact| contact.name.as_deref().map(fold_name);
    let name = after.and_then(folded);
    let Some(id) = after.or(before).map(|contact| contact.id) else { return Ok(()) };
    if before.and_then(folded) == name { Ok(()) } else { set(state, id, name, batch) }
}

pub(super) fn set(
    state: &State,
    id: ContactId,
    name: Option<String>,
    batch: &mut Batch,
) -> Result<(), StoreError> {
    let of = state.id;
    let own = (keys::contact_names(of, id), Names::new());
    let upto = keys::contact_names_up_to(of, id);
    // Another change of the same batch may have written the row.
    let written = batch.writes().filter(|(key, _)| upto.from <= **key && **key < upto.to);
    let written = written.max_by_key(|(key, _)| **key);
    let written = written.and_then(|(key, row)| Some((*key, row?.to_vec())));
    let stored = state.next_in(&upto, Order::Descending)?;
    let row = written.filter(|written| stored.as_ref().is_none_or(|stored| stored.0 <= written.0)).or(stored);
    let (key, names) = match row {
        // If the row cannot be decoded, the name starts a new row.
        Some((key, row)) => match state.store.find_in::<NamesRecord>(&key, &row)? {
            Some(row) => (key, row.names),
            None if key == own.0 => return Ok(()),
            None => own,
        },
        None => own,
    };
    let (names, overflow) = filed(names, id, name);
    batch.put(key, NamesRecord { names }.encode());
    if let Some((first, _)) = overflow.first() {
        batch.put(keys::contact_names(of, *first), NamesRecord { names: overflow }.encode());
    }
    Ok(())
}

/// Sets or removes one name. Returns the names that stay in the row and those that need another row.
fn filed(mut names: Names, id: ContactId, name: Option<String>) -> (Names, Names) {
    match (names.binary_search_by_key(&id, |(id, _)| *id), name) {
        (Ok(at), Some(name)) => names[at].1 = name,
        (Ok(at), None) => _ = names.remove(at),
        (Err(at), Some(name)) => names.insert(at, (id, name)),
        (Err(_), None) => {}
    }
    if names.len() <= NAMES_PER_ROW_MAX {
        return (names, Names::new());
    }
    // A new contact usually has the highest id. Its name starts another row, and the full row stays full.
    let newest = names.last().is_some_and(|(last, _)| *last == id);
    let overflow = names.split_off(if newest { NAMES_PER_ROW_MAX } else { names.len() / 2 });
    (names, overflow)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn id(number: usize) -> ContactId {
        Uuid::from_u128(number as u128).into()
    }

    fn row(ids: impl Iterator<Item = usize>) -> Names {
        ids.map(|number| (id(number), format!("n{number}"))).collect()
    }

    #[test]
    fn a_name_is_set_replaced_and_removed() {
        let filed = |names, number, name: Option<&str>| {
            let (names, overflow) = filed(names, id(number), name.map(str::to_owned));
            assert!(overflow.is_empty());
            names
        };
        let names = filed(row([1, 5].into_iter()), 3, Some("n3"));
        assert_eq!(names, row([1, 3, 5].into_iter()));
        assert_eq!(filed(names.clone(), 3, Some("x"))[1].1, "x");
        assert_eq!(filed(names.clone(), 1, None), row([3, 5].into_iter()));
        assert_eq!(filed(names.clone(), 4, None), names);
    }

    #[test]
    fn a_full_row_overflows_at_its_end_and_is_halved_otherwise() {
        let full = || row((0..NAMES_PER_ROW_MAX).map(|number| number * 2));
        let (kept, overflow) = filed(full(), id(999), Some("n999".into()));
        assert_eq!((kept, overflow), (full(), row([999].into_iter())));
        let (kept, overflow) = filed(full(), id(1), Some("n1".into()));
        assert_eq!((kept.len(), overflow.len()), (32, 33));
        assert_eq!(kept[1], (id(1), "n1".into()));
    }
}
