//! The days of six weeks, in the sidebar of wide windows. One click opens any of them.

use chrono::{Datelike, NaiveDate};

use super::above::ViewQuery;
use crate::dashboard::pages::prelude::*;

/// The number of weeks. Six weeks contain the next 35 days, even if today is the last day of the first week.
const WEEKS: usize = 6;

#[derive(Default)]
pub(super) struct Weeks {
    /// The first letter and the short name of each weekday.
    pub(super) weekdays: Vec<(String, String)>,
    pub(super) rows: Vec<Row>,
}

pub(super) struct Row {
    /// The month that the row names. The first row names the month of its first day. A later row names the month of its
    /// last day, unless an earlier row has named this month. If the row names no month, the text is empty.
    pub(super) month: String,
    pub(super) days: Vec<Day>,
}

pub(super) struct Day {
    pub(super) date: NaiveDate,
    pub(super) path: String,
    pub(super) name: String,
    pub(super) today: bool,
    /// Whether the page shows this day.
    pub(super) chosen: bool,
}

impl Member {
    /// Returns the weeks that begin with the present week. If these weeks do not contain the shown day, the weeks begin
    /// with the week of that day. `view` is the view in which a chosen day opens.
    pub(super) fn weeks(&self, view: &str, asked: &ViewQuery) -> Weeks {
        let today = self.today();
        let from = |date: NaiveDate| self.week_days(date)[0].iter_days().take(WEEKS * 7).collect::<Vec<_>>();
        let present = from(today);
        let days = if present.contains(&asked.date) { present } else { from(asked.date) };
        let mut named = None;
        let mut row = |days: &[NaiveDate]| {
            let day = if named.is_none() { days.first() } else { days.last() };
            let new = day.filter(|day| named.replace(day.month()) != Some(day.month()));
            Row {
                month: new.map(|day| self.view.brief_month(*day)).unwrap_or_default(),
                days: days.iter().map(|day| self.day_of_weeks(view, *day, asked)).collect(),
            }
        };
        let weekday = |day: &NaiveDate| {
            let name = self.view.short_weekday(*day);
            (capitalised(&name).chars().take(1).collect(), name)
        };
        Weeks {
            weekdays: days.iter().take(7).map(weekday).collect(),
            rows: days.chunks(7).map(&mut row).collect(),
        }
    }

    fn day_of_weeks(&self, view: &str, date: NaiveDate, asked: &ViewQuery) -> Day {
        Day {
            date,
            path: self.calendar(view, date, asked.staff),
            name: self.heading(date),
            today: date == self.today(),
            chosen: date == asked.date,
        }
    }
}

impl View {
    fn brief_month(&self, day: NaiveDate) -> String {
        capitalised(&self.words.dated("calendar-month-short", day, ""))
    }
}
