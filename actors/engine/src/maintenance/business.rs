//! Runs the background jobs of a business in its actor, one after another: erasure, merges, reminders, erased
//! events, retention, old chats, expired logs.
//!
//! Invariants:
//! - One step runs at a time. The next step begins when this step is durable and the actor has handled all messages
//!   that arrived before the step became durable.
//! - A step that changes records is counted, audited and written like any other change.
//! - The store contains the remaining work, so a restarted actor continues.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use domain::{Actor as Who, AuditAction, BudgetKind, Timestamp};
use ractor::ActorRef;
use store::kept::Kept;
use store::{Done, Key, KeyRange, StoreError, Weight, unless_set_aside};

use super::age_marks::HourlyRound;
use super::erasure::Erasing;
use super::merging::Merging;
use super::{chats, erased_events, erasure, expired_logs, merging, reminders, retention};
use crate::business::{
    Businesses, Change, Context, Decision, Listed, Message, Removed, Request, State, Write, carry_out,
};
use crate::delivery::EndpointKey;
use crate::error::EngineError;

#[derive(Debug, Default)]
pub(crate) struct BusinessJobs {
    /// True after a step, until the actor gets [`Message::Stepped`].
    under_way: bool,
    /// True if the jobs must start again after the current run.
    asked: bool,
    current: Option<BusinessJob>,
    pub(super) erasing: Option<Erasing>,
    pub(super) merging: Option<Merging>,
    /// The appointments that the reminder job has not read yet.
    pub(super) unreminded: Option<KeyRange>,
    /// The last event that the job for erased events has read.
    pub(super) wiped: Option<Key>,
    round: HourlyRound,
    in_round: bool,
    chats_round: HourlyRound,
    /// The last website chat that the current round of the chat job has read.
    pub(super) chats: Option<Key>,
    /// The kind that the retention job reads next, as an index into the job's list of kinds.
    pub(super) expiring: usize,
}

#[derive(Clone, Copy, Debug)]
enum BusinessJob {
    Erasure,
    Merges,
    Reminders,
    ErasedEvents,
    Retention,
    Chats,
    ExpiredLogs,
}

#[derive(Default)]
pub(super) struct Step {
    pub(super) writes: Vec<Write>,
    /// The number of changed records of each kind, for the audit entry. Only kinds with a budget are counted.
    pub(super) counts: BTreeMap<BudgetKind, u64>,
    pub(super) clean: Vec<EndpointKey>,
    /// The earliest due time of the mails that the step writes.
    pub(super) waits: Option<Timestamp>,
    pub(super) more: bool,
}

impl Step {
    pub(super) fn count<R: Kept>(&mut self) {
        self.count_of(R::BUDGET);
    }

    pub(super) fn count_of(&mut self, budget: Option<BudgetKind>) {
        if let Some(budget) = budget {
            *self.counts.entry(budget).or_default() += 1;
        }
    }
}

impl BusinessJobs {
    pub(crate) fn are_done(&self) -> bool {
        !self.under_way && self.current.is_none()
    }

    /// Restarts the retention job after a change to the retention periods.
    pub(crate) fn look_anew(&mut self) {
        (self.round, self.expiring) = (HourlyRound::default(), 0);
    }

    /// Restarts the reminder job after a change to the settings of notices.
    pub(crate) fn remind_anew(&mut self) {
        self.unreminded = None;
    }
}

impl BusinessJob {
    fn next(self) -> Option<Self> {
        match self {
            Self::Erasure => Some(Self::Merges),
            Self::Merges => Some(Self::Reminders),
            Self::Reminders => Some(Self::ErasedEvents),
            Self::ErasedEvents => Some(Self::Retention),
            Self::Retention => Some(Self::Chats),
            Self::Chats => Some(Self::ExpiredLogs),
            Self::ExpiredLogs => None,
        }
    }
}

type Actors<'a> = (&'a Weak<Businesses>, &'a ActorRef<Message>);

/// Starts the jobs, or makes them start again after the current run.
pub(crate) fn begin(
    state: &mut State,
    (businesses, myself): Actors<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    if !state.jobs.are_done() {
        state.jobs.asked = true;
        return Ok(());
    }
    state.jobs.current = Some(BusinessJob::Erasure);
    go_on(state, (businesses, myself), now)
}

/// Runs steps until a step has submitted a batch or has reached its bounds, or until no work is left. If a job finds a
/// row that cannot be decoded, all jobs except the job of expired logs pause until the next minute.
pub(crate) fn go_on(
    state: &mut State,
    (businesses, myself): Actors<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    state.jobs.under_way = false;
    while unless_set_aside(do_steps(state, (businesses, myself), now))?.is_none() {
        let logs_left = !matches!(state.jobs.current, Some(BusinessJob::ExpiredLogs));
        let current = logs_left.then_some(BusinessJob::ExpiredLogs);
        state.jobs = BusinessJobs { current, ..BusinessJobs::default() };
    }
    Ok(())
}

