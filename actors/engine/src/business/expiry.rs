//! Deletes expired calls, messages, audit entries and past appointments.
//!
//! Invariants:
//! - A record is deleted only when both clocks agree that it is expired.
//! - The believed wall clock is compared with the record's stamp.
//! - Steady time is compared with the age marks ([`noted_until`]). A record from before the retention was set
//!   has the age of its stamp at that time plus the steady time since.
//! - An appointment is expired when both clocks are past its end plus the retention time.
//! - The newest audit entry stays, because it contains the usage of the business.
//!
//! Records of one kind are read in the order of creation or start. The scan usually ends at the first record
//! that is not expired.

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

const ROWS_MAX: usize = 256;
const BYTES_MAX: usize = 256 << 10;
const APPOINTMENT_MAX: TimeDelta = TimeDelta::days(1);

#[derive(Default)]
pub(super) struct Stepped {
    pub(super) writes: Vec<Write>,
    /// The number of deleted records. Audit entries are not counted: their deletion would need a new entry,
    /// which would expire again.
    pub(super) expired: Counts,
    pub(super) more: bool,
}

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
            // Without a deletion, another look finds the same rows.
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

/// Whether the business has expired records. Reads the first record of each kind.
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

fn first<R: Record>(store: &Store, range: &KeyRange) -> Result<Option<(Key, R)>, StoreError> {
    store.records(range, Order::Ascending).next().transpose()
}

/// The retention terms of one kind at one instant.
struct Terms {
    now: Timestamp,
    kept: TimeDelta,
    /// Records up to this id are old enough by steady time.
    noted: Option<Uuid>,
    set: RetentionSet,
    steady_now: Timestamp,
}

impl Terms {
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

    fn is_expired(&self, id: Uuid, stamp: Timestamp) -> bool {
        let by_wall = stamp + self.kept <= self.now || stamp > self.now;
        let was_there = id < self.set.before && stamp + self.kept <= self.steady_now;
        by_wall && (was_there || self.noted.is_some_and(|noted| id <= noted))
    }

    fn ended_by(&self) -> Timestamp {
        self.now.min(self.steady_now) - self.kept
    }

    /// The range that contains every expired appointment.
    fn appointments(&self, of: BusinessId) -> KeyRange {
        keys::appointments_starting(of, Timestamp::MIN, self.ended_by())
    }
}

struct Step<'a> {
    state: &'a State,
    terms: Terms,
    looked_at: usize,
    bytes: usize,
    stepped: Stepped,
}

enum Found {
    IsExpired,
    /// The record stays. A later one may be expired.
    Stays,
    /// The record and all later ones stay.
    IsNewer,
}

impl Step<'_> {
    /// Reads the next records of a kind. Returns true at the end of the kind.
    fn look(&mut self, kind: usize) -> Result<bool, StoreError> {
        match kind {
            0 => self.created::<CallRecord>(|expired| &mut expired.calls),
            1 => self.created::<TakenMessage>(|expired| &mut expired.messages),
            2 => self.appointments(),
            _ => self.audit(),
        }
    }

    /// Reads the records of a range after the newest decision. Returns true at the end of the range.
    /// Undecodable records stay.
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

    /// For kinds whose keys are in the order of creation.
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
