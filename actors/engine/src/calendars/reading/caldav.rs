//! Finds and reads CalDAV calendars (RFC 4791, 6578).
//!
//! Invariants:
//!
//! - A read requests the sync token or `getctag` for the next read before it requests the list of events. So the next
//!   read finds the changes that were made during this read.
//! - An event is deleted only if the list of events does not have it, or if its `response` has the status 404
//!   or 410. After any other error status of a `response`, the read fails.
//! - A read of changes first lists the changed events and then requests their data. If the server does not send the
//!   data of a listed event, the read keeps the old sync token or `getctag`. So the next read lists this event again.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use domain::{
    CalendarEvent, CalendarFault, CalendarLogin, CalendarWarning, ConnectedCalendar, ReadPosition, SeenEvent,
    Spans, WebhookUrl,
};
use ical::OwnEvent;
use net::Fetched;
use tokio::time::timeout;

use super::events::{Found, Hash, Stored};
use super::files::{FileReader, hash, spans, warnings};
use super::sizes::{CALENDAR_BYTES_MAX, bytes};
use super::web::{Failure, Of, Web, WebRequest, fault};
use super::writing::own_path;
use super::xml::{self, Multistatus, Resource, TRUNCATED, escaped, exists};
use super::{NAME_CHARS_MAX, mark};

const DISCOVERY_TIME_MAX: Duration = Duration::from_secs(20);
const HOMES_MAX: usize = 5;
const COLLECTIONS_MAX: usize = 200;
const ADDRESSES_MAX: usize = 10;
const ADDRESS_CHARS_MAX: usize = 254;
/// An event with a longer path is not stored, and counts as unreadable.
const HREF_CHARS_MAX: usize = 1_024;
/// The maximum number of events in one request.
const EVENTS_PER_REQUEST: usize = 50;
/// The maximum number of pages of a list of changes.
const PAGES_MAX: usize = 100;
/// The number of resources that are examined before other tasks run.
const RESOURCES_PER_TURN: usize = 128;

/// A calendar of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscoveredCalendar {
    pub url: WebhookUrl,
    pub name: String,
    pub is_writable: bool,
}

/// The calendars of an account that may contain events, and its email addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::calendars) struct Discovered {
    pub(in crate::calendars) calendars: Vec<DiscoveredCalendar>,
    pub(in crate::calendars) addresses: Vec<String>,
}

/// Sends requests with the credentials of an account.
pub(super) struct Account<'a> {
    pub(super) web: &'a Web,
    pub(super) of: Of,
    pub(super) entered: &'a WebhookUrl,
    pub(super) login: &'a CalendarLogin,
}

impl Account<'_> {
    pub(super) async fn request(
        &self,
        (method, depth): (&'static str, &'static str),
        url: &WebhookUrl,
        body: String,
    ) -> Result<(WebhookUrl, Fetched), Failure> {
        let headers =
            vec![("content-type", "application/xml; charset=utf-8".to_owned()), ("depth", depth.to_owned())];
        let (entered, login) = (self.entered, Some(self.login));
        self.web.send(WebRequest { of: self.of, method, url, entered, login, headers, body }).await
    }

    /// Parses a response. The memory reservation of the body passes to the result.
    pub(super) async fn parse(&self, response: Fetched) -> Result<Multistatus, Failure> {
        let Fetched { body, reserved, .. } = response;
        let found = self.web.on_thread(self.of.0, move || xml::parse(&body)).await??;
        Ok(Multistatus { _reserved: Some(reserved), ..found })
    }

    async fn multistatus(
        &self,
        method: (&'static str, &'static str),
        url: &WebhookUrl,
        body: String,
    ) -> Result<(WebhookUrl, Multistatus), Failure> {
        let (url, response) = self.request(method, url, body).await?;
        match fault(response.status) {
            Some(fault) => Err(fault.into()),
            None => Ok((url, self.parse(response).await?)),
        }
    }

    async fn properties(
        &self,
        depth: &'static str,
        url: &WebhookUrl,
        properties: &str,
    ) -> Result<(WebhookUrl, Multistatus), Failure> {
        let body = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><d:propfind xmlns:d=\"DAV:\" \
             xmlns:c=\"urn:ietf:params:xml:ns:caldav\" xmlns:s=\"http://calendarserver.org/ns/\"><d:prop>{properties}\
             </d:prop></d:propfind>"
        );
        self.multistatus(("PROPFIND", depth), url, body).await
    }
}

