//! Practices: additional businesses whose staff members have connected calendars. Their clients book, move and cancel
//! appointments, connect, change and disconnect calendars, and erase contacts. Other people change the events on the
//! calendar servers ([`host`]) and move them to other paths ([`person`]). The servers fail in many ways.
//!
//! Invariants between two runs of the engine:
//!
//! - If the copy of an appointment is `synced`, the server has acknowledged the newest state of the appointment.
//!
//! Invariants at any time:
//!
//! - A time is listed if and only if it can be booked, even while busy times change.
//!
//! Invariants at the end, when all servers work ([`ending`]):
//!
//! - No write is pending. A write has failed only for a reason that the server has given.
//! - After a person has requested the failed writes again, the server has exactly one event of each active appointment
//!   of the staff member, with its current times, and no event of another appointment.
//! - The listed times are those that no busy time of a connected calendar overlaps.
//! - No event contains the name of an erased contact, or belongs to another business.
//! - Disconnecting with `remove_events` deletes the events that have not ended.

mod client;
mod ending;
mod host;
mod person;
mod probe;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use chrono::TimeDelta;
use domain::{
    Actor, Appointment, AppointmentId, AppointmentStatus, BookingMode, BusinessId, CalendarSyncStatus,
    CalendarWrite, ConnectedCalendar, ContactId, Host, Locale, ServiceId, StaffId, Timestamp, WeeklyBreaks,
};
use engine::NewBusiness;
use engine::business::Request;
use engine::business::commands::catalog::{CreateService, CreateStaff};
use parking_lot::Mutex;
use store::keys::{self, kind};
use store::{Order, Store};
use tokio::sync::RwLock;
use tokio::task::JoinHandle;

use self::client::Client;
use self::host::stamp;
pub(crate) use self::host::{CalendarHost, Weather};
use crate::dice::Dice;
use crate::life::Life;
use crate::shop::{every_day, text};
use crate::sim::Sim;
use crate::wide::Workload;

const PRACTICES: usize = 2;
const STAFF: usize = 2;
/// The clients book appointments within this number of days.
const DAYS: u64 = 3;
const HALF_HOUR: TimeDelta = TimeDelta::minutes(30);

/// A practice as its clients know it.
struct Practice {
    id: BusinessId,
    service: ServiceId,
    staff: Vec<StaffId>,
    /// The number of bookings that were requested.
    booked: usize,
    appointments: Vec<AppointmentId>,
    /// The number in the name of each contact.
    contacts: BTreeMap<ContactId, usize>,
    /// The contacts whose erasure was requested. The value is true if the erasure was acknowledged.
    erased: BTreeMap<ContactId, bool>,
    /// A client holds a read lock during each request. A check holds the write lock while no request may run.
    gate: Arc<RwLock<()>>,
}

pub(crate) struct Practices {
    dice: Dice,
    all: Arc<Mutex<Vec<Practice>>>,
    /// The requests in progress. Other parts of the simulation do not wait for them.
    tasks: Vec<JoinHandle<()>>,
}

impl Practices {
    pub(crate) fn new(seed: u64) -> Self {
        Self { dice: Dice::new(seed ^ 0x0ca1_e4da), all: Arc::default(), tasks: Vec::new() }
    }
}

/// Returns the name of a contact. No name contains the name of another contact.
fn name(number: usize) -> String {
    format!("Patient{number}x")
}

/// The server of a calendar.
fn host_of<'a>(hosts: &'a [Arc<CalendarHost>], calendar: &ConnectedCalendar) -> &'a Arc<CalendarHost> {
    let Host::Name(name) = calendar.url.host() else { panic!("{calendar:?} has no host name") };
    hosts.iter().find(|host| host.name == *name).unwrap()
}

/// Checks the newest acknowledged write to the calendar for an appointment. If `is_written` is true, the appointment
/// belongs in the calendar: the write must be an event with the given status and times. If `is_written` is false, the
/// write must be a deletion.
fn acknowledged(
    host: &CalendarHost,
    id: AppointmentId,
    (status, times): (AppointmentStatus, Range<Timestamp>),
    is_written: bool,
) -> Result<(), String> {
    let state = host.state();
    let found = state.acknowledged.get(&id);
    let is_right = match found {
        Some(Some(text)) => is_written && shows(text, status, &times),
        Some(None) => !is_written,
        None => false,
    };
    let shown = format!("{status:?} {times:?}, written: {is_written}");
    if is_right { Ok(()) } else { Err(format!("{id} at {} is synced, {shown}, but {found:?}", host.name)) }
}

/// True if a calendar file contains an appointment with this status and these times.
fn shows(text: &str, status: AppointmentStatus, times: &Range<Timestamp>) -> bool {
    let shown = if status == AppointmentStatus::Pending { "TENTATIVE" } else { "CONFIRMED" };
    let lines = [
        format!("\r\nDTSTART:{}\r\n", stamp(times.start)),
        format!("\r\nDTEND:{}\r\n", stamp(times.end)),
        format!("\r\nSTATUS:{shown}\r\n"),
    ];
    lines.iter().all(|line| text.contains(line))
}

