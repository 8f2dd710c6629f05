//! The weeks ahead, as small rows of days in the sidebar of wide windows. One click opens any day of them.

use chrono::{Datelike, NaiveDate};

use super::above::ViewQuery;
use crate::dashboard::pages::prelude::*;

/// The number of weeks, so that a day in five weeks is always among them.
const WEEKS: usize = 6;

#[derive(Default)]
pub(super) struct Weeks {
    /// The first letter and the short name of each weekday.
    pub(super) weekdays: Vec<(String, String)>,
    pub(super) rows: Vec<Row>,
}

pub(super) struct Row {
    /// The name of the month, in the first row and in a row in which a month begins.
    pub(super) month: String,
    pub(super) days: Vec<Day>,
}

pub(super) struct Day {
    pub(super) date: NaiveDate,
    pub(super) path: String,
    pub(super) name: String,
    pub(super) today: bool,
    /// The CSS classes: `today`, and `chosen` for the day that the page shows.
    pub(super) class: &'static str,
}

impl Member {
    /// The present week and the weeks after it, or the weeks from the shown one on if it is not among them. `view` is
    /// the view in which a chosen day opens.
    pub(super) fn weeks_ahead(&self, view: &str, asked: &ViewQuery) -> Weeks {
        let today = self.today();
        let weeks_from =
            |date: NaiveDate| self.week_days(date)[0].iter_days().take(WEEKS * 7).collect::<Vec<_>>();
        let present = weeks_from(today);
        let days = if present.contains(&asked.date) { present } else { weeks_from(asked.date) };
        let day = |date: &NaiveDate| Day {
            date: *date,
            path: self.calendar(view, *date, asked.staff),
            name: self.heading(*date),
            today: *date == today,
            class: match (*date == today, *date == asked.date) {
                (true, true) => "today chosen",
                (true, false) => "today",
                (false, true) => "chosen",
                (false, false) => "",
            },
        };
        let row = |(index, days): (usize, &[NaiveDate])| {
            let begins = days.iter().find(|day| day.day() == 1);
            let month = if index == 0 { begins.or(days.first()) } else { begins };
            let month = month.map(|day| self.view.short_month(*day)).unwrap_or_default();
            Row { month, days: days.iter().map(day).collect() }
        };
        let weekday = |day: &NaiveDate| {
            let name = self.view.short_weekday(*day);
            (capitalised(&name).chars().take(1).collect(), name)
        };
        Weeks {
            weekdays: days.iter().take(7).map(weekday).collect(),
            rows: days.chunks(7).enumerate().map(row).collect(),
        }
    }
}
