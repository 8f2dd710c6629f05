//! The limits on submitted forms and online bookings. The counts are in memory.
//!
//! Invariants:
//! - A form that the limit on forms refuses counts towards no limit.
//! - Any other form counts towards the limit on forms, even if another limit refuses the form or if its booking fails.
//! - A booking that is refused or fails does not count towards the limits on bookings.

use std::net::IpAddr;

use chrono::TimeDelta;
use domain::{BusinessId, Email, Phone, ResourceId, Timestamp, mailbox};
use engine::window::{Rate, Windows};
use sha2::{Digest, Sha256};

use crate::server::network;

/// The limit on valid forms from one IPv4 address or IPv6 /64.
const FORMS: Rate = Rate { count: 10, within: TimeDelta::hours(1) };
/// The limit on bookings that one client (an IPv4 address or IPv6 /64) makes at one business with the same phone number
/// or email address.
const OF_PERSON: Rate = Rate { count: 3, within: TimeDelta::hours(24) };
/// The limit on online bookings at one business, on the booking page and in the chat of its website.
const OF_BUSINESS: Rate = Rate { count: 100, within: TimeDelta::hours(1) };

pub(in crate::book) struct Limits {
    forms: Windows<IpAddr>,
    /// The counts for [`OF_PERSON`], by the SHA-256 of the business, the client's address, and the phone number or
    /// email address.
    persons: Windows<[u8; 32]>,
    businesses: Windows<BusinessId>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            forms: Windows::sliding(&[FORMS]),
            persons: Windows::sliding(&[OF_PERSON]),
            businesses: Windows::sliding(&[OF_BUSINESS]),
        }
    }
}

/// A booking that was counted. If the booking fails, [`Limits::take_back`] removes it from the counts.
pub(in crate::book) struct Counted {
    business: BusinessId,
    persons: Vec<[u8; 32]>,
    at: Timestamp,
}

impl Limits {
    /// Counts a booking. If `by_form` is true, also counts the form that requested the booking. If a limit is reached,
    /// the error is the number of seconds to wait.
    pub(in crate::book) fn count(
        &mut self,
        (business, by_form): (BusinessId, bool),
        address: IpAddr,
        (phone, email): (Option<&Phone>, Option<&Email>),
        now: Timestamp,
    ) -> Result<Counted, u64> {
        let address = network(address);
        let phone = phone.map(|phone| phone.as_str().to_owned());
        let entered = [phone, email.map(|email| mailbox(email))].into_iter().flatten();
        let persons: Vec<[u8; 32]> = entered
            .map(|entered| {
                let digest = Sha256::new().chain_update(business.uuid().as_bytes());
                // The kind of `entered` is not digested. Only email addresses contain `@`, so a phone number and an
                // email address never have the same digest.
                digest
                    .chain_update(address.to_string())
                    .chain_update([0])
                    .chain_update(entered)
                    .finalize()
                    .into()
            })
            .collect();
        let of_forms = self.forms.free_at(&address, now).filter(|_| by_form);
        let of_persons = persons.iter().filter_map(|person| self.persons.free_at(person, now)).max();
        if by_form && of_forms.is_none() {
            self.forms.note(address, now);
        }
        let free = of_forms.max(of_persons).max(self.businesses.free_at(&business, now));
        if let Some(free) = free {
            return Err((free - now).num_milliseconds().unsigned_abs().div_ceil(1_000));
        }
        persons.iter().for_each(|person| _ = self.persons.note(*person, now));
        self.businesses.note(business, now);
        Ok(Counted { business, persons, at: now })
    }

    /// Removes a failed booking from the counts of its business and its person. The form that requested the booking
    /// stays counted.
    pub(super) fn take_back(&mut self, counted: &Counted) {
        counted.persons.iter().for_each(|person| self.persons.take_back(person, counted.at));
        self.businesses.take_back(&counted.business, counted.at);
    }
}
