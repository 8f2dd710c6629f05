//! A calendar server as a host of the network. It has one CalDAV calendar, and also serves its events as a calendar
//! file. Its own random numbers decide which requests fail, and how.
//!
//! The host records each acknowledged write just before it sends the first byte of the response. If a search for the
//! event of an appointment finds no event, the host records that the event is deleted.
//!
//! Invariant: the path of each event of an appointment begins with the id of the appointment.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use domain::{AppointmentId, BusinessId, StaffId, Timestamp};
use parking_lot::{Mutex, MutexGuard};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::time::sleep;

use crate::caldav::{COLLECTION, Server, response, tagged};
use crate::dice::Dice;
use crate::receiver::{Request, accept, take};
use crate::time::Time;
use crate::world::Trace;

/// The behaviour of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weather {
    Fair,
    /// One in three requests fails, in a random way.
    Rough,
    /// Refuses the credentials.
    Locked,
    /// Refuses all writes with this status.
    RefusesWrites(u16),
    /// Refuses the sync tokens with which the service requests changes.
    Forgets,
    /// The calendar does not exist.
    Missing,
    /// Reads requests and sends no response.
    Hangs,
    /// Refuses connections.
    Down,
}

/// The failure of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// The request has no effect and gets this status.
    Status(u16),
    /// The status 503, and the requested pause in seconds.
    Busy(u64),
    /// A page of text with status 200, for example of a sign-in form.
    Html,
    /// The request has no effect and gets no response.
    Hangs,
    /// The response comes after this number of seconds.
    Slow(u64),
    /// The request has its effect. The response ends in the middle.
    Torn,
    /// The request has its effect. The connection is closed without a response.
    Lost,
    /// The request has its effect and gets the status 500.
    Late,
    /// The request has its effect and gets no response.
    HangsLate,
}

impl Fault {
    fn has_effect(self) -> bool {
        matches!(self, Self::Slow(_) | Self::Torn | Self::Lost | Self::Late | Self::HangsLate)
    }
}

const ID_CHARS: usize = 36;
/// The service closes the connection if the response does not begin within this number of seconds.
const AWAITED_SECONDS: u64 = 10;

/// The statuses after which the service does not repeat a write by itself.
const FINAL: [u16; 7] = [400, 403, 405, 409, 413, 415, 422];

pub(crate) struct CalendarHost {
    pub(crate) name: String,
    /// The business that connects the calendar, and the staff member.
    pub(crate) of: (BusinessId, StaffId),
    time: Arc<Time>,
    trace: Arc<Trace>,
    dice: Dice,
    state: Mutex<State>,
}

pub(crate) struct State {
    pub(crate) server: Server,
    pub(crate) weather: Weather,
    /// The newest acknowledged write of each appointment: the calendar file, or `None` for a deletion.
    pub(crate) acknowledged: BTreeMap<AppointmentId, Option<String>>,
    /// The appointments for which the host has refused a write with a status of [`FINAL`].
    pub(crate) refused: BTreeSet<AppointmentId>,
    /// The events that the service has not written, by path.
    pub(crate) foreign: BTreeMap<String, Foreign>,
    /// If a read may have begun before this time, its result is uncertain. The test does not check the busy times from
    /// such a read. The time is set again after each change of the setting `busy`, after the machine was suspended
    /// during a read, and when the clock of the service may have been wrong.
    pub(crate) set_at: Timestamp,
    /// Whether the setting `detail` was changed after the service began to write to the calendar. Events that were
    /// written before the change may keep their earlier content.
    pub(crate) has_changed_detail: bool,
    /// The appointments whose events an earlier connection left on the server. When the service writes the event of an
    /// appointment again, the appointment is removed from the set.
    pub(crate) left: BTreeSet<AppointmentId>,
    /// The earliest time at which a new connection may write to this server, in milliseconds of simulated time.
    pub(crate) free_from: i64,
    /// A counter that makes the paths of new and moved events unique.
    count: usize,
}

/// An event that the service has not written.
#[derive(Clone, Debug)]
pub(crate) struct Foreign {
    /// The time of its last change.
    pub(crate) since: Timestamp,
    pub(crate) busy: Vec<Range<Timestamp>>,
}

/// Returns the path that the service chooses for the event of an appointment.
fn path(id: AppointmentId) -> String {
    format!("{COLLECTION}{id}.ics")
}

/// Returns the appointment whose event has this path.
fn appointment(path: &str) -> Option<AppointmentId> {
    let id = path.strip_prefix(COLLECTION)?.get(..ID_CHARS)?;
    id.parse::<uuid::Uuid>().ok().map(Into::into)
}

pub(crate) fn uid(id: AppointmentId) -> String {
    format!("{id}@receptionist")
}

/// Formats a time as calendar files do.
pub(crate) fn stamp(at: Timestamp) -> String {
    at.utc().format("%Y%m%dT%H%M%SZ").to_string()
}

