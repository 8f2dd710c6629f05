//! The pages of calls. The list shows the newest call first, with filters for day, direction, status and
//! outcome. The page of a call shows its summary and its results.

use chrono::NaiveDate;
use domain::{CallOutcome, CallStatus, Direction, Right, Timestamp};
use engine::business::commands::calls::MarkCall;
use engine::business::{CallFilter, MessageFilter, PageRequest};
use view::{CallView, OperatorCallView};

use super::rows::Row;
use crate::dashboard::days::by_day;
use crate::dashboard::pages::prelude::*;
use crate::http::read::FromText;
use crate::rest::through::Through;

const SHOWN: usize = 50;
/// The value of the filter `status` for the missed calls that are not handled.
const UNHANDLED: &str = "unhandled";
const FILTERS: [&str; 4] = ["outcome", "direction", "status", "day"];

#[derive(Template)]
#[template(path = "dashboard/pages/records/calls.html", config = "src/askama.toml")]
struct List<'a> {
    sheet: Sheet<'a>,
    fields: [Field; 3],
    day: Field,
    narrowed: bool,
    pages: Pages,
    found: Through<CallView>,
}

impl List<'_> {
    fn days(&self) -> Vec<(NaiveDate, &[CallView])> {
        by_day(&self.found.items, |call| self.sheet.member.day(call.started_at))
    }
}

pub(crate) async fn list(member: Member) -> Answered {
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
        unhandled: given("status") == UNHANDLED,
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
    let statuses = CallStatus::ALL.iter().map(|one| one.as_str());
    let shown = List {
        sheet: member.sheet("calls"),
        fields: [
            field("outcome", "calls-outcome", CallOutcome::ALL.iter().map(|one| one.as_str()).collect()),
            field("direction", "calls-direction", Direction::ALL.iter().map(|one| one.as_str()).collect()),
            field("status", "calls-status", statuses.chain([UNHANDLED]).collect()),
        ],
        day,
        narrowed: FILTERS.iter().any(|name| !given(name).is_empty()),
        pages: part.pages(found.next.as_deref()),
        found,
    };
    page_as(status, &shown)
}

impl View {
    /// The text before the summary: the direction of an outgoing call, and the outcome of a call that is not completed.
    fn before_summary(&self, call: &CallView) -> String {
        let direction = (call.direction == Direction::Outbound).then(|| self.t("call-direction-outbound"));
        let has_outcome = call.status != CallStatus::Completed && call.outcome != CallOutcome::Other;
        let outcome = has_outcome.then(|| self.outcome(call.outcome));
        direction.into_iter().chain(outcome).collect::<Vec<_>>().join(" · ")
    }
}

/// The maximum number of shown messages of a call. In practice a call has fewer.
const MESSAGES_MAX: usize = 20;

#[derive(Template)]
#[template(path = "dashboard/pages/records/call.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    title: String,
    sub: String,
    ended: String,
    outcome: String,
    came_of_it: Vec<Row>,
    done: String,
    undo: Option<Undo>,
    handled_at: Option<Timestamp>,
    call: CallView,
}

async fn found(member: &Member) -> Result<OperatorCallView, Refused> {
    member.business.call_record_as(member.id("call_id")?).await?.ok_or_else(Refused::not_found)
}

/// Marks a call as handled, or removes the mark.
pub(crate) async fn handled(member: Member) -> Answered {
    let id = found(&member).await?.call.id;
    let handled = member.form.get("handled") == "true";
    member.change(MarkCall { id, handled }).await?;
    let (word, back) = (if handled { "handled" } else { "open" }, member.form.get("back"));
    Ok(see_other(&member.path_to(&match back {
        "today" => format!("today?done={word}&call={id}"),
        _ => format!("calls/{id}?done={word}&call={id}"),
    })))
}

pub(crate) async fn show(member: Member) -> Answered {
    let OperatorCallView { call, handled_at } = found(&member).await?;
    let (view, status) = (&member.view, member.t(&format!("call-status-{}", call.status)));
    let title = match call.direction {
        Direction::Inbound => view.with("call-from", "name", &view.caller(&call)),
        Direction::Outbound => view.with("call-to", "name", &view.caller(&call)),
    };
    let mut sub =
        vec![view.t(&format!("call-direction-{}", call.direction)), view.duration(call.duration_seconds)];
    sub.extend(call.locale.map(|locale| view.language(locale).to_owned()));
    page(&Page {
        sheet: member.sheet("calls/one").under(vec![member.crumb("calls")]),
        title,
        sub: sub.join(" · "),
        ended: format!("{}, {}", member.clock(call.ended_at), status.to_lowercase()),
        outcome: match call.status {
            CallStatus::Completed => view.outcome(call.outcome),
            _ => format!("{status} · {}", view.outcome(call.outcome)),
        },
        came_of_it: came_of_it(&member, &call).await?,
        done: member.done(&[
            ("handled", "call-done-handled"),
            ("open", "call-done-open"),
            ("added", "call-done-added"),
        ]),
        undo: member.undo("call"),
        handled_at: handled_at.flatten(),
        call,
    })
}

impl Page<'_> {
    /// Whether the team should call back or mark the call as handled.
    fn is_open(&self) -> bool {
        self.handled_at.is_none()
            && self.call.direction == Direction::Inbound
            && self.call.status != CallStatus::Completed
    }

    fn contact(&self, end: Direction) -> Option<(String, String)> {
        let id = self.call.contact_id.filter(|_| self.call.direction == end)?;
        let name = self.call.contact_name.clone();
        let name = name.unwrap_or_else(|| self.sheet.member.t("call-contact"));
        Some((self.sheet.member.path_to(&format!("contacts/{id}")), name))
    }
}

async fn came_of_it(member: &Member, call: &CallView) -> Result<Vec<Row>, Refused> {
    let mut all = Vec::new();
    if let Some(id) = call.appointment_id
        && let Some(appointment) = member.business.appointment(id).await?
    {
        all.push(member.row_with_day(&appointment));
    }
    let filter = MessageFilter { call_id: Some(call.id), ..MessageFilter::default() };
    let first = PageRequest { limit: MESSAGES_MAX, after: None };
    let mut messages = member.business.messages(&filter, &first).await?.items;
    if let Some(id) = call.message_id.filter(|id| messages.iter().all(|message| message.id != *id)) {
        // A message that was saved before the call does not refer to the call. Such a message is read by its id.
        messages.extend(member.business.message(id).await?);
    }
    all.extend(messages.iter().map(|message| member.row_of_message(message)));
    Ok(all)
}
