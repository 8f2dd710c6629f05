//! Reads dates.

use std::collections::BTreeSet;

use chrono::{Datelike, Days, NaiveDate};

use super::numbers;
use super::tokens::At;
use super::when::{Context, Expect};

pub(super) type Dates = BTreeSet<NaiveDate>;

const WEEKDAYS: [&[&str]; 7] = [
    &["monday", "mondays", "lundi", "lundis"],
    &["tuesday", "tuesdays", "tues", "tue", "mardi", "mardis"],
    &["wednesday", "wednesdays", "wed", "mercredi", "mercredis"],
    &["thursday", "thursdays", "thurs", "thur", "thu", "jeudi", "jeudis"],
    &["friday", "fridays", "fri", "vendredi", "vendredis"],
    &["saturday", "saturdays", "sat", "samedi", "samedis"],
    &["sunday", "sundays", "dimanche", "dimanches"],
];

pub(super) fn is_weekday(word: &str) -> bool {
    WEEKDAYS.iter().any(|words| words.contains(&word))
}

const MONTHS: [&[&str]; 12] = [
    &["january", "jan", "janvier", "janv"],
    &["february", "feb", "fevrier", "fevr"],
    &["march", "mars"],
    &["april", "apr", "avril", "avr"],
    &["may", "mai"],
    &["june", "jun", "juin"],
    &["july", "jul", "juillet", "juil"],
    &["august", "aug", "aout"],
    &["september", "sept", "sep", "septembre"],
    &["october", "oct", "octobre"],
    &["november", "nov", "novembre"],
    &["december", "dec", "decembre"],
];

/// The number of days of a range without an end.
const RANGE_DAYS: u64 = 14;
const RANGE_DAYS_MAX: usize = 62;

fn index_of(lists: &[&[&str]], word: Option<&str>) -> Option<u32> {
    let word = word?;
    lists.iter().position(|list| list.contains(&word)).and_then(|index| u32::try_from(index).ok())
}

/// Whether the number before `rest` is a day of the month. This is the case if `rest` begins with a month (`May`, `of
/// May`) or with the ending of an ordinal (`th`).
pub(super) fn is_day_before(rest: At<'_>) -> bool {
    let ending = rest.any(&["st", "nd", "rd", "th", "er"]).is_some() && rest.is_glued();
    ending || index_of(&MONTHS, rest.optional(&["of"]).word()).is_some()
}

fn one(date: Option<NaiveDate>) -> Dates {
    date.into_iter().collect()
}

/// Reads a date. Returns several dates if the words are ambiguous.
pub(super) fn date<'a>(at: At<'a>, context: &Context) -> Option<(Dates, At<'a>)> {
    near(at, context)
        .or_else(|| ahead(at, context))
        .or_else(|| weekday(at, context))
        .or_else(|| calendar(at, context))
        .or_else(|| day_of_month(at, context))
}

/// Reads a range of days, such as `after Tuesday`, `avant vendredi` or `from Monday to Wednesday`. A range without an
/// end has [`RANGE_DAYS`] days.
pub(super) fn range<'a>(at: At<'a>, context: &Context) -> Option<(Dates, At<'a>)> {
    // A bare number in a range, as in `after 10`, is not read as a day of the month.
    let context = &Context { expect: Expect::Nothing, ..*context };
    let days = |from: NaiveDate, to: NaiveDate, rest| {
        let days: Dates = from.iter_days().take_while(|day| *day <= to).take(RANGE_DAYS_MAX).collect();
        (!days.is_empty()).then_some((days, rest))
    };
    let both = || {
        let (first, rest) = date(at.any(&["from", "between", "de", "du", "entre"])?, context)?;
        let between = ["to", "and", "until", "till", "through", "a", "au", "et", "jusqu a", "jusqu au"];
        let (rest, from) = (rest.any(&between)?, *first.first()?);
        // In `from Wednesday to Monday`, the range ends on the first Monday after that Wednesday.
        let last = |context: &Context| {
            let (last, rest) = date(rest, context)?;
            Some((*last.iter().find(|day| **day >= from)?, rest))
        };
        let (last, rest) = last(context).or_else(|| last(&Context { today: from, ..*context }))?;
        days(from, last, rest)
    };
    let start = || {
        let is_after = at.any(&["after", "apres"]).is_some();
        let rest = at.any(&["after", "apres", "from", "a partir de", "a partir du", "des"])?;
        let (first, rest) = date(rest, context)?;
        let from = first.first()?.checked_add_days(Days::new(u64::from(is_after)))?;
        days(from, from.checked_add_days(Days::new(RANGE_DAYS - 1))?, rest)
    };
    let end = || {
        let is_before = at.any(&["before", "avant"]).is_some();
        let rest = at.any(&["before", "avant", "until", "till", "by", "jusqu a", "jusqu au"])?;
        let (last, rest) = date(rest, context)?;
        days(context.today, last.last()?.checked_sub_days(Days::new(u64::from(is_before)))?, rest)
    };
    // `après-demain` is a single day, not a range after `demain`.
    if near(at, context).is_some() {
        return None;
    }
    both().or_else(start).or_else(end)
}

