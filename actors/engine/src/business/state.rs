//! The memory of a business actor: the data that decisions need.
//!
//! Invariants:
//! - `busy` contains every active appointment that starts at or after `busy_from`. `pending` contains the
//!   appointments among them that await confirmation.
//! - `busy_from` is at least [`BUSY_PAST`] before now, so `busy` contains every appointment that can
//!   overlap a future time or count towards today's load.
//! - When the clock goes back, the appointments between the new and the old `busy_from` are read.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::TimeDelta;
use domain::availability::Schedule;
use domain::booking::Party;
use domain::{
    Appointment, AppointmentId, AppointmentStatus, Blocked, Budget, Business, BusinessId, Busy, CalendarId,
    ConnectedCalendar, ConversationId, IdMint, KeyId, NoticeSettings, PersonId, Receptionist, Retention,
    SERVICE_MINUTES, Service, ServiceId, SpecialDays, StaffId, StaffMember, SteadyTime, Team, Timestamp,
    WebhookEndpoint, WebhookId, Website,
};
use net::Ports;
use store::{Batch, Done, Key, KeyRange, Order, Record, Store, StoreError, Waiting, keys};
use uuid::Uuid;

use super::budget::BusinessBudget;
use super::hot::Hot;
use super::knowledge_index::KnowledgeIndex;
use super::load::Start;
use super::overlay::Overlay;
use super::references::References;
use super::remembered::days_ahead;
use super::stamps::Stamps;
use super::write::Write;
use crate::clock::{Clocks, SteadyClock};
use crate::mail::Outbox;
use crate::maintenance::business::BusinessJobs;
use crate::maintenance::{AgeMarks, HourlyRound};

/// `busy` contains at least the active appointments that started within this time before now. This time is longer than
/// the sum of the longest service and the longest local day.
pub(crate) const BUSY_PAST: TimeDelta = TimeDelta::hours(50);
/// Each time the actor has read this number of rows, it lets other tasks run.
pub(super) const ROWS_PER_TURN: usize = 1_024;
/// When `busy` reaches back further than [`BUSY_PAST`] plus this time, the entries that are older than [`BUSY_PAST`]
/// are dropped.
const BUSY_SLACK: TimeDelta = TimeDelta::hours(48);

/// The assumed length of an undecodable appointment, without buffers: the maximum length of a service.
const UNREADABLE_APPOINTMENT: TimeDelta = TimeDelta::minutes(*SERVICE_MINUTES.end() as i64);

/// The number of the next turn of each conversation, and the time at which the actor first saw this number.
pub(crate) type Ahead = BTreeMap<ConversationId, (u32, SteadyTime)>;

pub(crate) struct State {
    pub(crate) id: BusinessId,
    pub(crate) clocks: Clocks,
    pub(crate) steady: SteadyClock,
    pub(crate) business: Business,
    pub(crate) services: BTreeMap<ServiceId, Box<Service>>,
    pub(crate) staff: BTreeMap<StaffId, Box<StaffMember>>,
    pub(crate) special: SpecialDays,
    pub(crate) blocked: Blocked,
    pub(crate) calendars: BTreeMap<CalendarId, ConnectedCalendar>,
    pub(crate) webhooks: BTreeMap<WebhookId, WebhookEndpoint>,
    pub(crate) people: Team,
    /// The newest alert number of each person who has received an alert since the actor started.
    pub(crate) alerts: BTreeMap<PersonId, u64>,
    pub(crate) outbox: Arc<Outbox>,
    has_model: Arc<AtomicBool>,
    pub(crate) busy: Busy,
    pub(crate) pending: BTreeSet<(Timestamp, AppointmentId)>,
    pub(crate) busy_from: Timestamp,
    pub(crate) stamps: Stamps,
    pub(crate) mint: IdMint,
    pub(crate) ages: AgeMarks,
    pub(crate) round: HourlyRound,
    /// The future days for which idempotency keys are stored. Such days exist only if the clock was wrong or if the
    /// service crashed.
    pub(crate) days_ahead: Vec<u32>,
    pub(crate) retention: Retention,
    pub(crate) website: Website,
    pub(crate) notices: NoticeSettings,
    pub(crate) receptionist: Receptionist,
    pub(crate) knowledge: KnowledgeIndex,
    pub(crate) jobs: BusinessJobs,
    /// The unfinished conversations whose last turn has a timestamp in the future.
    pub(crate) ahead: Ahead,
    pub(crate) ended: bool,
    pub(crate) overlay: Overlay,
    /// The approximate number of records of each kind whose texts are not in the search index yet.
    pub(crate) unfiled: BTreeMap<u8, usize>,
    pub(crate) references: References,
    pub(crate) budget: BusinessBudget,
    /// The API key that was last found valid, and [`Store::credentials_generation`] at that check. A change to any API
    /// key clears this value.
    pub(crate) checked_key: Cell<Option<(KeyId, u64)>>,
    pub(crate) store: Store,
    pub(crate) ports: Ports,
}

