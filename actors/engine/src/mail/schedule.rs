//! Decides when a failed mail is attempted again, how an attempt changes the mail, and when a daily mail is sent. The
//! module is pure.

use chrono::TimeDelta;
use chrono_tz::Tz;
use domain::{LocalTime, Mail, MailError, MailStatus, Timestamp, next_at};
use ports::MailFailure;

pub(crate) const LOG_DAYS: TimeDelta = TimeDelta::days(30);
/// The delay after each failure. The failure after the last delay is final.
const RETRY_AFTER: [TimeDelta; 6] = [
    TimeDelta::minutes(1),
    TimeDelta::minutes(5),
    TimeDelta::minutes(30),
    TimeDelta::hours(2),
    TimeDelta::hours(6),
    TimeDelta::hours(24),
];
/// The maximum stored length of a relay's response, in characters.
const ERROR_CHARS_MAX: usize = 300;

pub(super) fn after_attempt(
    mail: &Mail,
    result: &Result<String, MailFailure>,
    (began, ended): (Timestamp, Timestamp),
) -> Mail {
    let retry = match result {
        Err(MailFailure::Relay(_) | MailFailure::Refused(_)) => RETRY_AFTER.get(mail.attempts as usize),
        Err(MailFailure::RefusedForGood(_)) | Ok(_) => None,
    };
    let status = match (result, retry) {
        (Ok(_), _) => MailStatus::Sent,
        (Err(_), Some(_)) => MailStatus::Pending,
        (Err(_), None) => MailStatus::Failed,
    };
    Mail {
        status,
        attempts: mail.attempts.saturating_add(1),
        last_error: result.as_ref().err().map(|failure| on_one_line(failure.error())),
        last_attempt_at: Some(began),
        next_attempt_at: retry.map(|delay| ended + *delay),
        ..mail.clone()
    }
}

/// The latest due time that the schedule allows. A later due time was set by a clock that was ahead.
pub(super) fn latest_due(mail: &Mail, now: Timestamp) -> Timestamp {
    if let Some(due) = mail.next_attempt_at.filter(|_| mail.notice.is_some()) {
        return due; // a reminder may wait for months; `super::notice` checks its due time
    }
    let tried = mail.attempts.checked_sub(1).and_then(|last| RETRY_AFTER.get(last as usize));
    // A mail that combines several alerts may wait before its first attempt. The daily mail waits until 08:00. The
    // other mails wait until the hourly limit allows a mail. Both waits are shorter than 49 hours.
    now + tried.copied().unwrap_or(TimeDelta::hours(if mail.kind.gathers() { 49 } else { 0 }))
}

/// The time of the daily mail about an event at `now`: the next 08:00 in the business's zone.
pub fn next_daily(zone: Tz, now: Timestamp) -> Timestamp {
    let hour = LocalTime::parse("08:00").expect("08:00 is a time of day");
    next_at(zone, hour, now)
}

fn on_one_line(error: &MailError) -> MailError {
    match error {
        MailError::Quoted(text) => MailError::Quoted(line(text)),
        MailError::NotMade(why) => MailError::NotMade(line(why)),
        MailError::Failed(_) | MailError::NoAnswer(_) | MailError::NoConnection(_) => error.clone(),
    }
}

/// Returns the text as one line, shortened to [`ERROR_CHARS_MAX`] characters.
fn line(words: &str) -> String {
    let plain = words.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(ERROR_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::mail;
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1_000)
    }

    #[test]
    fn a_mail_is_tried_again_by_its_schedule_and_then_failed() {
        let down: Result<String, _> = Err(MailFailure::Relay(MailError::Quoted("the line is cut".into())));
        let (mut mail, mut waits) = (mail(1), Vec::new());
        while mail.status == MailStatus::Pending {
            mail = after_attempt(&mail, &down, (at(0), at(7)));
            waits.extend(mail.next_attempt_at.map(|next| (next - at(7)).num_seconds()));
        }
        assert_eq!(waits, [60, 300, 1_800, 7_200, 21_600, 86_400]);
        assert_eq!((mail.status, mail.attempts, mail.next_attempt_at), (MailStatus::Failed, 7, None));
        assert_eq!(mail.last_error, Some(MailError::Quoted("the line is cut".into())));
    }

    #[test]
    fn a_permanent_refusal_fails_a_mail_and_a_temporary_refusal_delays_it() {
        let now = (at(0), at(0));
        let for_good = after_attempt(
            &mail(1),
            &Err(MailFailure::RefusedForGood(MailError::Quoted("550 no\r\nsuch".into()))),
            now,
        );
        assert_eq!((for_good.status, for_good.next_attempt_at), (MailStatus::Failed, None));
        assert_eq!(for_good.last_error, Some(MailError::Quoted("550 no  such".into())));
        let for_now = after_attempt(
            &mail(1),
            &Err(MailFailure::Refused(MailError::Quoted("451 later".repeat(99)))),
            now,
        );
        assert_eq!((for_now.status, for_now.next_attempt_at), (MailStatus::Pending, Some(at(60))));
        assert_eq!(for_now.last_error.map(|error| error.to_string().chars().count()), Some(ERROR_CHARS_MAX));
    }

    #[test]
    fn a_mail_that_was_taken_keeps_its_message_id_and_no_error() {
        let before = Mail { last_error: Some(MailError::Quoted("451".into())), attempts: 2, ..mail(1) };
        let after = after_attempt(&before, &Ok("250 ok".into()), (at(1), at(2)));
        assert_eq!((after.status, &after.last_error), (MailStatus::Sent, &None));
        assert_eq!((after.message_id, after.attempts), (before.message_id, 3));
    }

    #[test]
    fn a_daily_mail_goes_out_at_eight_by_the_wall_clock_through_clock_changes() {
        for (zone, now, expected) in [
            ("Europe/Paris", "2026-01-10T06:59:59Z", "2026-01-10T07:00:00.000Z"),
            ("Europe/Paris", "2026-01-10T07:00:00Z", "2026-01-11T07:00:00.000Z"),
            // The clocks move forward in the night to 29 March and back in the night to 25 October.
            ("Europe/Paris", "2026-03-28T08:00:00Z", "2026-03-29T06:00:00.000Z"),
            ("Europe/Paris", "2026-10-24T07:00:00Z", "2026-10-25T07:00:00.000Z"),
            ("America/New_York", "2026-06-01T12:00:00Z", "2026-06-02T12:00:00.000Z"),
            ("Asia/Kolkata", "2026-06-01T00:00:00Z", "2026-06-01T02:30:00.000Z"),
            // Samoa had no 30 December 2011.
            ("Pacific/Apia", "2011-12-29T18:00:00Z", "2011-12-30T18:00:00.000Z"),
            // Pyongyang's clocks were set back half an hour on 15 August 2015, at midnight.
            ("Asia/Pyongyang", "2015-08-14T12:00:00Z", "2015-08-14T23:30:00.000Z"),
        ] {
            let next = next_daily(zone.parse().unwrap(), Timestamp::parse(now).unwrap());
            assert_eq!(next.to_string(), expected, "{zone} {now}");
        }
    }
}
