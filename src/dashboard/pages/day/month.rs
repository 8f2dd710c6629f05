//! The month view of the calendar. It shows the number of appointments of each day. In the other
//! views, the date picker is a list of month views.

use std::collections::HashMap;

use chrono::{Datelike, Months, NaiveDate};
use domain::AppointmentStatus;

use super::above::{Head, ViewQuery};
use super::board::{is_own, open_on};
use super::diary::Dates;
use super::options::ViewChoices;
use crate::dashboard::pages::prelude::*;

/// The maximum number of appointments that are counted. The page says if there are more.
const COUNTED_MAX: usize = 10_000;
/// The number of load levels of a day. The stylesheet has a class for each of them.
const LOADS: usize = 8;
/// The number of months to which the page has a link: the *central* month, the two months before it, and the 13 months
/// after it. The central month is usually the current month. The links then cover at least the next twelve months from
/// today.
const MONTHS_OFFERED: u32 = 16;
const MONTHS_BEFORE: u32 = 2;
/// If the shown month is at most [`MONTHS_BEFORE`] months before the current month, or at most `MONTHS_AHEAD_MAX`
/// months after it, the central month is the current month. In all other cases, the central month is the shown month.
const MONTHS_AHEAD_MAX: u32 = 12;

#[derive(Template)]
#[template(path = "dashboard/pages/day/month.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    head: Head,
    weekdays: Vec<String>,
    weeks: Vec<Week>,
    /// The months to which the page has a link: the central month and months before and after it.
    months: Vec<Tab>,
    date: NaiveDate,
    staff: String,
    more: bool,
}

struct Week {
    label: String,
    path: String,
    days: Vec<Cell>,
}

struct Cell {
    date: NaiveDate,
    path: String,
    number: u32,
    count: usize,
    asks: u64,
    load: usize,
    /// The CSS classes: `today`, `chosen`, `other` for a day of another month, `closed`.
    class: String,
    today: bool,
    closed: bool,
    note: String,
}

impl Cell {
    fn count_of(&self) -> u64 {
        self.count as u64
    }
}

pub(super) async fn show(member: Member, asked: ViewQuery) -> Answered {
    let view = &member.view;
    let first = asked.date.with_day(1).unwrap_or(asked.date);
    let month = |months: i32| {
        let by = Months::new(months.unsigned_abs());
        if months < 0 { first.checked_sub_months(by) } else { first.checked_add_months(by) }
    };
    let last = month(1).and_then(|next| next.pred_opt()).unwrap_or(first);
    let mut shown = member.week_days(first)[0].iter_days();
    let weeks: Vec<Vec<NaiveDate>> = std::iter::from_fn(|| Some(shown.by_ref().take(7).collect::<Vec<_>>()))
        .take_while(|week| week.first().is_some_and(|day| *day <= last))
        .collect();
    let range = weeks[0][0]..=weeks[weeks.len() - 1][6];
    let dates = Dates::read(&member, range, asked.staff, COUNTED_MAX).await?;
    let kept = ViewChoices::of(&member);
    let mut counts: HashMap<NaiveDate, (usize, usize)> = HashMap::new();
    let counted = dates.visits.iter();
    for visit in counted.filter(|visit| asked.staff.is_some() || kept.shows(visit.staff_id)) {
        let (count, asks) = counts.entry(member.day(visit.starts_at)).or_default();
        *count += 1;
        *asks += usize::from(visit.status == AppointmentStatus::Pending);
    }
    let most = counts.values().map(|(count, _)| *count).max().unwrap_or(0);
    let today = member.today();
    let cell = |day: &NaiveDate| {
        let (count, asks) = counts.get(day).copied().unwrap_or_default();
        let closed = !open_on(&dates, *day, member.profile.zone).iter().any(is_own);
        let special = dates.diary.special.iter().find(|special| special.date == *day);
        let classes = [
            (*day == today, " today"),
            (*day == asked.date, " chosen"),
            (day.month() != first.month(), " other"),
            (closed, " closed"),
        ];
        Cell {
            date: *day,
            path: member.calendar("day", *day, asked.staff),
            number: day.day(),
            count,
            asks: asks as u64,
            load: (count * LOADS).div_ceil(most.max(1)),
            class: classes.iter().filter(|(is_so, _)| *is_so).map(|(_, class)| *class).collect(),
            today: *day == today,
            closed,
            note: special.and_then(|special| special.note.clone()).unwrap_or_default(),
        }
    };
    let week = |days: &Vec<NaiveDate>| Week {
        label: view.week(days[3]),
        path: member.calendar("week", days[3], asked.staff),
        days: days.iter().map(cell).collect(),
    };
    let way = |to: Option<NaiveDate>| {
        to.map(|to| Crumb { label: view.month(to), path: member.calendar("month", to, asked.staff) })
    };
    let offered = offered(first, today).map(|to| Tab {
        label: view.short_month(to),
        path: member.calendar("month", to, asked.staff),
        current: to == first,
    });
    let in_month = counts.iter().filter(|(day, _)| first <= **day && **day <= last);
    let count = in_month.map(|(_, (count, _))| *count as u64).sum();
    let head = Head {
        title: view.month(first),
        short: view.month(first),
        sub: capitalised(&view.count("appointments-count", count)),
        before: way(month(-1)),
        present: Some(Crumb {
            label: view.t("calendar-this-month"),
            path: member.calendar("month", today, asked.staff),
        }),
        after: way(month(1)),
        staff: member.tabs("month", &asked, &dates),
        options: Some(member.options("month", &asked, &dates)),
        ..member.head("month", &asked)
    };
    page(&Page {
        head,
        weekdays: weeks[0].iter().map(|day| view.short_weekday(*day)).collect(),
        weeks: weeks.iter().map(week).collect(),
        months: offered.collect(),
        date: asked.date,
        staff: asked.staff.map(|staff| staff.to_string()).unwrap_or_default(),
        more: dates.more,
        sheet: member.sheet("calendar"),
    })
}

/// The months to which the page links, each given as its first day. `shown` is the first day of the shown month.
fn offered(shown: NaiveDate, today: NaiveDate) -> impl Iterator<Item = NaiveDate> {
    let present = today.with_day(1).unwrap_or(today);
    let is_near = |from: NaiveDate| {
        let range = from.checked_sub_months(Months::new(MONTHS_BEFORE))
            ..=from.checked_add_months(Months::new(MONTHS_AHEAD_MAX));
        range.contains(&Some(shown))
    };
    let from = if is_near(present) { present } else { shown };
    let from = from.checked_sub_months(Months::new(MONTHS_BEFORE)).unwrap_or(from);
    (0..MONTHS_OFFERED).filter_map(move |ahead| from.checked_add_months(Months::new(ahead)))
}

impl View {
    pub(super) fn month(&self, day: NaiveDate) -> String {
        capitalised(&self.words.dated("calendar-month-title", day, ""))
    }

    /// The name of a month, with the year if it is the first month of a year.
    fn short_month(&self, day: NaiveDate) -> String {
        let is_new = day.month() == 1;
        let id = if is_new { "calendar-month-short-year" } else { "calendar-month-short" };
        capitalised(&self.words.dated(id, day, ""))
    }
}
