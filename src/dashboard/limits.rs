//! How often people may send forms and begin exports.
//!
//! Invariants: a form counts against the person who sends it, and against a business only if that person is a member.

use std::net::IpAddr;

use actors::domain::{BusinessId, PersonId, Timestamp};
use actors::tally::{Counted, Tally};

use crate::server::network;

const MINUTE_MILLIS: i64 = 60_000;
const HOUR_MILLIS: i64 = 60 * MINUTE_MILLIS;

/// Forms a minute to one business.
const OF_BUSINESS: u32 = 1_200;
/// Forms a minute from one address (IPv6: one network of 64 bits), without a valid session.
const OF_ADDRESS: u32 = 60;
/// Exports an hour of one person.
const EXPORTS: u32 = 10;
/// How many people, businesses or addresses are counted at once. Any further one is refused.
const COUNTED_MAX: usize = 65_536;

/// What was sent lately. What is beyond a limit is refused with the seconds until the next window.
pub(super) struct Limits {
    people: Tally<PersonId>,
    businesses: Tally<BusinessId>,
    addresses: Tally<IpAddr>,
    exports: Tally<PersonId>,
}

impl Limits {
    /// Limits with so many forms a minute for each person.
    pub(super) fn new(of_person: u32) -> Self {
        Self {
            people: Tally::new(of_person, MINUTE_MILLIS, COUNTED_MAX),
            businesses: Tally::new(OF_BUSINESS, MINUTE_MILLIS, COUNTED_MAX),
            addresses: Tally::new(OF_ADDRESS, MINUTE_MILLIS, COUNTED_MAX),
            exports: Tally::new(EXPORTS, HOUR_MILLIS, COUNTED_MAX),
        }
    }

    /// Counts a form of somebody with a session.
    pub(super) fn person(&self, person: PersonId, now: Timestamp) -> Result<(), u64> {
        count(&self.people, person, now)
    }

    /// Counts a form of a member of this business.
    pub(super) fn business(&self, business: BusinessId, now: Timestamp) -> Result<(), u64> {
        count(&self.businesses, business, now)
    }

    /// Counts a form without a valid session.
    pub(super) fn address(&self, address: IpAddr, now: Timestamp) -> Result<(), u64> {
        count(&self.addresses, network(address), now)
    }

    /// Counts an export.
    pub(super) fn export(&self, person: PersonId, now: Timestamp) -> Result<(), u64> {
        count(&self.exports, person, now)
    }
}

fn count<K: Eq + std::hash::Hash>(tally: &Tally<K>, who: K, now: Timestamp) -> Result<(), u64> {
    match tally.count(who, now) {
        Counted::Within(_) => Ok(()),
        Counted::Over | Counted::Full => Err(tally.millis_left(now).unsigned_abs().div_ceil(1_000)),
    }
}
