//! The calls of a business, newest first, with filters for day, direction, status and outcome.

use chrono::NaiveDate;
use domain::{CallOutcome, CallStatus, Direction, Timestamp};
use engine::business::CallFilter;
use view::CallView;

use super::rows::QUOTE_CHARS_MAX;
use super::said::{Chip, call_status, caller, duration, incomplete, of_call, outcome};
use crate::dashboard::pages::prelude::*;
use crate::http::read::FromText;

const SHOWN: usize = 50;
const FILTERS: [&str; 4] = ["outcome", "direction", "status", "day"];

#[derive(Template)]
#[template(path = "dashboard/pages/records/calls.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    base: String,
    sub: String,
    fields: Vec<Field>,
    day: Field,
    narrowed: bool,
    days: Vec<Day>,
    pages: Pages,
    incomplete: String,
}

struct Day {
    date: NaiveDate,
    label: String,
    rows: Vec<Row>,
}

struct Row {
    path: String,
    at: String,
    time: String,
    name: String,
    long: String,
    /// The direction and other details before the summary. It may be empty.
    before: String,
    summary: String,
    chip: Chip,
}

pub(crate) async fn show(member: Member) -> Answered {
    let (view, zone, business) = (member.view(), member.profile.zone, &member.business);
    let given = |name: &str| member.query.get(name);
    let day = Some(given("day")).filter(|text| !text.is_empty()).map(NaiveDate::from_text).transpose();
    let (day, problem) = match day {
        Ok(day) => (day, None),
        Err(problem) => (None, Some(view.problem(&problem))),
    };
    let status = if problem.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let filter = &CallFilter {
        from: day.map(|day| days::begins(day, zone)),
        to: day.and_then(|day| day.succ_opt()).map(|next| days::begins(next, zone)),
        direction: Direction::from_word(given("direction")),
        status: CallStatus::from_word(given("status")),
        outcome: CallOutcome::from_word(given("outcome")),
        ..CallFilter::default()
    };
    let part = member.part("calls", SHOWN, &FILTERS);
    let found = part.read(|page| async move { business.calls(filter, &page).await }).await?;
    let mut days: Vec<Day> = Vec::new();
    for call in &found.items {
        let date = days::day(call.started_at, zone);
        let row = row(&member, &view, call);
        match days.last_mut().filter(|last| last.date == date) {
            Some(last) => last.rows.push(row),
            None => days.push(Day { date, label: label(&view, date, business.now(), zone), rows: vec![row] }),
        }
    }
    let shown = Page {
        sheet: member.sheet("calls"),
        base: member.path_to("calls"),
        sub: view.with("calls-sub", "zone", zone.name()),
        fields: fields(&view, filter),
        day: Field::new("day", "date", "off", view.t("calls-day")).holding(given("day")).problem(problem),
        narrowed: FILTERS.iter().any(|name| !given(name).is_empty()),
        days,
        pages: part.pages(found.next.as_deref()),
        incomplete: incomplete(&view, &found),
    };
    page_as(status, &shown)
}

/// A day in words. The year appears only if it is not the current one.
fn label(view: &View, date: NaiveDate, now: Timestamp, zone: chrono_tz::Tz) -> String {
    use chrono::Datelike;
    let (said, year) = (capitalised(&view.words.date(date)), date.year());
    if year == days::day(now, zone).year() { said } else { format!("{said} {year}") }
}

fn fields(view: &View, filter: &CallFilter) -> Vec<Field> {
    let any = || Choice { value: String::new(), label: view.t("all"), ..Choice::default() };
    let choice = |value: &str, label: String, chosen: bool| Choice { chosen, ..Choice::new(value, label) };
    let outcomes = CallOutcome::ALL
        .iter()
        .map(|one| choice(one.as_str(), view.t(outcome(*one)), filter.outcome == Some(*one)));
    let directions = Direction::ALL
        .iter()
        .map(|one| choice(one.as_str(), view.t(direction(*one)), filter.direction == Some(*one)));
    let statuses = CallStatus::ALL
        .iter()
        .map(|one| choice(one.as_str(), view.t(call_status(*one)), filter.status == Some(*one)));
    let with_any = |rest: Vec<Choice>| std::iter::once(any()).chain(rest).collect::<Vec<_>>();
    vec![
        Field::select("outcome", view.t("calls-outcome"), with_any(outcomes.collect())),
        Field::select("direction", view.t("calls-direction"), with_any(directions.collect())),
        Field::select("status", view.t("calls-status"), with_any(statuses.collect())),
    ]
}

pub(super) fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Inbound => "call-inbound",
        Direction::Outbound => "call-outbound",
    }
}

fn row(member: &Member, view: &View, call: &CallView) -> Row {
    let mut before = Vec::new();
    if call.direction == Direction::Outbound {
        before.push(view.t("call-outbound"));
    }
    // For a call that was not completed, the outcome appears next to the status.
    if call.status != CallStatus::Completed && call.outcome != CallOutcome::Other {
        before.push(view.t(outcome(call.outcome)));
    }
    Row {
        path: member.path_to(&format!("calls/{}", call.id)),
        at: call.started_at.to_string(),
        time: days::clock(call.started_at, member.profile.zone),
        name: caller(view, call),
        long: duration(call.duration_seconds),
        before: before.join(" · "),
        summary: plain(call.summary.as_deref().unwrap_or_default(), QUOTE_CHARS_MAX),
        chip: of_call(view, call),
    }
}