impl State {
    /// The memory of a new actor, before the stored records are added.
    pub(super) fn before_load(
        start: &Start,
        business: Business,
        waiting: Arc<Waiting>,
    ) -> Result<Self, StoreError> {
        let Start { id, clocks, steady, store, ports, outbox, has_model } = start;
        let id = *id;
        let newest = store.newest_entry(id)?;
        let recorded = newest.and_then(|newest| newest.usage);
        let reached = newest.map_or(business.updated_at, |newest| newest.at);
        let newest = newest.map(|newest| newest.id);
        Ok(Self {
            id,
            clocks: clocks.clone(),
            steady: steady.clone(),
            business,
            services: BTreeMap::new(),
            staff: BTreeMap::new(),
            special: SpecialDays::new(),
            blocked: Blocked::default(),
            calendars: BTreeMap::new(),
            webhooks: BTreeMap::new(),
            people: Team::new(),
            alerts: BTreeMap::new(),
            outbox: Arc::clone(outbox),
            has_model: Arc::clone(has_model),
            busy: Busy::default(),
            pending: BTreeSet::new(),
            busy_from: clocks.now() - BUSY_PAST,
            stamps: Stamps::after(reached, clocks.stamps_from()),
            mint: newest.map_or_else(IdMint::default, IdMint::after),
            ages: AgeMarks::load(store, id, newest)?,
            round: HourlyRound::default(),
            days_ahead: days_ahead(store, id, clocks.steady().day())?,
            retention: Retention::default(),
            website: Website::default(),
            notices: NoticeSettings::default(),
            receptionist: Receptionist::default(),
            knowledge: KnowledgeIndex::default(),
            jobs: BusinessJobs::default(),
            ahead: Ahead::default(),
            ended: false,
            overlay: Overlay::default(),
            unfiled: BTreeMap::new(),
            references: References::default(),
            budget: BusinessBudget::new(id, Budget::default(), recorded, waiting),
            checked_key: Cell::new(None),
            store: store.clone(),
            ports: ports.clone(),
        })
    }

    /// True if the receptionist of this business uses a chat model.
    pub(crate) fn has_model(&self) -> bool {
        self.has_model.load(Ordering::Relaxed) && self.receptionist.tokens_per_day > 0
    }

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

