//! Reads a calendar file from an address.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono_tz::Tz;
use domain::{CalendarEvent, CalendarId, ConnectedCalendar, ReadPosition, Timestamp, WebhookUrl};
use ical::BusyTimes;
use net::Fetched;

use super::events::Found;
use super::files::{FileReader, hash, spans, warnings};
use super::web::{Failure, Of, Web, WebRequest, fault};
use super::{NAME_CHARS_MAX, Readings, mark};

/// The service looks for the name of a calendar only in this number of bytes at the start of the file.
const NAME_WITHIN_BYTES: usize = 64 << 10;

/// Fetches and reads the file once. Returns the name of the calendar, if the file contains it.
pub(in crate::calendars) async fn check(
    readings: &Readings,
    (of, zone): (Of, Tz),
    url: &WebhookUrl,
    now: Timestamp,
) -> Result<Option<String>, Failure> {
    let response = fetch((&readings.web, of), url, None).await?;
    let name = name(&response.body);
    let reader = FileReader::for_check(&readings.shared.store, of.0, zone, now);
    reader.read_with(&readings.web, response, |_| ()).await?;
    Ok(name)
}

/// Returns the calendar's name, which is the value of `X-WR-CALNAME`.
fn name(text: &[u8]) -> Option<String> {
    const NAME: &str = "X-WR-CALNAME";
    let head = String::from_utf8_lossy(text.get(..NAME_WITHIN_BYTES).unwrap_or(text)).into_owned();
    let line = head
        .lines()
        .find(|line| line.get(..NAME.len()).is_some_and(|start| start.eq_ignore_ascii_case(NAME)))?;
    let (_, value) = line.split_once(':')?;
    let name: String = value.replace("\\,", ",").replace("\\;", ";").chars().take(NAME_CHARS_MAX).collect();
    let name = name.trim();
    (!name.is_empty() && !name.contains(char::is_control)).then(|| name.to_owned())
}

/// Requests the file. If `known` contains the headers of an earlier response, the server may respond with 304
/// (unchanged).
async fn fetch(
    (web, of): (&Web, Of),
    url: &WebhookUrl,
    known: Option<&ReadPosition>,
) -> Result<Fetched, Failure> {
    let mut headers = vec![("accept", "text/calendar, */*;q=0.1".to_owned())];
    if let Some(known) = known {
        headers.extend(known.etag.clone().map(|etag| ("if-none-match", etag)));
        headers.extend(known.modified.clone().map(|modified| ("if-modified-since", modified)));
    }
    let (method, body) = ("GET", String::new());
    let request = WebRequest { of, method, url, entered: url, login: None, headers, body };
    let (_, response) = web.send(request).await?;
    match response.status {
        304 if known.is_some() => Ok(response),
        status => fault(status).map_or(Ok(response), |fault| Err(fault.into())),
    }
}

/// Fetches and reads the file. Returns `None` if the file has not changed since the earlier read that returned `known`.
pub(super) async fn read(
    (web, of): (&Web, Of),
    calendar: &ConnectedCalendar,
    known: Option<&ReadPosition>,
    reader: &Arc<FileReader>,
) -> Result<Option<Found>, Failure> {
    let response = fetch((web, of), &calendar.url, known).await?;
    if response.status == 304 {
        return Ok(None);
    }
    let header = |name| mark(response.header(name).map(ToOwned::to_owned));
    let position =
        ReadPosition { etag: header("etag"), modified: header("last-modified"), ..ReadPosition::default() };
    let id = calendar.id;
    reader.read_with(web, response, move |times| Some(found(id, times, position))).await
}

fn found(calendar_id: CalendarId, times: &BusyTimes, position: ReadPosition) -> Found {
    let event = |(number, event): (usize, &ical::BusyEvent)| {
        let uid = event.uid.as_ref().map(|uid| hash(uid.as_bytes()));
        CalendarEvent {
            calendar_id,
            // An event without a UID is identified by its position in the file.
            hash: uid.unwrap_or_else(|| hash(format!("\0{number}").as_bytes())),
            href: String::new(),
            etag: None,
            uid,
            appointment_id: None,
            is_readable: true,
            busy: spans(&event.busy),
        }
    };
    // An event without a busy time in the window has no effect, so it is not stored.
    let busy = times.events.iter().enumerate().filter(|(_, event)| !event.busy.is_empty());
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Found {
        events: busy.map(event).collect(),
        seen: Vec::new(),
        is_complete: true,
        deleted: BTreeSet::new(),
        count: Some(number(times.events.len())),
        unreadable: number(times.unreadable),
        warnings: warnings(times).collect(),
        position,
    }
}
