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

use crate::server::network;

/// Forms per minute and business.
const OF_BUSINESS: u32 = 1_200;
/// Forms per minute and network (an IPv4 address or an IPv6 /64), without a valid session.
const OF_ADDRESS: u32 = 60;
/// Exports per hour and person.
const EXPORTS: u32 = 10;

/// Counters per window. The error is the number of seconds until the next window.
pub(super) struct Limits {
    people: Mutex<Windows<PersonId>>,
    businesses: Mutex<Windows<BusinessId>>,
    addresses: Mutex<Windows<IpAddr>>,
    exports: Mutex<Windows<PersonId>>,
}

impl Limits {
    pub(super) fn new(of_person: u32) -> Self {
        Self {
            people: windows(of_person, TimeDelta::minutes(1)),
            businesses: windows(OF_BUSINESS, TimeDelta::minutes(1)),
            addresses: windows(OF_ADDRESS, TimeDelta::minutes(1)),
            exports: windows(EXPORTS, TimeDelta::hours(1)),
        }
    }

    pub(super) fn person(&self, person: PersonId, now: Timestamp) -> Result<(), u64> {
        count(&self.people, person, now)
    }

    pub(super) fn business(&self, business: BusinessId, now: Timestamp) -> Result<(), u64> {
        count(&self.businesses, business, now)
    }

    pub(super) fn address(&self, address: IpAddr, now: Timestamp) -> Result<(), u64> {
        count(&self.addresses, network(address), now)
    }

    pub(super) fn export(&self, person: PersonId, now: Timestamp) -> Result<(), u64> {
        count(&self.exports, person, now)
    }
}

fn windows<K: Eq + Hash>(count: u32, within: TimeDelta) -> Mutex<Windows<K>> {
    Mutex::new(Windows::fixed(Rate { count, within }))
}

fn count<K: Eq + Hash>(windows: &Mutex<Windows<K>>, who: K, now: Timestamp) -> Result<(), u64> {
    let counted = windows.lock().count(who, now);
    counted.map(|_| ()).map_err(|free| (free - now).num_milliseconds().unsigned_abs().div_ceil(1_000))
}
