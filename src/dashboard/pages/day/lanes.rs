//! The calendar on a board: a day with a lane for each staff member, or a staff member's week with a lane for
//! each day.

use chrono::{Datelike, NaiveDate};
use domain::{Right, StaffId};

use super::above::{Asked, Head, OF_A_WEEK_MAX, days};
use super::axis::{Axis, shown};
use super::board::{Board, Lane, is_own, minutes_of, open_on, span};
use super::diary::Dates;
use crate::dashboard::pages::prelude::*;

/// The maximum number of appointments in a day view. The page says if there are more.
const OF_A_DAY_MAX: usize = 500;
/// With more staff members than this, the day view has a tab for each staff member.
const LANES_MANY: usize = 6;

#[derive(Template)]
#[template(path = "dashboard/pages/day/board.html", config = "src/askama.toml")]
struct BoardPage<'a> {
    sheet: Sheet<'a>,
    head: Head,
    class: String,
    label: String,
    hours: Vec<Hour>,
    now: Option<(String, String)>,
    lanes: Vec<Lane>,
    /// Whether each lane belongs to a staff member. Small screens then show links to the lanes.
    is_day: bool,
    more: bool,
    note: String,
}

struct Hour {
    place: String,
    label: String,
    /// Whether the label of the current time would cover the label of this hour.
    near: bool,
}

pub(super) async fn day(member: Member, asked: Asked) -> Answered {
    let (view, zone, date) = (&member.view, member.profile.zone, asked.date);
    let dates = Dates::read(&member, date..=date, None, OF_A_DAY_MAX).await?;
    let today = member.today();
    let open: Vec<_> = open_on(&dates, date, zone).into_iter().filter(is_own).collect();
    let visits = dates.visits.iter().map(|visit| minutes_of(visit, date, zone));
    let board = member.board(Axis::around(open.iter().cloned().chain(visits)));
    let shown_staff = dates.staff().filter(|one| asked.staff.is_none_or(|staff| staff == one.member.id));
    let lane = |presence: &domain::diary::Presence| Lane {
        id: format!("lane-{}", presence.member.id),
        title: presence.member.name.clone(),
        sub: view.presence(&dates, presence, date, zone),
        is_of_staff: true,
        today: false,
        items: board.items(&dates, presence, date),
    };
    let lanes = shown_staff.map(lane).collect();
    let way = |to: Option<NaiveDate>| {
        to.map(|day| Crumb { label: member.heading(day), path: member.calendar("day", day, asked.staff) })
    };
    let is_tabbed = dates.staff().count() > LANES_MANY || asked.staff.is_some();
    let head = Head {
        title: member.heading(date),
        sub: day_sub(&member, date, span(open.into_iter())),
        before: way(date.pred_opt()),
        present: Some(Crumb { label: view.t("today"), path: member.calendar("day", today, asked.staff) }),
        after: way(date.succ_opt()),
        staff: if is_tabbed { member.tabs("day", &asked, &dates) } else { Vec::new() },
        ..member.head("day", &asked)
    };
    let now = board.present(date);
    page(&BoardPage {
        note: dates.diary.special.first().and_then(|day| day.note.clone()).unwrap_or_default(),
        ..BoardPage::new(&board, head, lanes, &dates, now, view.t("calendar-by-staff"))
    })
}

impl<'a> BoardPage<'a> {
    fn new(
        board: &Board<'a>,
        head: Head,
        lanes: Vec<Lane>,
        dates: &Dates,
        now: Option<(u32, String)>,
        label: String,
    ) -> Self {
        let (member, axis) = (board.member, board.axis);
        let now = now.and_then(|(minute, time)| Some((minute, time, axis.moment(minute)?)));
        let hour = |(hour, place): (u32, String)| Hour {
            place,
            label: shown(hour * 60),
            near: now.as_ref().is_some_and(|(minute, ..)| minute.abs_diff(hour * 60) < 15),
        };
        let (is_day, class) = (head.is == "day", axis.class(shortest(dates)));
        Self {
            sheet: member.sheet("calendar"),
            head,
            class: if is_day { class } else { format!("thin {class}") },
            label,
            hours: axis.labels().map(hour).collect(),
            now: now.map(|(_, time, place)| (time, place)),
            lanes,
            is_day,
            more: dates.more,
            note: String::new(),
        }
    }
}

fn shortest(dates: &Dates) -> Option<u32> {
    let lasts = dates.visits.iter().map(|visit| (visit.ends_at.millis() - visit.starts_at.millis()) / 60_000);
    lasts.min().and_then(|minutes| u32::try_from(minutes).ok())
}

impl Member {
    fn board(&self, axis: Axis) -> Board<'_> {
        Board {
            member: self,
            now: self.business.now(),
            axis,
            book: self.may(Right::Day).then(|| self.path_to("appointments/new")),
        }
    }
}

fn day_sub(member: &Member, date: NaiveDate, open: Option<std::ops::Range<u32>>) -> String {
    let open = open.map_or_else(
        || member.t("calendar-closed-all-day"),
        |open| {
            let values = [("from", shown(open.start)), ("to", shown(open.end))];
            member.says("calendar-open-from-to", &values)
        },
    );
    let zone = member.with("calendar-times-in", "place", &member.place_name());
    format!("{} · {open} · {zone}", member.week(date))
}

pub(super) async fn week_of(member: Member, date: NaiveDate, staff: StaffId) -> Answered {
    let (view, zone, today) = (&member.view, member.profile.zone, member.today());
    let week = days(date);
    let dates = Dates::read(&member, week[0]..=week[6], Some(staff), OF_A_WEEK_MAX).await?;
    let presence = dates.diary.staff.iter().find(|one| one.member.id == staff);
    let presence = presence.ok_or_else(Refused::not_found)?;
    let opens = week.iter().flat_map(|day| open_on(&dates, *day, zone).into_iter().filter(is_own));
    let visits = dates.visits.iter().map(|visit| (visit, member.day(visit.starts_at)));
    let visits = visits.filter(|(_, day)| week.contains(day));
    let visits = visits.map(|(visit, day)| minutes_of(visit, day, zone));
    let board = member.board(Axis::around(opens.chain(visits)));
    let lane = |day: &NaiveDate| Lane {
        id: format!("lane-{day}"),
        title: format!("{} {}", view.short_weekday(*day), day.day()),
        sub: view.presence(&dates, presence, *day, zone),
        is_of_staff: false,
        today: *day == today,
        items: board.items(&dates, presence, *day),
    };
    let lanes = week.iter().map(lane).collect();
    let head = member.week_head(&Asked { date, staff: Some(staff) }, &dates, &presence.member.name);
    let now = board.present(today).filter(|_| week.contains(&today));
    let label = view.with("calendar-week-of", "name", &presence.member.name);
    page(&BoardPage::new(&board, head, lanes, &dates, now, label))
}
