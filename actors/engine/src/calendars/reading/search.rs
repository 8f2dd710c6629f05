//! Searches for the event of an appointment at another path. A person or a calendar program can move an event to
//! another path, and many servers do not name this path when they refuse a second event with the same UID.
//!
//! Invariant: the result is a file that contains only the event with the UID of the appointment, so no other event is
//! overwritten or deleted, even if the server ignores the filter of the search.

use domain::{AppointmentId, WebhookUrl};

use super::actor::Loaded;
use super::caldav::Account;
use super::files::FileReader;
use super::schedule::Readings;
use super::web::Failure;
use super::writing::named;
use super::xml::exists;

/// Returns the address of the event, or `None` if the calendar has no such event or its server fails to answer the
/// search.
pub(super) async fn find(
    readings: &Readings,
    loaded: &Loaded,
    appointment: AppointmentId,
) -> Result<Option<WebhookUrl>, Failure> {
    match search(readings, loaded, appointment).await {
        Err(Failure::Calendar(_)) => Ok(None),
        found => found,
    }
}

async fn search(
    readings: &Readings,
    loaded: &Loaded,
    appointment: AppointmentId,
) -> Result<Option<WebhookUrl>, Failure> {
    let (calendar, business) = (&loaded.calendar, &loaded.business);
    let (Some(login), Some(collection)) = (&calendar.login, &calendar.collection) else { return Ok(None) };
    let (web, entered) = (&readings.web, &calendar.url);
    let account = Account { web, of: (business.id, Some(calendar.id)), entered, login };
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><c:calendar-query xmlns:d=\"DAV:\" \
         xmlns:c=\"urn:ietf:params:xml:ns:caldav\"><d:prop><d:getetag/><c:calendar-data/></d:prop><c:filter>\
         <c:comp-filter name=\"VCALENDAR\"><c:comp-filter name=\"VEVENT\"><c:prop-filter name=\"UID\">\
         <c:text-match collation=\"i;octet\">{appointment}@receptionist</c:text-match></c:prop-filter>\
         </c:comp-filter></c:comp-filter></c:filter></c:calendar-query>"
    );
    let (_, found) = account.multistatus(("REPORT", "1"), collection, body).await?;
    let (mut urls, mut texts) = (Vec::new(), Vec::new());
    for resource in found.resources {
        let url = named(collection, &resource.href);
        if let (Some(url), Some(text), true) = (url, resource.data, exists(resource.status)?) {
            urls.push(url);
            texts.push(text);
        }
    }
    let now = readings.shared.clocks.now();
    let reader = FileReader::new(&readings.shared.store, business.id, (calendar, business.zone), now);
    let read = reader.read(web, texts).await?;
    let is_copy = |times: &ical::BusyTimes| times.own.keys().eq([&appointment]) && times.events.is_empty();
    let mut events = urls.into_iter().zip(read);
    Ok(events.find(|(_, read)| read.as_ref().is_ok_and(is_copy)).map(|(url, _)| url))
}
