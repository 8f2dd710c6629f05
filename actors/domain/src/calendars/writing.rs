//! The copies of appointments in connected calendars. A [`CalendarWrite`] (a *write*) is the state of the copy of one
//! appointment in one calendar.
//!
//! Invariants:
//!
//! - Only the newest state of an appointment is written. The acknowledgement of an older state never makes the write
//!   `synced`.
//! - An appointment has a [`CalendarWrite`] if and only if its `calendar_sync_status` is not `not_connected`.
//! - A remote change never changes an appointment. The copy becomes `failed`, and is not written again automatically.

use chrono::TimeDelta;

use crate::words::words;
use crate::{
    Appointment, AppointmentId, CalendarId, CalendarSyncStatus, ConnectedCalendar, ContactId, FeedDetail,
    SteadyTime, Timestamp,
};

/// The pauses after the first failed attempts. After one more failed attempt, the write is `failed`.
const RETRY_AFTER: [TimeDelta; 8] = [
    TimeDelta::seconds(30),
    TimeDelta::minutes(2),
    TimeDelta::minutes(10),
    TimeDelta::minutes(30),
    TimeDelta::hours(1),
    TimeDelta::hours(3),
    TimeDelta::hours(6),
    TimeDelta::hours(12),
];
/// The maximum pause that a server can request with `Retry-After`. A longer value is reduced to this one.
pub const SERVER_PAUSE_MAX: TimeDelta = TimeDelta::hours(1);
/// The time after which a calendar is disconnected, even if not all of its written events are deleted.
pub const REMOVAL_MAX: TimeDelta = TimeDelta::hours(24);
/// The maximum length of [`CalendarWrite::href`].
pub const WRITE_HREF_CHARS_MAX: usize = 1_024;

words! {
    /// A change to an event in the remote calendar. After this change, the service does not write the event again
    /// automatically.
    WriteReason {
        /// The event was deleted or cancelled in the calendar.
        EventDeleted = "event_deleted",
        /// The event has another start, end or recurrence in the calendar.
        EventChanged = "event_changed",
    }

    /// A change to many [`CalendarWrite`]s of a calendar. The change is made in steps.
    CalendarTask {
        /// Queues a write for each active appointment that has not ended.
        Adopt = "adopt",
        /// Retries all failed writes.
        Retry = "retry",
        /// Retries the failed writes, except those that failed because of a remote change.
        Resume = "resume",
        /// Drops all writes except pending deletions. The events of the dropped writes stay in the calendar.
        Leave = "leave",
        /// Deletes the events that have not ended, before the calendar is disconnected.
        Remove = "remove",
    }
}

/// The state of the copy of an appointment in a calendar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalendarWrite {
    pub calendar_id: CalendarId,
    pub appointment_id: AppointmentId,
    /// Whether the newest state is a deletion: the calendar must contain no event of the appointment.
    pub is_deletion: bool,
    /// The status is never [`CalendarSyncStatus::NotConnected`].
    pub status: CalendarSyncStatus,
    pub reason: Option<WriteReason>,
    /// The sequence number of the newest state of the appointment.
    pub revision: u32,
    /// The number of attempts to write the newest state.
    pub attempts: u32,
    /// The time of the next attempt. It is set while the status is [`CalendarSyncStatus::Pending`].
    pub due: Option<SteadyTime>,
    /// The path of the event on the server, if it differs from the path that this service chooses.
    pub href: Option<String>,
    /// The start and the end of the newest event that the server has acknowledged.
    pub written: Option<(Timestamp, Timestamp)>,
    /// The start and the end of the event in the calendar after a remote change. The field is `None` if the event was
    /// deleted.
    pub event: Option<(Timestamp, Timestamp)>,
}

/// An event that has the UID of an appointment, as a read of the calendar has found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenEvent {
    /// The path of the event, if it differs from the path that this service chooses.
    pub href: Option<String>,
    /// The start and the end, or `None` if the event is unreadable.
    pub times: Option<(Timestamp, Timestamp)>,
    pub is_cancelled: bool,
    /// Whether the event has a recurrence or several components.
    pub recurs: bool,
}

/// The outcome of an attempt to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    /// If `times` is set, the server has acknowledged the event with these times. If `times` is `None`, the server has
    /// acknowledged the deletion of the event. `href` is the path of the event, if it differs from the path that this
    /// service chooses.
    Done {
        times: Option<(Timestamp, Timestamp)>,
        href: Option<String>,
    },
    /// The server has refused the write. Another attempt would be refused too.
    Refused,
    Failed {
        retry_after: Option<TimeDelta>,
    },
}

