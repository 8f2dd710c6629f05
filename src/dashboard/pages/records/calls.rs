//! The calls of a business, newest first, with filters for day, direction, status and outcome.

use chrono::NaiveDate;
use domain::{CallOutcome, CallStatus, Direction};
use engine::business::CallFilter;
use view::CallView;

use crate::dashboard::days::by_day;
use crate::dashboard::pages::prelude::*;
use crate::http::read::FromText;
use crate::rest::through::Through;

const SHOWN: usize = 50;
const FILTERS: [&str; 4] = ["outcome", "direction", "status", "day"];

#[derive(Template)]
#[template(path = "dashboard/pages/records/calls.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    fields: [Field; 3],
    day: Field,
    narrowed: bool,
    pages: Pages,
    found: Through<CallView>,
}

impl Page<'_> {
    fn days(&self) -> Vec<(NaiveDate, &[CallView])> {
        by_day(&self.found.items, |call| self.sheet.member.day(call.started_at))
    }
}

pub(crate) async fn show(member: Member) -> Answered {
    let (view, zone, business) = (&member.view, member.profile.zone, &member.business);
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
    let field = |name: &str, label: &str, words: Vec<&str>| {
        let choice = |word: &str| Choice::new(word, view.t(&format!("call-{name}-{word}")));
        let field = Field::select(name, view.t(label), words.into_iter().map(choice));
        field.or_empty(view.t("all")).chosen(given(name))
    };
    let day = Field::new("day", "date", "off", view.t("calls-day")).holding(given("day")).problem(problem);
    let shown = Page {
        sheet: member.sheet("calls"),
        fields: [
            field("outcome", "calls-outcome", CallOutcome::ALL.iter().map(|one| one.as_str()).collect()),
            field("direction", "calls-direction", Direction::ALL.iter().map(|one| one.as_str()).collect()),
            field("status", "calls-status", CallStatus::ALL.iter().map(|one| one.as_str()).collect()),
        ],
        day,
        narrowed: FILTERS.iter().any(|name| !given(name).is_empty()),
        pages: part.pages(found.next.as_deref()),
        found,
    };
    page_as(status, &shown)
}

impl View {
    /// The direction of an outgoing call, and the outcome of a call that was not completed.
    pub(super) fn before_summary(&self, call: &CallView) -> String {
        let direction = (call.direction == Direction::Outbound).then(|| self.t("call-direction-outbound"));
        let has_outcome = call.status != CallStatus::Completed && call.outcome != CallOutcome::Other;
        let outcome = has_outcome.then(|| self.outcome(call.outcome));
        direction.into_iter().chain(outcome).collect::<Vec<_>>().join(" · ")
    }
}