/// Reads dates relative to today, such as `tomorrow`, `the day after` and `this week`.
fn near<'a>(at: At<'a>, context: &Context) -> Option<(Dates, At<'a>)> {
    let ahead = |days: u64| one(context.today.checked_add_days(Days::new(days)));
    let fixed: [(&[&str], u64); 3] = [
        (
            &[
                "the day after tomorrow",
                "day after tomorrow",
                "the day after",
                "apres demain",
                "le surlendemain",
            ],
            2,
        ),
        (&["tomorrow", "tomorow", "demain", "le lendemain"], 1),
        (&["today", "aujourd hui", "aujourdhui"], 0),
    ];
    if let Some((days, rest)) = fixed.into_iter().find_map(|(words, days)| Some((days, at.any(words)?))) {
        return Some((ahead(days), rest));
    }
    // Each phrase means today and names a part of the day. The part of the day is read later, so its words must not be
    // skipped. Only `this`, `ce` or `cet` is skipped. In `tonight`, nothing is skipped.
    let parts = [
        "tonight",
        "this morning",
        "this afternoon",
        "this evening",
        "ce matin",
        "cet apres midi",
        "ce soir",
    ];
    if at.any(&parts).is_some() {
        let skipped = if at.word() == Some("tonight") { 0 } else { 1 };
        return Some((ahead(0), at.skip(skipped)));
    }
    let since_monday = u64::from(context.today.weekday().num_days_from_monday());
    let week = |from: u64, to: u64| (from..=to).flat_map(ahead).collect::<Dates>();
    if let Some(rest) = at.any(&["this week", "cette semaine"]) {
        return Some((week(0, 6 - since_monday), rest));
    }
    if let Some(rest) = at.any(&["next week", "la semaine prochaine", "semaine prochaine"]) {
        return Some((week(7 - since_monday, 13 - since_monday), rest));
    }
    weekend(at, context)
}

/// Reads `this weekend` and `next weekend`. On a Sunday, `this weekend` is only that Sunday.
fn weekend<'a>(at: At<'a>, context: &Context) -> Option<(Dates, At<'a>)> {
    let weekday = u64::from(context.today.weekday().num_days_from_monday());
    let days = |days: std::ops::RangeInclusive<u64>| {
        days.filter_map(|days| context.today.checked_add_days(Days::new(days))).collect::<Dates>()
    };
    let is_next = at.any(&["next"]).is_some();
    let rest = at.optional(&["next", "this", "the", "ce", "le"]).any(&["weekend", "week end"])?;
    let french_next = rest.any(&["prochain"]);
    let saturday = 5_u64.saturating_sub(weekday);
    let this =
        if weekday == 6 { days(0..=0) } else { days(saturday..=if weekday == 5 { 1 } else { saturday + 1 }) };
    if !is_next && french_next.is_none() {
        return Some((this, rest));
    }
    // On a Saturday or Sunday, `next weekend` is the weekend of the next week. On other days, it can also be the
    // weekend of the present week.
    let after = days(12 - weekday..=13 - weekday);
    let dates = if weekday >= 5 { after } else { this.union(&after).copied().collect() };
    Some((dates, french_next.unwrap_or(rest)))
}

/// Reads `in two weeks`, `dans quinze jours` and the like.
fn ahead<'a>(at: At<'a>, context: &Context) -> Option<(Dates, At<'a>)> {
    let rest = at.any(&["in", "dans"])?;
    let (count, rest) = match rest.any(&["a"]) {
        Some(rest) => (1, rest),
        None => rest.number()?,
    };
    let is_french = at.word() == Some("dans");
    let ahead = |days: u32| context.today.checked_add_days(Days::new(days.into()));
    if let Some(rest) = rest.any(&["days", "day", "jours", "jour"]) {
        // In French, `huit jours` can mean a week, and `quinze jours` two weeks.
        let days = match count {
            8 if is_french => vec![7, 8],
            15 if is_french => vec![14, 15],
            count => vec![count],
        };
        return Some((days.into_iter().filter_map(ahead).collect(), rest));
    }
    let rest = rest.any(&["weeks", "week", "semaines", "semaine"])?;
    Some((one(ahead(count * 7)), rest))
}

