//! Connected calendars: calendars of staff members on other servers. Their busy times block bookings.
//!
//! Invariants:
//!
//! - A read replaces the busy times of a calendar only if it succeeds. It reads either the complete calendar or the
//!   changes that the server reports.
//! - A read that would delete most events is applied only if a complete read confirms it.

use chrono::TimeDelta;

use crate::words::words;
use crate::{
    AppointmentId, CalendarId, CalendarTask, Email, FeedDetail, KeyCreator, Spans, StaffId, SteadyTime,
    Timestamp, WebhookUrl,
};

/// The maximum number of calendars of a staff member.
pub const CALENDARS_PER_STAFF_MAX: usize = 10;
/// The maximum number of calendars of a business.
pub const CALENDARS_MAX: usize = 1_000;
/// The maximum number of [`ConnectedCalendar::own_addresses`].
pub const OWN_ADDRESSES_MAX: usize = 10;
/// The time between two reads of a [`CalendarKind::Ics`] calendar, or of any calendar of a business that is
/// not in use ([`IN_USE`]).
pub const READ_EVERY: TimeDelta = TimeDelta::minutes(15);
/// The time between two reads of a [`CalendarKind::Caldav`] calendar of a business that is in use.
pub const READ_EVERY_IN_USE: TimeDelta = TimeDelta::seconds(60);
/// After a request, a business counts as in use for this time.
pub const IN_USE: TimeDelta = TimeDelta::minutes(10);
/// The time between two complete reads.
pub const COMPLETE_EVERY: TimeDelta = TimeDelta::days(1);
/// If a complete read times out, the next complete read begins after this time. Until then, only changes are read.
pub const COMPLETE_AGAIN_AFTER: TimeDelta = TimeDelta::hours(1);
/// A read is a *mass deletion* if it would delete at least this number of events and more than half of the
/// stored events. Such a read is applied only after a complete read has confirmed the deletion.
pub const MASS_DELETION_MIN: usize = 20;
/// After a mass deletion, the service waits for this time. Then a complete read confirms or refutes the deletion.
pub const CONFIRM_AFTER: TimeDelta = TimeDelta::seconds(60);
/// A complete read can confirm a mass deletion only if it begins at least this time after the mass deletion. This time
/// is 10 % less than [`CONFIRM_AFTER`], because the pauses between reads vary by 10 %.
const CONFIRM_MIN: TimeDelta = TimeDelta::seconds(54);
/// The team gets an alert when the reads of a calendar have been failing for this long.
pub const ALERT_AFTER: TimeDelta = TimeDelta::hours(6);

/// The pauses after the first consecutive failures. After further failures, the last pause applies.
const RETRY_AFTER: [TimeDelta; 4] =
    [TimeDelta::minutes(1), TimeDelta::minutes(2), TimeDelta::minutes(5), TimeDelta::minutes(15)];
/// Reads of a calendar stop after this number of consecutive refusals of its credentials, if the first and
/// the last refusal are at least [`REFUSED_FOR`] apart.
const REFUSALS_MAX: u32 = 3;
/// A series of consecutive refusals stops the reads of a calendar only if the series lasts at least this long.
const REFUSED_FOR: TimeDelta = TimeDelta::minutes(10);
/// If consecutive responses report that a calendar does not exist, reads of the calendar stop after this time.
const MISSING_FOR: TimeDelta = TimeDelta::hours(24);

words! {
    CalendarKind {
        Caldav = "caldav",
        /// An address from which a calendar file is fetched.
        Ics = "ics",
    }

    /// Whether all-day events block bookings.
    AllDay {
        Busy = "busy",
        Free = "free",
    }

    CalendarStatus {
        /// No complete read has succeeded yet.
        Connecting = "connecting",
        Connected = "connected",
        /// The last read failed. Reads are retried.
        Failing = "failing",
        /// Nothing is read until the settings change or a person requests a read.
        Stopped = "stopped",
        /// The written events are being deleted, before the calendar is disconnected.
        Disconnecting = "disconnecting",
    }

    CalendarFault {
        /// No connection to the server could be made, or its host has no public address.
        Unreachable = "unreachable",
        Timeout = "timeout",
        Tls = "tls",
        Credentials = "credentials",
        Forbidden = "forbidden",
        NotFound = "not_found",
        OtherHost = "other_host",
        NotACalendar = "not_a_calendar",
        TooLarge = "too_large",
        ServerError = "server_error",
    }

    CalendarWarning {
        UnknownZone = "unknown_zone",
        TooManyOccurrences = "too_many_occurrences",
    }
}