fn do_steps(state: &mut State, (businesses, myself): Actors<'_>, now: Timestamp) -> Result<(), StoreError> {
    loop {
        if state.ended || state.store.check_room(Weight::Frees).is_err() {
            state.jobs = BusinessJobs::default(); // in the next minute, the jobs begin again
            return Ok(());
        }
        let Some(job) = state.jobs.current else {
            if !std::mem::take(&mut state.jobs.asked) {
                return Ok(());
            }
            state.jobs.current = Some(BusinessJob::Erasure);
            continue;
        };
        let (action, mut step) = match job {
            BusinessJob::Erasure => {
                let at = state.stamps.at(now);
                (AuditAction::RecordsErased, erasure::step(state, at)?)
            }
            BusinessJob::Merges => (AuditAction::RecordsMoved, merging::step(state)?),
            BusinessJob::Reminders => (AuditAction::NoticesUpdated, reminders::step(state, now)?),
            BusinessJob::ErasedEvents => (AuditAction::RecordsErased, erased_events::step(state)?),
            BusinessJob::Retention if has_round(state) => {
                let step = retention::step(state, now)?;
                state.jobs.in_round &= step.more;
                (AuditAction::RecordsExpired, step)
            }
            BusinessJob::Retention => (AuditAction::RecordsExpired, Step::default()),
            BusinessJob::Chats => {
                let steady = state.clocks.steady();
                let is_due = state.jobs.chats.is_some() || state.jobs.chats_round.is_under_way(steady);
                let step = if is_due { chats::step(state)? } else { Step::default() };
                (AuditAction::RecordsExpired, step)
            }
            BusinessJob::ExpiredLogs => {
                // If this job finds a row that cannot be decoded, it alone pauses until the next minute. The other jobs
                // keep their progress.
                let stepped = unless_set_aside(expired_logs::step(state, now, tell_stepped(myself)))?;
                let expired_logs::Stepped { is_submitted, more } = stepped.unwrap_or_default();
                if is_submitted {
                    state.jobs.under_way = true;
                    state.jobs.current = more.then_some(job);
                    return Ok(());
                }
                (AuditAction::RecordsExpired, Step { more, ..Step::default() })
            }
        };
        if let Some(businesses) = businesses.upgrade() {
            step.clean.drain(..).for_each(|key| businesses.deliveries.clean(key));
        }
        if !step.more {
            state.jobs.current = job.next();
        }
        if step.writes.is_empty() {
            if step.more {
                state.jobs.under_way = true;
                tell_stepped(myself)();
                return Ok(());
            }
            continue;
        }
        let changed = |write: &Write| match write {
            Write::Appointment { after, .. } => Some(after.id),
            _ => None,
        };
        let changed: Vec<_> = step.writes.iter().filter_map(changed).collect();
        let waits = step.waits;
        match carry_out(state, &Request::by(Who::System), StepChange { action, step }, now) {
            Ok(carried_out) => {
                let (calendars, businesses) = (carried_out.calendars_to_write(), businesses.clone());
                let batch = carried_out.batch;
                state.jobs.under_way = true;
                let (of, outbox, stepped) = (state.id, Arc::clone(&state.outbox), tell_stepped(myself));
                let done = move || {
                    changed.into_iter().for_each(|id| outbox.changed(of, id)); // drops the waiting notices
                    waits.into_iter().for_each(|due| outbox.waits(of, due));
                    if let Some(businesses) = businesses.upgrade() {
                        calendars.into_iter().for_each(|key| businesses.readings.wake_write(key));
                    }
                    stepped();
                };
                state.submit(batch, Box::new(done));
                return Ok(());
            }
            Err(EngineError::Store(error)) => return Err(error),
            // The step was refused, but the progress in memory has already advanced past the step's records. Therefore
            // the jobs begin again in the next minute.
            Err(_) => {
                state.jobs = BusinessJobs::default();
                return Ok(());
            }
        }
    }
}

/// Starts a retention round if one is due. Returns true if a round is in progress.
fn has_round(state: &mut State) -> bool {
    if state.retention.longest().is_none() {
        return false;
    }
    let jobs = &mut state.jobs;
    jobs.in_round |= jobs.round.is_under_way(state.clocks.steady());
    jobs.in_round
}

fn tell_stepped(myself: &ActorRef<Message>) -> Done {
    let myself = myself.clone();
    Box::new(move || _ = myself.cast(Message::Stepped))
}

struct StepChange {
    action: AuditAction,
    step: Step,
}

// The macro `listed!` implements `Listed` for the changes that requests can make. Only a background job makes this
// change.
impl Listed for StepChange {}

impl Change for StepChange {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Frees;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Removed>, EngineError> {
        let Step { writes, counts, .. } = self.step;
        let mut decision = Decision::gone();
        if !counts.is_empty() {
            let none = counts.keys().map(|kind| (*kind, 0)).collect();
            decision = decision.note_changes(self.action, context.state.id, (&none, &counts));
        }
        Ok(writes.into_iter().fold(decision, Decision::write))
    }
}
