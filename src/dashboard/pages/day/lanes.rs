//! The day view and the week view of the calendar. The day view has one lane for each staff member. The week view has
//! one lane for each day, and shows one staff member or all.

use chrono::{Datelike, NaiveDate};
use domain::diary::Presence;
use domain::{Attendance, Right, StaffId};

use super::above::{Head, OF_A_WEEK_MAX, ViewQuery, query};
use super::axis::Axis;
use super::board::{Board, Item, Lane, is_own, minutes_of, open_on, span};
use super::diary::Dates;
use super::options::ViewChoices;
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
    /// The staff members with their colours, for the legend.
    crew: Vec<(String, String)>,
    /// The query of the URL of this view. Forms contain it, so that the browser returns to this view.
    back: String,
    first_minute: u32,
    last_minute: u32,
    grid_minutes: u32,
    more: bool,
    note: String,
}

struct Hour {
    place: String,
    label: String,
    /// Whether the label of the current time would cover the label of this hour.
    near: bool,
}

pub(super) async fn day(member: Member, asked: ViewQuery) -> Answered {
    let (view, zone, date) = (&member.view, member.profile.zone, asked.date);
    let dates = Dates::read(&member, date..=date, None, OF_A_DAY_MAX).await?;
    let today = member.today();
    let open: Vec<_> = open_on(&dates, date, zone).into_iter().filter(is_own).collect();
    let visits = dates.visits.iter().map(|visit| minutes_of(visit, date, zone));
    let axis = Axis::around(open.iter().cloned().chain(visits));
    let board = member.board(&dates, axis).await?;
    let kept = ViewChoices::of(&member);
    let is_shown = |one: &&Presence| match asked.staff {
        Some(staff) => staff == one.member.id,
        None => kept.shows(one.member.id),
    };
    let lane = |presence: &Presence| {
        let id = presence.member.id;
        Lane {
            title: presence.member.name.clone(),
            sub: member.presence(&dates, presence, date, zone),
            tint: Some(dates.color(id)),
            staff: Some(id),
            ..lane(&format!("lane-{id}"), date, board.items(presence, date))
        }
    };
    let lanes = dates.staff().filter(is_shown).map(lane).collect();
    let way = |to: Option<NaiveDate>| {
        to.map(|day| Crumb { label: member.heading(day), path: member.calendar("day", day, asked.staff) })
    };
    let is_tabbed = dates.staff().count() > LANES_MANY || asked.staff.is_some();
    let head = Head {
        title: member.heading(date),
        short: format!("{} {}", view.short_weekday(date), view.brief_date(date)),
        sub: day_sub(&member, date, span(open.into_iter())),
        before: way(date.pred_opt()),
        present: Some(Crumb { label: view.t("today"), path: member.calendar("day", today, asked.staff) }),
        after: way(date.succ_opt()),
        staff: if is_tabbed { member.tabs("day", &asked, &dates) } else { Vec::new() },
        options: Some(member.options("day", &asked, &dates)),
        ..member.head("day", &asked)
    };
    let now = board.present(date);
    page(&BoardPage {
        note: dates.diary.special.first().and_then(|day| day.note.clone()).unwrap_or_default(),
        ..BoardPage::new(&board, head, lanes, now, &asked)
    })
}

/// A lane of a day, without its title.
fn lane(id: &str, date: NaiveDate, items: Vec<Item>) -> Lane {
    Lane {
        id: id.to_owned(),
        title: String::new(),
        sub: String::new(),
        date,
        staff: None,
        tint: None,
        today: false,
        items,
    }
}

impl<'a> BoardPage<'a> {
    fn new(
        board: &Board<'a>,
        head: Head,
        lanes: Vec<Lane>,
        now: Option<(u32, String)>,
        asked: &ViewQuery,
    ) -> Self {
        let (member, axis, dates) = (board.member, board.axis, board.dates);
        let now = now.and_then(|(minute, time)| Some((minute, time, axis.moment(minute)?)));
        let hour = |(hour, place): (u32, String)| Hour {
            place,
            label: member.clock_of(hour * 60),
            near: now.as_ref().is_some_and(|(minute, ..)| minute.abs_diff(hour * 60) < 15),
        };
        let is_day = head.is == "day";
        let label = match asked.staff.and_then(|staff| dates.presence(staff)) {
            _ if is_day => member.t("calendar-by-staff"),
            Some(one) => member.with("calendar-week-of", "name", &one.member.name),
            None => member.t("calendar-week-of-all"),
        };
        let (density, grid) = (ViewChoices::of(member).density, member.profile.grid_minutes);
        let thin = if is_day { "" } else { "thin " };
        let crew = dates.staff().filter(|_| !is_day && asked.staff.is_none());
        let crew = crew.map(|one| (one.member.name.clone(), dates.color(one.member.id)));
        Self {
            sheet: member.sheet("calendar"),
            class: format!("{thin}{density} grid-{grid} {}", axis.class(shortest(dates))),
            label,
            hours: axis.labels().map(hour).collect(),
            now: now.map(|(_, time, place)| (time, place)),
            lanes,
            crew: crew.collect(),
            back: query(head.is, asked.date, asked.staff),
            first_minute: axis.minutes().start,
            last_minute: axis.minutes().end,
            grid_minutes: grid,
            more: dates.more,
            note: String::new(),
            head,
        }
    }

