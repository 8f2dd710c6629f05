//! Due times and local outages of endpoints, and the removal of idle endpoints from memory.

use std::ops::Bound;
use std::time::Duration;

use super::super::standing::{CutOff, Endpoint, Moment};
use super::Fair;
use crate::delivery::EndpointKey;

/// An endpoint without waiting deliveries is forgotten this long after its last activity.
pub(in crate::delivery::dispatch) const REMEMBERED: Duration = Duration::from_secs(600);

const SWEPT_PER_STEP: usize = 256;

impl Fair {
    /// A local outage holds an endpoint back until it is released. An endpoint that is woken and held back
    /// again keeps its first position.
    pub(in crate::delivery::dispatch) fn cut_off(&mut self, key: EndpointKey, now: Moment) {
        if self.stopped {
            return;
        }
        self.plan(key, 0, None, now);
        let turn = self.turns;
        let endpoint = self.planned(key);
        let since = if let CutOff::Woken(since) = endpoint.cut_off { since } else { turn };
        endpoint.cut_off = CutOff::Held(since);
        self.cut_off.insert((since, key));
    }

    /// Wakes up to `most` held-back endpoints, those with the longest wait first.
    pub(in crate::delivery::dispatch) fn release(&mut self, most: usize, now: Moment) {
        for _ in 0..most {
            let Some((_, key)) = self.cut_off.first().copied() else { return };
            self.plan(key, 1, None, now);
            self.planned(key).cut_off = CutOff::No;
        }
    }

    /// Registers waiting deliveries that a read of the store has found. Information that is already in memory
    /// is newer and stays.
    pub(in crate::delivery::dispatch) fn register(
        &mut self,
        key: EndpointKey,
        until: Moment,
        failed_before: bool,
        now: Moment,
    ) {
        if failed_before {
            self.business(
                key.business,
                |business| {
                    let endpoint =
                        business.endpoints.entry(key.endpoint).or_insert_with(|| Endpoint::new(now));
                    endpoint.note_failed_before();
                },
                now,
            );
        }
        if self.endpoint(key).is_none_or(Endpoint::waits_for_nothing) {
            self.plan(key, 0, Some(until), now);
        }
    }

    /// Lets up to `most` due endpoints ask for a permit. Returns whether more are due.
    pub(in crate::delivery::dispatch) fn tick(&mut self, most: usize, by: Moment, now: Moment) -> bool {
        let first = |fair: &Self| fair.due.first().copied().filter(|(due, _)| *due <= by);
        for _ in 0..most {
            let Some((_, key)) = first(self) else { return false };
            self.plan(key, 1, None, now);
        }
        first(self).is_some()
    }

    /// Forgets idle endpoints, in steps over the businesses. Returns whether the sweep is complete.
    pub(in crate::delivery::dispatch) fn sweep(&mut self, now: Moment) -> bool {
        let from = self.swept.take().map_or(Bound::Unbounded, Bound::Excluded);
        let (mut looked_at, mut empty) = (0, Vec::new());
        for (id, business) in self.businesses.range_mut((from, Bound::Unbounded)) {
            if looked_at >= SWEPT_PER_STEP {
                break;
            }
            looked_at += business.endpoints.len().max(1);
            self.swept = Some(*id);
            business.endpoints.retain(|_, endpoint| {
                !endpoint.waits_for_nothing() || now.saturating_sub(endpoint.seen) < REMEMBERED
            });
            if business.endpoints.is_empty() {
                empty.push(*id);
            }
        }
        for id in empty {
            self.businesses.remove(&id);
        }
        if looked_at < SWEPT_PER_STEP {
            self.swept = None;
        }
        self.swept.is_none()
    }
}
