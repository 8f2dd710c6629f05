//! The first page of a business: the tasks for the team, the day of each staff member, and the first steps of
//! a new business.

use chrono::NaiveDate;
use domain::diary::Presence;
use domain::{Right, Timestamp};
use view::AppointmentView;

use super::axis::shown;
use super::board::{minutes_on, open_on};
use super::diary::Dates;
use super::needs::{Need, needs};
use super::steps::{Step, steps};
use crate::dashboard::days::clock;
use crate::dashboard::pages::prelude::*;

/// The maximum number of appointments. The page says if there are more.
const SHOWN_MAX: usize = 500;

#[derive(Template)]
#[template(path = "dashboard/pages/day/today.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    title: String,
    sub: String,
    done: String,
    book: Option<String>,
    /// Whether the business is new, and has no day to show before its first steps are done.
    is_new: bool,
    /// The first steps, and the number of done steps.
    steps: Vec<Step>,
    steps_done: String,
    needs: Vec<Need>,
    more_needs: bool,
    /// The path of the remaining messages. It is empty if the page shows all of them.
    messages: String,
    crew: Vec<OneDay>,
    calendar: String,
    more: bool,
}

struct OneDay {
    id: String,
    name: String,
    initials: String,
    sub: String,
    rows: Vec<Row>,
}

struct Row {
    /// The CSS class: `past`, `is-now`, `gap`, or empty.
    class: &'static str,
    at: String,
    time: String,
    /// The path of the appointment. It is empty for a gap.
    path: String,
    label: String,
    detail: String,
    pending: bool,
}

pub(crate) async fn show(member: Member) -> Answered {
    let (view, today) = (member.view(), member.today());
    let dates = Dates::read(&member, today..=today, None, SHOWN_MAX).await?;
    let steps = steps(&member, &view, &dates.diary).await?;
    let needs = needs(&member, &view).await?;
    let is_new = steps.iter().take(3).any(|step| !step.done);
    let left = steps.iter().filter(|step| !step.done).count();
    let (title, sub) = if is_new {
        let values = [("name", member.profile.name.clone())];
        let left = view.count("steps-left", left as u64);
        (view.welcome(&member.signed_in.person.name), format!("{left}, {}", view.says("steps-for", &values)))
    } else {
        (capitalised(&view.words.date(today)), sub(&member, &view, &dates, today))
    };
    let crew = dates.staff().map(|one| day_of(&member, &view, &dates, one, today)).collect();
    let shown = Page {
        sheet: member.sheet("today"),
        title,
        sub,
        done: member.done(&[("confirmed", "appointment-done-confirmed"), ("resolved", "today-resolved")]),
        book: Some(member.path_to("appointments/new")).filter(|_| member.may(Right::Day) && !is_new),
        is_new,
        steps_done: view.count("steps-done", (steps.len() - left) as u64),
        steps,
        needs: needs.all,
        more_needs: needs.more,
        messages: needs.messages,
        crew,
        calendar: member.calendar("day", today, None),
        more: dates.more,
    };
    page(&shown)
}

impl View {
    fn welcome(&self, name: &str) -> String {
        match name.trim() {
            "" => self.t("steps-welcome-nobody"),
            name => self.with("steps-welcome", "name", name),
        }
    }
}

/// The time, the closing time, and the number of appointments.
fn sub(member: &Member, view: &View, dates: &Dates, today: NaiveDate) -> String {
    let (zone, now) = (member.profile.zone, member.business.now());
    let opens = dates.diary.open.iter().find(|open| open.end > now);
    let is_of_today = |at: Timestamp| crate::dashboard::days::day(at, zone) == today;
    let open = match opens {
        Some(open) if open.start <= now => view.with("today-open-until", "time", &clock(open.end, zone)),
        Some(open) if is_of_today(open.start) => {
            view.with("today-opens-at", "time", &clock(open.start, zone))
        }
        _ if open_on(dates, today, zone).is_empty() => view.t("today-closed-today"),
        _ => view.t("today-closed-by-now"),
    };
    let count = view.count("appointments-count", dates.visits.len() as u64);
    let values =
        [("time", clock(now, zone)), ("place", member.place_name()), ("open", open), ("count", count)];
    view.says("today-sub", &values)
}

