//! The writes of a calendar's turn: the requests that write and delete the events of appointments.
//!
//! Invariants:
//!
//! - An appointment becomes `synced` only with a commit after the server's acknowledgement, and only if the
//!   acknowledged state is still the newest one.
//! - A request has no precondition, such as `If-Match`. So the server does not refuse a repeated request, and the
//!   request writes the same event again.
//! - If the server reports that the event to delete is missing, the deletion counts as acknowledged only after a search
//!   has found the event at no other path. A failed search is a failed attempt.
//! - The failure of a write delays only this write. A server that does not respond, or requests a pause, delays the
//!   other writes of the calendar too.

use std::sync::atomic::Ordering;
use std::time::Duration;

use chrono::{DateTime, TimeDelta};
use domain::{
    Actor as By, BusinessId, CalendarEvent, CalendarFault, CalendarStatus, CalendarWrite, ConnectedCalendar,
    FeedDetail, Locale, SERVER_PAUSE_MAX, Spans, Timestamp, WRITE_HREF_CHARS_MAX, WebhookUrl, WriteOutcome,
};
use net::Fetched;
use store::{Order, Store, keys};
use tokio::time::timeout;
use view::AppointmentView;

use super::actor::{Load, Loaded, is_disk_exhausted, load};
use super::files::hash;
use super::schedule::Readings;
use super::search::Searched;
use super::web::{Failure, WebRequest};
use super::{CalendarKey, NOT_MADE_PAUSE, mark, search, xml};
use crate::business::commands::writing::{EndRemoval, ForgetWrites, RecordWrite, StepTask, StopWrites};
use crate::business::{BusinessHandle, Request};
use crate::clock::Clocks;
use crate::error::{EngineError, Result};

/// The maximum number of writes in a turn. After them, other calendars of the host get a turn.
const WRITES_PER_TURN: usize = 16;
/// The maximum time of an attempt, including its redirects.
const ATTEMPT_TIME_MAX: Duration = Duration::from_secs(60);
/// The pause of all writes of a calendar after its server did not respond.
const UNREACHABLE_PAUSE: Duration = Duration::from_secs(30);
const MEDIA_TYPE: &str = "text/calendar; charset=utf-8";

/// The content of an event that is written to a calendar.
#[derive(Clone, Copy, Debug)]
pub struct WrittenEvent<'a> {
    pub business: BusinessId,
    pub locale: Locale,
    pub detail: FeedDetail,
    pub appointment: &'a AppointmentView,
}

