//! The calendar on a board: a day with a lane for each staff member, or a staff member's week with a lane for
//! each day.

use chrono::{Datelike, NaiveDate};
use domain::{Right, StaffId};

use super::above::{Asked, Head, OF_A_WEEK_MAX, days, ways};
use super::axis::{Axis, shown};
use super::board::{Board, Lane, in_on, is_own, minutes_of, open_on, out_on, span};
use super::diary::Dates;
use crate::dashboard::pages::prelude::*;

/// The maximum number of appointments in a day view. The page says if there are more.
const OF_A_DAY_MAX: usize = 500;
/// With more staff members than this, the day view has a tab for each one.
const LANES_MANY: usize = 6;

#[derive(Template)]
#[template(path = "dashboard/pages/day/board.html", config = "src/askama.toml")]
struct BoardPage {
    sheet: Sheet,
    head: Head,
    class: String,
    label: String,
    hours: Vec<Hour>,
    /// The current time and its position, if the board shows it.
    now: Option<(String, String)>,
    lanes: Vec<Lane>,
    /// Whether the lanes are staff members. Small screens then have links to them.
    is_day: bool,
    more: bool,
    note: String,
}

struct Hour {
    place: String,
    label: String,
    /// Whether the label of the current time would cover this label.
    near: bool,
}

/// The day of all staff members, or of one.
pub(super) async fn day(member: Member, asked: Asked) -> Answered {
    let (view, zone, date) = (member.view(), member.profile.zone, asked.date);
    let dates = Dates::read(&member, date..=date, None, OF_A_DAY_MAX).await?;
    let today = member.today();
    let open = open_on(&dates, date, zone);
    let opens = open.iter().filter(|open| is_own(open)).cloned();
    let visits = dates.visits.iter().map(|visit| minutes_of(visit, date, zone));
    let axis = Axis::around(opens.chain(visits));
    let board = member.board(&view, axis);
    let shown_staff = dates.staff().filter(|one| asked.staff.is_none_or(|staff| staff == one.member.id));
    let lane = |presence: &domain::diary::Presence| {
        let is_in = in_on(&dates, presence, date, zone);
        Lane {
            id: format!("lane-{}", presence.member.id),
            title: presence.member.name.clone(),
            sub: is_in.map_or_else(|| out_on(&view, &dates, date, zone), |is_in| view.span(&is_in)),
            initials: initials(&presence.member.name),
            today: false,
            items: board.items(&dates, presence, date),
        }
    };
    let lanes: Vec<_> = shown_staff.map(lane).collect();
    let now = board.present(date).and_then(|(minute, time)| Some((minute, time, axis.moment(minute)?)));
    let near = now.as_ref().map(|(minute, ..)| *minute);
    let note = dates.diary.special.first().and_then(|day| day.note.clone()).unwrap_or_default();
    let mut head = member.head("day", &asked);
    head.title = capitalised(&view.day(date, today));
    head.sub = day_sub(&member, &view, date, span(open.into_iter().filter(is_own)));
    let way = |to: Option<NaiveDate>| {
        let path = |day| member.calendar("day", day, asked.staff);
        to.map(|day| Crumb { label: capitalised(&view.day(day, today)), path: path(day) })
    };
    (head.before, head.behind) = (way(date.pred_opt()), way(date.succ_opt()));
    head.present = Some(Crumb { label: view.t("today"), path: member.calendar("day", today, asked.staff) });
    if dates.staff().count() > LANES_MANY || asked.staff.is_some() {
        head.staff = member.tabs("day", &asked, &dates);
    }
    let shown = BoardPage {
        sheet: member.sheet("calendar"),
        head,
        class: axis.class(shortest(&dates)),
        label: view.t("calendar-by-staff"),
        hours: hours(axis, near),
        now: now.map(|(_, time, place)| (time, place)),
        lanes,
        is_day: true,
        more: dates.more,
        note,
    };
    page(&shown)
}

