//! Moves the records of merged contacts to the survivors, in steps.
//!
//! The change that merges two contacts writes the alias. If the survivor gets records, the change also writes a
//! row (`keys::merging`), which exists until all records are moved. Invariants:
//!
//! - A step reads at most [`ROWS_MAX`] rows and writes one batch.
//! - A moved record leaves the index of the merged contact, and later changes add no record to this index.
//!   Therefore the progress is not stored: after a restart, the job begins with the first record in the
//!   index.
//! - A move changes no other field of the record, not even `updated_at`, and sends no event.

use domain::{
    Alias, Appointment, AppointmentId, CallId, CallRecord, ContactId, Conversation, ConversationId,
    MessageId, TakenMessage, Timestamp,
};
use store::kept::Kept;
use store::keys::{MessagesOf, kind};
use store::{Batch, Key, KeyRange, Order, StoreError, keys};

use super::business::Step;
use crate::business::{State, Write};

const ROWS_MAX: usize = 128;
const BYTES_MAX: usize = 256 << 10;

/// An unfinished merge, and the part of the current index that was not read yet.
#[derive(Debug)]
pub(super) struct Merging {
    from: ContactId,
    into: ContactId,
    index: Index,
    rest: KeyRange,
}

#[derive(Clone, Copy, Debug)]
enum Index {
    Appointments,
    Calls,
    Messages,
    Conversations,
}

impl Merging {
    fn reading(state: &State, (from, into): (ContactId, ContactId), index: Index) -> Self {
        let (of, first, last) = (state.id, Timestamp::MIN, Timestamp::MAX);
        let rest = match index {
            Index::Appointments => keys::appointments_of_contact(of, from),
            Index::Calls => keys::calls_of_contact(of, from, first, last),
            Index::Messages => keys::messages(of, MessagesOf::Contact(from), first, last),
            Index::Conversations => keys::conversations_of_contact(of, from, first, last),
        };
        Self { from, into, index, rest }
    }

    /// The next index; `None` after the last one.
    fn next(&self, state: &State) -> Option<Self> {
        let next = match self.index {
            Index::Appointments => Index::Calls,
            Index::Calls => Index::Messages,
            Index::Messages => Index::Conversations,
            Index::Conversations => return None,
        };
        Some(Self::reading(state, (self.from, self.into), next))
    }
}

/// Makes the next step, which is empty if no records are moving.
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
            match merging.next(state) {
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
    Ok(Some(Merging::reading(state, contacts, Index::Appointments)))
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

/// Moves the record of an index row. Returns the number of its bytes. A record that cannot be decoded stays.
fn move_record(state: &State, merging: &Merging, key: &Key, step: &mut Step) -> Result<usize, StoreError> {
    let of = state.id;
    match merging.index {
        Index::Appointments => {
            let id: AppointmentId = keys::id_at_end(key)?;
            let before = state.store.usable(key, state.appointment(id))?.flatten();
            moved(state, merging, before, |it: &mut Appointment| &mut it.contact_id, step)
        }
        Index::Calls => {
            let before = state.find::<CallRecord>(&keys::call(of, keys::id_at_end::<CallId>(key)?))?;
            moved(state, merging, before, |it: &mut CallRecord| &mut it.contact_id, step)
        }
        Index::Messages => {
            let before =
                state.find::<TakenMessage>(&keys::message(of, keys::id_at_end::<MessageId>(key)?))?;
            moved(state, merging, before, |it: &mut TakenMessage| &mut it.contact_id, step)
        }
        Index::Conversations => {
            let id = keys::id_at_end::<ConversationId>(key)?;
            let before = state.find::<Conversation>(&keys::conversation(of, id))?;
            moved(state, merging, before, |it: &mut Conversation| &mut it.contact_id, step)
        }
    }
}

fn moved<R: Kept>(
    state: &State,
    merging: &Merging,
    before: Option<R>,
    contact_of: impl Fn(&mut R) -> &mut Option<ContactId>,
    step: &mut Step,
) -> Result<usize, StoreError> {
    let Some(before) = before else { return Ok(0) };
    let mut after = before.clone();
    if contact_of(&mut after).replace(merging.into) != Some(merging.from) {
        return Ok(0);
    }
    step.count::<R>();
    step.writes.push(Write::put(state.id, Some(&before), &after));
    Ok(after.encode().len())
}