/// Writes the calendar file of an event.
pub trait EventWriter: Send + Sync {
    fn file(&self, event: &WrittenEvent<'_>) -> String;
}

/// Returns the time until the next write of a calendar, or `None` if no write is pending.
pub(super) fn next_write(
    store: &Store,
    clocks: &Clocks,
    key: CalendarKey,
    calendar: Option<&ConnectedCalendar>,
) -> Option<Duration> {
    let calendar = calendar?;
    if calendar.task.is_some() {
        return Some(Duration::ZERO);
    }
    let now = clocks.steady();
    let due = keys::calendar_writes_due(key.business, key.calendar);
    let first = store.scan(&due, Order::Ascending).next().and_then(Result::ok);
    let first = first.and_then(|(row, _)| keys::due_and_appointment(&row).ok()).map(|(due, _)| due);
    let due = match (first, calendar.removal_until) {
        (None, Some(_)) => now,
        (Some(due), until) => until.map_or(due, |until| until.min(due)),
        (None, None) => return None,
    };
    Some((due - now).to_std().unwrap_or_default())
}

/// Carries out the calendar's stored task ([`domain::CalendarTask`]) and at most [`WRITES_PER_TURN`] due writes.
/// Returns the rows of the calendar after these changes.
///
/// The settings are read again before each write, because a person may have changed or disconnected the calendar.
pub(super) async fn write_due(readings: &Readings, key: CalendarKey) -> Result<Load> {
    let business = readings.business(key.business).ok_or(EngineError::Stopping)?;
    let mut pause = Duration::ZERO;
    for _ in 0..WRITES_PER_TURN {
        let loaded = match prepare(readings, &business, key).await? {
            Load::Loaded(loaded) if !loaded.is_idle && loaded.state.status != CalendarStatus::Stopped => {
                loaded
            }
            other => return Ok(other),
        };
        match next_due(readings, key)? {
            Due::Write(write) => {
                pause = attempt(readings, &business, &loaded, &write).await?;
                if !pause.is_zero() {
                    break;
                }
            }
            Due::Unreadable => {
                pause = NOT_MADE_PAUSE;
                break;
            }
            Due::Nothing => break,
        }
    }
    Ok(match prepare(readings, &business, key).await? {
        Load::Loaded(loaded) => Load::Loaded(Box::new(Loaded { pause, ..*loaded })),
        other => other,
    })
}

/// Makes the changes that need no request to the calendar's server: ends a finished or overdue removal of events,
/// carries out the calendar's stored task, and marks the writes of a stopped calendar as failed. On a nearly full disk,
/// the store refuses all of these changes except the end of a removal.
async fn prepare(readings: &Readings, business: &BusinessHandle, key: CalendarKey) -> Result<Load> {
    let (id, store) = (key.calendar, &readings.shared.store);
    let due = keys::calendar_writes_due(key.business, id);
    let mut stopped_at = None;
    loop {
        let loaded = load(readings, key).await?;
        let Load::Loaded(loaded) = loaded else { return Ok(loaded) };
        let (task, until) = (loaded.calendar.task, loaded.calendar.removal_until);
        let first = store.scan(&due, Order::Ascending).next().transpose()?.map(|(row, _)| row);
        let is_removed = task.is_none() && first.is_none();
        if until.is_some_and(|until| is_removed || readings.shared.clocks.steady() >= until) {
            business.change(Request::by(By::System), EndRemoval { id }).await?;
            return load(readings, key).await;
        }
        if is_disk_exhausted(store) {
            return Ok(Load::Loaded(loaded));
        }
        if task.is_some() {
            business.change(Request::by(By::System), StepTask { id }).await?;
        } else if loaded.state.status == CalendarStatus::Stopped && first.is_some() && stopped_at != first {
            // `StopWrites` removes due rows, but skips a row that cannot be decoded. If the first row is still the same
            // after `StopWrites`, another call would change nothing, so the loop ends.
            stopped_at = first;
            business.change(Request::by(By::System), StopWrites { id }).await?;
        } else {
            return Ok(Load::Loaded(loaded));
        }
    }
}

/// Deletes the writes of a calendar that no longer exists.
pub(super) async fn forget(readings: &Readings, key: CalendarKey) -> Result<()> {
    let business = readings.business(key.business).ok_or(EngineError::Stopping)?;
    let writes = keys::calendar_writes(key.business, key.calendar);
    while readings.shared.store.scan(&writes, Order::Ascending).next().transpose()?.is_some() {
        match business.change(Request::by(By::System), ForgetWrites { id: key.calendar }).await {
            Ok(_) => {}
            // The rows of a deleted business are deleted by another job.
            Err(EngineError::NotFound) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

enum Due {
    Write(Box<CalendarWrite>),
    Unreadable,
    Nothing,
}

/// Returns the next due write. A write that cannot be decoded stays in the list and does not block other writes.
fn next_due(readings: &Readings, key: CalendarKey) -> Result<Due> {
    let (store, now) = (&readings.shared.store, readings.shared.clocks.steady());
    let mut is_unreadable = false;
    for row in store.scan(&keys::calendar_writes_due(key.business, key.calendar), Order::Ascending) {
        let (at, appointment) = keys::due_and_appointment(&row?.0)?;
        if at > now {
            break;
        }
        let write = keys::calendar_write(key.business, key.calendar, appointment);
        match store.find::<CalendarWrite>(&write)? {
            Some(write) => return Ok(Due::Write(Box::new(write))),
            None => is_unreadable = true,
        }
    }
    Ok(if is_unreadable { Due::Unreadable } else { Due::Nothing })
}

/// The outcome of the requests of an attempt.
struct Attempted {
    outcome: WriteOutcome,
    event: Option<CalendarEvent>,
    /// The pause before the next write, if the server has requested a pause or has not responded.
    pause: Duration,
}

/// Makes an attempt and stores its outcome. Returns the pause before the next write of the calendar.
async fn attempt(
    readings: &Readings,
    business: &BusinessHandle,
    loaded: &Loaded,
    write: &CalendarWrite,
) -> Result<Duration> {
    let event = if write.is_deletion {
        None
    } else {
        let Some(writer) = readings.writer() else { return Ok(NOT_MADE_PAUSE) };
        // If the appointment cannot be read, the attempt is recorded as failed. A failed write is postponed or stopped,
        // so it does not block the calendar's other writes.
        let Some(appointment) = business.appointment(write.appointment_id).await.ok().flatten() else {
            let outcome = WriteOutcome::Failed { retry_after: None };
            record(readings, business, write, outcome, None).await?;
            return Ok(Duration::ZERO);
        };
        let (calendar, of) = (&loaded.calendar, &loaded.business);
        let event = WrittenEvent {
            business: of.id,
            locale: of.locale,
            detail: calendar.detail,
            appointment: &appointment,
        };
        Some((writer.file(&event), (appointment.starts_at, appointment.ends_at)))
    };
    let requests = timeout(ATTEMPT_TIME_MAX, requests(readings, loaded, write, event)).await;
    let requests = requests.unwrap_or_else(|_| Err(CalendarFault::Timeout.into()));
    let attempted = match requests {
        Ok(attempted) => attempted,
        Err(Failure::NotMade) => return Ok(NOT_MADE_PAUSE),
        Err(Failure::Calendar(error)) => {
            let outcome = WriteOutcome::Failed { retry_after: None };
            let pause = match error.code {
                CalendarFault::Unreachable | CalendarFault::Timeout | CalendarFault::Tls => UNREACHABLE_PAUSE,
                _ => Duration::ZERO, // the server has responded, so it can respond to other writes too
            };
            Attempted { outcome, event: None, pause }
        }
    };
    record(readings, business, write, attempted.outcome, attempted.event).await?;
    Ok(attempted.pause)
}

/// Counts and stores the outcome of an attempt.
async fn record(
    readings: &Readings,
    business: &BusinessHandle,
    write: &CalendarWrite,
    outcome: WriteOutcome,
    event: Option<CalendarEvent>,
) -> Result<()> {
    let number = usize::from(!matches!(outcome, WriteOutcome::Done { .. }));
    readings.write_counts[number].fetch_add(1, Ordering::Relaxed);
    let (id, appointment_id, began) = (write.calendar_id, write.appointment_id, write.revision);
    let record = RecordWrite { id, appointment_id, began, outcome, event };
    business.change(Request::by(By::System), record).await?;
    Ok(())
}

/// Returns the address of a collection with a slash at its end, so that the name of an event can be appended.
pub(super) fn folder(collection: &WebhookUrl) -> Result<WebhookUrl, CalendarFault> {
    let text = collection.as_str();
    let folder = if text.ends_with('/') { text.to_owned() } else { format!("{text}/") };
    WebhookUrl::from_stored(&folder).map_err(|_| CalendarFault::ServerError)
}

/// Returns the path that this service chooses for the event of an appointment.
pub(super) fn own_path(collection: &WebhookUrl, id: domain::AppointmentId) -> Option<String> {
    Some(folder(collection).ok()?.join(&format!("{id}.ics")).ok()?.path_and_query().to_owned())
}

/// Resolves a path that the server has named. Returns `None` if the path is too long. Also returns `None` if the path
/// leads to another origin, because the credentials may be sent only to the origin of the collection.
pub(super) fn named(collection: &WebhookUrl, href: &str) -> Option<WebhookUrl> {
    let url = collection.join(href).ok()?;
    (url.has_origin_of(collection) && url.path_and_query().len() <= WRITE_HREF_CHARS_MAX).then_some(url)
}

async fn requests(
    readings: &Readings,
    loaded: &Loaded,
    write: &CalendarWrite,
    event: Option<(String, (Timestamp, Timestamp))>,
) -> Result<Attempted, Failure> {
    let calendar = &loaded.calendar;
    let (Some(login), Some(collection)) = (&calendar.login, &calendar.collection) else {
        return Err(CalendarFault::NotFound.into());
    };
    let folder = folder(collection)?;
    let chosen = folder.join(&format!("{}.ics", write.appointment_id));
    let chosen = chosen.map_err(|_| CalendarFault::ServerError)?;
    let mut url =
        write.href.as_deref().and_then(|href| named(&folder, href)).unwrap_or_else(|| chosen.clone());
    let (method, headers) = match event {
        Some(_) => ("PUT", vec![("content-type", MEDIA_TYPE.to_owned())]),
        None => ("DELETE", Vec::new()),
    };
    let (text, times) = event.map_or((String::new(), None), |(text, times)| (text, Some(times)));
    let send = |url: WebhookUrl| {
        let (headers, body) = (headers.clone(), text.clone());
        async move {
            let (of, entered, login) = ((loaded.business.id, Some(calendar.id)), &calendar.url, Some(login));
            let request = WebRequest { of, method, url: &url, entered, login, headers, body };
            readings.web.send(request).await.map(|(_, response)| response)
        }
    };
    let mut response = send(url.clone()).await?;
    let mut is_missing = false;
    // A person may move or delete the event between a request and the search after it, so the search is repeated once.
    for is_last in [false, true] {
        match elsewhere(readings, loaded, write, &mut response).await? {
            Some(Searched::At(other)) if other.path_and_query() != url.path_and_query() => {
                if is_last {
                    return Ok(delayed(&response, readings.shared.clocks.now()));
                }
                url = other;
            }
            Some(Searched::Missing) if times.is_some() && !is_last => {}
            Some(Searched::Refused(refusal)) => return Ok(delayed(&refusal, readings.shared.clocks.now())),
            searched => {
                is_missing = matches!(searched, Some(Searched::Missing));
                break;
            }
        }
        response = send(url.clone()).await?;
    }
    let href = (url.path_and_query() != chosen.path_and_query()).then(|| url.path_and_query().to_owned());
    let is_done = match response.status {
        200..=299 => true,
        404 | 410 => times.is_none() && is_missing,
        _ => false,
    };
    if !is_done {
        return Ok(failed(&response, readings.shared.clocks.now()));
    }
    let path = url.path_and_query();
    let event = CalendarEvent {
        calendar_id: calendar.id,
        hash: hash(path.as_bytes()),
        href: path.to_owned(),
        etag: mark(response.header("etag").map(ToOwned::to_owned)),
        uid: None,
        appointment_id: Some(write.appointment_id),
        is_readable: true,
        busy: Spans::default(),
    };
    let outcome = WriteOutcome::Done { times, href };
    Ok(Attempted { outcome, event: Some(event), pause: Duration::ZERO })
}

/// Determines the address of an appointment's event after one of these failed requests:
///
/// - The service wanted to delete the event, but the server has not found it. The event may be at another path.
/// - The service wanted to write the event, but the server has refused it. An event with the same UID may be at another
///   path.
///
/// Returns `None` after any other response, after a 403 that names no conflict, and if [`named`] refuses the path in
/// the response.
async fn elsewhere(
    readings: &Readings,
    loaded: &Loaded,
    write: &CalendarWrite,
    response: &mut Fetched,
) -> Result<Option<Searched>, Failure> {
    let Some(collection) = &loaded.calendar.collection else { return Ok(None) };
    let search = search::find(readings, loaded, write.appointment_id);
    match response.status {
        // The event is not at this path, but it may be at another path. The service searches for the event even if no
        // write of the event is known to have succeeded: a write can succeed although its response is lost.
        404 | 410 if write.is_deletion => return search.await.map(Some),
        400 | 403 | 409 | 412 if !write.is_deletion => {}
        _ => return Ok(None),
    }
    let body = std::mem::take(&mut response.body);
    let conflict = readings.web.on_thread(loaded.business.id, move || xml::conflict(&body)).await?;
    let folder = folder(collection)?;
    match conflict {
        Some(Some(path)) => Ok(named(&folder, &path).map(Searched::At)),
        // A 403 that names no conflict usually means that the server denies access to the calendar. So the service
        // does not search for the event.
        None if response.status == 403 => Ok(None),
        // The response does not contain the path of another event, but such an event may exist. For example, SOGo and
        // Nextcloud refuse a second event with the same UID, but their responses name no conflict. Nextcloud responds
        // with 400. So the service searches for the existing event.
        _ => search.await.map(Some),
    }
}

/// The outcome of an attempt to which the server has responded with an error.
fn failed(response: &Fetched, now: Timestamp) -> Attempted {
    if let 400 | 403 | 405 | 409 | 413 | 415 | 422 = response.status {
        return Attempted { outcome: WriteOutcome::Refused, event: None, pause: Duration::ZERO };
    }
    delayed(response, now)
}

/// The outcome of an attempt that has failed and that the service will repeat.
fn delayed(response: &Fetched, now: Timestamp) -> Attempted {
    let retry_after = response.header("retry-after").and_then(|text| retry_after(text, now));
    let pause = match (response.status, retry_after) {
        (401 | 429 | 503, None) => UNREACHABLE_PAUSE,
        (429 | 503, Some(pause)) => pause.min(SERVER_PAUSE_MAX).to_std().unwrap_or_default(),
        _ => Duration::ZERO,
    };
    Attempted { outcome: WriteOutcome::Failed { retry_after }, event: None, pause }
}

/// Parses a `Retry-After` header: a number of seconds, or a date.
fn retry_after(text: &str, now: Timestamp) -> Option<TimeDelta> {
    let pause = match text.trim().parse::<u32>() {
        Ok(seconds) => TimeDelta::seconds(seconds.into()),
        Err(_) => DateTime::parse_from_rfc2822(text.trim()).ok()?.to_utc() - now.utc(),
    };
    Some(pause.max(TimeDelta::zero()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requested_pause_is_a_number_of_seconds_or_a_date() {
        let now = Timestamp::parse("2026-11-20T08:00:00Z").unwrap();
        for (text, expected) in [
            ("120", Some(120)),
            ("Fri, 20 Nov 2026 08:01:30 GMT", Some(90)),
            ("Fri, 20 Nov 2026 07:00:00 GMT", Some(0)),
            ("soon", None),
            ("-5", None),
        ] {
            assert_eq!(retry_after(text, now).map(|pause| pause.num_seconds()), expected, "{text}");
        }
    }

    #[test]
    fn a_path_that_the_server_names_is_on_the_origin_of_the_collection() {
        let collection = WebhookUrl::parse("https://dav.example.com/ada/team").unwrap();
        let id = uuid::Uuid::from_u128(7).into();
        assert_eq!(own_path(&collection, id).unwrap(), format!("/ada/team/{id}.ics"));
        let folder = folder(&collection).unwrap();
        let path = |href: &str| named(&folder, href).map(|url| url.path_and_query().to_owned());
        assert_eq!(path("other.ics").as_deref(), Some("/ada/team/other.ics"));
        assert_eq!(path("/x/y.ics").as_deref(), Some("/x/y.ics"));
        assert_eq!(path("https://dav.example.com/z.ics").as_deref(), Some("/z.ics"));
        for refused in
            ["https://evil.example.com/z.ics", "//evil.example.com/z", "https://dav.example.com:8443/z"]
        {
            assert_eq!(path(refused), None, "{refused}");
        }
    }
}
