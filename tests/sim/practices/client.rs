//! A client of a practice.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use domain::booking::{BookRequest, MoveRequest, Party};
use domain::{
    Actor, AllDay, AppointmentId, CalendarKind, CalendarLogin, CalendarPassword, CalendarSyncStatus,
    ContactDetails, ContactId, FeedDetail, Refusal, Source, StaffId, Timestamp,
};
use engine::business::commands::appointments::{Book, BookingContact, Cancel, Confirm, Decline, Reschedule};
use engine::business::commands::calendars::{
    ConnectCalendar, DisconnectCalendar, PatchCalendar, ReadCalendar, RemoveCalendar,
};
use engine::business::commands::erasure::EraseContact;
use engine::business::commands::writing::WriteAppointment;
use engine::business::{Change, Gives, Request};
use engine::calendars::connecting::CalendarInput;
use engine::{BusinessHandle, EngineError};
use parking_lot::Mutex;
use view::{AppointmentView, CalendarView};

use super::host::{CalendarHost, Weather};
use super::{DAYS, HALF_HOUR, PRACTICES, Practice, STAFF, acknowledged, host_of, name};
use crate::caldav::COLLECTION;
use crate::dice::Dice;
use crate::looks::all;
use crate::shop::{phone, text};
use crate::world::World;

/// When a calendar connection has ended, requests of this connection may still be in progress. All of them end within
/// this time, in milliseconds.
const PAUSE_MILLIS: i64 = 10 * 60_000;
/// The argument of [`phone`] for the first contact of the practices.
const PHONES: usize = 5_000_000;
const DETAILS: [FeedDetail; 3] = [FeedDetail::Times, FeedDetail::Services, FeedDetail::Contacts];

pub(super) struct Client {
    pub(super) world: World,
    pub(super) handle: BusinessHandle,
    pub(super) closing: Arc<AtomicBool>,
    pub(super) all: Arc<Mutex<Vec<Practice>>>,
    pub(super) at: usize,
    /// The random numbers of this client. No other client uses them.
    pub(super) dice: Dice,
}

/// Returns a patch that leaves all settings of a calendar unchanged.
fn unchanged(id: domain::CalendarId) -> PatchCalendar {
    PatchCalendar {
        id,
        name: None,
        url: None,
        login: None,
        checked_for: None,
        server_addresses: None,
        busy: None,
        write: None,
        detail: None,
        all_day: None,
        own_addresses: None,
    }
}

impl Client {
    pub(super) fn practice<T>(&self, of: impl FnOnce(&mut Practice) -> T) -> T {
        of(&mut self.all.lock()[self.at])
    }

