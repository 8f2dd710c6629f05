//! Limits on the number of mails of each kind. The module is pure: the caller passes the instants. The counts
//! are only in memory, so a restart resets them.

use std::hash::Hash;
use std::net::IpAddr;

use chrono::TimeDelta;
use domain::{BusinessId, PersonId, Timestamp, Wait, fold_address};

use crate::sources::Sources;
use crate::window::{Rate, Windows};

/// The maximum number of waiting mails of a business. Further alerts are shown in the dashboard only.
pub(crate) const WAITING_MAX: u64 = 100_000;
/// The limit on immediate alert mails to a person. Further alerts are gathered into one mail.
pub(super) const ALERTS: Rate = Rate { count: 20, within: TimeDelta::hours(1) };
pub(super) const INVITATIONS: Rate = Rate { count: 20, within: TimeDelta::days(1) };
pub(super) const INVITATIONS_TO: Rate = Rate { count: 3, within: TimeDelta::days(1) };
/// The limits on reset mails to an email address.
pub(super) const FORGOTTEN: [Rate; 2] =
    [Rate { count: 1, within: TimeDelta::minutes(10) }, Rate { count: 5, within: TimeDelta::days(1) }];
/// The limit on reset requests from an IP address ([`Sources`]).
pub(super) const FORGOTTEN_FROM: Rate = Rate { count: 20, within: TimeDelta::hours(1) };
pub(super) const EMAIL_CHANGES: Rate = Rate { count: 5, within: TimeDelta::days(1) };
/// The limit on confirmation mails to one email address. The service sends a confirmation mail to the address that a
/// person enters as the new address of an account. The limit exists because the address may belong to somebody else.
pub(super) const EMAIL_CHANGES_TO: Rate = Rate { count: 3, within: TimeDelta::days(1) };
pub(super) const TESTS: Rate = Rate { count: 10, within: TimeDelta::hours(1) };

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgotten {
    /// No limit is reached. If an account has the address, a mail is sent.
    Send,
    /// The address recently got a mail, so no mail is sent. The response is the same as for a sent mail.
    Repeated,
    /// The IP address sent too many requests. It may send the next request at this instant.
    TooMany(Timestamp),
}

/// The remaining wait in minutes, or in hours if it is two hours or longer.
pub(crate) fn wait(free: Timestamp, now: Timestamp) -> Wait {
    let minutes = ((free - now).num_milliseconds() + 59_999) / 60_000;
    if minutes < 120 { Wait::Minutes(minutes.max(1)) } else { Wait::Hours((minutes + 59) / 60) }
}

#[derive(Debug)]
pub(crate) struct Allowances {
    of_business: Windows<BusinessId>,
    to_address: Windows<String>,
    of_email: Windows<String>,
    of_source: Sources,
    changes_of: Windows<PersonId>,
    changes_to: Windows<String>,
    tests_of: Windows<PersonId>,
}

impl Allowances {
    pub(super) fn new() -> Self {
        Self {
            of_business: Windows::sliding(&[INVITATIONS]),
            to_address: Windows::sliding(&[INVITATIONS_TO]),
            of_email: Windows::sliding(&FORGOTTEN),
            of_source: Sources::new(FORGOTTEN_FROM),
            changes_of: Windows::sliding(&[EMAIL_CHANGES]),
            changes_to: Windows::sliding(&[EMAIL_CHANGES_TO]),
            tests_of: Windows::sliding(&[TESTS]),
        }
    }

    /// Counts an invitation if no limit is reached. If a limit is reached, the error is the instant from which the
    /// invitation is allowed.
    pub(crate) fn invitation(&mut self, of: BusinessId, to: &str, now: Timestamp) -> Result<(), Timestamp> {
        both((&mut self.of_business, of), (&mut self.to_address, fold_address(to)), now)
    }

    /// Counts a change of email address, like [`Self::invitation`].
    pub(crate) fn email_change(&mut self, of: PersonId, to: &str, now: Timestamp) -> Result<(), Timestamp> {
        both((&mut self.changes_of, of), (&mut self.changes_to, fold_address(to)), now)
    }

