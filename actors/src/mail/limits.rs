//! How many mails of a kind somebody may be sent in a time (contract, second part, §3). Pure: the instants are given.
//!
//! What always holds: a table holds at most so many; while it is full of those that still count, somebody new is over
//! the limit rather than uncounted. It lies in memory: after a start everybody has their whole allowance again.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use chrono::TimeDelta;

use crate::domain::{BusinessId, Timestamp};

/// So many in so long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rate {
    pub(super) count: usize,
    pub(super) within: TimeDelta,
}

/// Alerts that are sent at once to a person; the rest is gathered.
pub(super) const ALERTS: Rate = Rate { count: 20, within: TimeDelta::hours(1) };
/// Invitations of a business.
pub(super) const INVITATIONS: Rate = Rate { count: 20, within: TimeDelta::days(1) };
/// Invitations to an address.
pub(super) const INVITATIONS_TO: Rate = Rate { count: 3, within: TimeDelta::days(1) };
/// Forgotten passwords of an email.
pub(super) const FORGOTTEN: [Rate; 2] =
    [Rate { count: 1, within: TimeDelta::minutes(10) }, Rate { count: 5, within: TimeDelta::days(1) }];
/// Forgotten passwords that are asked for from a source address.
pub(super) const FORGOTTEN_FROM: Rate = Rate { count: 20, within: TimeDelta::hours(1) };
/// How many persons, emails or addresses a table counts.
pub(super) const COUNTED_MAX: usize = 65_536;

/// What was sent of late, by whom it is counted.
#[derive(Debug)]
pub(super) struct Counted<K> {
    rates: Vec<Rate>,
    max: usize,
    of: HashMap<K, VecDeque<Timestamp>>,
}

impl<K: Eq + Hash + Clone> Counted<K> {
    /// Nothing was sent, and all of these rates hold.
    pub(super) fn new(rates: &[Rate]) -> Self {
        Self { rates: rates.to_vec(), max: COUNTED_MAX, of: HashMap::new() }
    }

    /// When one more may be sent, if not now.
    pub(super) fn free_at(&mut self, key: &K, now: Timestamp) -> Option<Timestamp> {
        if !self.of.contains_key(key) && self.of.len() >= self.max {
            self.forget(now);
            if self.of.len() >= self.max {
                return Some(now + self.longest());
            }
        }
        let sent = self.of.get(key)?;
        let over = self.rates.iter().filter_map(|rate| {
            let oldest = *sent.get(sent.len().checked_sub(rate.count)?)?;
            // What a clock that was ahead has noted says nothing.
            Some(oldest + rate.within).filter(|free| *free > now && oldest <= now)
        });
        over.max()
    }

    /// Counts one that is sent now.
    pub(super) fn note(&mut self, key: K, now: Timestamp) {
        let most = self.rates.iter().map(|rate| rate.count).max().unwrap_or_default();
        let sent = self.of.entry(key).or_default();
        sent.push_back(now);
        while sent.len() > most {
            sent.pop_front();
        }
    }

    /// Forgets those who have their whole allowance.
    pub(super) fn forget(&mut self, now: Timestamp) {
        let longest = self.longest();
        self.of.retain(|_, sent| sent.back().is_some_and(|last| *last <= now && *last + longest > now));
    }

    fn longest(&self) -> TimeDelta {
        self.rates.iter().map(|rate| rate.within).max().unwrap_or_default()
    }
}

/// What becomes of it that somebody asks for a new password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgotten {
    /// A mail may be sent, if the email is anybody's.
    Send,
    /// The email had one of late: nothing is sent, nothing voided, and the answer is the same.
    Repeated,
    /// The source address has asked too often: it may again at this instant.
    TooMany(Timestamp),
}

/// What may be asked for by whom.
#[derive(Debug)]
pub(super) struct Allowances {
    of_business: Counted<BusinessId>,
    to_address: Counted<String>,
    of_email: Counted<String>,
    of_source: Counted<String>,
}

impl Allowances {
    pub(super) fn new() -> Self {
        Self {
            of_business: Counted::new(&[INVITATIONS]),
            to_address: Counted::new(&[INVITATIONS_TO]),
            of_email: Counted::new(&FORGOTTEN),
            of_source: Counted::new(&[FORGOTTEN_FROM]),
        }
    }

    /// Counts an invitation; one that is refused is not counted, and it is told when one may be sent.
    pub(super) fn invitation(&mut self, of: BusinessId, to: &str, now: Timestamp) -> Result<(), Timestamp> {
        let to = to.to_lowercase();
        let free = self.of_business.free_at(&of, now).max(self.to_address.free_at(&to, now));
        if let Some(free) = free {
            return Err(free);
        }
        self.of_business.note(of, now);
        self.to_address.note(to, now);
        Ok(())
    }

