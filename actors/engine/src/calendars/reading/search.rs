//! Searches for the event of an appointment after a person or a calendar program has moved the event to another path.
//! If the service writes the event at the old path, the server refuses the write, because the calendar already has an
//! event with this UID. Many servers do not name the path of the existing event.
//!
//! Invariants:
//!
//! - A file that is found contains only the event with the UID of the appointment, even if the server ignores the
//!   filter of the search. So no other event is overwritten or deleted.
//! - The result is [`Searched::Missing`] only if the server has sent every file that its response lists, and none of
//!   these files contains the event. A failed search does not show that the event is missing.

use domain::{AppointmentId, CalendarFault, WebhookUrl};
use net::Fetched;

use super::actor::Loaded;
use super::caldav::Account;
use super::files::FileReader;
use super::schedule::Readings;
use super::web::{Failure, fault};
use super::writing::{folder, named};
use super::xml::exists;

pub(super) enum Searched {
    At(WebhookUrl),
    /// The calendar has no such event.
    Missing,
    /// The server has responded to the search with an error.
    Refused(Fetched),
}

/// Searches for the event of an appointment.
///
/// # Errors
/// The search has failed, the response was incomplete, or the event is in a file that also contains another event or
/// that cannot be read.
pub(super) async fn find(
    readings: &Readings,
    loaded: &Loaded,
    appointment: AppointmentId,
) -> Result<Searched, Failure> {
    let (calendar, business) = (&loaded.calendar, &loaded.business);
    let (Some(login), Some(collection)) = (&calendar.login, &calendar.collection) else {
        return Err(CalendarFault::NotFound.into());
    };
    let (web, entered) = (&readings.web, &calendar.url);
    let account = Account { web, of: (business.id, Some(calendar.id)), entered, login };
    let uid = format!("{appointment}@receptionist");
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><c:calendar-query xmlns:d=\"DAV:\" \
         xmlns:c=\"urn:ietf:params:xml:ns:caldav\"><d:prop><d:getetag/><c:calendar-data/></d:prop><c:filter>\
         <c:comp-filter name=\"VCALENDAR\"><c:comp-filter name=\"VEVENT\"><c:prop-filter name=\"UID\">\
         <c:text-match collation=\"i;octet\">{uid}</c:text-match></c:prop-filter>\
         </c:comp-filter></c:comp-filter></c:filter></c:calendar-query>"
    );
    let (_, response) = account.request(("REPORT", "1"), collection, body).await?;
    if fault(response.status).is_some() {
        return Ok(Searched::Refused(response));
    }
    let found = account.parse(response).await?;
    let folder = folder(collection)?;
    let (mut urls, mut texts, mut is_partial) = (Vec::new(), Vec::new(), false);
    for resource in found.resources {
        if !exists(resource.status)? {
            continue;
        }
        match (named(&folder, &resource.href), resource.data) {
            (Some(url), Some(text)) => {
                urls.push((url, text.contains(&uid)));
                texts.push(text);
            }
            _ => is_partial = true,
        }
    }
    let now = readings.shared.clocks.now();
    let reader = FileReader::new(&readings.shared.store, business.id, (calendar, business.zone), now);
    let read = reader.read(web, texts).await?;
    for ((url, has_uid), read) in urls.into_iter().zip(read) {
        match read {
            Ok(times) if times.own.keys().eq([&appointment]) && times.events.is_empty() => {
                return Ok(Searched::At(url));
            }
            // If the file contains the appointment and another event, the search fails, because the file must be
            // neither overwritten nor deleted.
            Ok(times) => is_partial |= times.own.contains_key(&appointment),
            Err(_) => is_partial |= has_uid,
        }
    }
    if is_partial { Err(CalendarFault::ServerError.into()) } else { Ok(Searched::Missing) }
}
