//! The first page of a business. It shows the tasks for the team, the day of each staff member, and the first
//! steps of a new business.

use chrono::NaiveDate;
use domain::availability::Concerned;
use domain::diary::Presence;
use domain::{AppointmentStatus, Attendance, Right};
use view::{AppointmentView, ConversationView};

use super::above::ViewQuery;
use super::axis::minute;
use super::board::{in_on, is_off, minutes_on, open_on, out_on};
use super::diary::Dates;
use super::needs::{Needs, needs};
use super::steps::{Step, steps};
use super::weeks::Weeks;
use crate::dashboard::pages::prelude::*;

/// The maximum number of appointments on the page. The page says if there are more.
const SHOWN_MAX: usize = 500;
const NEXT: usize = 4;
/// The maximum number of open conversations on the page.
const TALKS: usize = 5;
/// The maximum number of appointments that the page shows for each [`Warning`].
const WARNED_MAX: usize = 20;

#[derive(Template)]
#[template(path = "dashboard/pages/day/today.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    title: String,
    sub: String,
    done: String,
    undo: Option<Undo>,
    /// The next appointments of the whole team. Only the layout for phones shows them.
    next: Vec<Next>,
    /// The appointments outside the bookable times, and those that overlap a busy time of a calendar.
    warnings: Vec<Warning>,
    /// Whether the page offers to turn on the notices to customers. It does so until the settings of notices are saved.
    offers_notices: bool,
    is_new: bool,
    /// Whether the business has no services. The page then offers starting sets, each with services and opening hours.
    starts: bool,
    steps: Vec<Step>,
    needs: Needs,
    /// The newest open conversations of the receptionist.
    talks: Vec<ConversationView>,
    /// The number of questions that the receptionist could not answer.
    gaps: u64,
    crew: Vec<OneDay>,
    weeks: Weeks,
    today: NaiveDate,
    more: bool,
}

/// A warning about appointments that the team may have to move.
struct Warning {
    text: String,
    /// The earliest of the appointments.
    visits: Vec<AppointmentView>,
    more: u64,
}

struct Next {
    at: String,
    time: String,
    path: String,
    label: String,
    detail: String,
}

struct OneDay {
    id: String,
    name: String,
    sub: String,
    rows: Vec<Row>,
}

#[derive(Default)]
struct Row {
    /// The CSS class: `past`, `is-now`, `gap` (a break or time off), or empty.
    class: &'static str,
    at: String,
    time: String,
    /// The path of the appointment; empty for a break or time off.
    path: String,
    label: String,
    detail: String,
    pending: bool,
    /// The class and the text of the attendance, if it is set.
    attended: Option<(&'static str, String)>,
    /// The attendances that the team is likely to set next, with the texts of their buttons.
    attends: Vec<(Attendance, String)>,
}

pub(crate) async fn show(member: Member) -> Answered {
    let today = member.today();
    let dates = Dates::read(&member, today..=today, None, SHOWN_MAX).await?;
    let steps = steps(&member, &dates.diary).await?;
    let is_new = steps.iter().take(3).any(|step| !step.done);
    let left = steps.iter().filter(|step| !step.done).count();
    let (title, sub) = if is_new {
        let left = member.count("steps-left", left as u64);
        let of = member.with("steps-for", "name", &member.profile.name);
        let welcome = match member.signed_in.person.name.trim() {
            "" => member.t("steps-welcome-unnamed"),
            name => member.with("steps-welcome", "name", name),
        };
        (welcome, format!("{left}, {of}"))
    } else {
        (member.heading_of_day(today), sub(&member, &dates, today))
    };
    let may_decide = member.may(Right::Settings) && member.people().sends_mail();
    page(&Page {
        sheet: member.sheet("today"),
        offers_notices: may_decide && !member.business.has_notice_settings().await?,
        title,
        sub,
        done: member.done(&[
            ("confirmed", "appointment-done-confirmed"),
            ("declined", "appointment-done-declined"),
            ("resolved", "today-resolved"),
            ("new", "message-done-new"),
            ("handled", "call-done-handled"),
            ("open", "call-done-open"),
            ("attended", "saved"),
        ]),
        undo: member.undo("today"),
        next: next(&member, &dates),
        warnings: warnings(&member).await?,
        is_new,
        starts: dates.diary.services.is_empty(),
        steps,
        needs: needs(&member).await?,
        talks: member.business.open_conversations(TALKS).await?,
        gaps: gaps(&member).await?,
        crew: dates.staff().map(|one| day_of(&member, &dates, one, today)).collect(),
        weeks: member.weeks("day", &ViewQuery { date: today, staff: None }),
        today,
        more: dates.more,
    })
}

impl Page<'_> {
    fn steps_done(&self) -> String {
        let done = self.steps.iter().filter(|step| step.done).count();
        self.sheet.member.count("steps-done", done as u64)
    }
}

async fn warnings(member: &Member) -> Result<Vec<Warning>, Refused> {
    let of = |text: &str, (mut visits, count): (Vec<AppointmentView>, usize)| {
        visits.truncate(WARNED_MAX);
        let more = count.saturating_sub(visits.len()) as u64;
        (count > 0).then(|| Warning { text: member.count(text, count as u64), visits, more })
    };
    let outside = member.business.outside(Concerned::EVERYONE).await?;
    let overlaps = member.business.overlaps_of_calendars().await?;
    Ok([of("outside", outside), of("overlaps", overlaps)].into_iter().flatten().collect())
}