fn day_of(member: &Member, view: &View, dates: &Dates, presence: &Presence, today: NaiveDate) -> OneDay {
    let zone = member.profile.zone;
    let visits: Vec<&AppointmentView> = dates.visits_of(presence.member.id).collect();
    let mut rows: Vec<(u32, Row)> = Vec::new();
    let open = open_on(dates, today, zone);
    let is_open = |minutes: &std::ops::Range<u32>| {
        open.iter().any(|open| open.start < minutes.end && minutes.start < open.end)
    };
    let gap = |minutes: std::ops::Range<u32>, label: String| {
        let detail = view.span(&minutes);
        let row = Row { detail, label, time: shown(minutes.start), ..Row::gap() };
        (minutes.start, row)
    };
    let breaks = minutes_on(&dates.diary.breaks, today, zone).filter(is_open);
    rows.extend(breaks.map(|minutes| gap(minutes, view.t("calendar-break"))));
    for (key, end) in &presence.away {
        let label = match dates.notes.get(&key.id) {
            Some(note) => view.with("calendar-time-off-for", "note", note),
            None => view.t("calendar-time-off"),
        };
        let stretch = [key.starts_at..*end];
        rows.extend(minutes_on(&stretch, today, zone).map(|minutes| gap(minutes, label.clone())));
    }
    rows.extend(visits.iter().map(|visit| {
        let minute = super::axis::minute(visit.starts_at, today, zone);
        (minute, row(member, view, visit))
    }));
    rows.sort_by_key(|(minute, _)| *minute);
    let last = visits.iter().map(|visit| visit.ends_at).max();
    let is_in = super::board::in_on(dates, presence, today, zone);
    let sub = match (last, is_in) {
        (Some(last), _) => {
            let count = view.count("appointments-count", visits.len() as u64);
            view.says(
                "today-day-of-somebody",
                &[("count", capitalised(&count)), ("until", clock(last, zone))],
            )
        }
        (None, Some(is_in)) => view.with("today-in-without", "hours", &view.span(&is_in)),
        (None, None) => super::board::out_on(view, dates, today, zone),
    };
    OneDay {
        id: format!("day-of-{}", presence.member.id),
        initials: initials(&presence.member.name),
        name: presence.member.name.clone(),
        sub,
        rows: rows.into_iter().map(|(_, row)| row).collect(),
    }
}

impl Row {
    fn gap() -> Self {
        let empty = String::new;
        Self {
            class: "gap",
            at: empty(),
            time: empty(),
            path: empty(),
            label: empty(),
            detail: empty(),
            pending: false,
        }
    }
}

fn row(member: &Member, view: &View, visit: &AppointmentView) -> Row {
    let (zone, now) = (member.profile.zone, member.business.now());
    let is_now = visit.starts_at <= now && now < visit.ends_at;
    let minutes = u64::try_from((visit.ends_at.millis() - visit.starts_at.millis()) / 60_000).unwrap_or(0);
    let until = clock(visit.ends_at, zone);
    Row {
        class: if is_now {
            "is-now"
        } else if visit.ends_at <= now {
            "past"
        } else {
            ""
        },
        at: visit.starts_at.to_string(),
        time: clock(visit.starts_at, zone),
        path: member.appointment_path(visit),
        label: view.who_comes(visit),
        detail: if is_now {
            view.says("today-now-until", &[("service", visit.service_name.clone()), ("until", until)])
        } else {
            format!("{}, {}", visit.service_name, view.count("appointment-minutes", minutes))
        },
        pending: visit.status == domain::AppointmentStatus::Pending,
    }
}
