//! Options that several pages offer: time zones, languages, and numbers in words.

use chrono_tz::{TZ_VARIANTS, Tz};
use domain::Locale;

use crate::dashboard::pages::prelude::*;

/// The minutes of an hour, a day and a week.
const HOUR: u32 = 60;
const DAY: u32 = 24 * HOUR;
const WEEK: u32 = 7 * DAY;

const NAME_CHARS: usize = 60;

/// Prefixes of old zone names. Each of these zones has a newer name.
const FORMER: [&str; 6] = ["Brazil/", "Canada/", "Chile/", "Etc/", "Mexico/", "US/"];

/// The zones with the name of a place, UTC, and the current zone.
pub(super) fn zones(current: &str) -> Vec<Choice> {
    let is_place =
        |zone: &Tz| zone.name().contains('/') && !FORMER.iter().any(|former| zone.name().starts_with(former));
    let shown =
        TZ_VARIANTS.iter().filter(|zone| is_place(zone) || zone.name() == "UTC" || zone.name() == current);
    let mut names: Vec<_> = shown.map(|zone| zone.name()).collect();
    names.sort_unstable();
    names.into_iter().map(|name| Choice::new(name, name.replace('_', " "))).collect()
}

pub(super) fn languages(view: &View) -> Vec<Choice> {
    Locale::ALL.iter().map(|locale| Choice::new(locale.as_str(), language(view, locale.as_str()))).collect()
}

pub(super) fn language(view: &View, locale: &str) -> String {
    view.words.find(&format!("language-{locale}"), &[]).unwrap_or_else(|| locale.to_owned())
}

/// Numbers as options, with their texts from `say`. The current number is always an option. `none` is the
/// text of an empty option, if there is one.
pub(super) fn numbers(
    usual: &[u32],
    current: &str,
    none: Option<String>,
    say: impl Fn(u32) -> String,
) -> Vec<Choice> {
    let mut numbers: Vec<u32> = usual.iter().copied().chain(current.parse()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let said = numbers.into_iter().map(|number| Choice::new(number.to_string(), say(number)));
    none.map(|label| Choice::new("", label)).into_iter().chain(said).collect()
}

/// The first `most` names, and the number of the others.
pub(super) fn named(view: &View, names: &[&str], most: usize) -> String {
    let first = names.iter().take(most).map(|name| plain(name, NAME_CHARS)).collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(most).filter(|more| *more > 0) {
        None => first,
        Some(more) => {
            let values = [("names", Value::Text(&first)), ("count", Value::Count(more as u64))];
            view.words.say("settings-and-more", &values)
        }
    }
}

/// A number of minutes, in the largest unit with a whole number.
pub(super) fn how_long(view: &View, minutes: u32) -> String {
    let (word, unit) = match minutes {
        0 => ("count-minutes", 1),
        weeks if weeks.is_multiple_of(WEEK) => ("count-weeks", WEEK),
        days if days.is_multiple_of(DAY) => ("count-days", DAY),
        hours if hours.is_multiple_of(HOUR) => ("count-hours", HOUR),
        _ => ("count-minutes", 1),
    };
    view.count(word, u64::from(minutes / unit))
}

/// A number of days, in years if they are whole.
pub(super) fn how_many_days(view: &View, days: u32) -> String {
    if days > 0 && days.is_multiple_of(365) {
        return view.count("count-years", u64::from(days / 365));
    }
    view.count("count-days", u64::from(days))
}
