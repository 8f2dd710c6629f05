//! Writes dates and times.

use chrono::{Datelike, LocalResult, NaiveDate, NaiveTime, TimeDelta, TimeZone, Timelike};
use chrono_tz::Tz;
use domain::{Locale, Timestamp};

/// The regions of phone numbers where English texts use the 12-hour clock.
const TWELVE_HOUR_REGIONS: [&str; 6] = ["US", "CA", "AU", "NZ", "IN", "PH"];
/// A date that is more than this number of days ahead is written with its year.
const YEAR_AFTER_DAYS: i64 = 300;

const WEEKDAYS: [[&str; 7]; 2] = [
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"],
];
const MONTHS: [[&str; 12]; 2] = [
    [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
];

/// Whether English texts of a business with this phone region use the 12-hour clock.
fn is_twelve(region: &str) -> bool {
    TWELVE_HOUR_REGIONS.contains(&region)
}

/// The formatter of dates and times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct When<'a> {
    pub(crate) locale: Locale,
    pub(crate) zone: Tz,
    pub(crate) region: &'a str,
    pub(crate) now: Timestamp,
}

impl When<'_> {
    pub(crate) fn today(&self) -> NaiveDate {
        self.now.utc().with_timezone(&self.zone).date_naive()
    }

    pub(crate) fn date_of(&self, at: Timestamp) -> NaiveDate {
        at.utc().with_timezone(&self.zone).date_naive()
    }

    pub(crate) fn time_of(&self, at: Timestamp) -> NaiveTime {
        at.utc().with_timezone(&self.zone).time()
    }

    /// `{when}`: `on Tuesday 24 November at 14:30`, or `tomorrow, Tuesday 24 November at 14:30`.
    pub(crate) fn when(&self, at: Timestamp) -> String {
        let at_word = self.pick("at", "à");
        format!("{} {at_word} {}", self.on(self.date_of(at)), self.clock_of(at))
    }

    /// `{when}` without its preposition: `Tuesday 24 November at 14:30`.
    pub(crate) fn moment(&self, at: Timestamp) -> String {
        format!("{} {} {}", self.day(self.date_of(at)), self.pick("at", "à"), self.clock_of(at))
    }

    /// `{when}` after `moves to` or `passe à :`. In English, it has no preposition: `Tuesday 24 November at 14:30`.
    pub(crate) fn when_to(&self, at: Timestamp) -> String {
        match self.locale {
            Locale::En => self.moment(at),
            Locale::Fr => self.when(at),
        }
    }

    /// A date with its preposition: `on Tuesday 24 November`, or `tomorrow, Tuesday 24 November`.
    pub(crate) fn on(&self, date: NaiveDate) -> String {
        match self.near(date) {
            Some(_) => self.day(date),
            None => format!("{} {}", self.pick("on", "le"), self.date(date)),
        }
    }

    /// A date without preposition: `Tuesday 24 November`, or `tomorrow, Tuesday 24 November`.
    pub(crate) fn day(&self, date: NaiveDate) -> String {
        match self.near(date) {
            Some(near) => format!("{near}, {}", self.date(date)),
            None => self.date(date),
        }
    }

    fn near(&self, date: NaiveDate) -> Option<&'static str> {
        match (date - self.today()).num_days() {
            0 => Some(self.pick("today", "aujourd'hui")),
            1 => Some(self.pick("tomorrow", "demain")),
            _ => None,
        }
    }

    /// `Tuesday 24 November`, with the year if the date is over 300 days ahead.
    pub(crate) fn date(&self, date: NaiveDate) -> String {
        let language = usize::from(self.locale == Locale::Fr);
        let weekday = WEEKDAYS[language][date.weekday().num_days_from_monday() as usize];
        let month = MONTHS[language][date.month0() as usize];
        let day = match (self.locale, date.day()) {
            (Locale::Fr, 1) => "1er".to_owned(),
            (_, day) => day.to_string(),
        };
        let is_far = date - self.today() > TimeDelta::days(YEAR_AFTER_DAYS);
        let year = if is_far { format!(" {}", date.year()) } else { String::new() };
        format!("{weekday} {day} {month}{year}")
    }

    /// The time of day of an instant. If a clock change repeats this time of day, the text also contains the offset
    /// from UTC.
    pub(crate) fn clock_of(&self, at: Timestamp) -> String {
        let local = at.utc().with_timezone(&self.zone);
        let clock = self.clock(local.time());
        match self.zone.from_local_datetime(&local.naive_local()) {
            LocalResult::Ambiguous(..) => format!("{clock} {}", local.format("(UTC%:z)")),
            _ => clock,
        }
    }

    pub(crate) fn clock(&self, time: NaiveTime) -> String {
        let format = match self.locale {
            Locale::En if is_twelve(self.region) => "%-I:%M %P",
            Locale::En => "%H:%M",
            Locale::Fr if time.minute() == 0 => "%-H h",
            Locale::Fr => "%-H h %M",
        };
        time.format(format).to_string()
    }

    /// `{list}`: instants in ascending order, grouped by day.
    pub(crate) fn list(&self, instants: &[Timestamp]) -> String {
        let mut days: Vec<(NaiveDate, Vec<String>)> = Vec::new();
        for at in instants {
            let date = self.date_of(*at);
            match days.last_mut().filter(|(day, _)| *day == date) {
                Some((_, clocks)) => clocks.push(self.clock_of(*at)),
                None => days.push((date, vec![self.clock_of(*at)])),
            }
        }
        let days = days.into_iter().map(|(date, clocks)| {
            format!("{} {} {}", self.day(date), self.pick("at", "à"), self.and(&clocks))
        });
        days.collect::<Vec<_>>().join("; ")
    }

    /// `{range}`: `on Tuesday 24 November`, or `between … and …`.
    pub(crate) fn range(&self, from: NaiveDate, to: NaiveDate) -> String {
        if from == to {
            return self.on(from);
        }
        match self.locale {
            Locale::En => format!("between {} and {}", self.date(from), self.date(to)),
            Locale::Fr => format!("entre le {} et le {}", self.date(from), self.date(to)),
        }
    }

    /// Joins texts to a list such as `a, b and c`.
    pub(crate) fn and(&self, texts: &[String]) -> String {
        match texts {
            [] => String::new(),
            [one] => one.clone(),
            [first @ .., last] => format!("{} {} {last}", first.join(", "), self.pick("and", "et")),
        }
    }

    fn pick(&self, english: &'static str, french: &'static str) -> &'static str {
        match self.locale {
            Locale::En => english,
            Locale::Fr => french,
        }
    }
}
