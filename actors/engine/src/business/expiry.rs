//! Deleting what is kept no longer: calls, messages, entries of the audit log, appointments that have ended.
//!
//! What always holds: nothing goes before both clocks say that its time is over. The believed wall clock is held against
//! stamps. Steady time tells of what was made since somebody set for how long things are kept which id was the newest
//! when ([`noted_until`]); what was there before that was taken at its word then, so its age is what its stamp told
//! then and what has passed since. The end of an appointment is no stamp: both clocks have to be past it. The newest
//! entry of the audit log stays, for it tells how much there is.
//!
//! Records of one kind are looked through in the order in which they were made, or start, and mostly the first that is
//! kept ends that.

use chrono::TimeDelta;
use domain::{
    Appointment, AuditId, BusinessId, CallId, CallRecord, MessageId, ResourceId, Retention, RetentionSet,
    SteadyTime, TakenMessage, Timestamp,
};
use store::kept::Kept;
use store::keys::kind;
use store::records::AuditRecord;
use store::{Batch, Key, KeyRange, Order, Record, Store, StoreError, kept, keys};
use uuid::Uuid;

use super::ages::noted_until;
use super::chores::Counts;
use super::state::State;
use super::write::Write;

/// How many records one step looks at.
const ROWS_MAX: usize = 256;
/// How many bytes of records one step reads before it ends.
const BYTES_MAX: usize = 256 << 10;
/// How long the longest appointment takes.
const APPOINTMENT_MAX: TimeDelta = TimeDelta::days(1);

/// What a step comes to.
#[derive(Default)]
pub(super) struct Stepped {
    pub(super) writes: Vec<Write>,
    /// How many records have gone. Entries of the audit log are not counted: to tell of them takes another one, which would
    /// go in its time, and so for ever.
    pub(super) expired: Counts,
    pub(super) more: bool,
}

/// The next step of a round.
pub(super) fn step(state: &mut State, now: Timestamp) -> Result<Stepped, StoreError> {
    let retention = state.retention;
    let Some(set) = retention.set else { return Ok(Stepped::default()) };
    let all =
        [retention.calls_days, retention.messages_days, retention.appointments_days, retention.audit_days];
    let (mut stepped, mut looked_at, mut bytes) = (Stepped::default(), 0, 0);
    let mut kind = state.chores.expiring;
    while let Some(days) = all.get(kind) {
        if let Some(days) = days {
            let terms = Terms::of(&state.store, state.id, (*days, set), (now, state.clocks.steady()))?;
            let mut step = Step { state, terms, looked_at, bytes, stepped };
            let is_through = step.look(kind)?;
            Step { looked_at, bytes, stepped, .. } = step;
            // Where nothing that was looked at went, looking again finds the same.
            if !is_through && !stepped.writes.is_empty() {
                stepped.more = true;
                break;
            }
        }
        kind += 1;
    }
    state.chores.expiring = if stepped.more { kind } else { 0 };
    Ok(stepped)
}

/// Whether records of a business are kept no longer that nobody has deleted yet: it is looked at the first of each kind.
pub(super) fn is_due(
    store: &Store,
    of: BusinessId,
    newest: Option<AuditId>,
    (now, steady): (Timestamp, SteadyTime),
) -> Result<bool, StoreError> {
    let retention = store.get::<Retention>(&keys::retention(of))?.unwrap_or_default();
    let Some(set) = retention.set else { return Ok(false) };
    let terms =
        |days: Option<u32>| days.map(|days| Terms::of(store, of, (days, set), (now, steady))).transpose();
    if let Some(terms) = terms(retention.calls_days)?
        && let Some((key, call)) = first::<CallRecord>(store, &keys::of_kind(of, kind::CALL))?
        && terms.is_expired(keys::id_at_end::<CallId>(&key)?.uuid(), call.created_at)
    {
        return Ok(true);
    }
    if let Some(terms) = terms(retention.messages_days)?
        && let Some((key, message)) = first::<TakenMessage>(store, &keys::of_kind(of, kind::MESSAGE))?
        && terms.is_expired(keys::id_at_end::<MessageId>(&key)?.uuid(), message.created_at)
    {
        return Ok(true);
    }
    if let Some(terms) = terms(retention.appointments_days)?
        && let Some((_, appointment)) = first::<Appointment>(store, &terms.appointments(of))?
        && appointment.ends_at <= terms.ended_by()
    {
        return Ok(true);
    }
    if let Some(terms) = terms(retention.audit_days)?
        && let Some((key, AuditRecord { entry, .. })) = first(store, &keys::of_kind(of, kind::AUDIT))?
    {
        let id = keys::id_at_end::<AuditId>(&key)?;
        return Ok(newest.is_some_and(|newest| id < newest) && terms.is_expired(id.uuid(), entry.at));
    }
    Ok(false)
}

/// The first record of a range that can be read.
fn first<R: Record>(store: &Store, range: &KeyRange) -> Result<Option<(Key, R)>, StoreError> {
    store.records(range, Order::Ascending).next().transpose()
}

/// When the time of something is over.
struct Terms {
    now: Timestamp,
    kept: TimeDelta,
    /// What has no greater id was there so long ago, by steady time.
    noted: Option<Uuid>,
    set: RetentionSet,
    /// What time it is as steady time tells it.
    steady_now: Timestamp,
}