impl Sim {
    /// Creates the practices. Each has a calendar to which appointments are written, and a calendar file with busy
    /// times.
    pub(crate) async fn found_practices(&mut self, life: &Life) {
        if self.workload != Workload::Wide {
            return;
        }
        for number in 0..PRACTICES {
            let new = NewBusiness {
                name: text(&format!("Practice {number}")),
                zone: chrono_tz::UTC,
                locale: Locale::En,
                website_url: None,
                booking_mode: if number == 0 { BookingMode::Instant } else { BookingMode::Request },
                hours: every_day(0, 1440),
                breaks: WeeklyBreaks::default(),
                phone_region: "US".into(),
            };
            let id = life.engine.create_business(new, Actor::Operator).await.unwrap().id;
            let (handle, by) = (life.engine.business(id), || Request::by(Actor::Operator));
            let service = CreateService::lasting(text("Check"), 30);
            let service = handle.change(by(), service).await.unwrap().value.service.id;
            let mut staff = Vec::new();
            for member in 0..STAFF {
                let member = CreateStaff::offering(text(&format!("Doctor {member}")), vec![service]);
                staff.push(handle.change(by(), member).await.unwrap().value.staff.id);
            }
            let practice = Practice {
                id,
                service,
                staff,
                booked: 0,
                appointments: Vec::new(),
                contacts: BTreeMap::new(),
                erased: BTreeMap::new(),
                gate: Arc::default(),
            };
            self.practices.all.lock().push(practice);
            let client = self.practice_client(life, number);
            client.connect(0, true).await;
            client.connect(1, false).await;
        }
    }

    fn practice_client(&self, life: &Life, at: usize) -> Client {
        let id = self.practices.all.lock()[at].id;
        Client {
            world: self.world.clone(),
            handle: life.engine.business(id),
            closing: Arc::clone(&life.closing),
            all: Arc::clone(&self.practices.all),
            at,
            dice: Dice::new(self.practices.dice.next()),
        }
    }

    /// Starts random requests, and changes the calendar servers, from time to time.
    pub(crate) fn some_practice(&mut self, life: &Life) {
        if self.practices.all.lock().is_empty() {
            return;
        }
        let truth = self.world.time.truth();
        if self.world.time.believed() != (truth, truth) {
            self.doubt_reads();
        }
        for _ in 0..self.practices.dice.below(3) {
            let client = self.practice_client(life, self.practices.dice.below(PRACTICES));
            match self.practices.dice.below(16) {
                0 => self.some_calendar_weather(),
                1 | 2 => client.change_foreign(),
                3 => client.edit_own(),
                _ => self.practices.tasks.push(tokio::spawn(client.act())),
            }
        }
    }

    /// Marks the results of all reads until now as uncertain. Call this after the machine was suspended during a read,
    /// and when the service may have used a wrong time.
    pub(crate) fn doubt_reads(&self) {
        let now = self.world.time.truth().max(self.world.time.believed().1);
        for host in self.world.network.calendars() {
            let mut state = host.state();
            state.set_at = state.set_at.max(now);
        }
    }

    fn some_calendar_weather(&self) {
        let (dice, hosts) = (&self.practices.dice, self.world.network.calendars());
        let status = *dice.pick(&[403, 412, 413, 507]);
        let weathers = [
            Weather::Fair,
            Weather::Fair,
            Weather::Rough,
            Weather::Rough,
            Weather::Rough,
            Weather::Locked,
            Weather::RefusesWrites(status),
            Weather::Forgets,
            Weather::Missing,
            Weather::Hangs,
            Weather::Down,
        ];
        dice.pick(&hosts).set_weather(*dice.pick(&weathers));
    }

    /// Checks the rows of the practices between two runs.
    pub(crate) fn check_practices(&self, store: &Store) {
        let hosts = self.world.network.calendars();
        for practice in self.practices.all.lock().iter() {
            let records = Records::read(store, practice.id);
            for write in records.writes.iter().filter(|it| it.status == CalendarSyncStatus::Synced) {
                // The writes of a disconnected calendar are deleted in steps, after the calendar itself. A write
                // without a calendar is not checked.
                let Some(calendar) = records.calendars.get(&write.calendar_id) else { continue };
                let it = &records.appointments[&write.appointment_id];
                let (is_written, now) = (!write.is_deletion, (it.status, it.starts_at..it.ends_at));
                let host = host_of(&hosts, calendar);
                acknowledged(host, it.id, now, is_written).unwrap_or_else(|wrong| panic!("{wrong}"));
            }
            let asked: BTreeSet<_> = practice.erased.keys().collect();
            let is_missing = |id: &&ContactId| !asked.contains(id) && !records.has_contact(store, **id);
            let missing = practice.contacts.keys().find(is_missing);
            assert!(missing.is_none(), "the contact {missing:?} is missing");
            let is_missing = |id: &&AppointmentId| !records.appointments.contains_key(*id);
            let missing = practice.appointments.iter().find(is_missing);
            assert!(missing.is_none(), "the appointment {missing:?} is missing");
        }
    }
}

/// The records of a practice.
struct Records {
    id: BusinessId,
    appointments: BTreeMap<AppointmentId, Appointment>,
    calendars: BTreeMap<domain::CalendarId, ConnectedCalendar>,
    writes: Vec<CalendarWrite>,
}

impl Records {
    fn read(store: &Store, id: BusinessId) -> Self {
        let of = |kind| keys::of_kind(id, kind);
        let appointments = store.records::<Appointment>(&of(kind::APPOINTMENT), Order::Ascending);
        let calendars = store.records::<ConnectedCalendar>(&of(kind::CALENDAR), Order::Ascending);
        let writes = store.records::<CalendarWrite>(&of(kind::CALENDAR_WRITE), Order::Ascending);
        Self {
            id,
            appointments: appointments.map(|row| row.unwrap().1).map(|it| (it.id, it)).collect(),
            calendars: calendars.map(|row| row.unwrap().1).map(|it| (it.id, it)).collect(),
            writes: writes.map(|row| row.unwrap().1).collect(),
        }
    }

    fn has_contact(&self, store: &Store, id: ContactId) -> bool {
        store.contains(&keys::contact(self.id, id)).unwrap()
    }
}
