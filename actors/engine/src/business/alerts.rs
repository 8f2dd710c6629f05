//! Alerts and mails to the team, written in the batch of the change that causes them.
//!
//! Invariants:
//! - A business without members writes no alert.
//! - The numbers of a person's alerts are consecutive. A person has at most [`ALERTS_KEPT`] alerts. The
//!   batch that writes a further alert deletes the oldest.
//! - If too many mails are waiting, an alert appears in the dashboard instead of being mailed, even if the
//!   person's settings exclude the dashboard.

use domain::{
    ALERTS_KEPT, About, Actor, Alert, AlertEmail, AlertId, AlertTrigger, AlertsRead, MailId, MailKind,
    PersonId, Timestamp,
};
use store::{Batch, Order, Record, StoreError, keys};

use super::state::State;
use super::write::Write;
use crate::live::{LiveChange, LiveKind};
use crate::mail::{NewMail, next_daily, write_mail};

pub(super) fn happenings<'a>(
    writes: &'a [Write],
    others: Vec<AlertTrigger>,
) -> impl Iterator<Item = AlertTrigger> + 'a {
    let of_write = |write: &Write| match write {
        Write::Appointment { before, after } => AlertTrigger::of_appointment(before.as_ref(), after),
        Write::Message { before: None, after } => Some(AlertTrigger::of_message(after)),
        Write::Call { before: None, after } => AlertTrigger::of_call(after),
        _ => None,
    };
    writes.iter().filter_map(of_write).chain(others)
}

pub(super) fn write_alerts(
    state: &mut State,
    happened: impl Iterator<Item = AlertTrigger>,
    by: Actor,
    at: Timestamp,
    batch: &mut Batch,
) -> Result<Mailed, StoreError> {
    let mut mailed = Mailed::default();
    if state.people.is_empty() {
        return Ok(mailed);
    }
    let room = state.outbox.room(state.budget.waiting.mails());
    for happening in happened {
        let about = About { kind: happening.kind, id: happening.id, at };
        let alerted: Vec<_> = happening.recipients(&state.people, by).collect();
        for (person, setting) in alerted {
            let is_mailed = setting.email != AlertEmail::Off && state.outbox.transport().is_some();
            let is_left_out = is_mailed && mailed.count >= room;
            if setting.in_app || is_left_out {
                write_alert(state, person, about, batch)?;
                let (kind, id) = (LiveKind::Alert, about.id);
                mailed.happened.push(LiveChange { kind, id, person: Some(person) });
            }
            if is_left_out {
                mailed.left_out += 1;
                continue;
            }
            let (kind, due) = match setting.email {
                AlertEmail::Off => continue,
                AlertEmail::Now => (MailKind::Alert, None),
                AlertEmail::Daily => (MailKind::Daily, Some(daily_due(state))),
            };
            let business_id = Some(state.id);
            let new =
                NewMail { business_id, person_id: person, kind, about: vec![about], more: 0, to: None, due };
            let id = state.mint.next(at, state.ports.random_bytes());
            mailed.write(state, id, new, at, batch);
        }
    }
    if mailed.left_out > 0 {
        let (business, mails) = (state.id, mailed.left_out);
        tracing::debug!(business.id = %business, mails, "too many mails are waiting; alerts appear only in the dashboard");
    }
    Ok(mailed)
}

#[derive(Clone, Debug, Default)]
pub(super) struct Mailed {
    /// The earliest due time of the mails in this batch.
    pub(super) until: Option<Timestamp>,
    pub(super) happened: Vec<LiveChange>,
    count: u64,
    pub(super) left_out: u64,
}

impl Mailed {
    /// Adds a mail to the batch. Does nothing if the service sends no mail.
    pub(super) fn write(
        &mut self,
        state: &State,
        id: MailId,
        new: NewMail,
        at: Timestamp,
        batch: &mut Batch,
    ) {
        let Some(mail) = state.outbox.mint(id, new, (at, state.steady.now())) else { return };
        write_mail(batch, &mail, None);
        self.count += 1;
        self.waits_until(mail.next_attempt_at);
    }

    pub(super) fn waits_until(&mut self, due: Option<Timestamp>) {
        self.until = self.until.into_iter().chain(due).min();
    }
}

/// The steady time of the next daily mail, which is due at 08:00 in the time zone of the business.
fn daily_due(state: &State) -> Timestamp {
    let now = state.clocks.now();
    state.steady.now() + (next_daily(state.business.zone, now) - now)
}

fn write_alert(
    state: &mut State,
    person_id: PersonId,
    about: About,
    batch: &mut Batch,
) -> Result<(), StoreError> {
    let number = last_alert(state, person_id)? + 1;
    let id: AlertId = state.mint.next(about.at, state.ports.random_bytes());
    let alert = Alert { id, person_id, number, about, read_at: None };
    batch.put(keys::alert(state.id, person_id, number), alert.encode());
    if let Some(too_many) = number.checked_sub(ALERTS_KEPT).filter(|oldest| *oldest > 0) {
        batch.delete(keys::alert(state.id, person_id, too_many));
    }
    state.alerts.insert(person_id, number);
    Ok(())
}

/// The sequence number of the person's newest alert in the business. If no alert is left, returns the number of the
/// newest read alert (the read position), or 0.
pub(super) fn last_alert(state: &State, person: PersonId) -> Result<u64, StoreError> {
    if let Some(last) = state.alerts.get(&person) {
        return Ok(*last);
    }
    let last = state.next_in(&keys::alerts(state.id, person), Order::Descending)?;
    let last = last.map(|(key, _)| Ok(keys::alert_at(&key)?.1)).transpose()?;
    // If the row of the read position cannot be decoded, the position counts as 0, so the row never blocks an alert.
    let read = state.find::<AlertsRead>(&keys::alerts_read(state.id, person))?;
    Ok(last.max(read.map(|read| read.until)).unwrap_or_default())
}
