//! Runs the background jobs of a business in steps: erasure, then wiping, then retention.
//!
//! Invariants:
//! - One step runs at a time. The next one follows after the step is durable and after the messages that
//!   arrived meanwhile.
//! - A step is a change by the service itself, so it is counted, audited and written like any other change.
//! - The store contains the remaining work, so a restarted actor continues.

use std::sync::Weak;

use domain::{Actor as Who, AuditAction, Timestamp};
use ractor::ActorRef;
use store::{Done, StoreError, Weight, unless_set_aside};

use super::progress::{Chore, Counts};
use super::{erased_events, erasure, retention};
use crate::business::{
    Businesses, CarriedOut, Change, Context, Decision, Message, Removed, Request, State, Write, carry_out,
};
use crate::error::EngineError;

/// Starts the jobs, or makes them start again after the current run.
pub(crate) fn begin(
    state: &mut State,
    businesses: &Weak<Businesses>,
    myself: &ActorRef<Message>,
    now: Timestamp,
) -> Result<(), StoreError> {
    if state.chores.under_way || state.chores.chore != Chore::None {
        state.chores.asked = true;
        return Ok(());
    }
    state.chores.chore = Chore::Erasing;
    go_on(state, businesses, myself, now)
}

pub(crate) fn stepped(
    state: &mut State,
    businesses: &Weak<Businesses>,
    myself: &ActorRef<Message>,
    now: Timestamp,
) -> Result<(), StoreError> {
    state.chores.under_way = false;
    go_on(state, businesses, myself, now)
}

/// Runs steps until one has a write, reaches its bounds, or no work is left. An undecodable row postpones the
/// job to the next minute.
fn go_on(
    state: &mut State,
    businesses: &Weak<Businesses>,
    myself: &ActorRef<Message>,
    now: Timestamp,
) -> Result<(), StoreError> {
    if unless_set_aside(do_steps(state, businesses, myself, now))?.is_none() {
        state.chores = Default::default();
    }
    Ok(())
}

fn do_steps(
    state: &mut State,
    businesses: &Weak<Businesses>,
    myself: &ActorRef<Message>,
    now: Timestamp,
) -> Result<(), StoreError> {
    loop {
        if state.ended || state.store.check_room(Weight::Frees).is_err() {
            state.chores = Default::default(); // the next minute reads the store again
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
                let erased_events::Stepped { writes, clean, more } = erased_events::step(state)?;
                if let Some(businesses) = businesses.upgrade() {
                    clean.into_iter().for_each(|key| businesses.deliveries.clean(key));
                }
                (Step { writes, ..Step::default() }, more, if more { Chore::Wiping } else { Chore::Expiring })
            }
            Chore::Expiring => {
                let steady = state.clocks.steady();
                if state.retention.longest().is_none() || !state.chores.is_round_under_way(steady) {
                    state.chores.chore = Chore::None;
                    continue;
                }
                let retention::Stepped { writes, expired, more } = retention::step(state, now)?;
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
            // Nothing was written, so the progress in memory is wrong.
            Err(_) => {
                state.chores = Default::default();
                return Ok(());
            }
        }
    }
}

fn tell_stepped(myself: &ActorRef<Message>) -> Done {
    let myself = myself.clone();
    Box::new(move || _ = myself.cast(Message::Stepped))
}

#[derive(Default)]
struct Step {
    writes: Vec<Write>,
    note: Option<Note>,
}

/// The action and the number of records per kind.
struct Note {
    action: AuditAction,
    done: serde_json::Value,
    none: serde_json::Value,
}

impl Step {
    /// The step has an audit entry if it changed records.
    fn noting(writes: Vec<Write>, action: AuditAction, counts: &Counts) -> Self {
        let none = Counts(counts.0.keys().map(|kind| (*kind, 0)).collect());
        let shown = |counts: &Counts| serde_json::to_value(&counts.0).unwrap_or_default();
        let note = (!counts.0.is_empty()).then(|| Note { action, done: shown(counts), none: shown(&none) });
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