/// The reason why a calendar could not be read. It contains no text from the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalendarError {
    pub code: CalendarFault,
    /// The other host to which the server refers, for [`CalendarFault::OtherHost`].
    pub host: Option<String>,
}

impl From<CalendarFault> for CalendarError {
    fn from(code: CalendarFault) -> Self {
        Self { code, host: None }
    }
}

/// Writes the message in English. It contains no text from the server and no address, except [`CalendarError::host`].
impl std::fmt::Display for CalendarError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.code {
            CalendarFault::Unreachable => "The server cannot be reached, or it has no public address.",
            CalendarFault::Timeout => "The server did not respond in time.",
            CalendarFault::Tls => {
                "The server's certificate is not valid, or the encrypted connection failed."
            }
            CalendarFault::Credentials => "The server refused the credentials.",
            CalendarFault::Forbidden => "The server denied access to the calendar.",
            CalendarFault::NotFound => "The server has no calendar at this address.",
            CalendarFault::OtherHost => {
                let host = self.host.as_deref().unwrap_or("another host");
                return write!(f, "The server refers to {host}, to which the credentials are not sent.");
            }
            CalendarFault::NotACalendar => "The response of the server is not a calendar.",
            CalendarFault::TooLarge => "The calendar is too large.",
            CalendarFault::ServerError => "The server responded with an error.",
        })
    }
}

/// The password of a calendar account.
#[derive(Clone, PartialEq, Eq)]
pub struct CalendarPassword(String);

impl CalendarPassword {
    pub fn new(text: String) -> Self {
        Self(text)
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for CalendarPassword {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CalendarPassword(…)")
    }
}

/// The user name and the password of an account on a CalDAV server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalendarLogin {
    pub username: String,
    pub password: CalendarPassword,
}

/// The settings of a connected calendar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectedCalendar {
    pub id: CalendarId,
    pub staff_id: StaffId,
    pub name: String,
    pub kind: CalendarKind,
    /// The address that a person entered. For [`CalendarKind::Ics`] it is a secret, because it opens the calendar file.
    pub url: WebhookUrl,
    pub login: Option<CalendarLogin>,
    /// The address of the calendar on the CalDAV server. It is `None` for [`CalendarKind::Ics`].
    pub collection: Option<WebhookUrl>,
    pub collection_name: String,
    /// Whether the events of the calendar block bookings.
    pub busy: bool,
    /// Whether appointments of the staff member are written to the calendar. Only a [`CalendarKind::Caldav`] calendar
    /// can have this setting.
    pub write: bool,
    /// The content of written events.
    pub detail: FeedDetail,
    pub all_day: AllDay,
    pub own_addresses: Vec<Email>,
    /// The email addresses of the account, as the server returned them.
    pub server_addresses: Vec<String>,
    /// A counter that increases with each change of a setting that affects reads. If the counter increases during a
    /// read, the result of this read is dropped.
    pub version: u32,
    /// The task that is in progress for the writes of the calendar.
    pub task: Option<CalendarTask>,
    /// The last appointment that the task has processed. With [`CalendarTask::Adopt`], the time is the start of this
    /// appointment. Other tasks ignore the time.
    pub task_at: Option<(Timestamp, AppointmentId)>,
    /// The time at which the calendar is disconnected, even if not all of its written events are deleted. It is `None`
    /// if the calendar is not being disconnected.
    pub removal_until: Option<SteadyTime>,
    pub created_by: KeyCreator,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl ConnectedCalendar {
    /// Returns the staff member's email addresses in lower case. An event does not block bookings if one of these
    /// addresses has declined it.
    pub fn addresses(&self) -> Vec<String> {
        let own = self.own_addresses.iter().map(Email::as_str);
        own.chain(self.server_addresses.iter().map(String::as_str)).map(str::to_lowercase).collect()
    }
}

