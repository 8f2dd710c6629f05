//! Deciding a change: its batch, its answer, and what follows once it is on the disk.

use domain::{AuditEntry, AuditId, BusinessId, Timestamp};
use store::records::AuditRecord;
use store::{Batch, Record, Weight, keys};

use super::alerts::{happenings, write_alerts};
use super::announce::{Announced, write_event};
use super::change::{AnyChange, AnyValue};
use super::context::Context;
use super::decision::Decided;
use super::names;
use super::remembered::{given, remember};
use super::request::{Answer, Request};
use super::state::State;
use super::usage;
use super::write::Write;
use crate::delivery::EndpointKey;
use crate::error::EngineError;
use crate::live::LiveChange;

/// A change that was decided: the answer once the batch is on the disk, and what follows then.
pub(super) struct CarriedOut {
    pub(super) batch: Batch,
    pub(super) answer: Answer<AnyValue>,
    /// What follows, in this order, before the answer.
    pub(super) effects: Vec<Effect>,
}

/// What follows from a change once it is on the disk.
pub(super) enum Effect {
    /// There is something to be done in steps.
    Chores,
    /// The business is no more, so the next request finds none.
    End,
    /// Something waits for an endpoint.
    Deliver(EndpointKey),
    /// Nothing is sent to an endpoint any more, and what is under way there ends.
    StopDelivering(EndpointKey),
    /// An endpoint was turned off for its failures.
    TurnedOff(EndpointKey),
    /// So many deliveries are missed for want of room among those that wait.
    Missed(u64),
    /// A mail waits in the outbox, until this instant.
    MailWaits(Timestamp),
    /// So many alerts are not mailed, because too many mails wait.
    MailsLeftOut(u64),
    /// Those who watch the business are told.
    Tell(Vec<LiveChange>),
}

/// Decides a change and gives back its batch and answer. The memory is moved on only once the batch is whole.
pub(super) fn carry_out(
    state: &mut State,
    request: &Request,
    change: Box<dyn AnyChange>,
    now: Timestamp,
) -> Result<CarriedOut, EngineError> {
    let status = change.status();
    if let Some(kept) = given(state, request, status, change.needs_any())? {
        let answer = Answer { value: change.replay_any(&kept)?, replayed: true };
        return Ok(CarriedOut { batch: Batch::default(), answer, effects: Vec::new() });
    }
    let weight = change.weight_any();
    state.store.check_room(weight)?;
    let mut context = Context::new(state, request, now);
    let (decided, value, kept) = change.decide_any(&mut context, request.idempotency.is_some())?;
    if decided.writes.is_empty() && request.idempotency.is_some() {
        // Nothing changes, and yet the answer would be remembered: that can be had again and again.
        state.store.check_room(weight.min(Weight::Keeps))?;
    }
    let at = context.at();
    let mint = context.into_mint();
    state.mint = mint;
    let Decided { writes, audit, events, mails, turned_off } = decided;
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
        happened.push(LiveChange { kind: draft.action.kind().as_str(), id: draft.resource_id, person: None });
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
    if let Some((idempotency, kept)) = request.idempotency.zip(kept) {
        remember(state.id, state.clocks.steady(), idempotency, (status, kept), &mut batch);
    }
    if bears_stamp {
        state.stamps.made(at);
        state.clocks.note(at, &state.store);
    }
    state.accounts.usage = usage;
    let mut effects = Vec::new();
    let business = state.id;
    let of_business = |endpoint| EndpointKey { business, endpoint };
    for write in &writes {
        match write {
            Write::NoContact(_) | Write::NoUnreadContact(_) | Write::Retention(_) => {
                effects.push(Effect::Chores);
            }
            Write::NoBusiness => effects.push(Effect::End),
            Write::NoWebhook(endpoint) => effects.push(Effect::StopDelivering(of_business(*endpoint))),
            // What waits no longer is dropped by the endpoint's actor.
            Write::Webhook(after)
                if !after.is_enabled()
                    || state.webhooks.get(&after.id).is_some_and(|before| before.epoch != after.epoch) =>
            {
                effects.push(Effect::StopDelivering(of_business(after.id)));
            }
            // What waited meanwhile goes out now.
            Write::Business(after) if state.business.suspended && !after.suspended => {
                deliveries.extend(state.webhooks.keys().copied().map(of_business));
            }
            _ => {}
        }
    }
    writes.into_iter().for_each(|write| state.apply(write));
    if !state.business.suspended {
        effects.extend(deliveries.into_iter().map(Effect::Deliver));
    }
    effects.extend(turned_off.map(|endpoint| Effect::TurnedOff(of_business(endpoint))));
    effects.extend(mailed.until.map(Effect::MailWaits));
    effects.extend((missed > 0).then_some(Effect::Missed(missed)));
    effects.extend((mailed.left_out > 0).then_some(Effect::MailsLeftOut(mailed.left_out)));
    effects.extend((!happened.is_empty()).then_some(Effect::Tell(happened)));
    Ok(CarriedOut { batch, answer: Answer { value, replayed: false }, effects })
}
