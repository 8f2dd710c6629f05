//! The week of all staff members: a list for each day.

use chrono::{Datelike, NaiveDate};
use domain::AppointmentStatus;
use view::AppointmentView;

use super::above::{Asked, Head, OF_A_WEEK_MAX, days, ways};
use super::board::{is_own, open_on, span};
use super::diary::Dates;
use crate::dashboard::days::{clock, day};
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/day/week.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    head: Head,
    days: Vec<Day>,
    more: bool,
}

struct Day {
    id: String,
    weekday: String,
    number: u32,
    path: String,
    hours: String,
    today: bool,
    shut: bool,
    visits: Vec<Visit>,
}

struct Visit {
    path: String,
    starts_at: String,
    time: String,
    name: String,
    detail: String,
    asks: bool,
}

pub(super) async fn show(member: Member, asked: Asked) -> Answered {
    let (view, zone, today) = (member.view(), member.profile.zone, member.today());
    let all = days(asked.date);
    let dates = Dates::read(&member, all[0]..=all[6], None, OF_A_WEEK_MAX).await?;
    let of_day = |date: &NaiveDate| {
        let open = span(open_on(&dates, *date, zone).into_iter().filter(is_own));
        let visits = dates.visits.iter().filter(|visit| day(visit.starts_at, zone) == *date);
        Day {
            id: format!("day-{date}"),
            weekday: view.short_weekday(*date),
            number: date.day(),
            path: member.calendar("day", *date, None),
            shut: open.is_none(),
            hours: open.map_or_else(|| view.t("calendar-closed"), |open| view.span(&open)),
            today: *date == today,
            visits: visits.map(|visit| shown(&member, &view, visit)).collect(),
        }
    };
    let mut head = member.head("week", &asked);
    ways(&member, &mut head, &view, &asked);
    head.sub = format!(
        "{} · {} · {}",
        view.with("calendar-week-number", "number", &asked.date.iso_week().week().to_string()),
        view.t("calendar-all-staff"),
        view.count("appointments-count", dates.visits.len() as u64)
    );
    head.staff = member.tabs("week", &asked, &dates);
    let days = all.iter().map(of_day).collect();
    let page_of = Page { sheet: member.sheet("calendar"), head, days, more: dates.more };
    page(&page_of)
}

fn shown(member: &Member, view: &View, visit: &AppointmentView) -> Visit {
    Visit {
        path: member.appointment_path(visit),
        starts_at: visit.starts_at.to_string(),
        time: clock(visit.starts_at, member.profile.zone),
        name: view.who_comes(visit),
        detail: format!("{} · {}", visit.service_name, visit.staff_name),
        asks: visit.status == AppointmentStatus::Pending,
    }
}
