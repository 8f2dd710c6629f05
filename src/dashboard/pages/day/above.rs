//! The header of the calendar views, with links to other views, to the previous and next period, and to the
//! same view of each staff member. This module also formats days in words.

use chrono::{Datelike, Days, NaiveDate};
use domain::{Right, StaffId};

use super::axis::shown;
use super::diary::Dates;
use crate::dashboard::pages::prelude::*;

/// The maximum number of appointments in a week view. The page says if there are more.
pub(super) const OF_A_WEEK_MAX: usize = 2_000;

pub(super) struct Head {
    pub(super) title: String,
    pub(super) sub: String,
    pub(super) is: &'static str,
    pub(super) day: String,
    pub(super) week: String,
    pub(super) list: String,
    /// The links to the previous, current and next period.
    pub(super) before: Option<Crumb>,
    pub(super) present: Option<Crumb>,
    pub(super) behind: Option<Crumb>,
    pub(super) book: Option<String>,
    pub(super) staff: Vec<Tab>,
}

pub(super) struct Tab {
    pub(super) label: String,
    pub(super) path: String,
    pub(super) current: bool,
}

pub(super) struct Asked {
    pub(super) date: NaiveDate,
    pub(super) staff: Option<StaffId>,
}

impl Member {
    pub(super) fn calendar(&self, view: &str, date: NaiveDate, staff: Option<StaffId>) -> String {
        let staff = staff.map(|staff| format!("&staff={staff}")).unwrap_or_default();
        format!("{}?view={view}&date={date}{staff}", self.path_to("calendar"))
    }

    pub(super) fn head(&self, is: &'static str, asked: &Asked) -> Head {
        let to = |view: &str| self.calendar(view, asked.date, asked.staff);
        let staff = asked.staff.map(|staff| format!("&staff={staff}")).unwrap_or_default();
        let book = format!("{}?date={}{staff}", self.path_to("appointments/new"), asked.date);
        Head {
            title: String::new(),
            sub: String::new(),
            is,
            day: to("day"),
            week: to("week"),
            list: to("list"),
            before: None,
            present: None,
            behind: None,
            book: self.may(Right::Day).then_some(book),
            staff: Vec::new(),
        }
    }

    /// The tabs: the same view of all staff members, and of each one.
    pub(super) fn tabs(&self, view: &str, asked: &Asked, dates: &Dates) -> Vec<Tab> {
        let words = self.view();
        let tab = |label: String, staff: Option<StaffId>| Tab {
            label,
            path: self.calendar(view, asked.date, staff),
            current: asked.staff == staff,
        };
        let each = dates.staff().map(|one| tab(one.member.name.clone(), Some(one.member.id)));
        std::iter::once(tab(words.t("calendar-all-staff"), None)).chain(each).collect()
    }
}

impl View {
    pub(super) fn day(&self, day: NaiveDate, today: NaiveDate) -> String {
        let date = self.words.date(day);
        if day.year() == today.year() { date } else { format!("{date} {}", day.year()) }
    }

    pub(super) fn span(&self, minutes: &std::ops::Range<u32>) -> String {
        format!("{} – {}", shown(minutes.start), shown(minutes.end))
    }
}

/// The days of the date's week, from Monday.
pub(super) fn days(date: NaiveDate) -> Vec<NaiveDate> {
    let monday = date.checked_sub_days(Days::new(date.weekday().num_days_from_monday().into()));
    monday.unwrap_or(date).iter_days().take(7).collect()
}

/// Adds the title and the links of a week to the header.
pub(super) fn ways(member: &Member, head: &mut Head, view: &View, asked: &Asked) {
    let days = days(asked.date);
    let (first, last) = (days[0], days[6]);
    let values = [("from", part(view, first, last)), ("to", view.long_date(last))];
    head.title = capitalised(&view.says("calendar-week-title", &values));
    let number =
        |day: NaiveDate| view.with("calendar-week-number", "number", &day.iso_week().week().to_string());
    let way = |to: Option<NaiveDate>| {
        to.map(|day| Crumb { label: number(day), path: member.calendar("week", day, asked.staff) })
    };
    head.before = way(weeks_on(asked.date, false));
    head.behind = way(weeks_on(asked.date, true));
    let today = member.calendar("week", member.today(), asked.staff);
    head.present = Some(Crumb { label: view.t("calendar-this-week"), path: today });
}

/// The first day of a week in words. It omits the month and year if the last day has the same ones.
fn part(view: &View, first: NaiveDate, last: NaiveDate) -> String {
    if (first.year(), first.month()) == (last.year(), last.month()) {
        return view.number("day", first.day());
    }
    view.long_date(first)
}

impl Member {
    /// The city name of the business's time zone.
    pub(super) fn place_name(&self) -> String {
        self.profile.zone.name().rsplit('/').next().unwrap_or_default().replace('_', " ")
    }
}

impl View {
    /// The short weekday with the day of the month.
    pub(super) fn weekday_of(&self, day: NaiveDate) -> String {
        format!("{} {}", self.short_weekday(day), day.day())
    }

    pub(super) fn short_weekday(&self, day: NaiveDate) -> String {
        self.count("calendar-weekday", day.weekday().number_from_monday().into())
    }

    /// The text for a number, for example the name of a month.
    fn number(&self, id: &str, number: u32) -> String {
        self.words.say(id, &[("number", Value::Count(number.into()))])
    }

    pub(super) fn long_date(&self, day: NaiveDate) -> String {
        let values = [
            ("day", self.number("day", day.day())),
            ("month", self.number("month", day.month())),
            ("year", day.year().to_string()),
        ];
        self.says("date-of-year", &values)
    }

    pub(super) fn says(&self, id: &str, values: &[(&str, String)]) -> String {
        let values: Vec<_> = values.iter().map(|(name, text)| (*name, Value::Text(text))).collect();
        self.words.say(id, &values)
    }
}

/// The same weekday one week later or earlier.
pub(super) fn weeks_on(day: NaiveDate, forward: bool) -> Option<NaiveDate> {
    if forward { day.checked_add_days(Days::new(7)) } else { day.checked_sub_days(Days::new(7)) }
}
