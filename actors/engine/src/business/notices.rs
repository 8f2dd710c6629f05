//! Notices to customers, written in the batch of the change that causes them.
//!
//! Invariants:
//! - Without a mail relay, no notice is written.
//! - A waiting notice is changed only by the outbox. If a later change makes the notice obsolete, the outbox drops it.
//!   A business actor only adds notices, removes personal data from finished notices, deletes old finished notices, and
//!   deletes the notices of a deleted appointment.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use domain::{
    Actor, Amount, Appointment, AppointmentId, Budget, BudgetKind, DropReason, Mail, MailId, MailStatus,
    Notice, NoticeKind, Stated, Timestamp,
};
use store::{Batch, Key, Order, StoreError, keys};

use super::alerts::Mailed;
use super::state::State;
use super::write::Write;
use crate::mail::{delete_mail, write_mail};

/// The delay of a notice about a change by the team or by an integration. If the change is undone before this delay has
/// passed, the customer gets no notice.
const BY_TEAM_AFTER: TimeDelta = TimeDelta::seconds(15);

/// When an appointment is changed, at most this many of its finished notices are kept in the log.
const FINISHED_MAX: usize = 32;

/// Writes the notices of a change. Returns the changed appointments, whose earlier notices may be obsolete.
pub(super) fn write_notices(
    state: &mut State,
    writes: &[Write],
    by: Actor,
    at: Timestamp,
    batch: &mut Batch,
    mailed: &mut Mailed,
) -> Result<Vec<AppointmentId>, StoreError> {
    let (mut changed, mut count) = (Vec::new(), 0);
    for write in writes {
        let (before, after) = match write {
            Write::Appointment { before, after } => (before.as_ref(), after),
            Write::NoAppointment(gone) => {
                notices_of(state, gone.id, |mail| delete_mail(batch, &mail))?;
                continue;
            }
            _ => continue,
        };
        if let Some(before) = before {
            changed.push(after.id);
            if is_erased(before, after) {
                clean(state, after.id, batch)?;
            }
        }
        let by_customer = matches!(by, Actor::Customer | Actor::Receptionist(_));
        let made = notices(state, before, after, by_customer, at);
        if before.is_some() && !made.is_empty() {
            delete_oldest(state, after.id, batch)?;
        }
        for notice in made {
            let delay = if by_customer { TimeDelta::zero() } else { BY_TEAM_AFTER };
            let Some(mail) = minted_notice(state, notice, delay, count, at) else { break };
            let before = before.filter(|_| notice.kind != NoticeKind::Reminder).map(Stated::from);
            let mail = Mail { before, ..mail };
            count += u64::from(mail.status == MailStatus::Pending);
            mailed.waits_until(mail.next_attempt_at);
            write_mail(batch, &mail, None);
        }
    }
    Ok(changed)
}

/// Returns the mail for a new notice, or `None` if there is no mail relay. The mail is sent after `delay` at the
/// earliest. `more` is the number of waiting notices that the batch already contains. If the budget has no room for
/// another notice, the mail is marked as dropped.
pub(crate) fn minted_notice(
    state: &mut State,
    notice: Notice,
    delay: TimeDelta,
    more: u64,
    at: Timestamp,
) -> Option<Mail> {
    let reminds_in = notice.reminds_at().map(|remind_at| remind_at - state.clocks.now());
    let delay = reminds_in.map_or(delay, |reminds_in| reminds_in.max(delay));
    let (id, steady) = (state.mint.next(at, state.ports.random_bytes()), state.steady.now());
    let mail = state.outbox.mint_notice(id, (state.id, notice, steady + delay), (at, steady))?;
    Some(within_budget(&state.budget.limits, state.budget.waiting.notices() + more, mail, at))
}

/// Returns the mail of a new notice. `waiting` is the number of notices that already wait. If the budget does not allow
/// another waiting notice, the mail is marked as dropped.
pub(crate) fn within_budget(budget: &Budget, waiting: u64, mail: Mail, at: Timestamp) -> Mail {
    let waiting = Amount { rows: waiting, bytes: 0 };
    if budget.has_room(BudgetKind::WaitingNotices, waiting, Amount::row(0)) {
        mail
    } else {
        mail.dropped(DropReason::Limit, at)
    }
}

/// The new notices after a change of an appointment: a notice about the change, and reminders if the appointment is
/// confirmed.
fn notices(
    state: &State,
    before: Option<&Appointment>,
    after: &Appointment,
    by_customer: bool,
    at: Timestamp,
) -> Vec<Notice> {
    let settings = &state.notices;
    let kind = NoticeKind::of_change(before, after).filter(|_| settings.includes(after));
    let Some(kind) = kind else { return Vec::new() };
    // Reminders depend on `since`, the time of the booking or of the last move. If this change is a booking or a move,
    // `since` is `at`. If this change confirms a pending appointment, `since` is `before.updated_at`. This is the time
    // of the booking or of the last move, because no other change to a pending appointment changes its `updated_at`.
    let is_moved =
        |before: &Appointment| (before.starts_at, before.staff_id) != (after.starts_at, after.staff_id);
    let since = before.filter(|before| !is_moved(before)).map_or(at, |before| before.updated_at);
    std::iter::once(Notice::new(kind, after, by_customer)).chain(settings.reminders(after, since)).collect()
}

/// True if the change removed the contact, or the email address that the customer had entered for the booking.
fn is_erased(before: &Appointment, after: &Appointment) -> bool {
    let address = |it: &Appointment| it.booked_as.as_ref().is_some_and(|entered| entered.email.is_some());
    before.contact_id.is_some() && after.contact_id.is_none() || address(before) && !address(after)
}

/// Removes the addresses and errors from the finished notices of an appointment, because its contact or the entered
/// address was removed. The outbox drops the waiting notices.
fn clean(state: &State, id: AppointmentId, batch: &mut Batch) -> Result<(), StoreError> {
    notices_of(state, id, |mail| {
        if mail.status != MailStatus::Pending && (mail.to.is_some() || mail.last_error.is_some()) {
            write_mail(batch, &Mail { to: None, last_error: None, ..mail.clone() }, Some(&mail));
        }
    })
}

/// Deletes the oldest finished notices of an appointment, so that each change reads a bounded number of notices.
fn delete_oldest(state: &State, id: AppointmentId, batch: &mut Batch) -> Result<(), StoreError> {
    let mut finished = Vec::new();
    notices_of(state, id, |mail| {
        finished.extend(Some(mail).filter(|mail| mail.status != MailStatus::Pending));
    })?;
    let too_many = finished.len().saturating_sub(FINISHED_MAX);
    finished.iter().take(too_many).for_each(|mail| delete_mail(batch, mail));
    Ok(())
}

/// Calls the function `then` with each notice of an appointment, oldest first.
pub(crate) fn notices_of(
    state: &State,
    id: AppointmentId,
    mut then: impl FnMut(Mail),
) -> Result<(), StoreError> {
    let range = keys::notices_of(state.id, id);
    let mut rows = BTreeSet::new();
    for row in state.store.scan(&range, Order::Ascending) {
        rows.insert(Key::new(&row?.0));
    }
    for (key, value) in state.overlay.range(&range) {
        match value {
            Some(_) => rows.insert(*key),
            None => rows.remove(key),
        };
    }
    for row in rows {
        let id: MailId = keys::id_at_end(&row)?;
        state.find::<Mail>(&keys::mail(state.id, id))?.into_iter().for_each(&mut then);
    }
    Ok(())
}
