//! How old things are by steady time, and how far the round has come that deletes what has outlived its time.

use chrono::TimeDelta;
use domain::{AuditId, BusinessId, ResourceId, SteadyTime};
use store::keys::kind;
use store::{Batch, Key, KeyRange, Order, Store, StoreError, keys};

/// How far apart, in steady time, the rounds through the log begin.
const ROUND_EVERY: TimeDelta = TimeDelta::hours(1);
/// How far apart, in steady time, the points are at which the newest id is noted.
const AGE_EVERY: TimeDelta = TimeDelta::days(1);

/// What was made until when: ids grow, so what was there at a point of steady time has no id above the newest of then.
#[derive(Debug)]
pub(crate) struct Ages {
    /// The newest id of the audit log, the greatest of the business: it is minted last.
    pub(super) newest: Option<AuditId>,
    /// The last point of steady time at which the newest id was noted, and that id.
    noted: Option<(SteadyTime, AuditId)>,
}

impl Ages {
    /// What the store knows of a business with this newest id.
    pub(super) fn load(store: &Store, of: BusinessId, newest: Option<AuditId>) -> Result<Self, StoreError> {
        Ok(Self { newest, noted: last_of(store, &keys::of_kind(of, kind::AGE))? })
    }

    /// Whether it is time to note the newest id, and there is something new.
    pub(super) fn is_due(&self, now: SteadyTime) -> bool {
        let Some(newest) = self.newest else { return false };
        // A count that a crash has set back must not be noted behind what was noted before it.
        self.noted.is_none_or(|(at, id)| now - at >= AGE_EVERY && id != newest)
    }

    /// Notes the newest id if it is due.
    pub(super) fn note(&mut self, of: BusinessId, now: SteadyTime, batch: &mut Batch) {
        if let Some(newest) = self.newest.filter(|_| self.is_due(now)) {
            batch.put(keys::age(of, now), newest.uuid().as_bytes().to_vec());
            self.noted = Some((now, newest));
        }
    }
}

/// The round through the log that is under way, or the last one.
#[derive(Debug, Default)]
pub(crate) struct Round {
    began: Option<SteadyTime>,
    /// The row that it looked at last, unless it has ended.
    pub(super) at: Option<Key>,
}

impl Round {
    /// Whether there is one, which begins if it is time.
    pub(super) fn is_under_way(&mut self, now: SteadyTime) -> bool {
        let rests = self.began.is_some_and(|began| (TimeDelta::zero()..ROUND_EVERY).contains(&(now - began)));
        if self.at.is_some() {
            return true;
        }
        if !rests {
            self.began = Some(now);
        }
        !rests
    }
}

/// The point of steady time up to this one at which the newest id was noted last, and that id.
pub(super) fn noted_until(
    store: &Store,
    of: BusinessId,
    until: SteadyTime,
) -> Result<Option<(SteadyTime, AuditId)>, StoreError> {
    last_of(store, &keys::ages_until(of, until))
}

/// The last of these points that can be read.
fn last_of(store: &Store, range: &KeyRange) -> Result<Option<(SteadyTime, AuditId)>, StoreError> {
    let mut points =
        store.walk(range, Order::Descending, |key, id| Ok((keys::age_at(key)?, keys::id_at_end(id)?)));
    Ok(points.next().transpose()?.map(|(_, point)| point))
}