/// The state of the reads of a calendar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalendarState {
    pub calendar_id: CalendarId,
    pub status: CalendarStatus,
    pub last_read_at: Option<Timestamp>,
    pub last_attempt_at: Option<Timestamp>,
    pub error: Option<CalendarError>,
    /// The number of events of the calendar at the last successful read.
    pub events: u32,
    pub unreadable: u32,
    pub warnings: Vec<CalendarWarning>,
    /// The next complete read is due [`COMPLETE_EVERY`] after this time, or immediately if this field is `None`. A
    /// successful complete read sets this field to the time of the read. Two other events can also change it:
    ///
    /// - A complete read times out. The next complete read is then due [`COMPLETE_AGAIN_AFTER`] after the timeout.
    /// - The clock is corrected. A complete read is then due immediately.
    pub complete_at: Option<SteadyTime>,
    pub failing_since: Option<SteadyTime>,
    pub failures: u32,
    /// If the server refused the credentials at the last read: the time of the first refusal in the current series of
    /// refusals, and the number of refusals in this series. `None` if the last read ended in another way.
    pub refused: Option<(SteadyTime, u32)>,
    pub missing_since: Option<SteadyTime>,
    /// Whether the team has received the alert about the current outage.
    pub is_reported: bool,
    /// The time of the first read with a mass deletion. It is `None` after a complete read has confirmed or refuted the
    /// deletion.
    pub mass_deletion_at: Option<SteadyTime>,
    pub position: ReadPosition,
}

/// Values that the server has returned. The next read sends them, so that the server returns only changes. No response
/// or page shows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadPosition {
    /// The `ETag` of a calendar file.
    pub etag: Option<String>,
    /// The `Last-Modified` of a calendar file.
    pub modified: Option<String>,
    pub sync_token: Option<String>,
    pub ctag: Option<String>,
    /// The business time zone with which the stored busy times were computed.
    pub zone: Option<chrono_tz::Tz>,
}

/// The result of a successful read.
#[derive(Clone, Debug)]
pub struct ReadSuccess {
    pub is_complete: bool,
    pub events: u32,
    pub unreadable: u32,
    pub warnings: Vec<CalendarWarning>,
    pub position: ReadPosition,
}

#[derive(Clone, Debug)]
pub enum ReadResult {
    Read(ReadSuccess),
    /// The read would delete most stored events, and this is not confirmed yet. So the read was not applied; see
    /// [`MASS_DELETION_MIN`].
    MassDeletion,
    Failed(CalendarError),
}

impl CalendarState {
    pub fn new(calendar_id: CalendarId) -> Self {
        Self {
            calendar_id,
            status: CalendarStatus::Connecting,
            last_read_at: None,
            last_attempt_at: None,
            error: None,
            events: 0,
            unreadable: 0,
            warnings: Vec::new(),
            complete_at: None,
            failing_since: None,
            failures: 0,
            refused: None,
            missing_since: None,
            is_reported: false,
            mass_deletion_at: None,
            position: ReadPosition::default(),
        }
    }

    /// Returns the state after a change of the settings or a request for a read. The next read will be a complete read.
    /// If the service has stopped reading the calendar, it starts again.
    #[must_use]
    pub fn for_complete_read(self) -> Self {
        let status = match self.status {
            CalendarStatus::Stopped if self.last_read_at.is_none() => CalendarStatus::Connecting,
            CalendarStatus::Stopped => CalendarStatus::Failing,
            status => status,
        };
        Self { status, complete_at: None, refused: None, missing_since: None, ..self }
    }

    /// Whether the next read must be complete.
    pub fn needs_complete_read(&self, now: SteadyTime) -> bool {
        self.mass_deletion_at.is_some() || self.complete_at.is_none_or(|at| now >= at + COMPLETE_EVERY)
    }

    /// Whether the last successful read was more than [`COMPLETE_EVERY`] before or after `now`, for example because the
    /// clock was wrong during that read. That read stored only the busy times around its own time. So the busy times
    /// around `now` may be missing, and a complete read is needed.
    ///
    /// Returns false after a timeout: the server may be too slow for a complete read, but fast enough for a read of
    /// the changes.
    pub fn was_read_at_another_time(&self, now: Timestamp) -> bool {
        let has_timed_out = self.error.as_ref().is_some_and(|error| error.code == CalendarFault::Timeout);
        !has_timed_out && self.is_of_another_time(now)
    }