    /// Counts that somebody asks for a new password. Known emails and others are counted alike.
    pub(super) fn forgotten(&mut self, email: &str, source: &str, now: Timestamp) -> Forgotten {
        if let Some(free) = self.of_source.free_at(&source.to_owned(), now) {
            return Forgotten::TooMany(free);
        }
        self.of_source.note(source.to_owned(), now);
        let email = email.to_lowercase();
        if self.of_email.free_at(&email, now).is_some() {
            return Forgotten::Repeated;
        }
        self.of_email.note(email, now);
        Forgotten::Send
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::testing::business;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_millis(minutes * 60_000)
    }

    /// How many of so many a minute apart are within the rates.
    fn within(counted: &mut Counted<u8>, minutes: std::ops::Range<i64>) -> usize {
        let mut count = 0;
        for minute in minutes {
            if counted.free_at(&1, at(minute)).is_none() {
                counted.note(1, at(minute));
                count += 1;
            }
        }
        count
    }

    #[test]
    fn each_rate_of_the_contract_lets_through_as_many_as_it_says() {
        let day = 24 * 60;
        for (rates, minutes, expected) in [
            (&[ALERTS][..], 0..60, 20),
            (&[ALERTS], 0..120, 40),
            (&[INVITATIONS], 0..day, 20),
            (&[INVITATIONS_TO], 0..day, 3),
            (&[INVITATIONS_TO], 0..day + 3, 6),
            (&FORGOTTEN, 0..10, 1),
            (&FORGOTTEN, 0..11, 2),
            (&FORGOTTEN, 0..day, 5),
            (&[FORGOTTEN_FROM], 0..60, 20),
        ] {
            assert_eq!(within(&mut Counted::new(rates), minutes.clone()), expected, "{rates:?} {minutes:?}");
        }
    }

    #[test]
    fn it_is_told_when_the_next_one_may_go_and_others_are_not_held_up() {
        let mut counted = Counted::new(&FORGOTTEN);
        counted.note(1, at(0));
        assert_eq!(counted.free_at(&1, at(4)), Some(at(10)));
        assert_eq!(counted.free_at(&2, at(4)), None);
        assert_eq!(counted.free_at(&1, at(10)), None);
    }

    #[test]
    fn a_full_table_refuses_who_is_new_until_somebody_is_forgotten() {
        let mut counted = Counted { max: 2, ..Counted::new(&[FORGOTTEN_FROM]) };
        counted.note(1, at(0));
        counted.note(2, at(30));
        assert!(counted.free_at(&3, at(31)).is_some());
        assert_eq!(counted.free_at(&1, at(31)), None, "who is known goes on");
        assert_eq!(counted.free_at(&3, at(60)), None);
        assert_eq!(counted.of.len(), 1);
    }

    #[test]
    fn what_a_clock_of_the_future_has_noted_holds_nobody_up() {
        let mut counted = Counted::new(&[FORGOTTEN[0]]);
        counted.note(1, at(1_000_000));
        assert_eq!(counted.free_at(&1, at(0)), None);
    }

    #[test]
    fn an_invitation_counts_for_its_business_and_its_address_and_a_refused_one_for_neither() {
        let mut allowances = Allowances::new();
        let (one, two) = (business(1), business(2));
        for number in 0..3 {
            assert_eq!(allowances.invitation(one, "A@x.example", at(number)), Ok(()));
        }
        assert_eq!(allowances.invitation(two, "a@X.example", at(3)), Err(at(24 * 60)));
        for number in 3..20 {
            assert_eq!(allowances.invitation(one, &format!("{number}@x.example"), at(number)), Ok(()));
        }
        assert_eq!(allowances.invitation(one, "b@x.example", at(20)), Err(at(24 * 60)));
        assert_eq!(
            allowances.invitation(two, "b@x.example", at(20)),
            Ok(()),
            "the other one was not counted"
        );
    }

    #[test]
    fn a_repeated_question_for_a_new_password_sends_nothing_and_counts_for_its_source() {
        let mut allowances = Allowances::new();
        assert_eq!(allowances.forgotten("a@x.example", "192.0.2.1", at(0)), Forgotten::Send);
        for minute in 1..10 {
            assert_eq!(allowances.forgotten("A@x.example", "192.0.2.1", at(minute)), Forgotten::Repeated);
        }
        assert_eq!(allowances.forgotten("a@x.example", "192.0.2.1", at(10)), Forgotten::Send);
        for number in 11..20 {
            let email = format!("{number}@x.example");
            assert_eq!(allowances.forgotten(&email, "192.0.2.1", at(20)), Forgotten::Send);
        }
        assert_eq!(allowances.forgotten("z@x.example", "192.0.2.1", at(20)), Forgotten::TooMany(at(60)));
        assert_eq!(allowances.forgotten("z@x.example", "192.0.2.2", at(20)), Forgotten::Send);
    }
}