    pub(crate) fn test(&mut self, of: PersonId, now: Timestamp) -> Result<(), Timestamp> {
        self.tests_of.count(of, now).map(|_| ())
    }

    /// Counts a reset request. Known and unknown addresses are counted in the same way.
    pub(crate) fn forgotten(&mut self, email: &str, source: IpAddr, now: Timestamp) -> Forgotten {
        if let Some(free) = self.of_source.free_at(source, now) {
            return Forgotten::TooMany(free);
        }
        self.of_source.note(source, now);
        let email = fold_address(email);
        if self.of_email.count(email, now).is_ok() { Forgotten::Send } else { Forgotten::Repeated }
    }
}

/// Counts an event for both keys if neither key is at its limit. If a key is at its limit, the error is the instant
/// from which both keys are below their limits.
fn both<A: Eq + Hash, B: Eq + Hash>(
    (of, who): (&mut Windows<A>, A),
    (to, whom): (&mut Windows<B>, B),
    now: Timestamp,
) -> Result<(), Timestamp> {
    if let Some(free) = of.free_at(&who, now).max(to.free_at(&whom, now)) {
        return Err(free);
    }
    of.note(who, now);
    to.note(whom, now);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::testing::business;
    use crate::window::KEYS_MAX;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_millis(minutes * 60_000)
    }

    fn source(number: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, number])
    }

    /// Makes one request per minute, and returns the number of accepted requests.
    fn within(counted: &mut Windows<u8>, minutes: std::ops::Range<i64>) -> usize {
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
            (&[EMAIL_CHANGES], 0..day, 5),
            (&[EMAIL_CHANGES_TO], 0..day, 3),
            (&[TESTS], 0..60, 10),
            (&[TESTS], 0..120, 20),
        ] {
            assert_eq!(
                within(&mut Windows::sliding(rates), minutes.clone()),
                expected,
                "{rates:?} {minutes:?}"
            );
        }
    }

    #[test]
    fn the_wait_until_the_next_mail_is_rounded_up() {
        for (millis, expected) in [
            (-5, Wait::Minutes(1)),
            (1, Wait::Minutes(1)),
            (60_001, Wait::Minutes(2)),
            (119 * 60_000, Wait::Minutes(119)),
            (119 * 60_000 + 1, Wait::Hours(2)),
            (120 * 60_000 + 1, Wait::Hours(3)),
            (24 * 3_600_000, Wait::Hours(24)),
        ] {
            assert_eq!(wait(Timestamp::from_millis(millis), at(0)), expected, "{millis}");
        }
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
            "the refused invitation was not counted for its address"
        );
    }

    #[test]
    fn a_repeated_question_for_a_new_password_sends_nothing_and_counts_for_its_source() {
        let mut allowances = Allowances::new();
        assert_eq!(allowances.forgotten("a@x.example", source(1), at(0)), Forgotten::Send);
        for minute in 1..10 {
            assert_eq!(allowances.forgotten("A@x.example", source(1), at(minute)), Forgotten::Repeated);
        }
        assert_eq!(allowances.forgotten("a@x.example", source(1), at(10)), Forgotten::Send);
        for number in 11..20 {
            let email = format!("{number}@x.example");
            assert_eq!(allowances.forgotten(&email, source(1), at(20)), Forgotten::Send);
        }
        assert_eq!(allowances.forgotten("z@x.example", source(1), at(20)), Forgotten::TooMany(at(60)));
        assert_eq!(allowances.forgotten("z@x.example", source(2), at(20)), Forgotten::Send);
    }

    #[test]
    fn many_invented_emails_do_not_block_the_reset_of_another_address() {
        let mut allowances = Allowances::new();
        for number in 0..KEYS_MAX + 10 {
            let email = format!("{number}@x.example");
            let source = IpAddr::from((0x0a00_0000 + number as u32 / 20).to_be_bytes());
            assert_eq!(allowances.forgotten(&email, source, at(0)), Forgotten::Send);
        }
        assert_eq!(allowances.forgotten("a@y.example", source(1), at(1)), Forgotten::Send);
    }
}
