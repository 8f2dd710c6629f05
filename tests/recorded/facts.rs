//! The facts in a message. The recorder compares the facts and ignores the wording.
//!
//! Facts are ids, instants, dates, times, days, numbers, scopes, names with an underscore, and names of headers. They
//! have the same order as in the message. If a message refuses a time, the reason for the refusal is another fact.

use crate::harness::SCOPES;

/// Each row has a part of a message that refuses a time, and the reason of the refusal. The first row whose part
/// occurs in a message determines the reason.
///
/// If the wording of a message changes, add a row with the new wording.
const REASONS: [(&str, &str); 14] = [
    ("in the past", "past"),
    ("closed that day", "closed_that_day"),
    ("overlaps a break", "break"),
    ("too soon", "too_short_notice"),
    ("too far ahead", "too_far_ahead"),
    ("are off", "staff_off"),
    ("no staff member is available", "nobody_available"),
    ("too close to", "buffer"),
    ("outside opening hours", "outside_hours"),
    ("30-minute grid", "off_grid"),
    ("is taken", "taken"),
    ("no active staff member offers", "nobody_offers_it"),
    ("can no longer be booked", "service_inactive"),
    ("no longer takes appointments", "staff_unavailable"),
];

/// The names of days and months in sentences. The month May is omitted, because a sentence can begin with the
/// word "May".
const DAYS: [&str; 18] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "January",
    "February",
    "March",
    "April",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Returns the reason for which a message refuses a time.
///
/// # Panics
///
/// Panics if the message contains no text of `REASONS`.
pub(crate) fn reason(message: &str) -> String {
    let found = REASONS.iter().find(|(words, _)| message.contains(words));
    let (_, reason) = found.unwrap_or_else(|| panic!("no row of REASONS matches {message:?}"));
    format!("reason:{reason}")
}

/// All facts of a message, such as ids, numbers and names, in the order of the message.
pub(crate) fn facts(message: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_:.+-".contains(c);
    let words = message.split(|c| !is_part(c)).map(|word| word.trim_matches([':', '.', '+', '-']));
    words.flat_map(of_a_word).collect()
}

fn of_a_word(word: &str) -> Vec<String> {
    let whole = vec![word.to_owned()];
    let is_listed = SCOPES.contains(&word) || DAYS.contains(&word);
    if word.contains('_') || is_listed || is_a_header(word) || is_an_id(word) || is_a_time(word) {
        return whole;
    }
    let numbers = word.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    numbers.map(str::to_owned).collect()
}

/// Whether the word is a header such as `If-Match`: all of its parts begin with a capital letter.
fn is_a_header(word: &str) -> bool {
    word.contains('-') && word.split('-').all(|part| part.starts_with(|c: char| c.is_ascii_uppercase()))
}

fn is_an_id(word: &str) -> bool {
    uuid::Uuid::try_parse(word).is_ok()
}

/// Whether the word starts with a date such as `2026-03-09` or a time of day such as `09:30`, in digits.
fn is_a_time(word: &str) -> bool {
    let shape: String = word.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    ["0000-00-00", "00:00"].iter().any(|start| shape.starts_with(start))
}

#[test]
fn facts_are_found_in_any_wording() {
    let id = "019c8f3e-2222-7000-8888-2e2e2e2e2e2e";
    for (message, expected) in [
        ("this key lacks the scope appointments:write", &["appointments:write"][..]),
        ("Send allow_pending: true.", &["allow_pending"]),
        (
            "10:30 on 2026-03-02, or 2026-03-02T10:30:00.000Z.",
            &["10:30", "2026-03-02", "2026-03-02T10:30:00.000Z"],
        ),
        ("must have 1 to 200 characters; a 30-minute grid", &["1", "200", "30"]),
        (&format!("belongs to {id}."), &[id]),
        ("this Idempotency-Key was used", &["Idempotency-Key"]),
        ("Nothing is named here: no.", &[]),
    ] {
        assert_eq!(facts(message), expected, "{message}");
    }
}
