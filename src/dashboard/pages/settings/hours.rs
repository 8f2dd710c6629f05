//! The page of the opening hours, with the week, its breaks and the special days.

use axum::response::Response;
use chrono::{Days, NaiveDate};
use domain::availability::Concerned;
use domain::{Business, Right};
use engine::business::commands::diary::DeleteSpecialDay;
use engine::business::commands::profile::PatchBusiness;
use view::{OperatorBusinessView, SpecialDayView};

use super::parts::{Done, versions};
use super::special_day;
use super::week::{BREAKS, DayRow, OPEN, lines, rows};
use crate::admin::businesses::OperatorBusinessPatch;
use crate::dashboard::drafts::{Draft, DraftReason};
use crate::dashboard::form::keepable;
use crate::dashboard::pages::prelude::*;

const DAYS_SHOWN: usize = 50;
/// The names of the buttons that only change the form: `room` adds fields for another break to each day,
/// and `same` copies the hours of the first open day to each open day.
const ROOM: &str = "room";
const SAME: &str = "same";
/// When a person sends one of the forms for special days, a script adds the unsaved fields of the form for the week, so
/// that they are not lost. The names of the added fields get this prefix.
const ALONG: &str = "week.";
/// The parameter that selects the shown special days, and its value for past special days.
const WHICH: &str = "days";
const PAST: &str = "past";

#[derive(Template)]
#[template(path = "dashboard/pages/settings/hours.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: Done,
    week: Filled,
    rows: Vec<DayRow>,
    tag: String,
    versions: Versions,
    facts: Vec<Line>,
    days: Vec<SpecialDayView>,
    past: bool,
    pages: Pages,
    day: Filled,
    day_fields: [Field; 4],
}

impl Page<'_> {
    fn sub(&self) -> String {
        let values =
            [("business", self.sheet.member.profile.name.clone()), ("place", self.sheet.member.place_name())];
        self.sheet.member.says("hours-sub", &values)
    }

    fn times(&self, day: &SpecialDayView) -> String {
        let times = day.windows.iter().map(|window| format!("{} – {}", window.open, window.close));
        if day.closed { self.sheet.member.t("hours-closed") } else { times.collect::<Vec<_>>().join(", ") }
    }

    fn label(&self, day: &SpecialDayView) -> String {
        special_day::label(self.sheet.member, &day.date)
    }
}

fn values(business: &Business) -> Form {
    let mut fields = Vec::new();
    OPEN.fill(&mut fields, business.hours.days());
    BREAKS.fill(&mut fields, business.breaks.days());
    Form::of(fields)
}

fn week_lines(view: &View, form: &Form) -> Vec<Line> {
    lines(view, form, &OPEN, Some(&BREAKS))
}

pub(crate) async fn show(member: Member) -> Answered {
    let concerned = match member.query.get("done") {
        "week" => Some(Concerned::EVERYONE),
        "day" | "removed" => on_day(&member),
        _ => None,
    };
    let done = Done::said(&member).with_outside(&member, concerned).await?.with_next(&member).await?;
    let draft = member.kept_form();
    let (week_path, day_path) = (member.path_to("settings/hours"), member.path_to("settings/hours/days"));
    let week = Filled::kept(&member.view, draft.as_ref(), &week_path, || values(&member.profile));
    let day = Filled::kept(&member.view, draft.as_ref(), &day_path, Form::default);
    shown(&member, week, day, done).await
}

/// The appointments on the day that the query names and on the next day, since hours can run past midnight.
fn on_day(member: &Member) -> Option<Concerned> {
    let (date, zone) = (days::asked(member.query.get("date"))?, member.profile.zone);
    let end = date.checked_add_days(Days::new(2))?;
    Some(Concerned::EVERYONE.during(days::begins(date, zone)..days::begins(end, zone)))
}

