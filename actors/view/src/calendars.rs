//! Feeds of appointments for calendar services, and connected calendars.

use chrono::TimeDelta;
use domain::{
    AllDay, AppointmentId, CalendarFault, CalendarId, CalendarKind, CalendarState, CalendarStatus,
    CalendarSyncStatus, CalendarWarning, CalendarWrite, ConnectedCalendar, Feed, FeedDetail, FeedId, StaffId,
    SteadyTime, Timestamp, WriteReason,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::KeyCreatorView;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FeedFields")]
pub struct FeedView {
    /// The feed's id.
    pub id: FeedId,
    /// The staff member whose appointments the feed contains; null for the whole business.
    pub staff_id: Option<StaffId>,
    /// The content of the events. `times`: only the times; `services`: also the names of service and staff
    /// member; `contacts`: also the contact's name and phone number, and a link to the dashboard.
    pub detail: FeedDetail,
    /// The creator of the feed.
    pub created_by: KeyCreatorView,
    /// The time of creation.
    pub created_at: Timestamp,
}

impl FeedView {
    pub fn new(feed: &Feed, created_by: KeyCreatorView) -> Self {
        let Feed { id, staff_id, detail, created_at, .. } = *feed;
        Self { id, staff_id, detail, created_by, created_at }
    }
}

/// A feed in a list. Only the response to the creation of a feed contains its address.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Feed")]
pub struct ListedFeedView {
    #[serde(flatten)]
    pub feed: FeedView,
    /// The time of the last request for the feed, rounded down to the minute.
    pub last_fetched_at: Option<Timestamp>,
    /// The time of the revocation.
    pub revoked_at: Option<Timestamp>,
}

/// A feed that was just created. Only this response contains its address. If the request is repeated, the response does
/// not contain it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NewFeed")]
pub struct NewFeedView {
    /// The fields without the address. The entity tag depends only on these fields.
    #[serde(flatten)]
    pub feed: FeedView,
    /// The address of the feed; null in a repeated response, because only the hash of its token is stored.
    pub url: Option<String>,
}

/// The settings of a connected calendar. Its address and its password are never shown.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CalendarFields")]
pub struct CalendarSettingsView {
    /// The calendar's id.
    pub id: CalendarId,
    /// The staff member whose bookings the busy times block.
    pub staff_id: StaffId,
    /// The name of the calendar.
    pub name: String,
    /// `caldav` for an account on a calendar server, `ics` for the address of a calendar file.
    pub kind: CalendarKind,
    /// The host of the calendar's address.
    pub host: String,
    /// The user name of the account; null for `ics`.
    pub username: Option<String>,
    /// The name of the calendar on the server; null for `ics`.
    pub calendar: Option<String>,
    /// Whether the calendar's events block bookings.
    pub busy: bool,
    /// Whether appointments are written to the calendar.
    pub write: bool,
    /// The content of written events.
    pub detail: FeedDetail,
    /// Whether all-day events block bookings: `busy` or `free`.
    pub all_day: AllDay,
    /// The staff member's email addresses. An invitation that one of them has declined does not block bookings.
    pub own_addresses: Vec<String>,
    /// The person or operator that connected the calendar.
    pub created_by: KeyCreatorView,
    /// The time of creation.
    pub created_at: Timestamp,
    /// The time of the last change of the settings.
    pub updated_at: Timestamp,
}

/// A connected calendar, whose busy times block bookings of its staff member.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Calendar")]
pub struct CalendarView {
    /// The settings. The entity tag depends only on the settings.
    #[serde(flatten)]
    pub settings: CalendarSettingsView,
    /// `connecting` until the first complete read, then `connected`; `failing` while reads fail and are retried;
    /// `stopped` if the calendar is not read until its settings change or a person requests a read; `disconnecting`
    /// while the written events are deleted before the calendar is disconnected.
    pub status: CalendarStatus,
    /// The time of the last read that succeeded.
    pub last_read_at: Option<Timestamp>,
    /// The time of the last read, successful or not.
    pub last_attempt_at: Option<Timestamp>,
    /// The reason why the last read failed.
    pub error: Option<CalendarErrorView>,
    /// The number of events that the last read found.
    pub events: u32,
    /// The number of events that could not be read. They do not block bookings.
    pub unreadable_events: u32,
    /// The warnings of the last read.
    pub warnings: Vec<CalendarWarning>,
}

/// The reason why a calendar could not be read.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CalendarError")]
pub struct CalendarErrorView {
    /// The code of the reason.
    pub code: CalendarFault,
    /// A description of the reason, in English.
    pub message: String,
    /// The other host to which the server refers, for [`CalendarFault::OtherHost`].
    #[serde(skip)]
    pub host: Option<String>,
}

/// The copy of an appointment in a connected calendar.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CalendarAppointment")]
pub struct CalendarWriteView {
    /// The appointment.
    pub appointment_id: AppointmentId,
    /// `pending` until the server has acknowledged the newest state of the appointment, then `synced`; `failed` if the
    /// server has refused it, the attempts are used up, or the event was changed in the calendar.
    pub status: CalendarSyncStatus,
    /// The reason why the service does not write the event again automatically: the event was deleted or changed in the
    /// calendar.
    pub reason: Option<WriteReason>,
    /// The number of attempts to write the newest state of the appointment.
    pub attempts: u32,
    /// The time of the next attempt.
    pub next_attempt_at: Option<Timestamp>,
    /// The start of the event in the calendar.
    pub event_starts_at: Option<Timestamp>,
    /// The end of the event in the calendar.
    pub event_ends_at: Option<Timestamp>,
}

impl CalendarWriteView {
    /// Creates the view. `now` is the present time on the wall clock, and `steady` is the present time on the steady
    /// clock. The view needs both to convert the due time of the next attempt to the wall clock.
    pub fn new(write: &CalendarWrite, (now, steady): (Timestamp, SteadyTime)) -> Self {
        let is_deleted = write.reason == Some(WriteReason::EventDeleted);
        let event = write.event.or(write.written).filter(|_| !is_deleted);
        Self {
            appointment_id: write.appointment_id,
            status: write.status,
            reason: write.reason,
            attempts: write.attempts,
            next_attempt_at: write.due.map(|due| now + (due - steady).max(TimeDelta::zero())),
            event_starts_at: event.map(|(start, _)| start),
            event_ends_at: event.map(|(_, end)| end),
        }
    }
}

impl CalendarSettingsView {
    pub fn new(calendar: &ConnectedCalendar, created_by: KeyCreatorView) -> Self {
        let it = calendar.clone();
        Self {
            id: it.id,
            staff_id: it.staff_id,
            name: it.name,
            kind: it.kind,
            host: it.url.authority(),
            calendar: it.collection.map(|_| it.collection_name),
            username: it.login.map(|login| login.username),
            busy: it.busy,
            write: it.write,
            detail: it.detail,
            all_day: it.all_day,
            own_addresses: it.own_addresses.iter().map(|address| address.as_str().to_owned()).collect(),
            created_by,
            created_at: it.created_at,
            updated_at: it.updated_at,
        }
    }
}

impl CalendarView {
    pub fn new(settings: CalendarSettingsView, state: CalendarState) -> Self {
        let CalendarState { status, last_read_at, last_attempt_at, error, events, unreadable, .. } = state;
        let error = error.map(|error| {
            let (code, message) = (error.code, error.to_string());
            CalendarErrorView { code, message, host: error.host }
        });
        Self {
            settings,
            status,
            last_read_at,
            last_attempt_at,
            error,
            events,
            unreadable_events: unreadable,
            warnings: state.warnings,
        }
    }
}