    /// Whether the last read was more than [`COMPLETE_EVERY`] before or after `now`.
    fn is_of_another_time(&self, now: Timestamp) -> bool {
        self.last_read_at.is_some_and(|at| (now - at).abs() > COMPLETE_EVERY)
    }

    /// Returns the new `complete_at` after a successful read:
    ///
    /// - If the read was complete, `complete_at` is the time of the read.
    /// - If the read was not complete, and the clock was corrected since the previous successful read, a complete read
    ///   becomes due now. Exception: if a complete read is already due within [`COMPLETE_AGAIN_AFTER`], for example
    ///   after a timeout, `complete_at` does not change.
    /// - In all other cases, `complete_at` does not change.
    fn complete_at(&self, is_complete: bool, now: Timestamp, steady: SteadyTime) -> Option<SteadyTime> {
        let due_now = steady - COMPLETE_EVERY;
        match self.complete_at {
            _ if is_complete => Some(steady),
            Some(at) if self.is_of_another_time(now) && at > due_now + COMPLETE_AGAIN_AFTER => Some(due_now),
            at => at,
        }
    }

    /// Whether a complete read that began at this time confirms a mass deletion.
    pub fn confirms_mass_deletion(&self, began: SteadyTime) -> bool {
        self.mass_deletion_at.is_some_and(|at| began >= at + CONFIRM_MIN)
    }

    /// Returns the state after a read with this result.
    #[must_use]
    pub fn after(self, result: &ReadResult, now: Timestamp, steady: SteadyTime) -> Self {
        let state = Self { last_attempt_at: Some(now), ..self };
        match result {
            ReadResult::Read(read) => Self {
                status: CalendarStatus::Connected,
                last_read_at: Some(now),
                error: None,
                events: read.events,
                unreadable: read.unreadable,
                warnings: read.warnings.clone(),
                complete_at: state.complete_at(read.is_complete, now, steady),
                failing_since: None,
                failures: 0,
                refused: None,
                missing_since: None,
                is_reported: false,
                mass_deletion_at: None,
                position: read.position.clone(),
                ..state
            },
            // The server has responded, so earlier failures no longer count as consecutive.
            ReadResult::MassDeletion => Self {
                mass_deletion_at: state.mass_deletion_at.or(Some(steady)),
                failures: 0,
                refused: None,
                missing_since: None,
                ..state
            },
            ReadResult::Failed(error) => state.failed(error, (now, steady)),
        }
    }

    fn failed(self, error: &CalendarError, (wall, now): (Timestamp, SteadyTime)) -> Self {
        let refused = (error.code == CalendarFault::Credentials).then(|| match self.refused {
            Some((since, count)) => (since, count.saturating_add(1)),
            None => (now, 1),
        });
        let is_missing = error.code == CalendarFault::NotFound;
        let missing_since = is_missing.then(|| self.missing_since.unwrap_or(now));
        let stops = refused.is_some_and(|(since, count)| count >= REFUSALS_MAX && now >= since + REFUSED_FOR)
            || missing_since.is_some_and(|since| now >= since + MISSING_FOR);
        let status = match self.status {
            _ if stops => CalendarStatus::Stopped,
            CalendarStatus::Connecting => CalendarStatus::Connecting,
            _ => CalendarStatus::Failing,
        };
        // `is_due` is true if a complete read was due and the read timed out. A smaller read, which requests only the
        // changes, may succeed in time. So the next complete read is postponed by `COMPLETE_AGAIN_AFTER`.
        let is_due = error.code == CalendarFault::Timeout
            && (self.needs_complete_read(now) || self.was_read_at_another_time(wall));
        let complete_at = match self.complete_at {
            Some(_) if is_due => Some(now - COMPLETE_EVERY + COMPLETE_AGAIN_AFTER),
            at => at,
        };
        Self {
            status,
            complete_at,
            error: Some(error.clone()),
            failing_since: Some(self.failing_since.unwrap_or(now)),
            failures: self.failures.saturating_add(1),
            refused,
            missing_since,
            ..self
        }
    }