    fn is_day(&self) -> bool {
        self.head.is == "day"
    }

    fn attendance_icon(&self, attendance: Attendance) -> &'static str {
        if attendance == Attendance::NoShow { "absent" } else { "check" }
    }

    fn has_staff(&self) -> bool {
        !self.is_day() || !self.lanes.is_empty()
    }
}

fn shortest(dates: &Dates) -> Option<u32> {
    let lasts = dates.visits.iter().map(|visit| (visit.ends_at.millis() - visit.starts_at.millis()) / 60_000);
    lasts.min().and_then(|minutes| u32::try_from(minutes).ok())
}

impl Member {
    async fn board<'a>(&'a self, dates: &'a Dates, axis: Axis) -> Result<Board<'a>, Refused> {
        Ok(Board {
            member: self,
            dates,
            alerts: dates.alerts(self).await?,
            now: self.business.now(),
            axis,
            book: self.may(Right::Day).then(|| self.path_to("appointments/new")),
        })
    }

    /// The axis of a week. It contains the opening hours and the appointments of each day.
    fn week_axis(&self, dates: &Dates, week: &[NaiveDate]) -> Axis {
        let zone = self.profile.zone;
        let opens = week.iter().flat_map(|day| open_on(dates, *day, zone).into_iter().filter(is_own));
        let visits = dates.visits.iter().map(|visit| (visit, self.day(visit.starts_at)));
        let visits = visits.filter(|(_, day)| week.contains(day));
        Axis::around(opens.chain(visits.map(|(visit, day)| minutes_of(visit, day, zone))))
    }

    fn day_lane(&self, day: NaiveDate, items: Vec<Item>) -> Lane {
        Lane {
            title: format!("{} {}", self.short_weekday(day), day.day()),
            today: day == self.today(),
            ..lane(&format!("lane-{day}"), day, items)
        }
    }
}

fn day_sub(member: &Member, date: NaiveDate, open: Option<std::ops::Range<u32>>) -> String {
    let open = open.map_or_else(
        || member.t("calendar-closed-all-day"),
        |open| {
            let values = [("from", member.clock_of(open.start)), ("to", member.clock_of(open.end))];
            member.says("calendar-open-from-to", &values)
        },
    );
    let zone = member.with("calendar-times-in", "place", &member.place_name());
    format!("{} · {open} · {zone}", member.week(date))
}

/// The week view if no staff member is selected. It shows all staff members that the person has not hidden.
pub(super) async fn week(member: Member, asked: ViewQuery) -> Answered {
    let (view, zone, today) = (&member.view, member.profile.zone, member.today());
    let week = member.week_days(asked.date);
    let mut dates = Dates::read(&member, week[0]..=week[6], None, OF_A_WEEK_MAX).await?;
    let kept = ViewChoices::of(&member);
    dates.visits.retain(|visit| kept.shows(visit.staff_id));
    let staff: Vec<_> = dates.staff().map(|one| one.member.id).filter(|id| kept.shows(*id)).collect();
    let board = member.board(&dates, member.week_axis(&dates, &week)).await?;
    let lane = |day: &NaiveDate| Lane {
        sub: match span(open_on(&dates, *day, zone).into_iter().filter(is_own)) {
            Some(open) => member.span(&open),
            None => view.t("calendar-closed"),
        },
        ..member.day_lane(*day, board.items_of_all(&staff, *day))
    };
    let lanes = week.iter().map(lane).collect();
    let head = member.week_head(&asked, &dates, &member.t("calendar-all-staff"));
    let now = board.present(today).filter(|_| week.contains(&today));
    page(&BoardPage::new(&board, head, lanes, now, &asked))
}

pub(super) async fn week_of(member: Member, date: NaiveDate, staff: StaffId) -> Answered {
    let (zone, today) = (member.profile.zone, member.today());
    let week = member.week_days(date);
    let dates = Dates::read(&member, week[0]..=week[6], Some(staff), OF_A_WEEK_MAX).await?;
    let presence = dates.presence(staff).ok_or_else(Refused::not_found)?;
    let board = member.board(&dates, member.week_axis(&dates, &week)).await?;
    let lane = |day: &NaiveDate| Lane {
        sub: member.presence(&dates, presence, *day, zone),
        staff: Some(staff),
        ..member.day_lane(*day, board.items(presence, *day))
    };
    let lanes = week.iter().map(lane).collect();
    let asked = ViewQuery { date, staff: Some(staff) };
    let head = member.week_head(&asked, &dates, &presence.member.name);
    let now = board.present(today).filter(|_| week.contains(&today));
    page(&BoardPage::new(&board, head, lanes, now, &asked))
}
