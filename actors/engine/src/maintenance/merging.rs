//! Moves the records of merged contacts to the survivors, in steps.
//!
//! The change that merges two contacts writes the alias and a row (`keys::merging`), which exists until all records are
//! moved. Invariants:
//!
//! - A step reads at most [`ROWS_MAX`] rows and writes one batch.
//! - A moved record leaves the index of the merged contact, and later changes add no record to this index.
//!   Therefore the progress is not stored: after a restart, the job begins with the first record in the
//!   index.
//! - A move changes no other field of the record, not even `updated_at`, and sends no event.

use domain::{Alias, BusinessId, ContactId};
use store::kept::{KINDS, Kind};
use store::keys::kind;
use store::{Batch, Key, KeyRange, Order, StoreError, keys};

use super::business::Step;
use crate::business::{State, Write};

const ROWS_MAX: usize = 128;
const BYTES_MAX: usize = 256 << 10;

/// An unfinished merge of `from` into `into`.
#[derive(Debug)]
pub(super) struct Merging {
    from: ContactId,
    into: ContactId,
    /// The position in [`kinds`] of the kind whose records are being moved.
    at: usize,
    /// The part of the index of this kind that has not been read yet.
    rest: KeyRange,
}

/// The kinds of records that have an index by contact, each with the kind of this index.
fn kinds() -> impl Iterator<Item = (&'static Kind, u8)> {
    KINDS.iter().filter_map(|kind| Some((kind, kind.by_contact?)))
}

impl Merging {
    /// Returns a merge that continues with the first record of the kind at the position `at` in [`kinds`]. Returns
    /// `None` if there is no kind at this position.
    fn reading(of: BusinessId, (from, into): (ContactId, ContactId), at: usize) -> Option<Self> {
        let (_, index) = kinds().nth(at)?;
        Some(Self { from, into, at, rest: KeyRange::prefix(keys::of_id(of, index, from)) })
    }
}

/// Returns the next step of a merge. The step is empty if no merge is in progress.
pub(super) fn step(state: &mut State) -> Result<Step, StoreError> {
    let merging = match state.jobs.merging.take() {
        // The merge may have ended because the contact was erased.
        Some(merging) if is_merging(state, &merging)? => Some(merging),
        _ => begun(state)?,
    };
    let Some(mut merging) = merging else { return Ok(Step::default()) };
    let (mut step, mut looked_at, mut bytes) = (Step { more: true, ..Step::default() }, 0, 0);
    loop {
        let Some((key, _)) = state.next_in(&merging.rest, Order::Ascending)? else {
            match Merging::reading(state.id, (merging.from, merging.into), merging.at + 1) {
                Some(next) => merging = next,
                None => {
                    step.writes.push(done(state, &merging)?);
                    return Ok(step);
                }
            }
            continue;
        };
        if looked_at == ROWS_MAX || bytes >= BYTES_MAX {
            break;
        }
        (looked_at, merging.rest) = (looked_at + 1, merging.rest.after(key));
        bytes += move_record(state, &merging, &key, &mut step)?;
    }
    state.jobs.merging = Some(merging);
    Ok(step)
}

fn is_merging(state: &State, merging: &Merging) -> Result<bool, StoreError> {
    Ok(state.read_raw(&keys::merging(state.id, merging.into))?.is_some())
}

/// The first unfinished merge.
fn begun(state: &State) -> Result<Option<Merging>, StoreError> {
    let merging = state.next_in(&keys::of_kind(state.id, kind::MERGING), Order::Ascending)?;
    let Some((key, from)) = merging else { return Ok(None) };
    let contacts = (keys::id_at_end(&from)?, keys::id_at_end(&key)?);
    Ok(Merging::reading(state.id, contacts, 0))
}

/// The write that ends a merge after all records are moved. If the alias is missing or cannot be decoded,
/// only the row of the unfinished merge is deleted.
fn done(state: &State, merging: &Merging) -> Result<Write, StoreError> {
    let of = state.id;
    Ok(match state.find::<Alias>(&keys::alias(of, merging.from))? {
        Some(before) => {
            let after = Alias { is_moving: false, ..before.clone() };
            Write::put(of, Some(&before), &after)
        }
        None => {
            let mut rows = Batch::default();
            rows.delete(keys::merging(of, merging.into));
            Write::Rows(rows)
        }
    })
}

/// Moves the record of an index row, and returns the size of the record. A record that cannot be decoded is not moved.
fn move_record(state: &State, merging: &Merging, key: &Key, step: &mut Step) -> Result<usize, StoreError> {
    let Some((kind, _)) = kinds().nth(merging.at) else { return Ok(0) };
    let record = keys::indexed(state.id, kind.rows, key)?;
    let Some(value) = state.store.usable(&record, state.read_raw(&record))?.flatten() else { return Ok(0) };
    let moved = (kind.move_to_contact)(state.id, &value, (merging.from, merging.into));
    let Some((rows, search)) = state.store.usable(&record, moved)?.flatten() else { return Ok(0) };
    step.count_of(kind.budget);
    step.writes.push(Write::Kept { rows, search, held: None, is_new: false });
    Ok(value.len())
}