    /// Whether the team must get an alert about the outage now.
    pub fn must_report(&self, now: SteadyTime) -> bool {
        let is_long = self.failing_since.is_some_and(|since| now >= since + ALERT_AFTER);
        !self.is_reported && (self.status == CalendarStatus::Stopped || is_long)
    }

    /// Returns the time from the last attempt to the next one. Returns `None` while the calendar is stopped or being
    /// disconnected.
    pub fn pause(&self, kind: CalendarKind, is_in_use: bool) -> Option<TimeDelta> {
        match self.status {
            CalendarStatus::Stopped | CalendarStatus::Disconnecting => None,
            _ if self.failures > 0 => {
                let last = RETRY_AFTER.len() - 1;
                Some(RETRY_AFTER[(self.failures as usize - 1).min(last)])
            }
            _ if self.mass_deletion_at.is_some() => Some(CONFIRM_AFTER),
            _ if kind == CalendarKind::Caldav && is_in_use => Some(READ_EVERY_IN_USE),
            _ => Some(READ_EVERY),
        }
    }

    /// Returns the time to the next read while the business is not in use. It is at most [`Self::pause`], even if the
    /// clock was set back after the last attempt.
    pub fn left(&self, kind: CalendarKind, now: Timestamp) -> Option<TimeDelta> {
        let pause = self.pause(kind, false)?;
        let since = self.last_attempt_at.map_or(pause, |at| now - at);
        Some(pause - since.clamp(TimeDelta::zero(), pause))
    }
}

/// Whether a read that deletes this number of the stored events must be confirmed.
pub fn is_mass_deletion(stored: usize, deleted: usize) -> bool {
    deleted >= MASS_DELETION_MIN && deleted * 2 > stored
}

/// The stored part of an event of a connected calendar. It contains no title, place, person or text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalendarEvent {
    pub calendar_id: CalendarId,
    /// The first 16 bytes of the SHA-256 of the href, or of the UID for [`CalendarKind::Ics`].
    pub hash: [u8; 16],
    pub href: String,
    pub etag: Option<String>,
    /// The first 16 bytes of the SHA-256 of the UID.
    pub uid: Option<[u8; 16]>,
    /// The appointment of this business, if the event is a copy of an appointment.
    pub appointment_id: Option<AppointmentId>,
    pub is_readable: bool,
    pub busy: Spans,
}

impl CalendarEvent {
    /// Whether the event is a readable copy of an appointment and has no busy times.
    pub fn is_copy(&self) -> bool {
        self.appointment_id.is_some() && self.is_readable && self.busy.is_empty()
    }
}