impl State {
    /// Returns the events of appointments: the path and the calendar file.
    pub(crate) fn own(&self) -> impl Iterator<Item = (&String, &String)> {
        let events = self.server.events.iter();
        events.filter(|(path, _)| !self.foreign.contains_key(*path)).map(|(path, (_, text))| (path, text))
    }

    /// True if an event has this UID.
    pub(crate) fn has(&self, uid: &str) -> bool {
        self.server.events.values().any(|(_, text)| text.contains(uid))
    }

    /// Prepares a new connection. If the server still has events that the service has written, these events belong to
    /// an earlier connection. The ids of their appointments are stored in `left`.
    pub(crate) fn begin_writing(&mut self) {
        self.left = self.own().filter_map(|(path, _)| appointment(path)).collect();
        self.acknowledged.clear();
        self.has_changed_detail = false;
    }

    /// Stores an event that the service has not written. If `path` is given, replaces the event at this path.
    pub(crate) fn put_foreign(&mut self, path: Option<String>, text: String, foreign: Foreign) {
        self.count += 1;
        let path = path.unwrap_or_else(|| format!("{COLLECTION}f{}.ics", self.count));
        self.server.store(&path, text);
        self.foreign.insert(path, foreign);
    }

    pub(crate) fn remove_foreign(&mut self, path: &str) {
        self.server.remove(path);
        self.foreign.remove(path);
    }

    /// Moves the event of an appointment to another path, or back to the path that the service chooses. Returns the new
    /// path.
    pub(crate) fn rename(&mut self, from: &str, is_back: bool) -> String {
        let id = appointment(from).unwrap();
        self.count += 1;
        let other = format!("{COLLECTION}{id}-{}.ics", self.count);
        let to = Some(path(id)).filter(|own| is_back && own != from).unwrap_or(other);
        let (_, text) = self.server.events[from].clone();
        self.server.remove(from);
        self.server.store(&to, text);
        to
    }

    /// The calendar file with all events.
    fn file(&self) -> String {
        let events = self.server.events.values().map(|(_, text)| {
            let from = text.find("BEGIN:VEVENT").unwrap();
            &text[from..text.rfind("END:VCALENDAR").unwrap()]
        });
        format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{}END:VCALENDAR\r\n", events.collect::<String>())
    }

    /// Carries out a request.
    fn respond(&mut self, request: &Request) -> Vec<u8> {
        if request.method() != "GET" {
            if request.method() == "PUT" {
                self.left.retain(|id| !request.body.contains(&uid(*id)));
            }
            return self.server.respond(&format!("{}{}", request.head, request.body));
        }
        let tag = self.server.log.len();
        if request.header("if-none-match") == format!("\"{tag}\"") {
            return tagged("304 Not Modified", tag, "").into_bytes();
        }
        tagged("200 OK", tag, &self.file()).into_bytes()
    }
}

/// Returns the status of a response.
fn status(response: &[u8]) -> u16 {
    std::str::from_utf8(&response[9..12]).unwrap().parse().unwrap()
}

