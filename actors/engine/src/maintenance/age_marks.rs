//! The age of records by steady time, and the *hourly rounds*. In a round, a job passes over a log and deletes the
//! expired records.

use chrono::TimeDelta;
use domain::{AuditId, BusinessId, ResourceId, SteadyTime};
use store::keys::kind;
use store::{Batch, Key, KeyRange, Order, Store, StoreError, keys};

/// The interval between the starts of two rounds, in steady time.
const ROUND_EVERY: TimeDelta = TimeDelta::hours(1);
const AGE_EVERY: TimeDelta = TimeDelta::days(1);

/// An *age mark* is a steady time and the newest id at this time. Records with this id or a smaller id already existed
/// then.
#[derive(Debug)]
pub(crate) struct AgeMarks {
    /// The id of the newest audit entry. No record of the business has a greater id.
    pub(crate) newest: Option<AuditId>,
    noted: Option<(SteadyTime, AuditId)>,
}

impl AgeMarks {
    pub(crate) fn load(store: &Store, of: BusinessId, newest: Option<AuditId>) -> Result<Self, StoreError> {
        Ok(Self { newest, noted: last_of(store, &keys::of_kind(of, kind::AGE))? })
    }

    pub(super) fn is_due(&self, now: SteadyTime) -> bool {
        let Some(newest) = self.newest else { return false };
        // After a crash, `now` can be earlier than the previous mark. Then no mark is due, because each mark must be
        // later than the previous mark.
        self.noted.is_none_or(|(at, id)| now - at >= AGE_EVERY && id != newest)
    }

    pub(super) fn note(&mut self, of: BusinessId, now: SteadyTime, batch: &mut Batch) {
        if let Some(newest) = self.newest.filter(|_| self.is_due(now)) {
            batch.put(keys::age(of, now), newest.uuid().as_bytes().to_vec());
            self.noted = Some((now, newest));
        }
    }
}

/// The age of a row, in a scan that reads rows in the order of their creation.
pub(super) enum Age {
    IsExpired,
    /// This row must be kept, but later rows may be expired, so the scan continues.
    Stays,
    /// This row and all later rows must be kept, so the scan ends.
    IsNewer,
}

#[derive(Debug, Default)]
pub(crate) struct HourlyRound {
    began: Option<SteadyTime>,
    /// The last row that the current round has read. It is `None` between two rounds.
    pub(super) at: Option<Key>,
}

impl HourlyRound {
    pub(super) fn is_under_way(&mut self, now: SteadyTime) -> bool {
        let rests = self.began.is_some_and(|began| (TimeDelta::zero()..ROUND_EVERY).contains(&(now - began)));
        if self.at.is_none() && !rests {
            self.began = Some(now);
        }
        self.at.is_some() || !rests
    }
}

/// The newest age mark whose steady time is at or before `until`.
pub(super) fn noted_until(
    store: &Store,
    of: BusinessId,
    until: SteadyTime,
) -> Result<Option<(SteadyTime, AuditId)>, StoreError> {
    last_of(store, &keys::ages_until(of, until))
}

fn last_of(store: &Store, range: &KeyRange) -> Result<Option<(SteadyTime, AuditId)>, StoreError> {
    let mut points =
        store.walk(range, Order::Descending, |key, id| Ok((keys::age_at(key)?, keys::id_at_end(id)?)));
    Ok(points.next().transpose()?.map(|(_, point)| point))
}
