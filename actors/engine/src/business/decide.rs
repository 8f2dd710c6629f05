//! Turns a decision into the batch, the answer and the effects of a change.

use std::collections::BTreeSet;

use domain::{
    AlertKind, Amount, AppointmentId, AuditEntry, AuditId, BudgetKind, BusinessId, CalendarStatus, ContactId,
    ConversationId, Delivery, EventId, EventType, Timestamp,
};
use store::records::AuditRecord;
use store::{Batch, Record, Weight, keys};

use super::alerts::{happenings, write_alerts};
use super::change::Change;
use super::commands::{calendars, feeds};
use super::context::Context;
use super::decision::Decided;
use super::notices::write_notices;
use super::remembered::{given, read_kept, remember};
use super::request::{Answer, Gives, Request};
use super::state::State;
use super::usage;
use super::write::Write;
use super::{links, search_texts, writes};
use crate::calendars::reading::CalendarKey;
use crate::delivery::{EndpointKey, write_delivery};
use crate::error::Result;
use crate::live::{LiveChange, LiveKind};

pub(crate) struct CarriedOut<V> {
    pub(crate) batch: Batch,
    pub(super) answer: Answer<V>,
    pub(super) effects: Vec<Effect>,
}

impl<V> CarriedOut<V> {
    /// Returns the calendars to which the change writes appointments.
    pub(crate) fn calendars_to_write(&self) -> Vec<CalendarKey> {
        let of_effect = |effect: &Effect| match effect {
            Effect::WriteCalendar(key) => Some(*key),
            _ => None,
        };
        self.effects.iter().filter_map(of_effect).collect()
    }
}

pub(super) enum Effect {
    Maintain,
    End,
    Deliver(EndpointKey),
    /// Stops the deliveries to the endpoint and aborts the attempts in progress.
    StopDelivering(EndpointKey),
    TurnedOff(EndpointKey),
    Missed(u64),
    MailWaits(Timestamp),
    /// Reads a calendar, or deletes the rows of a disconnected calendar.
    ReadCalendar(CalendarKey),
    /// Writes appointments to a calendar.
    WriteCalendar(CalendarKey),
    /// A change may have made waiting notices about this appointment obsolete.
    NoticesChange(AppointmentId),
    MailsLeftOut(u64),
    /// Asks the model for the summary of an ended conversation.
    Summarize(ConversationId),
    /// Mails a code to a contact.
    SendCode(ContactId, String),
    Tell(Vec<LiveChange>),
}

/// Decides a change. The records in the actor's memory are updated only after the batch is complete.
pub(crate) fn carry_out<C: Change>(
    state: &mut State,
    request: &Request,
    change: C,
    now: Timestamp,
) -> Result<CarriedOut<<C::Gives as Gives>::Value>> {
    let status = C::Gives::STATUS;
    if let Some(kept) = given(state, request, status, change.needs())? {
        let answer = Answer { value: change.replay(read_kept::<C::Gives>(&kept)?), replayed: true };
        return Ok(CarriedOut { batch: Batch::default(), answer, effects: Vec::new() });
    }
    let weight = change.weight();
    state.store.check_room(weight)?;
    let mut context = Context::new(state, request, now);
    let (decided, value, kept) = change.decide(&mut context)?.into_parts(request.idempotency.is_some());
    if decided.writes.is_empty() && request.idempotency.is_some() {
        // The decision has no writes, but its answer is stored. With the weight `Frees`, it would be stored even on a
        // nearly full disk, so clients could fill the disk with answers. So here `Frees` counts as `Keeps`.
        state.store.check_room(weight.min(Weight::Keeps))?;
    }
    let Context { at, mint, .. } = context;
    state.mint = mint;
    let other = decided.by.map(|actor| Request { actor, ..request.clone() });
    let request = other.as_ref().unwrap_or(request);
    let (batch, effects) = write(state, request, decided, kept.map(|kept| (status, kept)), at)?;
    Ok(CarriedOut { batch, answer: Answer { value, replayed: false }, effects })
}

