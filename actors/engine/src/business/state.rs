//! What a business actor keeps in memory: only what decisions need.
//!
//! `busy` holds every active appointment that starts at or after `busy_from`, `pending` those of them that wait to be
//! confirmed, and `busy_from` lies at least [`BUSY_BEHIND`] before now, which covers every appointment that could overlap a
//! time to come or count towards today's load. When the wall clock goes back, what is missing is read again.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use chrono::TimeDelta;
use domain::availability::Schedule;
use domain::{
    Appointment, AppointmentId, AppointmentStatus, Blocked, Business, BusinessId, Busy, IdMint, KeyId,
    PersonId, Retention, SERVICE_MINUTES, Service, ServiceId, SpecialDays, StaffId, StaffMember, Team,
    Timestamp, WebhookEndpoint, WebhookId,
};
use net::Ports;
use store::{Batch, Done, Key, KeyRange, Order, Record, Store, StoreError, keys, unless_set_aside};
use uuid::Uuid;

use super::accounts::Accounts;
use super::ages::{Ages, Round};
use super::chores::Chores;
use super::overlay::Overlay;
use super::references::References;
use super::stamps::Stamps;
use super::write::Write;
use crate::clock::{Clocks, SteadyClock};
use crate::mail::Outbox;

/// How far behind now the busy intervals reach: the longest service is a day, the longest local day not much more.
pub(crate) const BUSY_BEHIND: TimeDelta = TimeDelta::hours(50);
/// How many rows are read before other tasks get their turn.
pub(super) const ROWS_PER_TURN: usize = 1_024;
/// How far the intervals kept may fall behind that before the oldest are dropped.
const BUSY_SLACK: TimeDelta = TimeDelta::hours(48);

/// How long an appointment is taken to last that does not decode, its buffers left aside: it was made of a service as that
/// was then, and none lasts longer than this.
const UNREADABLE_APPOINTMENT: TimeDelta = TimeDelta::minutes(*SERVICE_MINUTES.end() as i64);

/// The memory of one business.
pub(crate) struct State {
    pub(crate) id: BusinessId,
    pub(crate) clocks: Clocks,
    pub(crate) steady: SteadyClock,
    pub(crate) business: Business,
    pub(crate) services: BTreeMap<ServiceId, Box<Service>>,
    pub(crate) staff: BTreeMap<StaffId, Box<StaffMember>>,
    /// The dates on which it has other hours.
    pub(crate) special: SpecialDays,
    /// When staff members are away.
    pub(crate) blocked: Blocked,
    pub(crate) webhooks: BTreeMap<WebhookId, WebhookEndpoint>,
    /// The people of the business.
    pub(crate) people: Team,
    /// The number of the newest alert of each person who was alerted since the start.
    pub(crate) alerts: BTreeMap<PersonId, u64>,
    /// Where mails go.
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) busy: Busy,
    /// By start.
    pub(crate) pending: BTreeSet<(Timestamp, AppointmentId)>,
    pub(crate) busy_from: Timestamp,
    pub(crate) stamps: Stamps,
    pub(crate) mint: IdMint,
    /// What was made until when.
    pub(crate) ages: Ages,
    /// The round through the log that looks for what has outlived its time.
    pub(crate) round: Round,
    /// Days ahead of steady time under which an earlier version remembered keys when its clock was wrong, or this one
    /// just before a crash.
    pub(crate) days_ahead: Vec<u32>,
    /// Whether a step of deleting what has outlived its time is under way.
    pub(crate) sweeping: bool,
    /// For how long things are kept.
    pub(crate) retention: Retention,
    /// What is done in steps beside what is asked for.
    pub(crate) chores: Chores,
    /// Whether it was ended: nothing is decided any more.
    pub(crate) ended: bool,
    pub(crate) overlay: Overlay,
    /// What may be deleted soon, and whether anything has come to refer to it.
    pub(crate) references: References,
    /// How much it keeps, and may keep.
    pub(crate) accounts: Accounts,
    /// The key that was found to be good last, and the credentials' generation in which it was. Forgotten when this
    /// actor decides on a key: the number grows only once that is written.
    pub(crate) checked_key: Cell<Option<(KeyId, u64)>>,
    pub(crate) store: Store,
    pub(crate) ports: Ports,
}