/// Lists the calendars of an account.
pub(in crate::calendars) async fn discover(
    web: &Web,
    of: Of,
    entered: &WebhookUrl,
    login: &CalendarLogin,
) -> Result<Discovered, Failure> {
    let account = Account { web, of, entered, login };
    let found = timeout(DISCOVERY_TIME_MAX, account.discover()).await;
    found.unwrap_or_else(|_| Err(CalendarFault::Timeout.into()))
}

impl Account<'_> {
    async fn discover(&self) -> Result<Discovered, Failure> {
        const ABOUT: &str = "<d:current-user-principal/><c:calendar-home-set/><d:resourcetype/><d:displayname/>\
                             <c:supported-calendar-component-set/><c:calendar-user-address-set/>\
                             <d:current-user-privilege-set/>";
        let well_known = self.entered.join("/.well-known/caldav").map_err(|_| CalendarFault::NotFound)?;
        // If both addresses fail, the failure of the entered address is returned. If the entered address answers but names
        // no calendar, a failure of the other address does not matter.
        let mut failure = None;
        let mut discovered = Discovered::default();
        for (start, is_entered) in [(self.entered, true), (&well_known, false)] {
            let (at, about) = match self.properties("0", start, ABOUT).await {
                Ok((at, found)) => (at, found.resources.into_iter().next().unwrap_or_default()),
                Err(Failure::Calendar(error)) if error.code != CalendarFault::Credentials => {
                    failure = failure.or_else(|| is_entered.then_some(error));
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            if about.is_calendar {
                self.add(&mut discovered, &at, &about)?;
            }
            let (mut homes, mut addresses, mut base) = (about.homes, about.addresses, at.clone());
            if let Some(principal) = about.principal {
                let principal = self.resolve(&at, &principal)?;
                let (principal, found) = self.properties("0", &principal, ABOUT).await?;
                let found = found.resources.into_iter().next().unwrap_or_default();
                (homes, addresses, base) = (found.homes, found.addresses, principal);
            }
            discovered.addresses = mail_addresses(addresses);
            for home in homes.iter().take(HOMES_MAX) {
                let home = self.resolve(&base, home)?;
                let (home, found) = self.properties("1", &home, ABOUT).await?;
                for resource in &found.resources {
                    self.add(&mut discovered, &home, resource)?;
                }
            }
            if !discovered.calendars.is_empty() {
                return Ok(discovered);
            }
        }
        match failure {
            Some(error) => Err(Failure::Calendar(error)),
            None => Err(CalendarFault::NotFound.into()),
        }
    }

    fn resolve(&self, base: &WebhookUrl, href: &str) -> Result<WebhookUrl, Failure> {
        base.join(href).map_err(|_| CalendarFault::ServerError.into())
    }

    fn add(&self, to: &mut Discovered, base: &WebhookUrl, resource: &Resource) -> Result<(), Failure> {
        if !resource.is_calendar || !resource.has_events || to.calendars.len() >= COLLECTIONS_MAX {
            return Ok(());
        }
        let url = self.resolve(base, &resource.href)?;
        if to.calendars.iter().any(|known| known.url.as_str() == url.as_str()) {
            return Ok(());
        }
        let name = resource.name.as_deref().unwrap_or_default();
        let name: String = name.chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect();
        let name = if name.is_empty() { url.host().to_string() } else { name };
        to.calendars.push(DiscoveredCalendar { url, name, is_writable: resource.is_writable });
        Ok(())
    }
}

fn mail_addresses(hrefs: Vec<String>) -> Vec<String> {
    let mails = hrefs.into_iter().filter_map(|href| {
        let start = href.get(..7)?;
        start.eq_ignore_ascii_case("mailto:").then(|| href[7..].to_lowercase())
    });
    mails.filter(|mail| mail.len() <= ADDRESS_CHARS_MAX).take(ADDRESSES_MAX).collect()
}

/// Reads the changes since the position `known`, or all events if `known` is `None`. Returns `None` if
/// nothing has changed since the position.
pub(super) async fn read(
    (web, of): (&Web, Of),
    calendar: &ConnectedCalendar,
    known: Option<&ReadPosition>,
    (stored, warned): (&Stored, &[CalendarWarning]),
    reader: &Arc<FileReader>,
) -> Result<Option<Found>, Failure> {
    let (Some(login), Some(collection)) = (&calendar.login, &calendar.collection) else {
        return Err(CalendarFault::NotFound.into());
    };
    let account = Account { web, of, entered: &calendar.url, login };
    let read = Read { account, calendar, collection, stored, reader };
    if let Some(token) = known.and_then(|known| known.sync_token.as_deref())
        && let Some(changes) = read.changes(token).await?
    {
        let found = read.events(changes, known).await?;
        return Ok(Some(found.warned(warned)));
    }
    let position = read.position().await?;
    match known.filter(|known| known.sync_token.is_none()) {
        Some(known) if known.ctag.is_some() && known.ctag == position.ctag => Ok(None),
        Some(known) => {
            let listed = read.list(position, false).await?;
            Ok(Some(read.events(listed, Some(known)).await?.warned(warned)))
        }
        None => {
            let listed = read.list(position, true).await?;
            read.events(listed, None).await.map(Some)
        }
    }
}

impl Found {
    /// Adds the warnings of earlier reads, because unchanged events may still cause them.
    fn warned(mut self, before: &[CalendarWarning]) -> Self {
        self.warnings.extend(before);
        self
    }
}

struct Read<'a> {
    account: Account<'a>,
    calendar: &'a ConnectedCalendar,
    collection: &'a WebhookUrl,
    stored: &'a Stored,
    reader: &'a Arc<FileReader>,
}