impl CalendarWrite {
    pub fn new(calendar_id: CalendarId, appointment_id: AppointmentId, now: SteadyTime) -> Self {
        Self {
            calendar_id,
            appointment_id,
            is_deletion: false,
            status: CalendarSyncStatus::Pending,
            reason: None,
            revision: 0,
            attempts: 0,
            due: Some(now),
            href: None,
            written: None,
            event: None,
        }
    }

    /// Whether the event has ended, according to the newest version that the server has acknowledged.
    pub fn has_ended(&self, now: Timestamp) -> bool {
        self.written.is_some_and(|(_, end)| end <= now)
    }

    pub fn is_pending(&self) -> bool {
        self.status == CalendarSyncStatus::Pending
    }

    /// Returns the [`CalendarWrite`] for a newer state of the appointment. The first attempt to write this state is due
    /// now.
    #[must_use]
    pub fn renewed(self, is_deletion: bool, now: SteadyTime) -> Self {
        Self {
            is_deletion,
            status: CalendarSyncStatus::Pending,
            reason: None,
            revision: self.revision.wrapping_add(1),
            attempts: 0,
            due: Some(now),
            event: None,
            ..self
        }
    }

    /// Ends the attempts: the status `pending` becomes `failed`. Any other status stays unchanged.
    #[must_use]
    pub fn stopped(self) -> Self {
        if self.is_pending() { Self { status: CalendarSyncStatus::Failed, due: None, ..self } } else { self }
    }

    /// Returns the new [`CalendarWrite`] after an attempt. `began` is the revision of the state that the attempt wrote.
    #[must_use]
    pub fn after(self, began: u32, outcome: WriteOutcome, now: SteadyTime) -> Self {
        let is_newest = self.revision == began;
        let attempts = if is_newest { self.attempts.saturating_add(1) } else { self.attempts };
        match outcome {
            WriteOutcome::Done { times, href } => {
                let it = Self { written: times, href, attempts, ..self };
                if is_newest {
                    Self { status: CalendarSyncStatus::Synced, reason: None, due: None, event: None, ..it }
                } else {
                    it
                }
            }
            // A failed attempt changes nothing in two cases: a newer state is already due to be written, or the write
            // is no longer pending.
            _ if !is_newest || !self.is_pending() => self,
            WriteOutcome::Refused => Self { attempts, ..self.stopped() },
            WriteOutcome::Failed { retry_after } => {
                let it = Self { attempts, ..self };
                let Some(pause) = RETRY_AFTER.get(attempts as usize - 1) else { return it.stopped() };
                let asked = retry_after.unwrap_or_default().min(SERVER_PAUSE_MAX);
                Self { due: Some(now + (*pause).max(asked)), ..it }
            }
        }
    }

    /// Returns the [`CalendarWrite`] that replaces this one after a read of the calendar, or `None` if the read changes
    /// nothing. `seen` is the event that the read found, or `None` if the event was deleted from the calendar.
    pub fn after_read(&self, seen: Option<&SeenEvent>) -> Option<Self> {
        if self.status != CalendarSyncStatus::Synced || self.is_deletion {
            return None;
        }
        let (reason, event) = match seen {
            None => (WriteReason::EventDeleted, None),
            Some(seen) if seen.is_cancelled => (WriteReason::EventDeleted, seen.times),
            Some(SeenEvent { times: Some(times), recurs, .. })
                if *recurs || self.written.is_none_or(|written| seconds(written) != seconds(*times)) =>
            {
                (WriteReason::EventChanged, Some(*times))
            }
            Some(seen) => {
                return (self.href != seen.href).then(|| Self { href: seen.href.clone(), ..self.clone() });
            }
        };
        let href = seen.map_or_else(|| self.href.clone(), |seen| seen.href.clone());
        Some(Self { status: CalendarSyncStatus::Failed, reason: Some(reason), event, href, ..self.clone() })
    }
}

/// Converts the times to whole seconds, because calendar files contain no fractions of seconds.
fn seconds((start, end): (Timestamp, Timestamp)) -> (i64, i64) {
    (start.millis().div_euclid(1_000), end.millis().div_euclid(1_000))
}

/// Returns the `calendar_sync_status` of an appointment that has these [`CalendarWrite`]s.
pub fn sync_status<'a>(writes: impl IntoIterator<Item = &'a CalendarWrite>) -> CalendarSyncStatus {
    use CalendarSyncStatus::{Failed, NotConnected, Pending, Synced};
    let rank = |status: &CalendarSyncStatus| match status {
        Pending => 3,
        Failed => 2,
        Synced => 1,
        NotConnected => 0,
    };
    writes.into_iter().map(|write| write.status).max_by_key(rank).unwrap_or(NotConnected)
}

impl ConnectedCalendar {
    /// Whether appointments of the staff member are written to the calendar.
    pub fn is_written(&self) -> bool {
        self.write && !self.is_leaving()
    }

    /// Whether the calendar is being disconnected. Its written events are deleted first.
    pub fn is_leaving(&self) -> bool {
        self.removal_until.is_some()
    }
}

