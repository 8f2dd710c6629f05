//! Limits for submitted forms and for exports.
//!
//! Invariants: a form counts against the person who sends it, and against a business only if that person is a
//! member.

use std::hash::Hash;
use std::net::IpAddr;

use chrono::TimeDelta;
use domain::{BusinessId, PersonId, Timestamp};
use engine::window::{Rate, Windows};
use parking_lot::Mutex;

/// Forms per minute and business.
const OF_BUSINESS: u32 = 1_200;
/// Forms per minute and network (an IPv4 address or an IPv6 /64), without a valid session.
const OF_NETWORK: u32 = 60;
/// Exports per hour and person.
const EXPORTS: u32 = 10;

pub(super) struct Limits {
    pub(super) people: Limit<PersonId>,
    pub(super) businesses: Limit<BusinessId>,
    pub(super) networks: Limit<IpAddr>,
    pub(super) exports: Limit<PersonId>,
}

pub(super) struct Limit<K: Eq + Hash>(Mutex<Windows<K>>);

impl Limits {
    pub(super) fn new(of_person: u32) -> Self {
        Self {
            people: Limit::new(of_person, TimeDelta::minutes(1)),
            businesses: Limit::new(OF_BUSINESS, TimeDelta::minutes(1)),
            networks: Limit::new(OF_NETWORK, TimeDelta::minutes(1)),
            exports: Limit::new(EXPORTS, TimeDelta::hours(1)),
        }
    }
}

impl<K: Eq + Hash> Limit<K> {
    fn new(count: u32, within: TimeDelta) -> Self {
        Self(Mutex::new(Windows::fixed(Rate { count, within })))
    }

    /// Counts an event of this key.
    ///
    /// # Errors
    /// Returns the number of seconds until the next window if the limit is reached.
    pub(super) fn count(&self, who: K, now: Timestamp) -> Result<(), u64> {
        let counted = self.0.lock().count(who, now);
        counted.map(|_| ()).map_err(|free| (free - now).num_milliseconds().unsigned_abs().div_ceil(1_000))
    }
}
