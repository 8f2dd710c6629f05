//! Deletes expired calls, conversations, messages, audit entries and past appointments.
//!
//! Invariants:
//! - A record is deleted only when both clocks agree that it is expired. The believed wall clock is compared
//!   with the record's stamp, and steady time with the age marks ([`noted_until`]).
//! - If a record was created before the retention was set, it can expire by steady time without an age mark. Its age is
//!   then the sum of two times: its age when the retention was set (by its stamp), and the steady time since then. If
//!   this sum reaches the retention period, the record is expired by steady time.
//! - An appointment is expired when both clocks are past its end plus the retention period.
//! - The newest audit entry is kept, because it contains the usage of the business.
//! - Records of one kind are read in the order of creation, and appointments in the order of their start.

use chrono::TimeDelta;
use domain::{
    Appointment, AuditId, BusinessId, CallRecord, Conversation, ResourceId, Retention, RetentionSet,
    SteadyTime, TakenMessage, Timestamp,
};
use store::kept::Kept;
use store::records::AuditRecord;
use store::{Key, KeyRange, Order, Store, StoreError, kept, keys};
use uuid::Uuid;

use super::age_marks::{Age, noted_until};
use super::business::Step;
use crate::business::{State, Write};

/// The maximum number of rows that a step reads. The number is low, because the deletion of an appointment
/// also deletes its notices and links.
const ROWS_MAX: usize = 128;
const BYTES_MAX: usize = 256 << 10;
const APPOINTMENT_MAX: TimeDelta = TimeDelta::days(1);

struct Expiring {
    days: fn(&Retention) -> Option<u32>,
    is_due: fn(&Store, BusinessId, &Terms) -> Result<bool, StoreError>,
    /// Reads the next records of the kind. Returns true after the last record.
    look: fn(&mut Expiry<'_>) -> Result<bool, StoreError>,
}

macro_rules! declare {
    (
        exported { $($_kind:ident($record:ident) $_word:literal $([$($mark:tt)+])* { $($_facts:tt)* })* }
        others { $($other:ident $([$($other_mark:tt)+])* { $($_other_facts:tt)* })* }
    ) => {
        const EXPIRING: &[Option<Expiring>] = &[
            $(declare!(@kind $record $([$($mark)+])*),)*
            $(declare!(@kind $other $([$($other_mark)+])*),)*
        ];
    };
    (@kind $record:ident [expires $days:ident] $($_marks:tt)*) => {
        Some(Expiring {
            days: |retention| retention.$days,
            is_due: is_first_expired::<$record>,
            look: |step| step.look::<$record>(),
        })
    };
    (@kind $record:ident $_mark:tt $($marks:tt)*) => { declare!(@kind $record $($marks)*) };
    (@kind $record:ident) => { None };
}
kept::each_kind!(declare);

trait Expires: Kept {
    fn range(of: BusinessId, _: &Terms) -> KeyRange {
        keys::of_kind(of, Self::KIND)
    }

    /// Determines whether the record is expired. This default implementation is for kinds whose keys are in the order
    /// of creation: if a record is not expired, no later record is expired either.
    fn age(&mut self, key: &Key, terms: &Terms) -> Result<Age, StoreError> {
        let Some(created_at) = self.stamps().first().map(|at| **at) else { return Ok(Age::Stays) };
        let is_expired = terms.is_expired(keys::id_at_end::<AuditId>(key)?.uuid(), created_at);
        Ok(if is_expired { Age::IsExpired } else { Age::IsNewer })
    }

    fn deletion(self, of: BusinessId) -> Write {
        Write::delete(of, &self)
    }
}

impl Expires for CallRecord {}

impl Expires for TakenMessage {}

impl Expires for Conversation {}

impl Expires for Appointment {
    fn range(of: BusinessId, terms: &Terms) -> KeyRange {
        keys::appointments_starting(of, Timestamp::MIN, terms.ended_by())
    }

    fn age(&mut self, _: &Key, terms: &Terms) -> Result<Age, StoreError> {
        let until = terms.ended_by();
        Ok(match () {
            () if self.ends_at <= until => Age::IsExpired,
            () if self.starts_at > until - APPOINTMENT_MAX => Age::Stays,
            () => Age::IsNewer,
        })
    }