/// Reads a weekday, such as `Tuesday`, `next Tuesday` or `mardi prochain`, and a date that follows it, as in `Tuesday
/// 24 November`.
fn weekday<'a>(at: At<'a>, context: &Context) -> Option<(Dates, At<'a>)> {
    let weeks_before: [(&[&str], u32); 2] =
        [(&["a week from", "one week from", "a week on"], 1), (&["two weeks from", "2 weeks from"], 2)];
    let weeks_before = weeks_before.into_iter().find_map(|(words, weeks)| Some((weeks, at.any(words)?)));
    let at = weeks_before.map_or(at, |(_, rest)| rest);
    let is_next = at.word() == Some("next");
    let is_this = at.any(&["this", "ce"]).is_some();
    let start = if is_next || is_this { at.skip(1) } else { at };
    let weekday = index_of(&WEEKDAYS, start.word())?;
    let rest = start.skip(1);
    let french_next = rest.any(&["prochain", "prochaine"]);
    let (is_next, rest) = (is_next || french_next.is_some(), french_next.unwrap_or(rest));
    let days = (weekday + 7 - context.today.weekday().num_days_from_monday()) % 7;
    let ahead = |days: u32| context.today.checked_add_days(Days::new(days.into()));
    let weeks_after = rest.any(&["week", "in a week", "en huit"]).map(|rest| (1, rest));
    let weeks_after = weeks_after.or_else(|| Some((2, rest.any(&["en quinze"])?)));
    let weeks_after = weeks_after.or(weeks_before.map(|(weeks, _)| (weeks, rest)));
    let (dates, rest): (Dates, _) = if let Some((weeks, rest)) = weeks_after {
        // "Tuesday week" is one week after the next Tuesday.
        (one(ahead(days + 7 * weeks)), rest)
    } else if is_next {
        let coming = if days == 0 { 7 } else { days };
        ([coming, coming + 7].into_iter().filter_map(ahead).collect(), rest)
    } else if context.is_strict {
        ((0..60).filter_map(|weeks| ahead(days + 7 * weeks)).collect(), rest)
    } else if days == 0 && !is_this {
        ([0, 7].into_iter().filter_map(ahead).collect(), rest)
    } else {
        (one(ahead(days)), rest)
    };
    let after = rest.optional(&["the", "le"]);
    let skipped = if after.sign() == Some(',') { after.skip(1).optional(&["the", "le"]) } else { after };
    // A date may follow the weekday, as in `Tuesday the 24th`. If the 24th is not a Tuesday and `context.is_strict` is
    // true, the result is empty. If `context.is_strict` is false, the result contains the 24th and also the Tuesday.
    let exact = calendar(skipped, context).or_else(|| {
        let is_day = skipped.digits().is_none() || dates_follow(skipped);
        day_of_month(skipped, &Context { expect: Expect::Day, ..*context }).filter(|_| is_day)
    });
    if let Some((exact, rest)) = exact {
        let agreeing = exact.iter().filter(|date| date.weekday().num_days_from_monday() == weekday);
        let agreeing: Dates = agreeing.copied().collect();
        if !agreeing.is_empty() {
            return Some((agreeing, rest));
        }
        if context.is_strict {
            return Some((Dates::new(), rest));
        }
        // The text is, for example, `mardi 24`, and the next 24th is not a Tuesday. The result contains the next 24th,
        // and also the next Tuesday. It does not contain the 24th of a later month, even if that day is a Tuesday.
        return Some((dates.union(&exact).copied().collect(), rest));
    }
    Some((dates, rest))
}

/// True if the digits at this position can be a day. They cannot be a day if the next token makes them a time, as in
/// `10 am`, `10h` and `10:30`.
fn dates_follow(at: At<'_>) -> bool {
    let next = at.skip(1);
    next.any(&["h", "heures", "heure", "am", "pm", "o clock", "hrs"]).is_none() && next.sign() != Some(':')
}