impl Terms {
    /// Of what is kept for so many days, at this time by the wall clock and by steady time.
    fn of(
        store: &Store,
        of: BusinessId,
        (days, set): (u32, RetentionSet),
        (now, steady): (Timestamp, SteadyTime),
    ) -> Result<Self, StoreError> {
        let kept = TimeDelta::days(days.into());
        let noted = noted_until(store, of, steady - kept)?.map(|(_, newest)| newest.uuid());
        Ok(Self { now, kept, noted, set, steady_now: set.time_at(steady) })
    }

    /// Whether the time of something is over that bears this stamp and id, by both clocks.
    fn is_expired(&self, id: Uuid, stamp: Timestamp) -> bool {
        let by_wall = stamp + self.kept <= self.now || stamp > self.now;
        let was_there = id < self.set.before && stamp + self.kept <= self.steady_now;
        by_wall && (was_there || self.noted.is_some_and(|noted| id <= noted))
    }

    /// By when an appointment has ended whose time is over.
    fn ended_by(&self) -> Timestamp {
        self.now.min(self.steady_now) - self.kept
    }

    /// Those among which there may be one.
    fn appointments(&self, of: BusinessId) -> KeyRange {
        keys::appointments_starting(of, Timestamp::MIN, self.ended_by())
    }
}

/// One step through records of one kind.
struct Step<'a> {
    state: &'a State,
    terms: Terms,
    looked_at: usize,
    bytes: usize,
    stepped: Stepped,
}

/// What is to be done about a record.
enum Found {
    IsExpired,
    /// It is kept, and those behind it may not be.
    Stays,
    /// It is kept, and those behind it are, too.
    IsNewer,
}

impl Step<'_> {
    /// Looks at the next records of a kind; whether it is through with them.
    fn look(&mut self, kind: usize) -> Result<bool, StoreError> {
        match kind {
            0 => self.created::<CallRecord>(|expired| &mut expired.calls),
            1 => self.created::<TakenMessage>(|expired| &mut expired.messages),
            2 => self.appointments(),
            _ => self.audit(),
        }
    }

    /// Looks at the records of a range, as the newest decision left them; whether it is through with them. A record that is
    /// set aside stays.
    fn each<R: Record>(
        &mut self,
        range: KeyRange,
        mut look: impl FnMut(&mut Self, Key, R) -> Result<Found, StoreError>,
    ) -> Result<bool, StoreError> {
        let state = self.state;
        for row in state.store.scan(&range, Order::Ascending) {
            if self.looked_at >= ROWS_MAX || self.bytes >= BYTES_MAX {
                return Ok(false);
            }
            let (key, value) = row?;
            let key = Key::new(&key);
            let newest = match state.overlay.get(&key) {
                Some(Some(newer)) => newer,
                Some(None) => continue,
                None => &value[..],
            };
            let record = state.store.usable(&key, R::decode(newest))?;
            match record.map_or(Ok(Found::Stays), |record| look(self, key, record))? {
                Found::IsExpired => {
                    self.looked_at += 1;
                    self.bytes += value.len();
                }
                Found::Stays => self.looked_at += 1,
                Found::IsNewer => return Ok(true),
            }
        }
        Ok(true)
    }

    /// Records of a kind, whose keys have the order of their creation.
    fn created<R: Kept>(&mut self, count: impl Fn(&mut Counts) -> &mut u64) -> Result<bool, StoreError> {
        let of = self.state.id;
        self.each(keys::of_kind(of, R::KIND), |step, key, mut record: R| {
            let Some(created_at) = record.stamps().first().map(|at| **at) else { return Ok(Found::Stays) };
            if !step.terms.is_expired(keys::id_at_end::<AuditId>(&key)?.uuid(), created_at) {
                return Ok(Found::IsNewer);
            }
            *count(&mut step.stepped.expired) += 1;
            step.stepped.writes.push(Write::delete(of, &record));
            Ok(Found::IsExpired)
        })
    }

    fn appointments(&mut self) -> Result<bool, StoreError> {
        let (range, until) = (self.terms.appointments(self.state.id), self.terms.ended_by());
        self.each(range, |step, _, appointment: Appointment| {
            if appointment.ends_at > until {
                let later = appointment.starts_at > until - APPOINTMENT_MAX;
                return Ok(if later { Found::Stays } else { Found::IsNewer });
            }
            step.stepped.expired.appointments += 1;
            step.stepped.writes.push(Write::NoAppointment(appointment));
            Ok(Found::IsExpired)
        })
    }

    fn audit(&mut self) -> Result<bool, StoreError> {
        let of = self.state.id;
        let mut rows = Batch::default();
        let is_through = self.each(keys::of_kind(of, kind::AUDIT), |step, key, record: AuditRecord| {
            let id = keys::id_at_end::<AuditId>(&key)?;
            if step.state.ages.newest.is_none_or(|newest| id >= newest) {
                return Ok(Found::IsNewer);
            }
            if !step.terms.is_expired(id.uuid(), record.entry.at) {
                return Ok(Found::IsNewer);
            }
            kept::delete(of, &record, &mut rows);
            Ok(Found::IsExpired)
        })?;
        if !rows.is_empty() {
            self.stepped.writes.push(Write::Rows(rows));
        }
        Ok(is_through)
    }
}
