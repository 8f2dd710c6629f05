//! Going on with what a business does in steps beside what is asked for: erasing contacts, then wiping events, then
//! deleting what is kept no longer.
//!
//! What always holds: one step is under way at a time, and the next follows once it is on the disk, behind the messages
//! that came meanwhile; a step is a change like any other, made by the service itself, so it is counted, noted and
//! written in the same way; what is left to be done stands in the store, so an actor that starts goes on with it.

use std::sync::Weak;

use domain::{Actor as Who, AuditAction, Timestamp};
use ractor::ActorRef;
use store::{Done, StoreError, Weight, unless_set_aside};

use super::change::Change;
use super::chores::{Chore, Counts};
use super::context::Context;
use super::decide::{CarriedOut, carry_out};
use super::decision::Decision;
use super::message::Message;
use super::request::{Removed, Request};
use super::state::State;
use super::write::Write;
use super::{erasure, expiry, wiping};
use crate::error::EngineError;
use crate::shared::Shared;

/// Begins what there may be to do, or has it begun anew behind what is under way.
pub(super) fn begin(
    state: &mut State,
    shared: &Weak<Shared>,
    myself: &ActorRef<Message>,
    now: Timestamp,
) -> Result<(), StoreError> {
    if state.chores.under_way || state.chores.chore != Chore::None {
        state.chores.asked = true;
        return Ok(());
    }
    state.chores.chore = Chore::Erasing;
    go_on(state, shared, myself, now)
}

/// A step is done.
pub(super) fn stepped(
    state: &mut State,
    shared: &Weak<Shared>,
    myself: &ActorRef<Message>,
    now: Timestamp,
) -> Result<(), StoreError> {
    state.chores.under_way = false;
    go_on(state, shared, myself, now)
}

/// Does steps until one is on its way to the disk, has looked at enough, or nothing is left. Where a row that is needed
/// does not decode, it is put off, and the next minute looks again.
fn go_on(
    state: &mut State,
    shared: &Weak<Shared>,
    myself: &ActorRef<Message>,
    now: Timestamp,
) -> Result<(), StoreError> {
    if unless_set_aside(do_steps(state, shared, myself, now))?.is_none() {
        state.chores = Default::default();
    }
    Ok(())
}

fn do_steps(
    state: &mut State,
    shared: &Weak<Shared>,
    myself: &ActorRef<Message>,
    now: Timestamp,
) -> Result<(), StoreError> {
    loop {
        if state.ended || state.store.check_room(Weight::Frees).is_err() {
            state.chores = Default::default(); // the next minute looks again, at what stands in the store
            return Ok(());
        }
        let at = state.stamps.at(now);
        let (step, more, next) = match state.chores.chore {
            Chore::None => {
                if !std::mem::take(&mut state.chores.asked) {
                    return Ok(());
                }
                state.chores.chore = Chore::Erasing;
                continue;
            }
            Chore::Erasing => match erasure::step(state, at)? {
                None => (Step::default(), false, Chore::Wiping),
                Some(erasure::Stepped { writes, erased }) => {
                    (Step::noting(writes, AuditAction::RecordsErased, &erased), true, Chore::Erasing)
                }
            },
            Chore::Wiping => {
                let wiping::Stepped { writes, clean, more } = wiping::step(state)?;
                if let Some(shared) = shared.upgrade() {
                    clean.into_iter().for_each(|key| shared.clean_deliveries(key));
                }
                (Step { writes, ..Step::default() }, more, if more { Chore::Wiping } else { Chore::Expiring })
            }
            Chore::Expiring => {
                let steady = state.clocks.steady();
                if state.retention.longest().is_none() || !state.chores.is_round_under_way(steady) {
                    state.chores.chore = Chore::None;
                    continue;
                }
                let expiry::Stepped { writes, expired, more } = expiry::step(state, now)?;
                state.chores.ends_round(!more);
                let next = if more { Chore::Expiring } else { Chore::None };
                (Step::noting(writes, AuditAction::RecordsExpired, &expired), more, next)
            }
        };
        state.chores.chore = next;
        if step.writes.is_empty() {
            if more {
                state.chores.under_way = true;
                tell_stepped(myself)();
                return Ok(());
            }
            continue;
        }
        let request = Request::by(Who::System);
        match carry_out(state, &request, Box::new(step), now) {
            Ok(CarriedOut { batch, .. }) => {
                state.chores.under_way = true;
                state.submit(batch, tell_stepped(myself));
                return Ok(());
            }
            Err(EngineError::Store(error)) => return Err(error),
            // Nothing was written, so what is known of how far it has come is not so.
            Err(_) => {
                state.chores = Default::default();
                return Ok(());
            }
        }
    }
}

/// Tells the actor that a step is done.
fn tell_stepped(myself: &ActorRef<Message>) -> Done {
    let myself = myself.clone();
    Box::new(move || _ = myself.cast(Message::Stepped))
}

/// A step, as the change that it is.
#[derive(Default)]
struct Step {
    writes: Vec<Write>,
    /// What the audit log says of it, if anything.
    note: Option<Note>,
}

/// What was done, and how many records of each kind it was done to.
struct Note {
    action: AuditAction,
    done: serde_json::Value,
    none: serde_json::Value,
}

impl Step {
    /// A step that the audit log tells of if records were changed by it.
    fn noting(writes: Vec<Write>, action: AuditAction, counts: &Counts) -> Self {
        let shown = |counts: &Counts| serde_json::to_value(counts).unwrap_or_default();
        let none = Counts::default();
        let note = (*counts != none).then(|| Note { action, done: shown(counts), none: shown(&none) });
        Self { writes, note }
    }
}

impl Change for Step {
    type Gives = Removed;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Removed>, EngineError> {
        let mut decision = Decision::gone();
        if let Some(Note { action, done, none }) = &self.note {
            decision = decision.note_changes(*action, context.business_id(), (none, done));
        }
        Ok(self.writes.into_iter().fold(decision, Decision::write))
    }

    fn weight(&self) -> Weight {
        Weight::Frees
    }
}
