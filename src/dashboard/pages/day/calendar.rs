//! The calendar: a day by staff member, a week of one or of all, or a list; what all of them have above them, and the
//! first two. The week of all stands in `week`, the list in `list`.

use actors::domain::{Right, StaffId};
use askama::Template;
use axum::http::StatusCode;
use chrono::{Datelike, Days, NaiveDate};

use super::axis::{Axis, shown};
use super::board::{Board, Lane, in_on, is_own, minutes_of, open_on, span};
use super::diary::Dates;
use super::{list, week};
use crate::dashboard::asked::Member;
use crate::dashboard::frame::Frame;
use crate::dashboard::parts::{Crumb, initials};
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page};
use crate::words::capitalised;

/// How many appointments of a day and of a week are shown; of more it is said that there are.
const OF_A_DAY_MAX: usize = 500;
pub(super) const OF_A_WEEK_MAX: usize = 2_000;
/// With so many staff members a day is shown for one of them, too.
const LANES_MANY: usize = 6;

/// What all views have above them.
pub(super) struct Head {
    pub(super) title: String,
    pub(super) sub: String,
    /// Which view it is.
    pub(super) is: &'static str,
    pub(super) day: String,
    pub(super) week: String,
    pub(super) list: String,
    /// The ways to what is before, at present and behind: where they lead, and what they are called.
    pub(super) before: Option<Crumb>,
    pub(super) present: Option<Crumb>,
    pub(super) behind: Option<Crumb>,
    /// Where one books, for whoever may.
    pub(super) book: Option<String>,
    /// The same page of each staff member.
    pub(super) staff: Vec<Tab>,
}

/// A way to the same page of somebody.
pub(super) struct Tab {
    pub(super) label: String,
    pub(super) path: String,
    pub(super) current: bool,
}

#[derive(Template)]
#[template(path = "dashboard/pages/day/board.html", config = "src/askama.toml")]
struct BoardPage {
    view: View,
    frame: Frame,
    head: Head,
    /// The classes of the board.
    class: String,
    label: String,
    hours: Vec<Hour>,
    /// The time at present and its place, where it is shown.
    now: Option<(String, String)>,
    lanes: Vec<Lane>,
    /// Whether lanes are staff members, to whom phones jump.
    is_day: bool,
    more: bool,
    /// Why the day is as it is, where it is special.
    note: String,
}

struct Hour {
    place: String,
    label: String,
    /// Whether the present's own label would cover it.
    near: bool,
}

/// What the address asks for.
pub(super) struct Asked {
    pub(super) date: NaiveDate,
    pub(super) staff: Option<StaffId>,
}

/// The calendar, as the address asks for it.
pub(crate) async fn show(member: Member) -> Answered {
    let date = member.asked_day("date").unwrap_or_else(|| member.today());
    let asked = Asked { date, staff: member.query.get("staff").parse().ok() };
    match (member.query.get("view"), asked.staff) {
        ("list", _) => list::show(member, asked).await,
        ("week", None) => week::show(member, asked).await,
        ("week", Some(staff)) => week_of(member, asked.date, staff).await,
        _ => day(member, asked).await,
    }
}

impl Member {
    /// The address of a view of the calendar.
    pub(super) fn calendar(&self, view: &str, date: NaiveDate, staff: Option<StaffId>) -> String {
        let staff = staff.map(|staff| format!("&staff={staff}")).unwrap_or_default();
        format!("{}?view={view}&date={date}{staff}", self.path_to("calendar"))
    }

    /// What stands above a view of the calendar.
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

    /// The tabs of staff members: the same view of all, and of each.
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

impl View {
    /// A day in words, with its year where that is another than today's.
    pub(super) fn day(&self, day: NaiveDate, today: NaiveDate) -> String {
        let date = self.words.date(day);
        if day.year() == today.year() { date } else { format!("{date} {}", day.year()) }
    }