/// Reads `24 November`, `November 24`, `24/11`, `2026-11-24`, `le 1er décembre` and the like.
fn calendar<'a>(at: At<'a>, context: &Context) -> Option<(Dates, At<'a>)> {
    if let Some((day, rest)) = day_number(at) {
        let rest = rest.optional(&["of"]);
        if let Some(month) = index_of(&MONTHS, rest.word()) {
            return dated(day, month + 1, rest.skip(1), context);
        }
    }
    if let Some(month) = index_of(&MONTHS, at.word()) {
        let rest = at.skip(1).optional(&["the"]);
        if let Some((day, rest)) = day_number(rest).filter(|_| dates_follow(rest)) {
            return dated(day, month + 1, rest, context);
        }
    }
    let (first, first_len) = at.digits()?;
    let sign = at.skip(1).sign().filter(|sign| "/.-".contains(*sign))?;
    let (second, second_len) = at.skip(2).digits()?;
    let rest = at.skip(3);
    if first_len == 4 {
        let third = (rest.sign() == Some(sign)).then(|| rest.skip(1).digits())??;
        let date = NaiveDate::from_ymd_opt(i32::try_from(first).ok()?, second, third.0)?;
        return Some((one(Some(date)), rest.skip(2)));
    }
    // `10.30` is a time.
    if first_len > 2 || second_len > 2 || sign == '.' && second > 12 {
        return None;
    }
    let (year, rest) = match rest.sign() == Some(sign) {
        true => {
            (rest.skip(1).digits().map(|(year, len)| if len == 2 { year + 2000 } else { year }), rest.skip(2))
        }
        false => (None, rest),
    };
    let day_first = (first, second);
    let month_first = (second, first);
    let orders = if context.month_first { [month_first, day_first] } else { [day_first, month_first] };
    let dates = orders.into_iter().map(|(day, month)| match year {
        Some(year) => {
            one(i32::try_from(year).ok().and_then(|year| NaiveDate::from_ymd_opt(year, month, day)))
        }
        None => coming(day, month, context.today),
    });
    let dates = dates.into_iter().find(|dates| !dates.is_empty())?;
    Some((dates, rest))
}

fn dated<'a>(day: u32, month: u32, rest: At<'a>, context: &Context) -> Option<(Dates, At<'a>)> {
    let after = if rest.sign() == Some(',') { rest.skip(1) } else { rest };
    if let Some((year, 4)) = after.digits().filter(|(year, _)| (2000..2200).contains(year)) {
        let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
        return Some((one(Some(date)), after.skip(1)));
    }
    let dates = coming(day, month, context.today);
    (!dates.is_empty()).then_some((dates, rest))
}

/// The next date with this day and month, this year or later.
fn coming(day: u32, month: u32, today: NaiveDate) -> Dates {
    // The next 29 February can be several years ahead.
    let years = (0..9).filter_map(|years| NaiveDate::from_ymd_opt(today.year() + years, month, day));
    one(years.into_iter().find(|date| *date >= today))
}

/// Reads a day in digits or words, such as `24`, `24th`, `the twenty-fourth`, `1er` or `vingt-quatre`.
fn day_number(at: At<'_>) -> Option<(u32, At<'_>)> {
    let start = at.optional(&["the", "le"]);
    let (day, rest) = match start.digits() {
        Some((day, len)) if len <= 2 => {
            let rest = start.skip(1);
            let suffix = rest.any(&["st", "nd", "rd", "th", "er", "ere", "e"]).filter(|_| rest.is_glued());
            (day, suffix.unwrap_or(rest))
        }
        Some(_) => return None,
        None => match numbers::ordinal(|offset| start.skip(offset).word()) {
            Some((day, len)) => (day, start.skip(len)),
            None => start.number()?,
        },
    };
    (1..=31).contains(&day).then_some((day, rest))
}

/// Reads `the 24th`, `le 24`, or a bare `24` if a day is expected. Returns the next date with this day.
fn day_of_month<'a>(at: At<'a>, context: &Context) -> Option<(Dates, At<'a>)> {
    let has_article = at.any(&["the", "le"]).is_some();
    let (day, rest) = day_number(at)?;
    let start = at.optional(&["the", "le"]);
    let has_suffix = match start.digits() {
        Some(_) => rest.at > start.at + 1,
        None => numbers::ordinal(|offset| start.skip(offset).word()).is_some(),
    };
    let is_number_word = start.digits().is_none() && !has_suffix;
    let is_bare = context.expect == Expect::Day && !is_number_word;
    // In `the first visit`, the ordinal is not a day.
    let has_suffix = has_suffix && (start.digits().is_some() || is_bare || day > 20);
    // `le 24` and `le vingt-quatre` are days. `the second one` and `the 2 of us` are not.
    let is_french_article = at.word() == Some("le");
    let is_meant =
        has_article && (has_suffix || is_french_article) || has_suffix && start.digits().is_some() || is_bare;
    let follows =
        rest.any(&["one", "option", "choix", "of us", "h", "heures", "heure", "am", "pm", "o clock"]);
    let is_of_month = is_day_before(rest);
    if !is_meant || is_of_month || follows.is_some() || rest.sign().is_some_and(|sign| ":/".contains(sign)) {
        return None;
    }
    let first = context.today.with_day(1)?;
    let months =
        (0..12).filter_map(|months| first.checked_add_months(chrono::Months::new(months))?.with_day(day));
    Some((one(months.into_iter().find(|date| *date >= context.today)), rest))
}