/// Builds the batch and the effects of a decision. `kept` is the answer to store, in case the request is repeated.
pub(super) fn write(
    state: &mut State,
    request: &Request,
    mut decided: Decided,
    kept: Option<(u16, Vec<u8>)>,
    at: Timestamp,
) -> Result<(Batch, Vec<Effect>)> {
    feeds::end(state, at, &mut decided)?;
    calendars::disconnect_ended(state, &mut decided);
    writes::add(state, &mut decided)?;
    let Decided { writes, audit, events, mails, waits, alerts, summarize, code, .. } = decided;
    let (mut batch, mut usage) = (Batch::default(), state.budget.usage);
    for write in &writes {
        let from = batch.len();
        write.encode(state.id, &mut batch);
        usage::count(state, write, (&batch, from), &mut usage)?;
        match write {
            Write::NoAppointment(gone) => links::end(state, gone.id, &mut batch)?,
            Write::Appointment { before: Some(before), after }
                if before.contact_id.is_some() && after.contact_id.is_none() =>
            {
                links::end(state, after.id, &mut batch)?;
            }
            _ => {}
        }
    }
    state.budget.check(&usage)?;
    search_texts::index(state, &writes, &mut batch)?;
    assert!(usage == state.budget.usage || !audit.is_empty(), "a changed usage needs an audit entry");
    let mut announced =
        Announced { waits: state.budget.waiting.claimed(), deliveries: Vec::new(), missed: 0 };
    for (event, resource) in events {
        write_event(state, event, &resource, at, &mut batch, &mut announced);
    }
    let Announced { mut deliveries, missed, .. } = announced;
    let turned_off = alerts.iter().find(|alert| alert.kind == AlertKind::WebhookDisabled);
    let turned_off = turned_off.map(|alert| alert.id.into());
    let alerting = happenings(&writes, alerts);
    let mut mailed = write_alerts(state, alerting, request.actor, at, &mut batch)?;
    for (id, mail) in mails {
        mailed.write(state, id, mail, at, &mut batch);
    }
    mailed.waits_until(waits);
    let changed = write_notices(state, &writes, request.actor, at, &mut batch, &mut mailed)?;
    let bears_stamp = !audit.is_empty(); // a batch with only a stored answer has no stamp
    let ends = writes.iter().any(|write| matches!(write, Write::NoBusiness));
    let mut happened = std::mem::take(&mut mailed.happened);
    for draft in audit {
        let kind = LiveKind::Of(draft.action.kind());
        happened.push(LiveChange { kind, id: draft.resource_id, person: None });
        // The ids of the audit entries are generated last, so the newest audit entry has the greatest id of the
        // business.
        let id: AuditId = state.mint.next(at, state.ports.random_bytes());
        state.ages.newest = Some(id);
        let entry = AuditEntry::new((id, at), (request.actor, draft.action), draft.resource_id);
        let entry = AuditEntry { changes: draft.changes, ..entry };
        if ends {
            // The installation's audit log gets a copy, because the audit log of the business will be deleted.
            let record = AuditRecord { entry: entry.clone(), usage: None };
            batch.put(keys::audit(BusinessId::INSTALLATION, id), record.encode());
        }
        let record = AuditRecord { entry, usage: state.budget.recorded(usage) };
        batch.put(keys::audit(state.id, id), record.encode());
    }
    if let Some((idempotency, kept)) = request.idempotency.zip(kept) {
        remember(state.id, state.clocks.steady(), idempotency, kept, &mut batch);
    }
    if bears_stamp {
        state.stamps.made(at);
        state.clocks.note(at, &state.store);
    }
    state.budget.usage = usage;
    let mut effects = Vec::new();
    let business = state.id;
    let of_business = |endpoint| EndpointKey { business, endpoint };
    let read = |calendar| Effect::ReadCalendar(CalendarKey { business, calendar });
    let mut to_write = BTreeSet::new();
    for write in &writes {
        match write {
            Write::NoContact(_)
            | Write::Merged(..)
            | Write::NoUndecodableContact(_)
            | Write::Retention(_)
            | Write::Notices(_) => {
                effects.push(Effect::Maintain);
            }
            Write::NoBusiness => effects.push(Effect::End),
            Write::NoWebhook(endpoint) => effects.push(Effect::StopDelivering(of_business(*endpoint))),
            // The endpoint is disabled, or was disabled and enabled again. So its actor must drop the waiting
            // deliveries.
            Write::Webhook(after)
                if !after.is_enabled()
                    || state.webhooks.get(&after.id).is_some_and(|before| before.epoch != after.epoch) =>
            {
                effects.push(Effect::StopDelivering(of_business(after.id)));
            }
            // The end of a suspension makes the waiting deliveries and the reads of calendars due.
            Write::Business(after) if state.business.suspended && !after.suspended => {
                deliveries.extend(state.webhooks.keys().copied().map(of_business));
                effects.extend(state.calendars.keys().copied().map(read));
            }
            // The times of all-day events depend on the time zone, so the calendars are read again.
            Write::Business(after) if state.business.zone != after.zone => {
                effects.extend(state.calendars.keys().copied().map(read));
            }
            Write::Staff(after) if after.active => {
                let was_active = state.staff.get(&after.id).is_none_or(|before| before.active);
                let own = state.calendars.values().filter(|it| !was_active && it.staff_id == after.id);
                effects.extend(own.map(|calendar| read(calendar.id)));
            }
            Write::Calendar { before, after }
                if before.as_ref().is_none_or(|before| before.version != after.version) =>
            {
                effects.push(read(after.id));
            }
            Write::NoCalendar(gone) => effects.push(read(gone.id)),
            Write::WrittenAppointment { after: Some(after), .. } if after.is_pending() => {
                to_write.insert(after.calendar_id);
            }
            _ => {}
        }
        match write {
            Write::Calendar { after, .. } if after.task.is_some() || after.is_leaving() => {
                to_write.insert(after.id);
            }
            Write::CalendarState { after, .. } if after.status == CalendarStatus::Stopped => {
                to_write.insert(after.calendar_id);
            }
            _ => {}
        }
    }
    let written = |calendar| Effect::WriteCalendar(CalendarKey { business, calendar });
    effects.extend(to_write.into_iter().map(written));
    writes.into_iter().for_each(|write| state.apply(write));
    if !state.business.suspended {
        effects.extend(deliveries.into_iter().map(Effect::Deliver));
    }
    effects.extend(turned_off.map(|endpoint| Effect::TurnedOff(of_business(endpoint))));
    effects.extend(summarize.map(Effect::Summarize));
    effects.extend(code.map(|(contact, code)| Effect::SendCode(contact, code)));
    effects.extend(mailed.until.map(Effect::MailWaits));
    effects.extend(changed.into_iter().map(Effect::NoticesChange));
    effects.extend((missed > 0).then_some(Effect::Missed(missed)));
    effects.extend((mailed.left_out > 0).then_some(Effect::MailsLeftOut(mailed.left_out)));
    effects.extend((!happened.is_empty()).then_some(Effect::Tell(happened)));
    Ok((batch, effects))
}