impl State {
    /// The schedule that decisions are made on.
    pub(crate) fn schedule(&self, now: Timestamp) -> Schedule<'_> {
        Schedule {
            business: &self.business,
            special: &self.special,
            services: &self.services,
            staff: &self.staff,
            busy: &self.busy,
            blocked: &self.blocked,
            now,
        }
    }

    /// The value of a key as the newest decision left it.
    pub(crate) fn read<R: Record>(&self, key: &Key) -> Result<Option<R>, StoreError> {
        match self.overlay.get(key) {
            Some(value) => value.map(|value| self.store.checked(key, R::decode(value))).transpose(),
            None => self.store.get(key),
        }
    }

    /// The record of a key as the newest decision left it, or nothing if it is set aside.
    pub(crate) fn find<R: Record>(&self, key: &Key) -> Result<Option<R>, StoreError> {
        Ok(unless_set_aside(self.read(key))?.flatten())
    }

    /// The bytes of a key as the newest decision left them.
    pub(crate) fn read_raw(&self, key: &Key) -> Result<Option<Vec<u8>>, StoreError> {
        match self.overlay.get(key) {
            Some(value) => Ok(value.map(<[u8]>::to_vec)),
            None => self.store.get_raw(key),
        }
    }

    /// An appointment as the newest decision left it.
    pub(crate) fn appointment(&self, id: AppointmentId) -> Result<Option<Appointment>, StoreError> {
        let Some(start) = self.read_raw(&keys::appointment_start(self.id, id))? else { return Ok(None) };
        let starts_at = keys::millis_from_value(&start)?;
        match self.read(&keys::appointment(self.id, starts_at, id))? {
            Some(appointment) => Ok(Some(appointment)),
            None => Err(StoreError::damaged("appointment", "it is not there where it starts")),
        }
    }

    /// The last row of a range as the newest decision left it, where no row is ever deleted.
    pub(crate) fn last_in(&self, range: &KeyRange) -> Result<Option<(Key, Vec<u8>)>, StoreError> {
        let stored = self.store.scan(range, Order::Descending).next().transpose()?;
        let stored = stored.map(|(key, value)| (Key::new(&key), value));
        let mut in_flight = self.overlay.range(range);
        let in_flight = in_flight.next_back().and_then(|(key, value)| Some((*key, value?.to_vec())));
        Ok(match (stored, in_flight) {
            (Some(stored), Some(newer)) if stored.0 > newer.0 => Some(stored),
            (stored, in_flight) => in_flight.or(stored),
        })
    }

    /// Hands a batch to the committer, which calls `done` once it is on the disk; what it writes is seen at once.
    pub(crate) fn submit(&mut self, batch: Batch, done: Done) {
        if batch.is_empty() && self.store.is_settled(self.id) {
            return done(); // everything of the business is on the disk already
        }
        let writes: Vec<_> = batch.writes().map(|(key, value)| (*key, value.map(<[u8]>::to_vec))).collect();
        // A store that has stopped takes nothing and answers nobody.
        if let Some(ticket) = self.store.submit(self.id, batch, done)
            && !writes.is_empty()
        {
            self.overlay.add(ticket, writes);
        }
    }

    /// Takes over what a change has written.
    pub(crate) fn apply(&mut self, write: Write) {
        self.references.note(&write);
        match write {
            Write::Business(business) => self.business = business,
            Write::Budget(budget) => self.accounts.budget = budget,
            Write::Service(service) => {
                self.services.insert(service.id, Box::new(service));
            }
            Write::Staff(staff) => {
                self.staff.insert(staff.id, Box::new(staff));
            }
            Write::Appointment { before, after } => {
                if let Some(before) = before {
                    self.let_go(&before);
                }
                self.hold(&after);
            }
            Write::Webhook(endpoint) => {
                self.webhooks.insert(endpoint.id, endpoint);
            }
            Write::NoWebhook(id) => {
                self.webhooks.remove(&id);
            }
            Write::Membership(membership) => {
                self.people.insert(membership.person_id, membership);
            }
            Write::NoMembership(id, _) => {
                self.people.remove(&id);
                self.stamps.part();
            }
            Write::NoService(id) => {
                self.services.remove(&id);
            }
            Write::NoStaff(id) => {
                self.staff.remove(&id);
            }
            Write::NoAppointment(gone) => self.let_go(&gone),
            Write::Retention(retention) => {
                self.retention = retention;
                self.chores.look_anew();
            }
            Write::NoBusiness => self.ended = true,
            Write::SpecialDay(day) => {
                self.special.insert(day.date, day);
            }
            Write::NoSpecialDay(date) => {
                self.special.remove(&date);
            }
            Write::BlockedTime(time) => self.blocked.insert(time.key(), time.ends_at),
            Write::NoBlockedTime(key) => self.blocked.remove(key),
            Write::ApiKey(_) => self.checked_key.set(None),
            Write::Contact { .. }
            | Write::Delivery { .. }
            | Write::NoContact(_)
            | Write::NoUnreadContact(_)
            | Write::Rows(_)
            | Write::Call { .. }
            | Write::Message { .. } => {}
        }
    }

    /// Whether the appointment is one of those kept in `busy`.
    fn holds(&self, appointment: &Appointment) -> bool {
        appointment.is_active() && appointment.starts_at >= self.busy_from
    }

    fn hold(&mut self, appointment: &Appointment) {
        if !self.holds(appointment) {
            return;
        }
        self.busy.insert(appointment.staff_id, appointment.into());
        if appointment.status == AppointmentStatus::Pending {
            self.pending.insert((appointment.starts_at, appointment.id));
        }
    }

    fn let_go(&mut self, appointment: &Appointment) {
        if self.holds(appointment) {
            self.busy.remove(appointment.staff_id, appointment.starts_at, appointment.id);
            self.pending.remove(&(appointment.starts_at, appointment.id));
        }
    }

    /// Makes `busy` reach as far back as decisions at `now` need, and drops what they no longer do.
    /// That may be much where a clock goes back that was believed, so others have their turn between.
    pub(crate) async fn reach_back(&mut self, now: Timestamp) -> Result<(), StoreError> {
        let needed = now - BUSY_BEHIND;
        if self.busy_from > needed {
            let found = self.rows_between(needed, self.busy_from).await?;
            self.busy_from = needed;
            for (key, value) in found {
                self.hold_time(&key, &value)?;
            }
        } else if self.busy_from < needed - BUSY_SLACK {
            self.busy.forget_before(needed);
            self.pending = self.pending.split_off(&(needed, AppointmentId::from(Uuid::nil())));
            self.busy_from = needed;
        }
        Ok(())
    }

    /// Holds the time of an appointment if it is active. Of one that does not decode nobody knows whose time it is, nor
    /// until when, so nobody is booked from where it starts for as long as any may last.
    pub(super) fn hold_time(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        match self.store.usable(key, Appointment::decode(value))? {
            Some(appointment) => self.hold(&appointment),
            None => {
                let at = keys::instant_and_id::<AppointmentId>(key);
                if let Some((start, _)) = self.store.usable(key, at)? {
                    self.busy.hold_for_all(start, start + UNREADABLE_APPOINTMENT);
                }
            }
        }
        Ok(())
    }

    /// The rows of the appointments that start in `[from, to)`, as the newest decision left them.
    async fn rows_between(
        &mut self,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<HashMap<Vec<u8>, Vec<u8>>, StoreError> {
        let range = keys::appointments_starting(self.id, from, to);
        let (mut rows, mut left) = (HashMap::new(), range);
        loop {
            let step = self.store.scan(&left, Order::Ascending).take(ROWS_PER_TURN);
            let step = step.collect::<Result<Vec<_>, StoreError>>()?;
            let Some((last, _)) = step.last() else { break };
            left = left.after(Key::new(last));
            rows.extend(step);
            tokio::task::yield_now().await;
        }
        for (key, value) in self.overlay.range(&range) {
            match value {
                Some(value) => rows.insert(key.to_vec(), value.to_vec()),
                None => rows.remove(&key[..]),
            };
        }
        Ok(rows)
    }
}
