//! Deletes ended website chats without a contact after 30 days, and unanswered questions after 90 days. An erasure
//! deletes the questions of an erased conversation earlier.
//!
//! Invariant: a row is deleted only if it is old enough by both clocks; see [`super::retention`].

use chrono::TimeDelta;
use domain::{BusinessId, CHAT_KEPT, Conversation, ConversationId, GAP_KEPT, Gap, ResourceId, Timestamp};
use store::keys::kind;
use store::{Key, Order, Rows, Store, StoreError, keys};
use uuid::Uuid;

use super::age_marks::noted_until;
use super::business::Step;
use crate::business::{State, Write};
use crate::clock::Clocks;

const ROWS_MAX: usize = 128;

/// A record is old enough to be deleted if its stamp is at most `stamp` and its id is at most `id`. If the record's
/// stamp is after `now`, a wrong clock has set it, so only the id is compared. If `id` is `None`, no record is old
/// enough.
struct Until {
    stamp: Timestamp,
    now: Timestamp,
    id: Option<Uuid>,
}

impl Until {
    fn of(store: &Store, of: BusinessId, clocks: &Clocks, kept: TimeDelta) -> Result<Self, StoreError> {
        let id = noted_until(store, of, clocks.steady() - kept)?.map(|(_, id)| id.uuid());
        let now = clocks.now();
        Ok(Self { stamp: now - kept, now, id })
    }

    fn includes(&self, id: Uuid, stamp: Timestamp) -> bool {
        (stamp <= self.stamp || stamp > self.now) && self.id.is_some_and(|until| id <= until)
    }
}

/// Makes the next step of a round.
pub(super) fn step(state: &mut State) -> Result<Step, StoreError> {
    let mut made = Step::default();
    let chats = keys::conversations_ended(state.id, true);
    let range = state.jobs.chats.take().map_or(chats, |at| chats.after(at));
    let until = Until::of(&state.store, state.id, &state.clocks, CHAT_KEPT)?;
    for (read, row) in state.store.scan(&range, Order::Ascending).enumerate() {
        let (key, _) = row?;
        let id: ConversationId = keys::id_at_end(&key)?;
        if !until.includes(id.uuid(), id.minted_at()) {
            break;
        }
        if read == ROWS_MAX {
            made.more = true;
            break;
        }
        state.jobs.chats = Some(Key::new(&key));
        let chat = state.find::<Conversation>(&keys::conversation(state.id, id))?;
        if let Some(chat) = chat.filter(|chat| chat.contact_id.is_none()) {
            made.count::<Conversation>();
            made.writes.push(Write::delete(state.id, &chat));
        }
    }
    if !made.more {
        state.jobs.chats = None;
        let until = Until::of(&state.store, state.id, &state.clocks, GAP_KEPT)?;
        for row in state.store.records::<Gap>(&keys::of_kind(state.id, kind::GAP), Order::Ascending) {
            let (key, gap) = row?;
            if until.includes(gap.id.uuid(), gap.asked_at) && state.overlay.get(&Key::new(&key)).is_none() {
                made.writes.push(Write::delete(state.id, &gap));
            }
        }
    }
    Ok(made)
}

/// True if the business has conversations or unanswered questions. Age marks measure the age of these records and of
/// the rows of logs. So a business with these records needs age marks, even if it has no logs.
pub(super) fn has_rows(store: &Store, of: BusinessId) -> Result<bool, StoreError> {
    for kind in [kind::CONVERSATION, kind::GAP] {
        if Rows::scan(store.rows(), &keys::of_kind(of, kind), Order::Ascending).next().transpose()?.is_some()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// True if the oldest chat or question may be old enough to be deleted.
pub(super) fn is_due(store: &Store, of: BusinessId, clocks: &Clocks) -> Result<bool, StoreError> {
    let chat = store.scan(&keys::conversations_ended(of, true), Order::Ascending).next().transpose()?;
    if let Some((key, _)) = chat {
        let id: ConversationId = keys::id_at_end(&key)?;
        if Until::of(store, of, clocks, CHAT_KEPT)?.includes(id.uuid(), id.minted_at()) {
            return Ok(true);
        }
    }
    let until = Until::of(store, of, clocks, GAP_KEPT)?;
    let gap = store.records::<Gap>(&keys::of_kind(of, kind::GAP), Order::Ascending).next().transpose()?;
    Ok(gap.is_some_and(|(_, gap)| until.includes(gap.id.uuid(), gap.asked_at)))
}