/// The busy times of all events of a calendar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalendarBusy {
    pub calendar_id: CalendarId,
    pub busy: Spans,
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn steady(minutes: i64) -> SteadyTime {
        SteadyTime::from_millis(minutes * 60_000)
    }

    fn after(state: CalendarState, result: &ReadResult, minutes: i64) -> CalendarState {
        state.after(result, Timestamp::from_millis(minutes * 60_000), steady(minutes))
    }

    fn failed(code: CalendarFault) -> ReadResult {
        ReadResult::Failed(code.into())
    }

    fn success() -> ReadSuccess {
        ReadSuccess {
            is_complete: true,
            events: 2,
            unreadable: 0,
            warnings: Vec::new(),
            position: ReadPosition::default(),
        }
    }

    fn read() -> ReadResult {
        ReadResult::Read(success())
    }

    fn new() -> CalendarState {
        CalendarState::new(Uuid::nil().into())
    }

    #[test]
    fn three_refusals_within_ten_minutes_do_not_stop_a_calendar() {
        let refused = failed(CalendarFault::Credentials);
        let mut state = after(new(), &read(), 0);
        for minute in [1, 2, 4] {
            state = after(state, &refused, minute);
            assert_eq!(state.status, CalendarStatus::Failing, "{minute}");
        }
        state = after(state, &refused, 11);
        assert_eq!((state.status, state.pause(CalendarKind::Ics, false)), (CalendarStatus::Stopped, None));
        assert!(state.must_report(steady(11)));
        let state = state.for_complete_read();
        assert_eq!(state.status, CalendarStatus::Failing);
        assert!(state.needs_complete_read(steady(12)) && state.pause(CalendarKind::Ics, false).is_some());
    }

    #[test]
    fn another_outcome_interrupts_the_refusals() {
        let mut state = after(new(), &failed(CalendarFault::Credentials), 0);
        state = after(state, &failed(CalendarFault::Timeout), 9);
        for minute in [10, 11, 12, 19] {
            state = after(state, &failed(CalendarFault::Credentials), minute);
            assert_eq!(state.status, CalendarStatus::Connecting, "{minute}");
        }
        assert_eq!(after(state, &failed(CalendarFault::Credentials), 20).status, CalendarStatus::Stopped);
    }

    #[test]
    fn a_missing_calendar_stops_after_a_day() {
        let mut state = after(new(), &read(), 0);
        state = after(state, &failed(CalendarFault::NotFound), 10);
        state = after(state, &failed(CalendarFault::NotFound), 10 + 24 * 60 - 1);
        assert_eq!(state.status, CalendarStatus::Failing);
        assert_eq!(
            after(state, &failed(CalendarFault::NotFound), 10 + 24 * 60).status,
            CalendarStatus::Stopped
        );
    }

    #[test]
    fn an_outage_is_reported_after_six_hours_and_ends_with_a_read() {
        let mut state = after(new(), &failed(CalendarFault::ServerError), 0);
        assert!(!state.must_report(steady(359)) && state.must_report(steady(360)));
        state.is_reported = true;
        state = after(state, &failed(CalendarFault::ServerError), 400);
        assert!(!state.must_report(steady(400)), "the outage was already reported");
        state = after(after(state, &read(), 401), &failed(CalendarFault::ServerError), 402);
        assert!(!state.must_report(steady(500)) && state.must_report(steady(762)), "a new outage");
    }

    #[test]
    fn failures_are_retried_with_growing_pauses() {
        let mut state = after(new(), &read(), 0);
        let minutes = |state: &CalendarState| state.pause(CalendarKind::Caldav, true).unwrap().num_minutes();
        let pauses: Vec<_> = (0..6)
            .map(|minute| {
                let pause = minutes(&state);
                state = after(state.clone(), &failed(CalendarFault::Tls), minute);
                pause
            })
            .collect();
        assert_eq!(pauses, [1, 1, 2, 5, 15, 15]);
        let state = after(state, &read(), 9);
        assert_eq!((minutes(&state), state.pause(CalendarKind::Caldav, false)), (1, Some(READ_EVERY)));
        assert_eq!(state.pause(CalendarKind::Ics, true), Some(READ_EVERY));
    }

    #[test]
    fn the_next_read_is_due_within_the_pause_although_the_clock_was_set_back() {
        let state = after(new(), &read(), 1_000);
        let left = |minute: i64| {
            let now = Timestamp::from_millis(minute * 60_000);
            state.left(CalendarKind::Caldav, now).map(|left| left.num_minutes())
        };
        assert_eq!([1_000, 1_004, 1_015, 9_999, 999, 0].map(left), [15, 11, 0, 0, 15, 15].map(Some));
        let stopped = CalendarState { status: CalendarStatus::Stopped, ..new() };
        assert_eq!(stopped.left(CalendarKind::Ics, Timestamp::from_millis(0)), None);
        assert_eq!(new().left(CalendarKind::Ics, Timestamp::from_millis(0)), Some(TimeDelta::zero()));
    }

    #[test]
    fn a_mass_deletion_leads_to_a_complete_read() {
        let mut state = after(new(), &read(), 0);
        assert!(
            !state.needs_complete_read(steady(24 * 60 - 1)) && state.needs_complete_read(steady(24 * 60))
        );
        state = after(state, &ReadResult::MassDeletion, 1);
        assert!(state.needs_complete_read(steady(2)));
        assert_eq!(state.pause(CalendarKind::Ics, false), Some(CONFIRM_AFTER));
        assert!(!after(state, &read(), 2).needs_complete_read(steady(3)));
    }

    #[test]
    fn a_read_at_a_wrong_time_is_followed_by_a_complete_read() {
        let (state, day) = (after(new(), &read(), 0), 24 * 60);
        let is_wrong = |state: &CalendarState, minute: i64| {
            state.was_read_at_another_time(Timestamp::from_millis(minute * 60_000))
        };
        assert_eq!(
            [-day - 1, -day, day, day + 1].map(|minute| is_wrong(&state, minute)),
            [true, false, false, true]
        );
        assert!(is_wrong(&after(state.clone(), &failed(CalendarFault::Credentials), 1), day + 1));
        let timed_out = after(state, &failed(CalendarFault::Timeout), day + 1);
        assert!(!is_wrong(&timed_out, day + 1));
        assert!(after(timed_out, &read(), day + 2).complete_at.is_some());
    }

    #[test]
    fn a_timeout_before_the_clock_is_corrected_does_not_prevent_the_complete_read() {
        let changes = ReadResult::Read(ReadSuccess { is_complete: false, ..success() });
        let at = |state: CalendarState, result: &ReadResult, wall: i64, minute: i64| {
            state.after(result, Timestamp::from_millis(wall * 60_000), steady(minute))
        };
        let wrong = 600 * 24 * 60;
        let state = at(new(), &read(), 0, 0);
        let state = at(state, &failed(CalendarFault::Timeout), 2, 2);
        let state = at(state, &changes, wrong, 3);
        assert!(state.needs_complete_read(steady(3)));
        // Now a complete read is needed. It times out, so it is repeated after an hour.
        let state = at(state, &failed(CalendarFault::Timeout), wrong + 1, 4);
        let state = at(state, &changes, wrong + 2, 5);
        assert!(!state.needs_complete_read(steady(63)) && state.needs_complete_read(steady(64)));
    }

    #[test]
    fn a_complete_read_that_timed_out_is_repeated_after_an_hour() {
        let (timeout, day) = (failed(CalendarFault::Timeout), 24 * 60);
        let mut state = after(after(new(), &read(), 0), &timeout, day - 1);
        assert!(state.needs_complete_read(steady(day)), "the read that timed out was not complete");
        state = after(state, &timeout, day);
        assert!(!state.needs_complete_read(steady(day + 59)) && state.needs_complete_read(steady(day + 60)));
        state = after(after(state, &read(), day + 61), &failed(CalendarFault::ServerError), 3 * day);
        assert!(state.needs_complete_read(steady(3 * day)));
        // After a change of the settings, a complete read that timed out is repeated without waiting an hour.
        state = after(state.for_complete_read(), &timeout, 3 * day + 1);
        assert!(state.needs_complete_read(steady(3 * day + 2)));
    }

    #[test]
    fn a_mass_deletion_is_confirmed_only_after_a_minute() {
        let at = SteadyTime::from_millis;
        let doubt = |state: CalendarState, seconds: i64| {
            state.after(&ReadResult::MassDeletion, Timestamp::from_millis(0), at(seconds * 1_000))
        };
        let state = doubt(doubt(after(new(), &read(), 0), 100), 130);
        assert!(!state.confirms_mass_deletion(at(153_999)) && state.confirms_mass_deletion(at(154_000)));
        assert!(!after(state, &read(), 3).confirms_mass_deletion(at(999_000)));
    }

    #[test]
    fn a_server_that_fails_after_a_mass_deletion_is_retried_with_growing_pauses() {
        let mut state = after(after(new(), &read(), 0), &ReadResult::MassDeletion, 1);
        let pauses = [2, 3, 5, 10].map(|minute| {
            state = after(state.clone(), &failed(CalendarFault::Timeout), minute);
            state.pause(CalendarKind::Ics, false).unwrap().num_minutes()
        });
        assert_eq!(pauses, [1, 2, 5, 15]);
        state = after(state, &ReadResult::MassDeletion, 25);
        assert_eq!(state.pause(CalendarKind::Ics, false), Some(CONFIRM_AFTER));
    }

    #[test]
    fn a_mass_deletion_is_most_of_at_least_twenty_events() {
        for (stored, deleted, is_mass) in [(19, 19, false), (20, 20, true), (40, 20, false), (39, 20, true)] {
            assert_eq!(is_mass_deletion(stored, deleted), is_mass, "{deleted} of {stored}");
        }
    }

    #[test]
    fn a_password_is_not_in_debug_output() {
        let password = CalendarPassword::new("hunter2".into());
        assert!(!format!("{password:?}").contains("hunter2") && password.reveal() == "hunter2");
    }
}