struct Announced {
    /// The waiting and reserved deliveries of the business, including those of this batch.
    waits: Amount,
    deliveries: Vec<EndpointKey>,
    missed: u64,
}

/// Writes an event and one delivery for each subscribed endpoint. A delivery for which the budget has no room is marked
/// as missed.
fn write_event(
    state: &mut State,
    event: EventType,
    resource: &[u8],
    at: Timestamp,
    batch: &mut Batch,
    announced: &mut Announced,
) {
    if !state.webhooks.values().any(|endpoint| endpoint.events.contains(event)) {
        return;
    }
    let id: EventId = state.mint.next(at, state.ports.random_bytes());
    let bytes = view::event(id, event, at, state.id, resource);
    let (kind, more) = (BudgetKind::WaitingDeliveries, Amount::row(bytes.len()));
    batch.put(keys::event(state.id, id), bytes);
    for endpoint in state.webhooks.values().filter(|endpoint| endpoint.events.contains(event)) {
        let key = EndpointKey { business: state.id, endpoint: endpoint.id };
        let mut delivery = Delivery::of_event(id, event, endpoint, (at, state.steady.now()));
        if endpoint.is_enabled() {
            if state.budget.limits.has_room(kind, announced.waits, more) {
                announced.waits = announced.waits.plus(more);
                if !announced.deliveries.contains(&key) {
                    announced.deliveries.push(key);
                }
            } else {
                delivery = delivery.missed();
                announced.missed += 1;
            }
        }
        write_delivery(batch, key, &delivery, None);
    }
}