async fn shown(member: &Member, mut week: Filled, mut day: Filled, done: Done) -> Answered {
    let room = member.form.find(ROOM).is_some();
    let status = if day.status == StatusCode::OK { week.status } else { day.status };
    let (view, now) = (&member.view, values(&member.profile));
    let past = member.query.get(WHICH) == PAST;
    let today = member.today();
    let range = if past { (None, today.pred_opt()) } else { (Some(today), None) };
    let part = member.part("dashboard special days", DAYS_SHOWN, &[WHICH]);
    let found = member.business.special_days(range, &part.request).await?;
    let time = |id: &str, label| Field::line(id, view.t(label)).class("time").optional();
    let day_fields = [
        Field::new("date", "date", "off", view.t("hours-date")).class("date"),
        time("open", "hours-opens"),
        time("close", "hours-closes"),
        Field::line("note", view.t("hours-note")).optional(),
    ];
    let shown = Page {
        sheet: member.sheet("settings/hours"),
        done,
        tag: week.tag(&OperatorBusinessView::from(&member.profile)),
        versions: versions(&week, week_lines(view, week.values()), week_lines(view, &now)),
        facts: week_lines(view, &now),
        rows: rows(view, &mut week, (&OPEN, &BREAKS), "hours-open-on", room),
        week,
        days: found.items,
        past,
        pages: part.pages(found.next.as_deref()),
        day_fields: day_fields.map(|field| day.field(view, field)),
        day,
    };
    page_as(status, &shown)
}

pub(crate) async fn sent(member: Member) -> Answered {
    let room = member.form.find(ROOM).is_some();
    if room || member.form.find(SAME).is_some() {
        let week = Filled::of(if room { member.form.clone() } else { OPEN.same(&member.form) });
        return Ok(nothing_done(shown(&member, week, Filled::default(), Done::default()).await?));
    }
    let ((hours, open), (breaks, pauses)) = (OPEN.read(&member.form), BREAKS.read(&member.form));
    // The hours are changed only if the form has fields for them. The same applies to the breaks.
    let of_week = [(&OPEN, "hours", hours), (&BREAKS, "breaks", breaks)];
    let of_week = of_week.into_iter().filter(|(times, ..)| times.is_in(&member.form));
    let body = of_week.fold(member.body(), |body, (_, name, value)| body.with(name, value));
    let done = async {
        member.change(PatchBusiness::from(body.read::<OperatorBusinessPatch>()?)).await?;
        Ok(member.path_to("settings/hours?done=week"))
    };
    let beside = |problem| BREAKS.beside(OPEN.beside(problem, &open), &pauses);
    let done = done.await.map_err(|refused: Refused| refused.beside(beside));
    let again = |week| shown(&member, week, Filled::default(), Done::default());
    member.answered(done, again).await
}

pub(crate) async fn add_day(member: Member) -> Answered {
    let added = special_day::add(&member).await;
    changed_day(&member, "day", added).await
}

pub(crate) async fn remove_day(member: Member) -> Answered {
    let date: NaiveDate = member.id("date")?;
    let removed = member.change(DeleteSpecialDay { date }).await;
    changed_day(&member, "removed", removed.map(|_| date)).await
}

async fn changed_day(member: &Member, word: &str, date: Result<NaiveDate, Refused>) -> Answered {
    let undone = match date {
        Ok(date) => return Ok(done(member, word, date)),
        Err(undone) => Err(undone),
    };
    let again = |mut day: Filled| {
        if day.stale {
            // The form that removes a day has no fields to compare, so the page shows only a notice.
            day.notice = member.t("settings-changed-meanwhile");
        }
        let week = Filled::of(along(member).unwrap_or_else(|| values(&member.profile)));
        shown(member, week, day, Done::default())
    };
    member.answered(undone, again).await
}

fn along(member: &Member) -> Option<Form> {
    let fields = member.form.fields().filter_map(|(name, value)| Some((name.strip_prefix(ALONG)?, value)));
    let week = Form::of(fields);
    (OPEN.is_in(&week) || BREAKS.is_in(&week)).then(|| keepable(&week))
}

fn done(member: &Member, done: &str, date: NaiveDate) -> Response {
    let (view, page) = (&member.view, member.path_to("settings/hours"));
    let to = format!("{page}?done={done}&date={date}");
    let now = week_lines(view, &values(&member.profile));
    match along(member).filter(|week| week_lines(view, week) != now) {
        Some(form) => {
            let draft = Draft { action: page.clone(), page, form, why: DraftReason::Beside };
            member.keep(draft, &to)
        }
        None => see_other(&to),
    }
}
