//! Reads times of day.

use chrono::{NaiveTime, Timelike};
use serde::{Deserialize, Serialize};

use super::dates;
use super::tokens::At;

const DAY: u32 = 24 * 60;
const NOON: u32 = 12 * 60;
const STREETS: [&str; 12] = [
    "rue",
    "avenue",
    "street",
    "road",
    "boulevard",
    "place",
    "lane",
    "chemin",
    "quai",
    "allee",
    "square",
    "impasse",
];

/// If one of these words follows a number, the number is not an hour, as in `about 10 minutes`.
const COUNTED: [&str; 14] = [
    "minute", "minutes", "min", "mins", "hour", "hours", "days", "weeks", "months", "years", "jours",
    "semaines", "euros", "people",
];

/// A set of times of day, as half-open ranges of minutes after midnight.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times(Vec<(u32, u32)>);

impl Times {
    pub fn contains(&self, time: NaiveTime) -> bool {
        let minute = time.hour() * 60 + time.minute();
        self.0.iter().any(|(from, to)| (*from..*to).contains(&minute))
    }

    /// The single times of the set, without ranges.
    pub fn points(&self) -> impl Iterator<Item = NaiveTime> {
        let points = self.0.iter().filter(|(from, to)| to - from == 1);
        points.filter_map(|(from, _)| NaiveTime::from_hms_opt(from / 60, from % 60, 0))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn range(from: u32, to: u32) -> Self {
        Self(vec![(from, to)])
    }

    pub(super) fn point(minute: u32) -> Self {
        Self::range(minute, minute + 1)
    }

    /// A time of the 12-hour clock. The set contains this time before noon and after noon.
    fn twice(minute: u32) -> Self {
        Self(vec![(minute, minute + 1), ((minute + NOON) % DAY, (minute + NOON) % DAY + 1)])
    }

    pub(super) fn or(mut self, other: &Self) -> Self {
        self.0.extend(other.0.iter().filter(|range| !self.0.contains(range)).copied().collect::<Vec<_>>());
        self
    }

    /// Returns the times that are in both sets, or `None` if no time is in both.
    pub(super) fn and(&self, other: &Self) -> Option<Self> {
        let common =
            self.0.iter().flat_map(|one| other.0.iter().map(move |two| (one.0.max(two.0), one.1.min(two.1))));
        let common: Vec<_> = common.filter(|(from, to)| from < to).collect();
        (!common.is_empty()).then_some(Self(common))
    }

    fn around(&self, minutes: u32) -> Self {
        Self(
            self.0.iter().map(|(from, to)| (from.saturating_sub(minutes), (to + minutes).min(DAY))).collect(),
        )
    }
}

/// Reads a part of the day, such as `morning`.
pub(super) fn part(at: At<'_>) -> Option<(Times, At<'_>)> {
    let parts: [(&[&str], (u32, u32)); 3] = [
        (&["morning", "mornings", "matin", "matinee"], (0, NOON)),
        (&["afternoon", "afternoons", "apres midi"], (NOON, 17 * 60)),
        (&["evening", "evenings", "tonight", "soir", "soiree", "night"], (17 * 60, DAY)),
    ];
    parts.into_iter().find_map(|(words, (from, to))| Some((Times::range(from, to), at.any(words)?)))
}

/// Skips a greeting or a wish such as `good evening` or `bonne soirée`. It contains a part of the day, but names no time.
pub(super) fn greeting(at: At<'_>) -> Option<At<'_>> {
    part(at.any(&["good", "nice", "lovely", "great", "bonne", "belle"])?).map(|(_, rest)| rest)
}

/// Whether a bare number such as `10` may be an hour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bare {
    Hour,
    Not,
}

/// Skips a length of time, such as `d'une heure`, `dans deux heures` or `in twenty minutes`.
pub(super) fn duration(at: At<'_>) -> Option<At<'_>> {
    let units = ["heures", "heure", "hours", "hour", "minutes", "minute", "min"];
    let rest = match at.any(&["dans", "in", "pendant"]) {
        Some(rest) => rest.any(&["a", "an", "half an"]).or_else(|| Some(rest.number()?.1))?,
        None => at.any(&["d une"])?,
    };
    let rest = rest.any(&units)?;
    Some(rest.optional(&["et demie", "et demi", "et quart"]))
}

/// Reads a single time in a sentence of a model. The result is never a range: words such as `after` and `around` before
/// the time are ignored. `follows` is true if another time directly precedes this one, as for `8` in `7 or 8`.
pub(super) fn exact_time<'a>(
    at: At<'a>,
    follows: bool,
    is_day: impl Fn(At<'a>) -> bool,
) -> Option<(Times, At<'a>)> {
    if let Some(number) = at.any(&RANGES) {
        return point(number.optional(&["a"]), Bare::Hour);
    }
    time(at, Bare::Not).or_else(|| hinted(at, follows, is_day))
}

const RANGES: [&str; 17] = [
    "between",
    "entre",
    "after",
    "apres",
    "from",
    "a partir de",
    "des",
    "before",
    "avant",
    "until",
    "jusqu a",
    "by",
    "around",
    "about",
    "vers",
    "environ",
    "till",
];

/// Reads a bare number, as in `I have 7 or 8 tomorrow` and `I have 10 30 free`. The words around the number show that
/// it is an hour.
fn hinted<'a>(at: At<'a>, follows: bool, is_day: impl Fn(At<'a>) -> bool) -> Option<(Times, At<'a>)> {
    const HINTS: [&str; 8] = ["have", "do", "for", "offer", "offers", "ai", "pour", "propose"];
    const JOINTS: [&str; 8] = ["or", "and", "ou", "et", "to", "a", "till", "until"];
    const FREE: [&str; 5] = ["free", "available", "open", "libre", "disponible"];
    const AFTER: [&str; 11] =
        ["on", "then", "if", "please", "with", "avec", "in", "ish", "too", "as well", "tomorrow"];
    // A number that is not greater than this maximum may be a count of openings instead of an hour, as in `I have 2
    // free` and `I have two`.
    const COUNT_MAX: u32 = 6;
    let number = match at.any(&HINTS) {
        Some(number) => number,
        None if follows && at.sign() == Some(',') => at.skip(1),
        None if follows => at.any(&JOINTS)?,
        None => return None,
    };
    let (hour, rest) = number.number().filter(|(hour, _)| (1..=24).contains(hour))?;
    if is_day(number) {
        return None;
    }
    let of =
        |minute: u32, rest| if hour > 12 { (Times::point(minute % DAY), rest) } else { half(minute, rest) };
    let minutes = rest.digits().filter(|(value, len)| *value < 60 && *len == 2 && number.digits().is_some());
    if let Some((minutes, _)) = minutes {
        return Some(of(hour * 60 + minutes, rest.skip(1)));
    }
    let is_word = number.digits().is_none();
    let is_joined = rest.any(&JOINTS).is_some_and(|next| next.number().is_some()) || follows;
    let ends = rest.piece().is_none() || rest.sign().is_some_and(|sign| ",;?".contains(sign));
    let is_free = rest.any(&FREE).is_some();
    let is_followed = ends || is_free || rest.any(&AFTER).is_some() || is_day(rest);
    let is_count = hour == 1 && is_word || hour <= COUNT_MAX && (is_word || is_free);
    (is_joined && (follows && is_followed || !follows && hour > 1) || is_followed && !is_count)
        .then(|| of(hour * 60, rest))
}

/// Reads a time of day, or a range such as `after three`.
pub(super) fn time(at: At<'_>, bare: Bare) -> Option<(Times, At<'_>)> {
    let from = |words: &[&str]| at.any(words);
    if let Some(after) = from(&["between", "entre"]) {
        let (first, rest) = point(after, Bare::Hour)?;
        let rest = rest.any(&["and", "et"])?;
        let rest = rest.optional(&["a"]);
        let (last, rest) = point(rest, Bare::Hour)?;
        return Some((between(&first, &last)?, rest));
    }
    if let Some(after) = from(&["after", "apres", "from", "a partir de", "a partir d", "des"]) {
        let (first, rest) = point(after, Bare::Hour)?;
        let starts = first.0.iter().map(|(from, _)| (*from, DAY));
        // `after three` means after 15:00 rather than after 03:00.
        let start = starts.max_by_key(|(from, _)| if *from < 7 * 60 { 0 } else { DAY - from })?;
        return Some((Times(vec![start]), rest));
    }
    if let Some(after) = from(&["before", "avant", "until", "jusqu a", "by"]) {
        let (last, rest) = point(after.optional(&["a"]), Bare::Hour)?;
        let end = last.0.iter().map(|(from, _)| *from).filter(|from| *from > 7 * 60).min()?;
        return Some((Times::range(0, end), rest));
    }
    if let Some(after) = from(&["around", "about", "vers", "environ"]) {
        let (near, rest) = point(after, Bare::Hour)?;
        return Some((near.around(30), rest));
    }
    if let Some(after) = from(&["at", "a"]) {
        // Before a number, `a` is the French `à`, so `à 10` is an hour. Before any other word, `a` may be the English
        // article.
        let bare = if at.word() == Some("at") || after.digits().is_some() { Bare::Hour } else { Bare::Not };
        return point(after.optional(&["about", "around"]), bare);
    }
    point(at, bare)
}

/// The range between two times. Each time can be before or after noon. A range that begins at 7:00 or later is
/// preferred.
fn between(first: &Times, last: &Times) -> Option<Times> {
    let pairs = first.0.iter().flat_map(|one| last.0.iter().map(move |two| (one.0, two.0 + 1)));
    let pairs = pairs.filter(|(from, to)| from < to && to - from <= NOON);
    pairs
        .min_by_key(|(from, _)| if *from < 7 * 60 { DAY } else { *from })
        .map(|(from, to)| Times::range(from, to))
}

/// Reads a single time. Returns one minute of the day, or two that are 12 hours apart if the words do not say whether
/// morning or afternoon is meant.
fn point(at: At<'_>, bare: Bare) -> Option<(Times, At<'_>)> {
    let (minute, is_sure, rest) = clock(at, bare)?;
    let (times, rest) = if is_sure { (Times::point(minute), rest) } else { half(minute, rest) };
    Some((times, rest))
}

/// Applies a following `am`, `in the afternoon` or the like to a time of the 12-hour clock.
fn half(minute: u32, rest: At<'_>) -> (Times, At<'_>) {
    let morning = ["am", "a m", "in the morning", "du matin", "this morning", "ce matin"];
    let later = [
        "pm",
        "p m",
        "in the afternoon",
        "in the evening",
        "at night",
        "tonight",
        "de l apres midi",
        "du soir",
        "ce soir",
        "this afternoon",
        "this evening",
        "cet apres midi",
    ];
    let base = minute % NOON;
    if let Some(rest) = rest.any(&morning) {
        return (Times::point(base), rest);
    }
    if let Some(rest) = rest.any(&later) {
        return (Times::point(base + NOON), rest);
    }
    (Times::twice(base), rest)
}

/// Reads a clock time. Returns the minute of the day, whether it is certain (false if the time 12 hours later may be
/// meant), and the remaining words.
fn clock(at: At<'_>, bare: Bare) -> Option<(u32, bool, At<'_>)> {
    named(at).or_else(|| relative(at)).or_else(|| digital(at)).or_else(|| spoken(at, bare))
}

/// Reads `noon`, `midnight` and the like.
fn named(at: At<'_>) -> Option<(u32, bool, At<'_>)> {
    let (base, rest) = match at.word()? {
        "noon" | "midday" => (NOON, at.skip(1)),
        "midnight" => return Some((0, true, at.skip(1))),
        "midi" if at.word_before() != Some("apres") => (NOON, at.skip(1)),
        "minuit" => (DAY, at.skip(1)),
        _ => return None,
    };
    let (offset, rest) = offset(rest).unwrap_or((0, rest));
    Some(((base + DAY).checked_add_signed(offset)? % DAY, true, rest))
}

/// Reads `et quart`, `et demie`, `moins le quart`, `moins dix` and the like after a French hour. Returns the minutes to
/// add.
fn offset(at: At<'_>) -> Option<(i32, At<'_>)> {
    if let Some(rest) = at.any(&["et quart", "un quart"]) {
        return Some((15, rest));
    }
    if let Some(rest) = at.any(&["et demie", "et demi", "trente"]) {
        return Some((30, rest));
    }
    if let Some(rest) = at.any(&["moins le quart", "moins quart"]) {
        return Some((-15, rest));
    }
    let minus = at.any(&["moins"])?;
    let (minutes, rest) = minus.number()?;
    (1..30).contains(&minutes).then(|| (-(minutes as i32), rest))
}

/// Reads `half past two`, `quarter to five`, `ten past three`, `half two` and the like.
fn relative(at: At<'_>) -> Option<(u32, bool, At<'_>)> {
    let at = at.optional(&["a"]);
    if let Some(rest) = at.any(&["half past", "half"]) {
        let (hour, rest) = hour_12(rest)?;
        return Some((hour * 60 + 30, false, rest));
    }
    let (minutes, rest) = match at.any(&["quarter"]) {
        Some(rest) => (15, rest),
        None => at.number().filter(|(minutes, _)| (1..30).contains(minutes))?,
    };
    let rest = rest.optional(&["minutes"]);
    if let Some(rest) = rest.any(&["past", "after"]) {
        let (hour, rest) = hour_12(rest)?;
        return Some((hour * 60 + minutes, false, rest));
    }
    let rest = rest.any(&["to", "before", "till"])?;
    let (hour, rest) = hour_12(rest)?;
    Some(((hour * 60 + NOON - minutes) % NOON, false, rest))
}

fn hour_12(at: At<'_>) -> Option<(u32, At<'_>)> {
    if let Some(rest) = at.any(&["noon", "midday"]) {
        return Some((12, rest));
    }
    let (hour, rest) = at.number()?;
    (1..=12).contains(&hour).then(|| (hour, rest.optional(&["o clock", "oclock"])))
}

/// Reads a time in digits: `10:30`, `10h30`, `10 h 30`, `10.30 am` or `10 am`. `1030` is not a time.
fn digital(at: At<'_>) -> Option<(u32, bool, At<'_>)> {
    let (hour, len) = at.digits()?;
    if hour > 24 || len > 2 {
        return None;
    }
    let next = at.skip(1);
    let minutes =
        |at: At<'_>| at.digits().filter(|(value, len)| *value < 60 && *len == 2).map(|(value, _)| value);
    let of = |minutes: u32, rest| {
        let is_sure = hour == 0 || hour > 12 || len == 2 && hour < 10;
        Some(((hour * 60 + minutes) % DAY, is_sure, rest))
    };
    if next.sign() == Some(':') {
        let value = minutes(next.skip(1))?;
        return of(value, next.skip(2));
    }
    if next.sign() == Some('.') {
        let value = minutes(next.skip(1))?;
        let rest = next.skip(2);
        let is_time = rest.any(&["am", "pm", "h", "o clock"]).is_some();
        return if is_time { of(value, rest) } else { None };
    }
    if let Some(rest) = next.any(&["h", "heures", "heure", "hrs"]) {
        if let Some((offset, rest)) = offset(rest) {
            let minute = (hour * 60 + DAY).checked_add_signed(offset)? % DAY;
            return Some((minute, hour == 0 || hour > 12, rest));
        }
        return match minutes(rest) {
            Some(value) => of(value, rest.skip(1)),
            None => of(0, rest),
        };
    }
    if let Some(rest) = next.any(&["o clock", "oclock"]) {
        return of(0, rest);
    }
    let has_half = next.any(&["am", "pm", "a m", "p m"]).is_some();
    if has_half && (1..=12).contains(&hour) { of(0, next) } else { None }
}

/// Reads a time in number words: `two thirty`, `ten oh five`, `two o'clock`, `dix heures et demie`, or a bare hour.
fn spoken(at: At<'_>, bare: Bare) -> Option<(u32, bool, At<'_>)> {
    let is_digits = at.digits().is_some();
    let (hour, rest) = at.number().filter(|(hour, _)| *hour <= 24)?;
    let is_sure = hour == 0 || hour > 12;
    if let Some(rest) = rest.any(&["heures", "heure"]) {
        if let Some((offset, rest)) = offset(rest) {
            let minute = (hour * 60 + DAY).checked_add_signed(offset)? % DAY;
            return Some((minute, is_sure, rest));
        }
        return Some(match rest.number().filter(|(minutes, _)| (1..60).contains(minutes)) {
            Some((minutes, rest)) => ((hour * 60 + minutes) % DAY, is_sure, rest),
            None => (hour * 60 % DAY, is_sure, rest),
        });
    }
    if let Some(rest) = rest.any(&["o clock", "oclock", "hundred hours"]) {
        return Some((hour * 60 % DAY, is_sure, rest));
    }
    let with_minutes = rest.any(&["oh"]).and_then(|rest| rest.number().filter(|(minutes, _)| *minutes < 10));
    let with_minutes = with_minutes
        .or_else(|| rest.number().filter(|(minutes, _)| (10..60).contains(minutes) && !is_digits));
    if let Some((minutes, rest)) = with_minutes.filter(|_| hour > 0) {
        return Some(((hour * 60 + minutes) % DAY, is_sure, rest));
    }
    let has_half =
        rest.any(&["am", "pm", "a m", "p m", "in the morning", "in the afternoon", "in the evening"]);
    // The number in `10 %`, `24/11` or `at 3 rue des Lilas` is not an hour.
    let is_street = rest.any(&STREETS).is_some();
    let is_article = matches!(at.word(), Some("un" | "une"));
    let is_counted = rest.any(&COUNTED).is_some();
    let is_bare = bare == Bare::Hour
        && !is_article
        && !is_street
        && !is_counted
        && !dates::is_day_before(rest)
        && rest.sign().is_none_or(|sign| ",;?".contains(sign));
    (has_half.is_some() || is_bare).then_some((hour * 60 % DAY, is_sure, rest))
}