    fn deletion(self, _: BusinessId) -> Write {
        Write::NoAppointment(self)
    }
}

impl Expires for AuditRecord {
    fn age(&mut self, key: &Key, terms: &Terms) -> Result<Age, StoreError> {
        let id = keys::id_at_end::<AuditId>(key)?;
        let is_expired =
            terms.newest.is_some_and(|newest| id < newest) && terms.is_expired(id.uuid(), self.entry.at);
        Ok(if is_expired { Age::IsExpired } else { Age::IsNewer })
    }
}

/// Makes the next step. The deletion of audit entries adds no entry to the audit log: such an entry would expire later,
/// and its deletion would add yet another entry.
pub(super) fn step(state: &mut State, now: Timestamp) -> Result<Step, StoreError> {
    let retention = state.retention;
    let Some(set) = retention.set else { return Ok(Step::default()) };
    let (mut made, mut looked_at, mut bytes) = (Step::default(), 0, 0);
    let mut at = state.jobs.expiring;
    while let Some(kind) = EXPIRING.get(at) {
        if let Some(Expiring { days, look, .. }) = kind
            && let Some(days) = days(&retention)
        {
            let (newest, now) = (state.ages.newest, (now, state.clocks.steady()));
            let terms = Terms::of(&state.store, state.id, (days, set), newest, now)?;
            let mut expiry = Expiry { state, terms, looked_at, bytes, made };
            let is_through = look(&mut expiry)?;
            Expiry { looked_at, bytes, made, .. } = expiry;
            // If rows of this kind are left and this step has deleted rows, this step ends, and the next step continues
            // with this kind. If this step has deleted nothing, the next step would read the same rows again, so this
            // step continues with the next kind.
            if !is_through && !made.writes.is_empty() {
                made.more = true;
                break;
            }
        }
        at += 1;
    }
    state.jobs.expiring = if made.more { at } else { 0 };
    Ok(made)
}

/// True if the business has expired records. Reads only the first record of each kind.
pub(super) fn is_due(
    store: &Store,
    of: BusinessId,
    newest: Option<AuditId>,
    now: (Timestamp, SteadyTime),
) -> Result<bool, StoreError> {
    let retention = store.get::<Retention>(&keys::retention(of))?.unwrap_or_default();
    let Some(set) = retention.set else { return Ok(false) };
    for kind in EXPIRING.iter().flatten() {
        if let Some(days) = (kind.days)(&retention)
            && (kind.is_due)(store, of, &Terms::of(store, of, (days, set), newest, now)?)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_first_expired<R: Expires>(store: &Store, of: BusinessId, terms: &Terms) -> Result<bool, StoreError> {
    let first = store.records::<R>(&R::range(of, terms), Order::Ascending).next().transpose()?;
    let Some((key, mut record)) = first else { return Ok(false) };
    Ok(matches!(record.age(&key, terms)?, Age::IsExpired))
}

struct Terms {
    now: Timestamp,
    kept: TimeDelta,
    /// By steady time, records with this id or a smaller id are old enough to be deleted.
    noted: Option<Uuid>,
    newest: Option<AuditId>,
    set: RetentionSet,
    steady_now: Timestamp,
}

impl Terms {
    fn of(
        store: &Store,
        of: BusinessId,
        (days, set): (u32, RetentionSet),
        newest: Option<AuditId>,
        (now, steady): (Timestamp, SteadyTime),
    ) -> Result<Self, StoreError> {
        let kept = TimeDelta::days(days.into());
        let noted = noted_until(store, of, steady - kept)?.map(|(_, newest)| newest.uuid());
        Ok(Self { now, kept, noted, newest, set, steady_now: set.time_at(steady) })
    }

    fn is_expired(&self, id: Uuid, stamp: Timestamp) -> bool {
        let by_wall = stamp + self.kept <= self.now || stamp > self.now;
        let was_there = id < self.set.before && stamp + self.kept <= self.steady_now;
        by_wall && (was_there || self.noted.is_some_and(|noted| id <= noted))
    }

    fn ended_by(&self) -> Timestamp {
        self.now.min(self.steady_now) - self.kept
    }
}

struct Expiry<'a> {
    state: &'a State,
    terms: Terms,
    looked_at: usize,
    bytes: usize,
    made: Step,
}

impl Expiry<'_> {
    /// Reads the records of a kind, including changes that are not durable yet, and adds the deletions of expired
    /// records to the step. Undecodable records are kept.
    fn look<R: Expires>(&mut self) -> Result<bool, StoreError> {
        let state = self.state;
        for row in state.store.scan(&R::range(state.id, &self.terms), Order::Ascending) {
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
            let record = state.store.find_in::<R>(&key, newest)?;
            if let Some(mut record) = record {
                match record.age(&key, &self.terms)? {
                    Age::IsNewer => return Ok(true),
                    Age::Stays => {}
                    Age::IsExpired => {
                        self.made.count::<R>();
                        self.made.writes.push(record.deletion(state.id));
                        self.bytes += value.len();
                    }
                }
            }
            self.looked_at += 1;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_at_every_place_among_the_marks() {
        let all: [Option<Expiring>; 3] = [
            declare!(@kind CallRecord [expires calls_days] [personal 3] [hot]),
            declare!(@kind CallRecord [hot] [expires calls_days] [personal 3]),
            declare!(@kind CallRecord [personal 3] [hot] [expires calls_days]),
        ];
        assert!(all.iter().all(Option::is_some));
        let unmarked: Option<Expiring> = declare!(@kind CallRecord [personal 3] [hot]);
        assert!(unmarked.is_none());
    }
}