/// The events to request, the deleted events, and the position from which the next read continues.
struct Changes {
    changed: BTreeSet<String>,
    /// The stored copies of appointments that have not changed in the calendar. A complete read uses the stored copies
    /// and does not request them again. Other reads leave this list empty.
    unchanged: Vec<CalendarEvent>,
    /// The stored events that were deleted in the calendar.
    deleted: BTreeSet<Hash>,
    position: ReadPosition,
    /// The number of events that cannot be read, because their paths are too long or because the server does not send
    /// them.
    skipped: u32,
}

/// Lets other tasks run after a part of a long list.
async fn pause_after(number: usize) {
    if (number + 1).is_multiple_of(RESOURCES_PER_TURN) {
        tokio::task::yield_now().await;
    }
}

impl Read<'_> {
    /// Returns the path of an event, or `None` if the path is too long or the event is on another server.
    fn path(&self, href: &str) -> Option<String> {
        let url = self.collection.join(href).ok()?;
        let path = url.path_and_query().to_owned();
        (url.has_origin_of(self.collection) && path.len() <= HREF_CHARS_MAX).then_some(path)
    }

    /// Whether a path is the path of the collection. Servers write this path with or without a slash at the
    /// end.
    fn is_collection(&self, path: &str) -> bool {
        path.trim_end_matches('/') == self.collection.path_and_query().trim_end_matches('/')
    }

    /// Whether an event is the copy of an appointment. Copies do not count towards the maximum number of events,
    /// because the copies of ended appointments stay in the calendar.
    fn is_own(&self, path: &str) -> bool {
        let known = self.stored.get(&hash(path.as_bytes()));
        let name = path.rsplit('/').next().and_then(|name| name.strip_suffix(".ics"));
        let id = name.and_then(|name| name.parse::<uuid::Uuid>().ok());
        match known {
            Some(known) => known.appointment_id.is_some(),
            None => id.is_some_and(|id| self.reader.is_appointment(id.into())),
        }
    }

    fn is_known(&self, hash: &Hash, etag: Option<&str>) -> bool {
        let event = self.stored.get(hash);
        etag.is_some() && event.is_some_and(|event| event.etag.as_deref() == etag)
    }

    /// Requests the changes since a sync token. Returns `None` if the server refuses the token, returns no token, or
    /// returns the same token with a truncated list. In these cases, all events must be read instead of the changes.
    async fn changes(&self, token: &str) -> Result<Option<Changes>, Failure> {
        let (mut changed, mut deleted, mut skipped) = (BTreeSet::new(), BTreeSet::new(), 0);
        let mut token = token.to_owned();
        for _ in 0..PAGES_MAX {
            let body = format!(
                "<?xml version=\"1.0\" encoding=\"utf-8\"?><d:sync-collection xmlns:d=\"DAV:\"><d:sync-token>{}\
                 </d:sync-token><d:sync-level>1</d:sync-level><d:prop><d:getetag/></d:prop></d:sync-collection>",
                escaped(&token)
            );
            let (_, response) = self.account.request(("REPORT", "0"), self.collection, body).await?;
            match response.status {
                401 => return Err(CalendarFault::Credentials.into()),
                400..=499 if response.status != 429 => return Ok(None),
                _ => {}
            }
            if let Some(fault) = fault(response.status) {
                return Err(fault.into());
            }
            let found = self.account.parse(response).await?;
            let mut is_truncated = false;
            for (number, resource) in found.resources.into_iter().enumerate() {
                pause_after(number).await;
                let path = self.path(&resource.href);
                let is_collection = path.as_deref().is_some_and(|path| self.is_collection(path));
                if is_collection && resource.status == Some(TRUNCATED) {
                    is_truncated = true;
                    continue;
                }
                match (exists(resource.status)?, path) {
                    _ if is_collection => {}
                    (false, Some(path)) => {
                        changed.remove(&path);
                        let hash = hash(path.as_bytes());
                        if self.stored.contains_key(&hash) {
                            deleted.insert(hash);
                        }
                    }
                    (true, Some(path)) => {
                        let hash = hash(path.as_bytes());
                        deleted.remove(&hash);
                        if !self.is_known(&hash, resource.etag.as_deref()) {
                            changed.insert(path);
                        }
                    }
                    (_, None) => skipped += 1,
                }
            }
            if changed.len() > ical::EVENTS_MAX
                && changed.iter().filter(|path| !self.is_own(path)).count() > ical::EVENTS_MAX
            {
                return Err(CalendarFault::TooLarge.into());
            }
            let next = mark(found.sync_token);
            let is_same = next.as_deref() == Some(token.as_str());
            match next {
                None => return Ok(None),
                Some(_) if is_truncated && is_same => return Ok(None),
                Some(next) if is_truncated => token = next,
                Some(next) => {
                    let position = ReadPosition { sync_token: Some(next), ..ReadPosition::default() };
                    let unchanged = Vec::new();
                    return Ok(Some(Changes { changed, unchanged, deleted, position, skipped }));
                }
            }
        }
        Err(CalendarFault::TooLarge.into())
    }

    /// Requests the sync token and the `getctag` with which the next read finds changes.
    async fn position(&self) -> Result<ReadPosition, Failure> {
        const MARKS: &str = "<d:sync-token/><s:getctag/><d:supported-report-set/><d:resourcetype/>";
        let (_, found) = self.account.properties("0", self.collection, MARKS).await?;
        let collection = found.resources.into_iter().next().unwrap_or_default();
        if collection.status.and_then(fault) == Some(CalendarFault::NotFound) {
            return Err(CalendarFault::NotFound.into());
        }
        if !collection.is_calendar {
            return Err(CalendarFault::NotACalendar.into());
        }
        let sync_token = mark(collection.sync_token).filter(|_| collection.can_sync);
        Ok(ReadPosition { sync_token, ctag: mark(collection.ctag), ..ReadPosition::default() })
    }

    /// Requests the list of all events. If `all` is true, [`Changes::changed`] contains every event except unchanged
    /// copies of appointments. If `all` is false, it contains only the events whose `ETag` differs from the stored
    /// `ETag`.
    async fn list(&self, position: ReadPosition, all: bool) -> Result<Changes, Failure> {
        let (_, found) =
            self.account.properties("1", self.collection, "<d:getetag/><d:resourcetype/>").await?;
        let (mut changed, mut listed, mut skipped) = (BTreeSet::new(), BTreeSet::new(), 0);
        let (mut unchanged, mut foreign) = (Vec::new(), 0);
        for (number, resource) in found.resources.into_iter().enumerate() {
            pause_after(number).await;
            if !exists(resource.status)? || resource.is_collection {
                continue;
            }
            match self.path(&resource.href) {
                Some(path) if self.is_collection(&path) => {}
                Some(path) => {
                    let hash = hash(path.as_bytes());
                    foreign += usize::from(listed.insert(hash) && !self.is_own(&path));
                    let known = self.stored.get(&hash);
                    let known = known.filter(|_| self.is_known(&hash, resource.etag.as_deref()));
                    // A complete read requests every event except the unchanged copies of appointments. It requests
                    // the other unchanged events too, because their stored busy times depend on the day of the read and
                    // may be out of date.
                    match known {
                        Some(known) if all && known.is_copy() => unchanged.push(known.clone()),
                        Some(_) if !all => {}
                        _ => _ = changed.insert(path),
                    }
                }
                None => skipped += 1,
            }
        }
        if foreign > ical::EVENTS_MAX {
            return Err(CalendarFault::TooLarge.into());
        }
        let deleted = self.stored.keys().copied().filter(|known| !listed.contains(known)).collect();
        Ok(Changes { changed, unchanged, deleted, position, skipped })
    }

    /// Requests the changed events. `known` is the position from which the changes were listed, or `None` for a
    /// complete read.
    async fn events(&self, changes: Changes, known: Option<&ReadPosition>) -> Result<Found, Failure> {
        let Changes { changed, unchanged: mut events, mut deleted, position, mut skipped } = changes;
        let paths: Vec<_> = changed.into_iter().collect();
        let (mut warned, mut components, mut intervals) = (Vec::new(), 0, 0);
        let (mut seen, mut is_missing, mut size) = (Vec::new(), false, 0);
        if paths.iter().map(String::len).sum::<usize>() > CALENDAR_BYTES_MAX {
            return Err(CalendarFault::TooLarge.into());
        }
        for part in paths.chunks(EVENTS_PER_REQUEST) {
            let hrefs: String =
                part.iter().map(|path| format!("<d:href>{}</d:href>", escaped(path))).collect();
            let body = format!(
                "<?xml version=\"1.0\" encoding=\"utf-8\"?><c:calendar-multiget xmlns:d=\"DAV:\" \
                 xmlns:c=\"urn:ietf:params:xml:ns:caldav\"><d:prop><d:getetag/><c:calendar-data/></d:prop>{hrefs}\
                 </c:calendar-multiget>"
            );
            let (_, found) = self.account.multistatus(("REPORT", "1"), self.collection, body).await?;
            let mut missing: BTreeSet<_> = part.iter().cloned().collect();
            let first = events.len();
            let (mut received, mut texts) = (Vec::new(), Vec::new());
            for (number, resource) in found.resources.into_iter().enumerate() {
                pause_after(number).await;
                let exists = exists(resource.status)?;
                let Some(href) = self.path(&resource.href).filter(|path| missing.remove(path)) else {
                    continue;
                };
                let hash = hash(href.as_bytes());
                let event = CalendarEvent {
                    calendar_id: self.calendar.id,
                    hash,
                    href,
                    etag: mark(resource.etag),
                    uid: None,
                    appointment_id: None,
                    is_readable: false,
                    busy: Spans::default(),
                };
                match (resource.data, self.stored.get(&hash)) {
                    _ if !exists => {
                        deleted.insert(hash);
                    }
                    (Some(data), _) => {
                        received.push(event);
                        texts.push(data);
                    }
                    // The response names the event without its data. This does not mean a deletion, so a stored event
                    // is kept. An event that is not stored yet is stored without its `ETag`, so that the next read
                    // requests it again.
                    (None, Some(known)) => {
                        is_missing = true;
                        events.push(known.clone());
                    }
                    (None, None) => {
                        is_missing = true;
                        events.push(CalendarEvent { etag: None, ..event });
                    }
                }
            }
            let read = self.reader.read(self.account.web, texts).await?;
            for (mut event, read) in received.into_iter().zip(read) {
                match read {
                    Ok(times) => {
                        components += if times.own.is_empty() { times.components } else { 0 };
                        warned.extend(warnings(&times));
                        let uid = times.events.iter().find_map(|event| event.uid.as_ref());
                        event.uid = uid.map(|uid| hash(uid.as_bytes()));
                        event.is_readable = times.unreadable == 0;
                        for (id, own) in times.own {
                            event.appointment_id = Some(id);
                            let path = event.href.clone();
                            let chosen = own_path(self.collection, id);
                            let href = Some(path).filter(|path| chosen.as_ref() != Some(path));
                            let OwnEvent { times, cancelled, recurs } = own;
                            seen.push((id, SeenEvent { href, times, is_cancelled: cancelled, recurs }));
                        }
                        let busy: Vec<_> = times.events.into_iter().flat_map(|event| event.busy).collect();
                        intervals += busy.len();
                        event.busy = spans(&busy);
                    }
                    Err(CalendarFault::TooLarge) => return Err(CalendarFault::TooLarge.into()),
                    Err(_) => {}
                }
                if components > ical::EVENTS_MAX || intervals > ical::INTERVALS_MAX {
                    return Err(CalendarFault::TooLarge.into());
                }
                events.push(event);
            }
            // The response omits these events, although the server has just listed them. An omitted event does not
            // count as deleted: a stored event is kept, and an event that is not stored is skipped.
            for path in missing {
                is_missing = true;
                match self.stored.get(&hash(path.as_bytes())) {
                    Some(known) => events.push(known.clone()),
                    None => skipped += 1,
                }
            }
            size += bytes(&events[first..]);
            if size > CALENDAR_BYTES_MAX {
                return Err(CalendarFault::TooLarge.into());
            }
        }
        let (count, unreadable) = (None, skipped);
        // If a read of the changes since `known` did not get all changed events, the position stays at `known`. So the
        // next read lists these changes again.
        let position = known.filter(|_| is_missing).cloned().unwrap_or(position);
        let is_complete = known.is_none();
        Ok(Found { events, seen, is_complete, deleted, count, unreadable, warnings: warned, position })
    }
}
