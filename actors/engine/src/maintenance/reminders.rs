//! After a change to the notice settings, writes the missing reminders of future appointments.
//!
//! If the service sends mails, the change writes the row `keys::reminding`, which requests this job. Invariants:
//! - A step reads at most [`APPOINTMENTS_MAX`] appointments and writes one batch.
//! - An appointment gets at most one reminder for each configured number of hours, even if a step is repeated.
//!   Therefore the progress need not be stored: after a restart, the job begins again with the next appointment.
//! - A reminder whose due time has passed is not written.

use chrono::TimeDelta;
use domain::{Appointment, MailStatus, Timestamp};
use store::{Batch, Order, StoreError, Weight, keys};

use super::business::Step;
use crate::business::{State, Write, minted_notice, notices_of};
use crate::mail::write_mail;

const APPOINTMENTS_MAX: usize = 64;

/// Makes the next step of the job. The step is empty if the job is not requested, or if it cannot run now.
pub(super) fn step(state: &mut State, now: Timestamp) -> Result<Step, StoreError> {
    let (mut step, reminding) = (Step::default(), keys::reminding(state.id));
    // Shortly after the service has started, no mail relay is set yet. In this case, the job begins again in the next
    // minute.
    if state.outbox.transport().is_none()
        || state.store.check_room(Weight::Keeps).is_err()
        || state.read_raw(&reminding)?.is_none()
    {
        return Ok(step);
    }
    let coming = keys::appointments_starting(state.id, now, Timestamp::MAX);
    let mut left = state.jobs.unreminded.take().unwrap_or(coming);
    let (mut rows, mut made, at) = (Batch::default(), 0, state.stamps.at(now));
    for looked_at in 0.. {
        let Some((key, value)) = state.next_in(&left, Order::Ascending)? else {
            rows.delete(reminding);
            break;
        };
        if looked_at == APPOINTMENTS_MAX {
            state.jobs.unreminded = Some(left);
            step.more = true;
            break;
        }
        left = left.after(key);
        let Some(appointment) = state.store.find_in::<Appointment>(&key, &value)? else { continue };
        let mut missing: Vec<_> = state.notices.reminders(&appointment, now).collect();
        if missing.is_empty() {
            continue;
        }
        notices_of(state, appointment.id, |mail| {
            let written = mail.notice.filter(|_| mail.status != MailStatus::Dropped);
            missing.retain(|it| {
                !written.is_some_and(|mail| mail.hours == it.hours && mail.stated() == it.stated())
            });
        })?;
        for reminder in missing {
            let Some(mail) = minted_notice(state, reminder, TimeDelta::zero(), made, at) else {
                break;
            };
            made += u64::from(mail.status == MailStatus::Pending);
            step.waits = step.waits.into_iter().chain(mail.next_attempt_at).min();
            write_mail(&mut rows, &mail, None);
        }
    }
    if !rows.is_empty() {
        step.writes.push(Write::Rows(rows));
    }
    Ok(step)
}
