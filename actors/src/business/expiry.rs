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
use serde::Serialize;
use uuid::Uuid;

use super::ages::noted_until;
use super::state::State;
use super::write::Write;
use crate::domain::{
    Appointment, AuditId, CallId, CallRecord, MessageId, ResourceId, RetentionSet, TakenMessage, Timestamp,
};
use crate::store::keys::kind;
use crate::store::records::AuditRecord;
use crate::store::{Batch, Key, KeyRange, Order, Record, StoreError, keys};

/// How many records one step looks at.
const ROWS_MAX: usize = 256;
/// How many bytes of records one step reads before it ends.
const BYTES_MAX: usize = 256 << 10;
/// How long the longest appointment takes.
const APPOINTMENT_MAX: TimeDelta = TimeDelta::days(1);

/// How many records of each kind have gone. Entries of the audit log are not counted: to tell of them takes another one,
/// which would go in its time, and so for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Expired {
    appointments: u64,
    calls: u64,
    messages: u64,
}

/// What a step comes to.
#[derive(Default)]
pub(super) struct Stepped {
    pub(super) writes: Vec<Write>,
    pub(super) expired: Expired,
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
            let kept = TimeDelta::days(i64::from(*days));
            let noted = noted_until(&state.store, state.id, state.clocks.steady() - kept)?;
            let noted = noted.map(|(_, newest)| newest.uuid());
            let steady_now = set.told_by(state.clocks.steady());
            let mut step = Step { state, now, kept, noted, set, steady_now, looked_at, bytes, stepped };
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

/// One step through records of one kind.
struct Step<'a> {
    state: &'a State,
    now: Timestamp,
    kept: TimeDelta,
    /// What has no greater id was there so long ago, by steady time.
    noted: Option<Uuid>,
    set: RetentionSet,
    /// What time it is as steady time tells it.
    steady_now: Timestamp,
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
            0 => self.calls(),
            1 => self.messages(),
            2 => self.appointments(),
            _ => self.audit(),
        }
    }

    /// Whether the time of something is over that bears this stamp and id, by both clocks.
    fn is_expired(&self, id: Uuid, stamp: Timestamp) -> bool {
        let by_wall = stamp + self.kept <= self.now || stamp > self.now;
        let was_there = id < self.set.before && stamp + self.kept <= self.steady_now;
        by_wall && (was_there || self.noted.is_some_and(|noted| id <= noted))
    }

    /// Looks at the records of a range, as the newest decision left them; whether it is through with them.
    fn each(
        &mut self,
        range: KeyRange,
        mut look: impl FnMut(&mut Self, Key, &[u8]) -> Result<Found, StoreError>,
    ) -> Result<bool, StoreError> {
        let state = self.state;
        for row in state.store.scan(&range, Order::Ascending) {
            if self.looked_at >= ROWS_MAX || self.bytes >= BYTES_MAX {
                return Ok(false);
            }
            let (key, value) = row?;
            let key = Key::new(&key);
            let found = match state.overlay.get(&key) {
                Some(Some(newer)) => look(self, key, newer)?,
                Some(None) => continue,
                None => look(self, key, &value)?,
            };
            match found {
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

    fn calls(&mut self) -> Result<bool, StoreError> {
        self.each(keys::of_kind(self.state.id, kind::CALL), |step, key, value| {
            let Some(call) = decoded::<CallRecord>(&key, value) else { return Ok(Found::Stays) };
            if !step.is_expired(keys::id_at_end::<CallId>(&key)?.uuid(), call.created_at) {
                return Ok(Found::IsNewer);
            }
            step.stepped.expired.calls += 1;
            step.stepped.writes.push(Write::NoCall(call));
            Ok(Found::IsExpired)
        })
    }

    fn messages(&mut self) -> Result<bool, StoreError> {
        self.each(keys::of_kind(self.state.id, kind::MESSAGE), |step, key, value| {
            let Some(message) = decoded::<TakenMessage>(&key, value) else { return Ok(Found::Stays) };
            if !step.is_expired(keys::id_at_end::<MessageId>(&key)?.uuid(), message.created_at) {
                return Ok(Found::IsNewer);
            }
            step.stepped.expired.messages += 1;
            step.stepped.writes.push(Write::NoMessage(message));
            Ok(Found::IsExpired)
        })
    }

    fn appointments(&mut self) -> Result<bool, StoreError> {
        let until = self.now.min(self.steady_now) - self.kept;
        let range = keys::appointments_starting(self.state.id, Timestamp::MIN, until);
        self.each(range, |step, key, value| {
            let Some(appointment) = decoded::<Appointment>(&key, value) else { return Ok(Found::Stays) };
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
        let is_through = self.each(keys::of_kind(of, kind::AUDIT), |step, key, value| {
            let id = keys::id_at_end::<AuditId>(&key)?;
            if step.state.ages.newest.is_none_or(|newest| id >= newest) {
                return Ok(Found::IsNewer);
            }
            let Some(record) = decoded::<AuditRecord>(&key, value) else { return Ok(Found::Stays) };
            if !step.is_expired(id.uuid(), record.entry.at) {
                return Ok(Found::IsNewer);
            }
            rows.delete_whole(key, value.len());
            Ok(Found::IsExpired)
        })?;
        if !rows.is_empty() {
            self.stepped.writes.push(Write::Rows(rows));
        }
        Ok(is_through)
    }
}

/// A record; one that cannot be read stays.
fn decoded<R: Record>(key: &Key, value: &[u8]) -> Option<R> {
    R::decode(value)
        .inspect_err(|error| tracing::error!(store.key = ?key, %error, "a row cannot be read, so it stays"))
        .ok()
}