/// The properties of a calendar that determine how its [`CalendarWrite`]s change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WritesTo {
    Written {
        detail: FeedDetail,
        is_stopped: bool,
    },
    /// Appointments are no longer written to the calendar. [`CalendarTask::Leave`] drops the calendar's writes, but
    /// pending deletions continue.
    Leaving,
    /// The calendar is being disconnected. [`CalendarTask::Remove`] deletes its events.
    Removing,
    /// The calendar is disconnected.
    Ended,
}

/// The changes to the [`CalendarWrite`]s of an appointment that follow from a change to the appointment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WritesChange {
    /// Each changed [`CalendarWrite`], before and after the change. The first value is `None` if the write is new, and
    /// the second value is `None` if the write was deleted.
    pub changed: Vec<(Option<CalendarWrite>, Option<CalendarWrite>)>,
    /// The status of the appointment after the change.
    pub status: CalendarSyncStatus,
}

/// The fields of an appointment that its event contains.
fn content(
    it: &Appointment,
    detail: FeedDetail,
) -> (crate::AppointmentStatus, Timestamp, Timestamp, Option<crate::ServiceId>, Option<ContactId>) {
    let service = (detail != FeedDetail::Times).then_some(it.service_id);
    let contact = it.contact_id.filter(|_| detail == FeedDetail::Contacts);
    (it.status, it.starts_at, it.ends_at, service, contact)
}

/// After a change to an appointment, returns the changes that its [`CalendarWrite`]s need. `rows` contains the present
/// [`CalendarWrite`]s of the appointment, each with the properties of its calendar. `target` is the calendar to which
/// the appointments of its staff member are written now.
pub fn follow(
    (before, after): (Option<&Appointment>, &Appointment),
    rows: Vec<(CalendarWrite, WritesTo)>,
    target: Option<(CalendarId, WritesTo)>,
    (now, steady): (Timestamp, SteadyTime),
) -> WritesChange {
    let (mut changed, mut all) = (Vec::new(), Vec::new());
    let mut has_target = false;
    for (row, to) in rows {
        let WritesTo::Written { detail, is_stopped } = to else {
            let is_same = before.is_some_and(|before| {
                let of = |it: &Appointment| (content(it, FeedDetail::Services), it.staff_id);
                of(before) == of(after)
            });
            // Appointments are no longer written to this calendar. The first of these rules that matches applies:
            // 1. If the calendar is disconnected (`Ended`), the row is dropped.
            // 2. If the row is a deletion, the row stays. It also stays if the change affects neither the event nor the
            //    staff member. The calendar's task (`Leave` or `Remove`) handles the row later.
            // 3. If the calendar is being disconnected (`Removing`) and the event has not ended, the row becomes a
            //    deletion.
            // 4. All other rows are dropped.
            // In rules 3 and 4, the event is now out of date, so the row must not stay `synced`.
            let kept = match to {
                WritesTo::Removing | WritesTo::Leaving if row.is_deletion || is_same => {
                    all.push(row);
                    continue;
                }
                WritesTo::Removing if !row.has_ended(now) => Some(row.clone().renewed(true, steady)),
                _ => None,
            };
            all.extend(kept.clone());
            changed.push((Some(row), kept));
            continue;
        };
        let is_target = target.is_some_and(|(id, _)| id == row.calendar_id);
        has_target |= is_target;
        let is_deletion = !(is_target && after.is_active());
        // The erasure of a contact normally writes the event again, without the contact. If the event was deleted in
        // the calendar, this is not necessary, so the event is not written again.
        let is_gone = row.reason == Some(WriteReason::EventDeleted) && row.event.is_none();
        let detail = match detail {
            FeedDetail::Contacts if is_gone && after.contact_id.is_none() => FeedDetail::Services,
            detail => detail,
        };
        let is_same =
            is_deletion || before.is_some_and(|before| content(before, detail) == content(after, detail));
        if is_deletion == row.is_deletion && is_same {
            all.push(row);
            continue;
        }
        let renewed = row.clone().renewed(is_deletion, steady);
        let renewed = if is_stopped { renewed.stopped() } else { renewed };
        all.push(renewed.clone());
        changed.push((Some(row), Some(renewed)));
    }
    if let Some((calendar, WritesTo::Written { is_stopped, .. })) = target.filter(|_| !has_target)
        && after.is_active()
        && before.is_none_or(|before| before.ends_at > now || after.ends_at > now)
    {
        let new = CalendarWrite::new(calendar, after.id, steady);
        let new = if is_stopped { new.stopped() } else { new };
        all.push(new.clone());
        changed.push((None, Some(new)));
    }
    WritesChange { changed, status: sync_status(&all) }
}

#[cfg(test)]
mod tests;