fn sub(member: &Member, dates: &Dates, today: NaiveDate) -> String {
    let now = member.business.now();
    let opens = dates.diary.open.iter().find(|open| open.end > now);
    let open = match opens {
        Some(open) if open.start <= now => member.with("today-open-until", "time", &member.clock(open.end)),
        Some(open) if member.day(open.start) == today => {
            member.with("today-opens-at", "time", &member.clock(open.start))
        }
        _ if open_on(dates, today, member.profile.zone).is_empty() => member.t("today-closed-today"),
        _ => member.t("today-closed-by-now"),
    };
    let count = member.count("appointments-count", dates.visits.len() as u64);
    let values =
        [("time", member.clock(now)), ("place", member.place_name()), ("open", open), ("count", count)];
    member.says("today-sub", &values)
}

async fn gaps(member: &Member) -> Result<u64, Refused> {
    if !member.sees(Right::Settings) {
        return Ok(0);
    }
    Ok(member.business.gaps(member.business.now()).await?.len() as u64)
}

fn next(member: &Member, dates: &Dates) -> Vec<Next> {
    let now = member.business.now();
    let to_come = dates.visits.iter().filter(|visit| visit.ends_at > now).take(NEXT);
    let one = |visit: &AppointmentView| Next {
        at: visit.starts_at.to_string(),
        time: member.clock(visit.starts_at),
        path: member.appointment_path(visit),
        label: member.who_comes(visit),
        detail: format!("{} · {}", visit.service_name, visit.staff_name),
    };
    to_come.map(one).collect()
}

fn day_of(member: &Member, dates: &Dates, presence: &Presence, today: NaiveDate) -> OneDay {
    let zone = member.profile.zone;
    let visits: Vec<&AppointmentView> = dates.visits_of(presence.member.id).collect();
    // A break is shown only while the staff member works.
    let is_in = in_on(dates, presence, today, zone);
    let is_open = |minutes: &std::ops::Range<u32>| {
        let works =
            is_in.as_ref().is_some_and(|is_in| is_in.start < minutes.end && minutes.start < is_in.end);
        works && !is_off(presence, minutes, today, zone)
    };
    let gap = |minutes: std::ops::Range<u32>, label: String| {
        let [start, end] = [minutes.start, minutes.end].map(|minute| member.clock_of(minute));
        let (time, detail) = (start.clone(), format!("{start} – {end}"));
        (minutes.start, Row { class: "gap", time, label, detail, ..Row::default() })
    };
    let breaks = minutes_on(&dates.diary.breaks, today, zone).filter(is_open);
    let mut rows: Vec<(u32, Row)> = breaks.map(|minutes| gap(minutes, member.t("calendar-break"))).collect();
    for (key, end) in &presence.away {
        let label = member.time_off(dates.notes.get(&key.id).map_or("", String::as_str));
        let stretch = [key.starts_at..*end];
        rows.extend(minutes_on(&stretch, today, zone).map(|minutes| gap(minutes, label.clone())));
    }
    for busy in &presence.busy {
        let minutes = minutes_on(std::slice::from_ref(busy), today, zone);
        rows.extend(minutes.map(|minutes| gap(minutes, member.t("calendar-busy"))));
    }
    rows.extend(visits.iter().map(|visit| (minute(visit.starts_at, today, zone), row(member, visit))));
    rows.sort_by_key(|(minute, _)| *minute);
    let sub = match visits.iter().map(|visit| visit.ends_at).max() {
        Some(last) => {
            let count = capitalised(&member.count("appointments-count", visits.len() as u64));
            member.says("today-day-of-somebody", &[("count", count), ("until", member.clock(last))])
        }
        None => match &is_in {
            Some(is_in) => {
                let [start, end] = [is_in.start, is_in.end].map(|minute| member.clock_of(minute));
                member.with("today-in-without", "hours", &format!("{start} – {end}"))
            }
            None => out_on(member, dates, today, zone),
        },
    };
    OneDay {
        id: format!("day-of-{}", presence.member.id),
        name: presence.member.name.clone(),
        sub,
        rows: rows.into_iter().map(|(_, row)| row).collect(),
    }
}

pub(super) fn next_attendances(member: &Member, visit: &AppointmentView) -> Vec<(Attendance, String)> {
    let is_next = |one: &Attendance| match visit.attendance {
        None => *one != Attendance::Completed,
        Some(Attendance::Arrived) => *one == Attendance::Completed,
        Some(Attendance::Completed | Attendance::NoShow) => false,
    };
    let next = member.attendances(visit).into_iter().filter(is_next);
    next.map(|one| (one, member.attendance(Some(one).into()))).collect()
}

fn row(member: &Member, visit: &AppointmentView) -> Row {
    let now = member.business.now();
    let class = match () {
        () if visit.ends_at <= now => "past",
        () if visit.starts_at <= now => "is-now",
        () => "",
    };
    let detail = if class == "is-now" {
        let values = [("service", visit.service_name.clone()), ("until", member.clock(visit.ends_at))];
        member.says("today-now-until", &values)
    } else {
        let lasts = member.count("appointment-minutes", member.minutes(visit));
        format!("{}, {lasts}", visit.service_name)
    };
    Row {
        class,
        at: visit.starts_at.to_string(),
        time: member.clock(visit.starts_at),
        path: member.appointment_path(visit),
        label: member.who_comes(visit),
        detail,
        pending: visit.status == AppointmentStatus::Pending,
        attended: visit.attendance.map(|_| member.of_appointment(visit)),
        attends: next_attendances(member, visit),
    }
}