    /// From when to when, in minutes of a day.
    pub(super) fn from_to(&self, minutes: &std::ops::Range<u32>) -> String {
        format!("{} – {}", shown(minutes.start), shown(minutes.end))
    }
}

async fn day(member: Member, asked: Asked) -> Answered {
    let (view, zone, date) = (member.view(), member.profile.zone, asked.date);
    let dates = Dates::read(&member, date..=date, None, OF_A_DAY_MAX).await?;
    let today = member.today();
    let open = open_on(&dates, date, zone);
    let opens = open.iter().filter(|open| is_own(open)).cloned();
    let visits = dates.visits.iter().map(|visit| minutes_of(visit, date, zone));
    let axis = Axis::around(opens.chain(visits));
    let board = member.board(&view, axis);
    let shown_staff = dates.staff().filter(|one| asked.staff.is_none_or(|staff| staff == one.member.id));
    let lane = |presence: &actors::domain::diary::Presence| {
        let is_in = in_on(&dates, presence, date, zone);
        Lane {
            id: format!("lane-{}", presence.member.id),
            title: presence.member.name.clone(),
            sub: is_in.map_or_else(|| view.t("calendar-not-in"), |is_in| view.from_to(&is_in)),
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
        frame: member.frame("calendar"),
        head,
        class: axis.class(shortest(&dates)),
        label: view.t("calendar-by-staff"),
        hours: hours(axis, near),
        now: now.map(|(_, time, place)| (time, place)),
        lanes,
        is_day: true,
        more: dates.more,
        note,
        view,
    };
    Ok(page(StatusCode::OK, &shown)?)
}

/// How long the shortest appointment lasts, in minutes.
fn shortest(dates: &Dates) -> Option<u32> {
    let lasts = dates.visits.iter().map(|visit| (visit.ends_at.millis() - visit.starts_at.millis()) / 60_000);
    lasts.min().and_then(|minutes| u32::try_from(minutes).ok())
}

/// The hours beside a board; `near` is the minute of the present.
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

async fn week_of(member: Member, date: NaiveDate, staff: StaffId) -> Answered {
    let (view, zone, today) = (member.view(), member.profile.zone, member.today());
    let days = week::days(date);
    let (first, last) = (days[0], days[6]);
    let dates = Dates::read(&member, first..=last, Some(staff), OF_A_WEEK_MAX).await?;
    let presence = dates.diary.staff.iter().find(|one| one.member.id == staff);
    let presence = presence.ok_or_else(crate::dashboard::refused::Refused::not_found)?;
    let asked = Asked { date, staff: Some(staff) };
    let opens =
        days.iter().flat_map(|day| open_on(&dates, *day, zone).into_iter().filter(|open| is_own(open)));
    let visits = days.iter().flat_map(|day| {
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
            .map_or_else(|| view.t("calendar-not-in"), |is_in| view.from_to(&is_in)),
        initials: String::new(),
        today: *day == today,
        items: board.items(&dates, presence, *day),
    };
    let lanes = days.iter().map(lane).collect();
    let now = board.present(today).filter(|_| days.contains(&today));
    let now = now.and_then(|(minute, time)| Some((minute, time, axis.moment(minute)?)));
    let near = now.as_ref().map(|(minute, ..)| *minute);
    let mut head = member.head("week", &asked);
    week::ways(&member, &mut head, &view, &asked);
    head.sub = format!(
        "{} · {} · {}",
        view.with("calendar-week-number", "number", &date.iso_week().week().to_string()),
        presence.member.name,
        view.count("appointments-count", dates.visits.len() as u64)
    );
    head.staff = member.tabs("week", &asked, &dates);
    let shown = BoardPage {
        frame: member.frame("calendar"),
        head,
        class: format!("thin {}", axis.class(shortest(&dates))),
        label: view.with("calendar-week-of", "name", &presence.member.name),
        hours: hours(axis, near),
        now: now.map(|(_, time, place)| (time, place)),
        lanes,
        is_day: false,
        more: dates.more,
        note: String::new(),
        view: view.clone(),
    };
    Ok(page(StatusCode::OK, &shown)?)
}

impl Member {
    /// What the zone is called: the name of its city.
    pub(super) fn place_name(&self) -> String {
        self.profile.zone.name().rsplit('/').next().unwrap_or_default().replace('_', " ")
    }
}

impl View {
    /// The weekday of a day, shortened, with its number.
    pub(super) fn weekday_of(&self, day: NaiveDate) -> String {
        format!("{} {}", self.short_weekday(day), day.day())
    }

    /// The weekday of a day, shortened.
    pub(super) fn short_weekday(&self, day: NaiveDate) -> String {
        self.count("calendar-weekday", day.weekday().number_from_monday().into())
    }

    /// Words with several texts in them.
    pub(super) fn says(&self, id: &str, values: &[(&str, String)]) -> String {
        let values: Vec<_> =
            values.iter().map(|(name, text)| (*name, crate::words::Value::Text(text))).collect();
        self.words.say(id, &values)
    }
}

/// The day so many weeks behind or before another.
pub(super) fn weeks_on(day: NaiveDate, forward: bool) -> Option<NaiveDate> {
    if forward { day.checked_add_days(Days::new(7)) } else { day.checked_sub_days(Days::new(7)) }
}