/// In minutes.
fn shortest(dates: &Dates) -> Option<u32> {
    let lasts = dates.visits.iter().map(|visit| (visit.ends_at.millis() - visit.starts_at.millis()) / 60_000);
    lasts.min().and_then(|minutes| u32::try_from(minutes).ok())
}

impl Member {
    fn board<'a>(&self, view: &'a View, axis: Axis) -> Board<'a> {
        Board {
            view,
            zone: self.profile.zone,
            now: self.business.now(),
            axis,
            book: self.may(Right::Day).then(|| self.path_to("appointments/new")),
            appointments: self.path_to("appointments"),
        }
    }
}

/// The hour labels next to a board. `near` is the minute of the current time.
fn hours(axis: Axis, near: Option<u32>) -> Vec<Hour> {
    let label = |(hour, place): (u32, String)| Hour {
        place,
        label: shown(hour * 60),
        near: near.is_some_and(|near| near.abs_diff(hour * 60) < 15),
    };
    axis.labels().map(label).collect()
}

fn day_sub(member: &Member, view: &View, date: NaiveDate, open: Option<std::ops::Range<u32>>) -> String {
    let week = view.with("calendar-week-number", "number", &date.iso_week().week().to_string());
    let open = open.map_or_else(
        || view.t("calendar-closed-all-day"),
        |open| {
            let values = [("from", shown(open.start)), ("to", shown(open.end))];
            view.says("calendar-open-from-to", &values)
        },
    );
    let zone = view.with("calendar-times-in", "place", &member.place_name());
    format!("{week} · {open} · {zone}")
}

pub(super) async fn week_of(member: Member, date: NaiveDate, staff: StaffId) -> Answered {
    let (view, zone, today) = (member.view(), member.profile.zone, member.today());
    let week = days(date);
    let (first, last) = (week[0], week[6]);
    let dates = Dates::read(&member, first..=last, Some(staff), OF_A_WEEK_MAX).await?;
    let presence = dates.diary.staff.iter().find(|one| one.member.id == staff);
    let presence = presence.ok_or_else(crate::dashboard::refused::Refused::not_found)?;
    let asked = Asked { date, staff: Some(staff) };
    let opens = week.iter().flat_map(|day| open_on(&dates, *day, zone).into_iter().filter(is_own));
    let visits = week.iter().flat_map(|day| {
        let of_day =
            dates.visits.iter().filter(|visit| crate::dashboard::days::day(visit.starts_at, zone) == *day);
        of_day.map(|visit| minutes_of(visit, *day, zone)).collect::<Vec<_>>()
    });
    let axis = Axis::around(opens.chain(visits));
    let board = member.board(&view, axis);
    let lane = |day: &NaiveDate| Lane {
        id: format!("lane-{day}"),
        title: view.weekday_of(*day),
        sub: in_on(&dates, presence, *day, zone)
            .map_or_else(|| out_on(&view, &dates, *day, zone), |is_in| view.span(&is_in)),
        initials: String::new(),
        today: *day == today,
        items: board.items(&dates, presence, *day),
    };
    let lanes = week.iter().map(lane).collect();
    let now = board.present(today).filter(|_| week.contains(&today));
    let now = now.and_then(|(minute, time)| Some((minute, time, axis.moment(minute)?)));
    let near = now.as_ref().map(|(minute, ..)| *minute);
    let mut head = member.head("week", &asked);
    ways(&member, &mut head, &view, &asked);
    head.sub = format!(
        "{} · {} · {}",
        view.with("calendar-week-number", "number", &date.iso_week().week().to_string()),
        presence.member.name,
        view.count("appointments-count", dates.visits.len() as u64)
    );
    head.staff = member.tabs("week", &asked, &dates);
    let shown = BoardPage {
        sheet: member.sheet("calendar"),
        head,
        class: format!("thin {}", axis.class(shortest(&dates))),
        label: view.with("calendar-week-of", "name", &presence.member.name),
        hours: hours(axis, near),
        now: now.map(|(_, time, place)| (time, place)),
        lanes,
        is_day: false,
        more: dates.more,
        note: String::new(),
    };
    page(&shown)
}