    /// The schedule for a booking at `starts_at`, or for a move to this time. If the team overrides the rules,
    /// `starts_at` may be in the past. In this case, the appointments around this time are read into `past`.
    pub(crate) fn schedule_at<'a>(
        &'a self,
        (now, starts_at): (Timestamp, Timestamp),
        party: Party,
        past: &'a mut Busy,
    ) -> Result<Schedule<'a>, StoreError> {
        if party != Party::Override || starts_at > now {
            return Ok(self.schedule(now));
        }
        *past = self.busy_around(starts_at)?;
        Ok(Schedule { busy: past, ..self.schedule(now) })
    }

    pub(crate) fn read<R: Record>(&self, key: &Key) -> Result<Option<R>, StoreError> {
        match self.overlay.get(key) {
            Some(value) => value.map(|value| self.store.get_in(key, value)).transpose(),
            None => self.store.get(key),
        }
    }

    /// Reads a record, including changes that are not durable yet. Returns `None` if it is missing or cannot
    /// be decoded.
    pub(crate) fn find<R: Record>(&self, key: &Key) -> Result<Option<R>, StoreError> {
        Ok(self.store.usable(key, self.read(key))?.flatten())
    }

    pub(crate) fn read_raw(&self, key: &Key) -> Result<Option<Vec<u8>>, StoreError> {
        match self.overlay.get(key) {
            Some(value) => Ok(value.map(<[u8]>::to_vec)),
            None => self.store.get_raw(key),
        }
    }

    pub(crate) fn appointment(&self, id: AppointmentId) -> Result<Option<Appointment>, StoreError> {
        let Some(start) = self.read_raw(&keys::appointment_start(self.id, id))? else { return Ok(None) };
        let starts_at = keys::millis_from_value(&start)?;
        match self.read(&keys::appointment(self.id, starts_at, id))? {
            Some(appointment) => Ok(Some(appointment)),
            None => {
                Err(StoreError::damaged("appointment", "its row in the index by id refers to a missing row"))
            }
        }
    }

    /// The first row of a range in the given order, including changes that are not durable yet.
    pub(crate) fn next_in(
        &self,
        range: &KeyRange,
        order: Order,
    ) -> Result<Option<(Key, Vec<u8>)>, StoreError> {
        let is_pending = |key: &[u8]| self.overlay.get(&Key::new(key)).is_some();
        let mut stored = self.store.scan(range, order);
        let stored = stored.find(|row| !row.as_ref().is_ok_and(|(key, _)| is_pending(key))).transpose()?;
        let stored = stored.map(|(key, value)| (Key::new(&key), value));
        let mut pending = self.overlay.range(range).filter_map(|(key, value)| Some((*key, value?.to_vec())));
        let is_ascending = order == Order::Ascending;
        let pending = if is_ascending { pending.next() } else { pending.next_back() };
        Ok(match (stored, pending) {
            (Some(stored), Some(pending)) if (stored.0 < pending.0) == is_ascending => Some(stored),
            (stored, pending) => pending.or(stored),
        })
    }

    /// The committer calls `done` when the batch is durable. The actor's reads see the batch immediately.
    pub(crate) fn submit(&mut self, batch: Batch, done: Done) {
        if batch.is_empty() && self.store.is_settled(self.id) {
            return done(); // all changes to the business are durable
        }
        let writes: Vec<_> = batch.writes().map(|(key, value)| (*key, value.map(<[u8]>::to_vec))).collect();
        // A stopped store takes no batch and does not call `done`.
        if let Some(ticket) = self.store.submit(self.id, batch, done)
            && !writes.is_empty()
        {
            self.overlay.add(ticket, writes);
        }
    }

    pub(crate) fn apply(&mut self, write: Write) {
        self.references.note(&write);
        match write {
            Write::Business(it) => it.hold(self),
            Write::Service(it) => it.hold(self),
            Write::Staff(it) => it.hold(self),
            Write::Webhook(it) => it.hold(self),
            Write::Membership(it) => it.hold(self),
            Write::Retention(it) => it.hold(self),
            Write::Notices(it) => it.hold(self),
            Write::Calendar { after, .. } => after.hold(self),
            Write::Appointment { before, after } => {
                if let Some(before) = before {
                    self.let_go(&before);
                }
                self.hold(&after);
            }
            Write::NoWebhook(id) => _ = self.webhooks.remove(&id),
            Write::NoMembership(id, _) => {
                self.people.remove(&id);
                self.stamps.part();
            }
            Write::NoService(id) => _ = self.services.remove(&id),
            Write::NoStaff(id) => _ = self.staff.remove(&id),
            Write::NoAppointment(gone) => self.let_go(&gone),
            Write::NoBusiness => self.ended = true,
            Write::NoSpecialDay(date) => _ = self.special.remove(&date),
            Write::NoBlockedTime(key) => self.blocked.remove(key),
            Write::NoCalendar(gone) => {
                self.calendars.remove(&gone.id);
                self.blocked.remove_calendar(gone.staff_id, gone.id);
            }
            Write::CalendarBusy { staff, busy, .. } => {
                self.blocked.set_calendar(staff, busy.calendar_id, busy.busy);
            }
            Write::ApiKey(_) => self.checked_key.set(None),
            Write::Kept { rows, held, .. } => {
                let is_knowledge = |key: &Key| {
                    keys::has_width(key, keys::kind::KNOWLEDGE) && key[16] == keys::kind::KNOWLEDGE
                };
                if rows.writes().any(|(key, _)| is_knowledge(key)) {
                    self.knowledge.entries_change();
                }
                if let Some(held) = held {
                    held.hold(self);
                }
            }
            Write::Contact { .. }
            | Write::Feed { .. }
            | Write::CalendarState { .. }
            | Write::WrittenAppointment { .. }
            | Write::Delivery { .. }
            | Write::NoContact(_)
            | Write::Merged(..)
            | Write::NoUndecodableContact(_)
            | Write::Rows(_)
            | Write::Call { .. }
            | Write::Message { .. } => {}
        }
    }

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

    /// Returns the active appointments that start at most [`BUSY_PAST`] before or after `start`. If a new appointment
    /// starts at `start`, every active appointment that it or its buffers can overlap is in the result. Unlike `busy`,
    /// the result also contains appointments that start before `busy_from`.
    pub(crate) fn busy_around(&self, start: Timestamp) -> Result<Busy, StoreError> {
        let range = keys::appointments_starting(self.id, start - BUSY_PAST, start + BUSY_PAST);
        let stored = self.store.scan(&range, Order::Ascending);
        let mut rows = stored.collect::<Result<HashMap<_, _>, StoreError>>()?;
        self.add_in_flight(&range, &mut rows);
        let mut busy = Busy::default();
        for (key, value) in &rows {
            match self.store.find_in::<Appointment>(key, value)? {
                Some(appointment) if appointment.is_active() => {
                    busy.insert(appointment.staff_id, (&appointment).into());
                }
                Some(_) => {}
                None => hold_for_all(&self.store, key, &mut busy)?,
            }
        }
        Ok(busy)
    }

    /// Compares `busy_from` with the time `now - BUSY_PAST`. If `busy_from` is later, reads the rows between the two
    /// times. If `busy_from` is earlier by more than [`BUSY_SLACK`], drops the entries before `now - BUSY_PAST`. In
    /// both cases, `busy_from` becomes `now - BUSY_PAST`. This function may read many rows, so it lets other tasks run.
    pub(crate) async fn reach_back(&mut self, now: Timestamp) -> Result<(), StoreError> {
        let needed = now - BUSY_PAST;
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

    pub(super) fn hold_time(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        match self.store.find_in::<Appointment>(key, value)? {
            Some(appointment) => self.hold(&appointment),
            None => hold_for_all(&self.store, key, &mut self.busy)?,
        }
        Ok(())
    }

    /// The rows of the appointments that start in `[from, to)`, including changes that are not durable yet.
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
        self.add_in_flight(&range, &mut rows);
        Ok(rows)
    }

    /// Applies the submitted changes of a range to `rows`, because the store may not contain these changes yet.
    fn add_in_flight(&self, range: &KeyRange, rows: &mut HashMap<Vec<u8>, Vec<u8>>) {
        for (key, value) in self.overlay.range(range) {
            match value {
                Some(value) => rows.insert(key.to_vec(), value.to_vec()),
                None => rows.remove(&key[..]),
            };
        }
    }
}

/// Blocks all staff for an undecodable appointment, because its staff member and end are unknown.
fn hold_for_all(store: &Store, key: &[u8], busy: &mut Busy) -> Result<(), StoreError> {
    let at = keys::instant_and_id::<AppointmentId>(key);
    if let Some((start, _)) = store.usable(key, at)? {
        busy.hold_for_all(start, start + UNREADABLE_APPOINTMENT);
    }
    Ok(())
}