impl CalendarHost {
    pub(crate) fn new(
        name: String,
        of: (BusinessId, StaffId),
        dice: Dice,
        (time, trace): (Arc<Time>, Arc<Trace>),
    ) -> Self {
        let refusals = [
            ("403 Forbidden", true),
            ("409 Conflict", true),
            ("409 Conflict", false),
            ("412 Precondition Failed", true),
        ];
        let server = Server {
            has_no_tokens: dice.once_in(3),
            page: dice.maybe(2, || dice.below(3) + 1),
            names_etags: dice.once_in(2),
            // A calendar has at most one event per UID (RFC 4791, section 5.3.2.1).
            refuses_twins: Some(*dice.pick(&refusals)),
            names_twins: dice.once_in(2),
            relocates: dice.once_in(4),
            ..Server::default()
        };
        let state = State {
            server,
            weather: Weather::Fair,
            acknowledged: BTreeMap::new(),
            refused: BTreeSet::new(),
            foreign: BTreeMap::new(),
            set_at: Timestamp::MIN,
            has_changed_detail: false,
            left: BTreeSet::new(),
            free_from: 0,
            count: 0,
        };
        Self { name, of, time, trace, dice, state: Mutex::new(state) }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    pub(crate) fn set_weather(&self, weather: Weather) {
        self.trace.say(self.time.now(), format_args!("{} is now {weather:?}", self.name));
        let mut state = self.state();
        state.weather = weather;
        state.server.is_locked = weather == Weather::Locked;
        state.server.refuses_tokens = weather == Weather::Forgets;
    }

    pub(crate) fn refuses_connections(&self) -> bool {
        self.state().weather == Weather::Down
    }

    fn fault(&self, request: &Request) -> Option<Fault> {
        let is_write = matches!(request.method(), "PUT" | "DELETE");
        match self.state().weather {
            Weather::Fair | Weather::Forgets | Weather::Locked | Weather::Down => return None,
            Weather::Rough => {}
            Weather::RefusesWrites(status) => return is_write.then_some(Fault::Status(status)),
            Weather::Missing => return Some(Fault::Status(404)),
            Weather::Hangs => return Some(Fault::Hangs),
        }
        if !self.dice.once_in(3) {
            return None;
        }
        let (seconds, pause) = (self.dice.between(1, AWAITED_SECONDS - 2), self.dice.between(1, 600));
        let faults = [
            Fault::Status(401),
            Fault::Status(403),
            Fault::Status(404),
            Fault::Status(412),
            Fault::Status(500),
            Fault::Status(507),
            Fault::Busy(pause),
            Fault::Html,
            Fault::Hangs,
            Fault::Slow(seconds),
            Fault::Slow(AWAITED_SECONDS + 2),
            Fault::Torn,
            Fault::Lost,
            Fault::Late,
            Fault::HangsLate,
        ];
        let fault = *self.dice.pick(&faults);
        // A request with the fault `Html` has no effect, but gets the status 200. The service would take this status as
        // the acknowledgement of a write. So a write gets the fault `Lost` instead.
        Some(if is_write && fault == Fault::Html { Fault::Lost } else { fault })
    }

    /// Handles a connection, which has one request.
    pub(crate) async fn serve(self: Arc<Self>, stream: impl AsyncRead + AsyncWrite + Unpin) {
        if let Ok(mut stream) = accept(stream).await
            && let Ok(request) = take(&mut stream, &mut Vec::new()).await
        {
            // The client may have closed the connection.
            let _ = self.respond(&request, stream).await;
        }
    }

    async fn respond(&self, request: &Request, mut stream: impl AsyncWrite + Unpin) -> io::Result<()> {
        let fault = self.fault(request);
        let made = match fault {
            Some(Fault::Status(status)) => response(&format!("{status} No"), "").into_bytes(),
            Some(Fault::Busy(pause)) => {
                let head = format!("HTTP/1.1 503 Busy\r\nconnection: close\r\nretry-after: {pause}\r\n");
                (head + "content-length: 0\r\n\r\n").into_bytes()
            }
            Some(Fault::Html) => response("200 OK", "<html>Sign in</html>").into_bytes(),
            Some(Fault::Hangs) => Vec::new(),
            _ => self.state().respond(request),
        };
        let code = if made.is_empty() { 0 } else { status(&made) };
        let (method, path) = (request.method(), &request.path);
        let line = format!("{} {method} {path} -> {code}, {fault:?}", self.name);
        self.trace.say(self.time.now(), format_args!("{line}"));
        match fault {
            Some(Fault::Hangs | Fault::HangsLate) => return std::future::pending().await,
            Some(Fault::Slow(seconds)) => sleep(Duration::from_secs(seconds)).await,
            Some(Fault::Lost) => return stream.shutdown().await,
            Some(Fault::Torn) => {
                stream.write_all(&made[..made.len() / 2]).await?;
                return stream.shutdown().await;
            }
            Some(Fault::Late) => {
                stream.write_all(response("500 Oops", "").as_bytes()).await?;
                return stream.shutdown().await;
            }
            _ => {}
        }
        let is_awaited = !matches!(fault, Some(Fault::Slow(seconds)) if seconds >= AWAITED_SECONDS);
        if is_awaited {
            self.record(request, (code, std::str::from_utf8(&made).unwrap()), fault);
        }
        stream.write_all(&made).await?;
        stream.shutdown().await
    }

    /// Records the response to a write or a search.
    fn record(&self, request: &Request, (status, response): (u16, &str), fault: Option<Fault>) {
        let (mut state, has_effect) = (self.state(), fault.is_none_or(Fault::has_effect));
        let is_final = FINAL.contains(&status) && !response.contains("no-uid-conflict");
        let (id, written) = match request.method() {
            "PUT" => (appointment(&request.path), Some(request.body.clone())),
            "DELETE" => (appointment(&request.path), None),
            // The response names no event.
            "REPORT" if request.body.contains("calendar-query") && !response.contains("<d:response>") => {
                (searched(&request.body), None)
            }
            _ => return,
        };
        let Some(id) = id else { return };
        match status {
            200..=299 if has_effect => _ = state.acknowledged.insert(id, written),
            _ if is_final && request.method() != "REPORT" => _ = state.refused.insert(id),
            _ => {}
        }
    }
}

/// Returns the appointment whose event a request searches for.
fn searched(body: &str) -> Option<AppointmentId> {
    let id = body.split_once("@receptionist")?.0.rsplit('>').next()?;
    id.parse::<uuid::Uuid>().ok().map(Into::into)
}
