//! Deciding a change: its batch, its answer, and what follows once it is on the disk.

use super::alerts::{happenings, write_alerts};
use super::announce::{Announced, write_event};
use super::change::AnyChange;
use super::context::Context;
use super::decision::Decided;
use super::names;
use super::remembered::{given, remember};
use super::request::{Answer, Request};
use super::state::State;
use super::usage;
use super::write::Write;
use crate::delivery::EndpointKey;
use crate::domain::{AuditEntry, AuditId, BusinessId, Timestamp};
use crate::error::EngineError;
use crate::live::Happened;
use crate::store::records::AuditRecord;
use crate::store::{Batch, Record, Weight, keys};

/// A change that was decided, and what follows once it is on the disk.
pub(super) struct CarriedOut {
    pub(super) batch: Batch,
    pub(super) answer: Answer,
    /// The endpoints for which something waits now.
    pub(super) deliveries: Vec<EndpointKey>,
    /// The endpoints to which nothing is sent any more: what is under way there ends.
    pub(super) ended: Vec<EndpointKey>,
    /// The endpoint that was turned off for its failures.
    pub(super) turned_off: Option<EndpointKey>,
    /// How many deliveries are missed for want of room among what waits.
    pub(super) missed: u64,
    /// What whoever watches the business is told.
    pub(super) happened: Vec<Happened>,
    /// Until when something waits in the outbox that was written, if anything was.
    pub(super) mails_wait: Option<Timestamp>,
    /// How many alerts are not mailed, because too many mails wait.
    pub(super) left_out: u64,
    /// What comes of it beside that.
    pub(super) then: Then,
}

/// What follows of a change beside deliveries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Then {
    /// Nothing.
    #[default]
    Nothing,
    /// There is something to be done in steps.
    Chores,
    /// The business is no more.
    Ends,
}

impl CarriedOut {
    /// A change that was carried out before: it is answered, and nothing follows.
    fn before(answer: Answer) -> Self {
        Self {
            batch: Batch::default(),
            answer,
            deliveries: Vec::new(),
            ended: Vec::new(),
            turned_off: None,
            missed: 0,
            happened: Vec::new(),
            mails_wait: None,
            left_out: 0,
            then: Then::Nothing,
        }
    }
}

/// Decides a change and gives back its batch and answer. The memory is moved on only once the batch is whole.
pub(super) fn carry_out(
    state: &mut State,
    request: &Request,
    change: Box<dyn AnyChange>,
    now: Timestamp,
) -> Result<CarriedOut, EngineError> {
    if let Some(answer) = given(state, request, change.status(), change.needs_any())? {
        return Ok(CarriedOut::before(change.replay_any(answer)?));
    }
    let weight = change.weight_any();
    state.store.check_room(weight)?;
    let mut context = Context::new(state, request, now);
    let decision = change.decide_any(&mut context)?;
    if decision.writes.is_empty() && request.idempotency.is_some() {
        // Nothing changes, and yet the answer would be remembered: that can be had again and again.
        state.store.check_room(weight.min(Weight::Keeps))?;
    }
    let at = context.at();
    let mint = context.into_mint();
    state.mint = mint;
    let Decided { writes, audit, events, mails, turned_off, status, body, remembered } = decision;
    let (mut batch, mut usage) = (Batch::default(), state.accounts.usage);
    for write in &writes {
        let from = batch.len();
        write.encode(state.id, &mut batch);
        usage::count(state, write, (&batch, from), &mut usage)?;
        match write {
            Write::Contact { before, after } => {
                names::index(state, before.as_ref(), Some(after), &mut batch)?;
            }
            Write::NoContact(before) => names::index(state, Some(before), None, &mut batch)?,
            Write::NoUnreadContact(id) => names::set(state, *id, None, &mut batch)?,
            _ => {}
        }
    }
    state.accounts.check(&usage)?;
    assert!(
        usage == state.accounts.usage || !audit.is_empty(),
        "what alters the usage writes an audit entry"
    );
    let mut announced =
        Announced { waits: state.accounts.waiting.claimed(), deliveries: Vec::new(), missed: 0 };
    for (event, resource) in events {
        write_event(state, event, &resource, at, &mut batch, &mut announced);
    }
    let Announced { mut deliveries, missed, .. } = announced;
    let alerting = happenings(&writes, turned_off);
    let mut mailed = write_alerts(state, alerting, request.actor, at, &mut batch)?;
    for (id, mail) in mails {
        mailed.write(state, id, mail, at, &mut batch);
    }
    let bears_stamp = !audit.is_empty(); // an answer that is remembered alone bears none
    let ends = writes.iter().any(|write| matches!(write, Write::NoBusiness));
    let mut happened = std::mem::take(&mut mailed.happened);
    for draft in audit {
        happened.push(Happened { kind: draft.action.kind().as_str(), id: draft.resource_id, person: None });
        // Minted last, so that the newest entry holds the newest id of the business.
        let id: AuditId = state.mint.next(at, state.ports.random_bytes());
        state.ages.newest = Some(id);
        let entry = AuditEntry {
            id,
            at,
            actor: request.actor,
            action: draft.action,
            resource_type: draft.action.kind(),
            resource_id: draft.resource_id,
            changes: draft.changes,
        };
        if ends {
            // The business's own log goes with it.
            let record = AuditRecord { entry: entry.clone(), usage: None };
            batch.put(keys::audit(BusinessId::INSTALLATION, id), record.encode());
        }
        let record = AuditRecord { entry, usage: state.accounts.telling(usage) };
        batch.put(keys::audit(state.id, id), record.encode());
    }
    if let Some(idempotency) = request.idempotency {
        let answered = state.clocks.steady();
        let body = remembered.as_ref().unwrap_or(&body);
        remember(state.id, answered, idempotency, status, body, &mut batch);
    }
    if bears_stamp {
        state.stamps.made(at);
        state.clocks.note(at, &state.store);
    }
    state.accounts.usage = usage;
    let (mut ended, mut then) = (Vec::new(), Then::Nothing);
    for write in writes {
        match &write {
            Write::NoContact(_) | Write::NoUnreadContact(_) | Write::Retention(_) => then = Then::Chores,
            Write::NoBusiness => then = Then::Ends,
            Write::NoWebhook(endpoint) => {
                ended.push(EndpointKey { business: state.id, endpoint: *endpoint });
            }
            // What waits no longer is dropped by the endpoint's actor.
            Write::Webhook(after)
                if !after.is_enabled()
                    || state.webhooks.get(&after.id).is_some_and(|before| before.epoch != after.epoch) =>
            {
                ended.push(EndpointKey { business: state.id, endpoint: after.id });
            }
            // What waited meanwhile goes out now.
            Write::Business(after) if state.business.suspended && !after.suspended => {
                let all = state.webhooks.keys();
                deliveries.extend(all.map(|id| EndpointKey { business: state.id, endpoint: *id }));
            }
            _ => {}
        }
        state.apply(write);
    }
    if state.business.suspended {
        deliveries.clear();
    }
    let turned_off = turned_off.map(|endpoint| EndpointKey { business: state.id, endpoint });
    let answer = Answer { status, body: body.into(), replayed: false };
    let (mails_wait, left_out) = (mailed.until, mailed.left_out);
    Ok(CarriedOut {
        batch,
        answer,
        deliveries,
        ended,
        turned_off,
        missed,
        happened,
        mails_wait,
        left_out,
        then,
    })
}