    /// Sends a change. Returns `None` if it was refused.
    pub(super) async fn ask<C: Change + Debug + 'static>(
        &self,
        change: C,
    ) -> Option<<C::Gives as Gives>::Value> {
        self.world.say(format_args!("practice {}: {change:?}", self.at));
        match self.handle.change(Request::by(Actor::Operator), change).await {
            Ok(answer) => Some(answer.value),
            Err(error) => {
                self.failed(&error);
                None
            }
        }
    }

    /// Returns the value of a read. Returns `None` if the engine has stopped.
    pub(super) fn read<T>(&self, answer: Result<T, EngineError>) -> Option<T> {
        answer.inspect_err(|error| self.failed(error)).ok()
    }

    /// Checks that a refusal has a valid reason.
    fn failed(&self, error: &EngineError) {
        self.world.say(format_args!("practice {} < {error}", self.at));
        let is_meant = match error {
            EngineError::Refused(refusal) => !matches!(refusal, Refusal::IdempotencyKeyReused),
            EngineError::DiskFull(_) => true,
            _ => self.world.failed() || self.closing.load(Ordering::SeqCst),
        };
        if !is_meant {
            self.world.wrong(format_args!("a request to practice {} failed: {error}", self.at));
        }
    }

    /// Makes one random request, unless a check is in progress.
    pub(super) async fn act(self) {
        let gate = self.practice(|practice| Arc::clone(&practice.gate));
        let choice = self.dice.below(40);
        if choice >= 34 {
            let Ok(_alone) = gate.try_write() else { return };
            return self.probe().await;
        }
        let Ok(_shared) = gate.try_read() else { return };
        match choice {
            0..=9 => self.book().await,
            10..=13 => self.shift().await,
            14..=17 => self.end_appointment().await,
            18 | 19 => {
                let member = self.dice.below(STAFF);
                self.connect(member, self.dice.once_in(2)).await;
            }
            20..=22 => self.change_calendar().await,
            23 => self.disconnect().await,
            24 | 25 => self.erase().await,
            27 => self.request_read().await,
            26 => self.request_write().await,
            _ => self.look().await,
        }
    }

    pub(super) fn some_start(&self) -> Timestamp {
        let half_hours = i64::try_from(self.dice.between(1, DAYS * 48)).unwrap();
        let now = self.world.time.truth().millis();
        let step = HALF_HOUR.num_milliseconds();
        Timestamp::from_millis((now / step + half_hours) * step)
    }

    fn some_party(&self) -> Party {
        match self.dice.below(4) {
            0 => Party::Integration { allow_pending: true },
            nth => Party::Team { ignore_buffers: false, ignore_calendars: nth == 1, any_minute: false },
        }
    }

    pub(super) fn booking(
        &self,
        starts_at: Timestamp,
        staff_id: Option<StaffId>,
        party: Party,
    ) -> (usize, Book) {
        // The number is unique among the bookings of all practices.
        let (service_id, number) = self.practice(|practice| {
            practice.booked += 1;
            (practice.service, practice.booked * PRACTICES + self.at)
        });
        let details = ContactDetails {
            name: Some(text(&name(number))),
            phone: Some(phone(PHONES + number)),
            ..ContactDetails::default()
        };
        let request =
            BookRequest { service_id, starts_at, staff_id, source: Source::Dashboard, party, duration: None };
        (number, Book { request, contact: BookingContact::Described(details) })
    }

    /// Records the response to a booking.
    pub(super) fn learn(&self, number: usize, booked: &AppointmentView) {
        self.practice(|practice| {
            practice.appointments.push(booked.id);
            practice.contacts.extend(booked.contact_id.map(|id| (id, number)));
        });
    }

    async fn book(&self) {
        let staff = self.practice(|practice| self.dice.any(&practice.staff));
        let staff = staff.filter(|_| !self.dice.once_in(4));
        let (number, book) = self.booking(self.some_start(), staff, self.some_party());
        if let Some(booked) = self.ask(book).await {
            self.learn(number, &booked);
        }
    }

    fn some_appointment(&self) -> Option<AppointmentId> {
        self.practice(|practice| self.dice.any(&practice.appointments))
    }

    async fn shift(&self) {
        let Some(id) = self.some_appointment() else { return };
        let staff_id = self.practice(|practice| self.dice.maybe(2, || *self.dice.pick(&practice.staff)));
        let request =
            MoveRequest { starts_at: self.some_start(), staff_id, party: self.some_party(), duration: None };
        self.ask(Reschedule { id, request }).await;
    }

    async fn end_appointment(&self) {
        let Some(id) = self.some_appointment() else { return };
        match self.dice.below(4) {
            0 => _ = self.ask(Confirm { id }).await,
            1 => _ = self.ask(Decline { id }).await,
            _ => _ = self.ask(Cancel { id }).await,
        }
    }

    async fn erase(&self) {
        let known: Vec<_> = self.practice(|practice| practice.contacts.keys().copied().collect());
        if let Some(id) = self.dice.any(&known) {
            self.erase_one(id).await;
        }
    }

    pub(super) async fn erase_one(&self, id: ContactId) {
        self.practice(|practice| _ = practice.erased.entry(id).or_insert(false));
        if self.ask(EraseContact { id }).await.is_some() {
            self.practice(|practice| practice.erased.insert(id, true));
        }
    }

    pub(super) async fn calendars(&self) -> Option<Vec<CalendarView>> {
        self.read(all(50, async |page| self.handle.calendars(None, None, &page).await).await)
    }

    pub(super) fn hosts(&self) -> Vec<Arc<CalendarHost>> {
        let mut hosts = self.world.network.calendars();
        hosts.retain(|host| host.of.0 == self.handle.id());
        hosts
    }

    pub(super) fn host(&self, calendar: &CalendarView) -> Arc<CalendarHost> {
        self.hosts().into_iter().find(|host| host.name == calendar.settings.host).unwrap()
    }

    /// Returns true if a new connection may write to the server. In this case, prevents further connections from
    /// writing for some time.
    fn takes(&self, host: &CalendarHost) -> bool {
        let (mut state, now) = (host.state(), self.world.time.now());
        let is_free = state.free_from <= now;
        if is_free {
            state.free_from = now + PAUSE_MILLIS;
        }
        is_free
    }

    /// Makes `takes` return false for this server during the next [`PAUSE_MILLIS`].
    fn rests(&self, host: &CalendarHost) {
        host.state().free_from = self.world.time.now() + PAUSE_MILLIS;
    }

    /// Connects a calendar of a staff member, as the APIs do.
    pub(super) async fn connect(&self, member: usize, is_caldav: bool) {
        let Some(calendars) = self.calendars().await else { return };
        let staff_id = self.practice(|practice| practice.staff[member]);
        let of_staff: Vec<_> = calendars.iter().filter(|it| it.settings.staff_id == staff_id).collect();
        if of_staff.len() >= 2 {
            return;
        }
        let write = is_caldav && !of_staff.iter().any(|it| it.settings.write) && !self.dice.once_in(5);
        let mut known = self.hosts();
        known.retain(|host| {
            host.of.1 == staff_id && !calendars.iter().any(|it| it.settings.host == host.name)
        });
        let known = if known.is_empty() { None } else { Some(Arc::clone(self.dice.pick(&known))) };
        let host = known.filter(|host| self.dice.once_in(2) && self.takes(host)).unwrap_or_else(|| {
            let of = (self.handle.id(), staff_id);
            let host = self.world.network.add_calendar(of, Dice::new(self.dice.next()));
            self.rests(&host);
            host
        });
        let origin = format!("https://{}", host.name);
        let login = || CalendarLogin { username: "ada".into(), password: CalendarPassword::new("pw".into()) };
        let kind = if is_caldav { CalendarKind::Caldav } else { CalendarKind::Ics };
        let input = CalendarInput {
            id: None,
            kind,
            url: format!("{origin}/{}", if is_caldav { "" } else { "secret.ics" }),
            login: is_caldav.then(login),
            password_of: None,
            collection: is_caldav.then(|| format!("{origin}{COLLECTION}")),
        };
        self.world.say(format_args!("practice {} checks {}, write: {write}", self.at, host.name));
        let checked = match self.handle.check_calendar(input).await {
            Err(EngineError::Overloaded) => return, // the network of this machine is down
            checked => self.read(checked),
        };
        let Some(checked) = checked else { return };
        if write {
            host.state().begin_writing();
        }
        let connect = ConnectCalendar {
            staff_id,
            name: checked.name.clone(),
            kind,
            url: checked.url,
            login: is_caldav.then(login),
            collection: checked.collection,
            collection_name: checked.name,
            server_addresses: checked.server_addresses,
            busy: !write || !self.dice.once_in(4),
            write,
            detail: *self.dice.pick(&DETAILS),
            all_day: AllDay::Busy,
            own_addresses: Vec::new(),
        };
        self.ask(connect).await;
        self.rests(&host);
        if self.dice.once_in(2) {
            host.set_weather(Weather::Rough);
        }
    }

    async fn some_calendar(&self) -> Option<CalendarView> {
        let calendars = self.calendars().await?;
        (!calendars.is_empty()).then(|| self.dice.pick(&calendars).clone())
    }

    async fn change_calendar(&self) {
        let Some(calendar) = self.some_calendar().await else { return };
        let (host, settings) = (self.host(&calendar), &calendar.settings);
        let id = settings.id;
        let change = match self.dice.below(4) {
            0 => PatchCalendar { busy: Some(!settings.busy), ..unchanged(id) },
            1 if settings.write => PatchCalendar { write: Some(false), ..unchanged(id) },
            1 | 2 if !settings.write && settings.kind == CalendarKind::Caldav => {
                if !self.takes(&host) {
                    return;
                }
                host.state().begin_writing();
                PatchCalendar { write: Some(true), ..unchanged(id) }
            }
            _ => PatchCalendar { detail: Some(*self.dice.pick(&DETAILS)), ..unchanged(id) },
        };
        let ends = change.write == Some(false);
        host.state().has_changed_detail |= change.detail.is_some();
        let changes_busy = change.busy.is_some();
        self.ask(change).await;
        if changes_busy {
            let mut state = host.state();
            state.set_at = state.set_at.max(self.world.time.truth());
        }
        if ends {
            self.rests(&host);
        }
    }

    async fn disconnect(&self) {
        let Some(calendar) = self.some_calendar().await else { return };
        let id = calendar.settings.id;
        if self.dice.once_in(2) {
            self.ask(DisconnectCalendar { id }).await;
        } else {
            self.ask(RemoveCalendar { id }).await;
        }
        self.rests(&self.host(&calendar));
    }

    async fn request_read(&self) {
        let Some(calendar) = self.some_calendar().await else { return };
        self.ask(ReadCalendar { id: calendar.settings.id }).await;
    }

    async fn request_write(&self) {
        let Some(calendar) = self.some_calendar().await else { return };
        let id = calendar.settings.id;
        let failed = Some(CalendarSyncStatus::Failed);
        let failed = all(50, async |page| self.handle.calendar_writes(id, failed, &page).await).await;
        let Some(failed) = self.read(failed) else { return };
        if failed.is_empty() {
            return;
        }
        let appointment_id = self.dice.pick(&failed).appointment_id;
        self.ask(WriteAppointment { id, appointment_id }).await;
    }

    /// Chooses an appointment. If the appointment is shown as `synced`, checks that the calendar server has
    /// acknowledged the current state of the appointment.
    async fn look(&self) {
        let Some(id) = self.some_appointment() else { return };
        let Some(Some(before)) = self.read(self.handle.appointment(id).await) else { return };
        let Some(writes) = self.read(self.handle.writes_of_appointment(id).await) else { return };
        let hosts = self.hosts();
        let synced = CalendarSyncStatus::Synced;
        let outcomes: Vec<_> = writes
            .iter()
            .filter(|(calendar, write)| write.status == synced && calendar.write)
            .map(|(calendar, _)| {
                let is_written = before.status.is_active() && before.staff_id == calendar.staff_id;
                let now = (before.status, before.starts_at..before.ends_at);
                acknowledged(host_of(&hosts, calendar), id, now, is_written)
            })
            .collect();
        // If the appointment has changed since `before` was read, the outcomes may be outdated, and are ignored.
        let Some(Some(after)) = self.read(self.handle.appointment(id).await) else { return };
        let is_same = |view: &AppointmentView| (view.updated_at, view.status, view.calendar_sync_status);
        if is_same(&before) == is_same(&after) && before.calendar_sync_status == synced {
            outcomes
                .into_iter()
                .filter_map(Result::err)
                .for_each(|wrong| self.world.wrong(format_args!("{wrong}")));
        }
    }
}
