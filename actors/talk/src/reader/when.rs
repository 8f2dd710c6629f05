//! Reads the dates and times of day in a turn.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::dates::{self, Dates};
use super::phrases::plain;
use super::times::{self, Bare, Times};
use super::tokens::{At, pieces};

/// The meaning of a *bare* number: a number without a word such as `at` or `November` next to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    Day,
    Time,
    Nothing,
}

#[derive(Clone, Copy, Debug)]
pub struct Context {
    pub today: NaiveDate,
    /// Whether `11/24` is read as 24 November, as in the phone region US.
    pub month_first: bool,
    pub expect: Expect,
    /// True if the text is a sentence of a model. In such a sentence, a weekday means every date on that weekday. If
    /// the 24th is not a Tuesday, `Tuesday the 24th` means no date. `after three` means 3:00 or 15:00, and not a
    /// range.
    pub is_strict: bool,
}

/// The dates and the times of a turn. A field is `None` if the turn names no dates or no times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    pub dates: Option<BTreeSet<NaiveDate>>,
    pub times: Option<Times>,
}

/// A date or time in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mention {
    Dates(BTreeSet<NaiveDate>),
    Times(Times),
    /// A part of the day, such as `morning`.
    Part(Times),
}

const NEGATIONS: [&str; 16] = [
    "not", "dont", "cant", "except", "but", "never", "pas", "sauf", "aucun", "jamais", "ni", "neither",
    "nor", "no", "wont", "isnt",
];

/// The dates and times in a sentence, in the order of the text. The context says whether a bare number is a day or an
/// hour.
pub fn mentions(text: &str, context: &Context) -> Vec<Mention> {
    scan(text, context, false)
}

/// Returns the dates and times in a sentence. If `has_ranges` is false, only the named days of a range are returned.
/// For example, `after Tuesday` is read as Tuesday.
fn scan(text: &str, context: &Context, has_ranges: bool) -> Vec<Mention> {
    let pieces = pieces(text);
    let bare = if context.expect == Expect::Time { Bare::Hour } else { Bare::Not };
    let mut found = Vec::new();
    let mut at = At { all: &pieces, at: 0 };
    // The position directly after the last mention, if that mention is a time.
    let mut after_time = None;
    while at.piece().is_some() {
        // In a turn of the caller, a duration such as `in twenty minutes` and a greeting such as `good evening` are
        // skipped. In a sentence of a model, they are not skipped: their words may also name a time, and the gate must
        // check every time that the model names.
        let skipped = times::duration(at).or_else(|| times::greeting(at));
        if let Some(rest) = skipped.filter(|_| !context.is_strict) {
            at = rest;
            continue;
        }
        // In two cases, a time is tried before a date. If an hour is expected, `10` is an hour and not a day. If the
        // text at this position has digits, `10:30` is a time and does not begin with the day 10.
        let is_hour_first = context.expect == Expect::Time || at.digits().is_some();
        let time = || match context.is_strict {
            true => times::exact_time(at, after_time == Some(at.at), |at| dates::date(at, context).is_some()),
            false => times::time(at, bare),
        };
        let hour = || time().map(|(times, rest)| (Mention::Times(times), rest));
        let first = is_hour_first.then(hour).flatten();
        let mention = first
            .or_else(|| {
                let range = if has_ranges { dates::range(at, context) } else { None };
                range.or_else(|| dates::date(at, context)).map(|(dates, rest)| (Mention::Dates(dates), rest))
            })
            .or_else(|| times::part(at).map(|(times, rest)| (Mention::Part(times), rest)))
            .or_else(hour);
        at = match mention {
            Some((mention, rest)) => {
                after_time = matches!(mention, Mention::Times(_)).then_some(rest.at);
                found.push(mention);
                // `tonight` is both a date and a part of the day.
                match times::part(at).filter(|_| rest.at == at.at) {
                    Some((times, rest)) => {
                        found.push(Mention::Part(times));
                        rest
                    }
                    None => rest,
                }
            }
            None => skip(at),
        };
    }
    found
}

/// Skips a word, or a number with all its parts, so that no part of `25:00` is read as a time. Also skips an offset
/// such as `UTC+02:00`.
fn skip(at: At<'_>) -> At<'_> {
    let mut rest = at.skip(1);
    if at.word() == Some("utc") && rest.digits().is_some() {
        rest = rest.skip(1);
    } else if at.digits().is_none() {
        return rest;
    }
    while rest.sign().is_some_and(|sign| ":/.-".contains(sign)) && rest.skip(1).digits().is_some() {
        rest = rest.skip(2);
    }
    rest
}

/// Reads a turn. Both fields are `None` if the turn contains a negation.
pub fn read(text: &str, context: &Context) -> Reading {
    let words = plain(text);
    // In "no, Tuesday" the caller corrects an earlier answer. A "no" at the beginning of the turn is
    // therefore not a negation.
    let words = words.strip_prefix(&["no".to_owned()]).unwrap_or(&words);
    if words.iter().any(|word| NEGATIONS.contains(&word.as_str())) {
        return Reading::default();
    }
    let mut reading = Reading::default();
    let mut parts: Option<Times> = None;
    for mention in scan(text, context, true) {
        match mention {
            Mention::Dates(dates) => {
                let known = reading.dates.get_or_insert_with(Dates::new);
                known.extend(dates);
            }
            Mention::Times(times) => {
                reading.times = Some(reading.times.take().unwrap_or_default().or(&times));
            }
            Mention::Part(times) => parts = Some(parts.unwrap_or_default().or(&times)),
        }
    }
    reading.times = match (reading.times, parts) {
        // In `at three, in the afternoon`, the time and the part of the day both apply. A contradiction such
        // as `15:00 in the morning` is not understood.
        (Some(times), Some(parts)) => Some(times.and(&parts).unwrap_or_default()),
        (times, parts) => times.or(parts),
    };
    reading
}
