//! The calendar. The query selects a view: a day by staff member, a week of one or all staff members, or a
//! list. The week of all staff members has a list for each day.

use chrono::{Datelike, NaiveDate};
use view::AppointmentView;

use super::above::{Asked, Head, OF_A_WEEK_MAX, days};
use super::board::{is_own, open_on, span};
use super::diary::Dates;
use super::{lanes, list};
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/day/week.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    head: Head,
    days: Vec<Day<'a>>,
    more: bool,
}

struct Day<'a> {
    date: NaiveDate,
    number: u32,
    today: bool,
    open: Option<std::ops::Range<u32>>,
    visits: Vec<&'a AppointmentView>,
}

pub(crate) async fn show(member: Member) -> Answered {
    let date = days::asked(member.query.get("date")).unwrap_or_else(|| member.today());
    let asked = Asked { date, staff: member.query.get("staff").parse().ok() };
    match (member.query.get("view"), asked.staff) {
        ("list", _) => list::show(member, asked).await,
        ("week", None) => week(member, asked).await,
        ("week", Some(staff)) => lanes::week_of(member, asked.date, staff).await,
        _ => lanes::day(member, asked).await,
    }
}

async fn week(member: Member, asked: Asked) -> Answered {
    let (zone, today, all) = (member.profile.zone, member.today(), days(asked.date));
    let dates = Dates::read(&member, all[0]..=all[6], None, OF_A_WEEK_MAX).await?;
    let of_day = |date: &NaiveDate| Day {
        date: *date,
        number: date.day(),
        today: *date == today,
        open: span(open_on(&dates, *date, zone).into_iter().filter(is_own)),
        visits: dates.visits.iter().filter(|visit| member.day(visit.starts_at) == *date).collect(),
    };
    page(&Page {
        sheet: member.sheet("calendar"),
        head: member.week_head(&asked, &dates, &member.t("calendar-all-staff")),
        days: all.iter().map(of_day).collect(),
        more: dates.more,
    })
}
