//! The page of a call: its summary and its results.

use domain::{CallId, CallStatus, Direction};
use engine::business::{MessageFilter, PageRequest};
use view::CallView;

use super::calls::direction;
use super::rows::{self, Row};
use super::said::{Chip, call_status, caller, duration, language, lines, of_call, other_end, outcome};
use crate::dashboard::pages::prelude::*;

/// The maximum number of messages of a call. A call has no more in practice.
const MESSAGES_MAX: usize = 20;

#[derive(Template)]
#[template(path = "dashboard/pages/records/call.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    title: String,
    chip: Chip,
    at: String,
    when: String,
    sub: String,
    lines: Vec<String>,
    came_of_it: Vec<Row>,
    number: Option<Number>,
    from: End,
    to: End,
    ended: String,
    outcome: String,
    language: &'static str,
    /// The URL of the recording. It is an external address, so the page shows it as text and not as a link.
    recording: String,
}

struct End {
    /// The path and the name of the contact, if this party is the contact.
    contact: Option<(String, String)>,
    number: Option<Number>,
}

pub(crate) async fn show(member: Member) -> Answered {
    let id: CallId = member.id("call_id")?;
    let call = member.business.call_record(id).await?.ok_or_else(Refused::not_found)?;
    let (view, zone) = (member.view(), member.profile.zone);
    let title = match call.direction {
        Direction::Inbound => view.with("call-from", "name", &caller(&view, &call)),
        Direction::Outbound => view.with("call-to", "name", &caller(&view, &call)),
    };
    let mut sub = vec![view.t(direction(call.direction)), duration(call.duration_seconds)];
    sub.extend(call.locale.map(|locale| language(locale).to_owned()));
    let end = |of: Direction, number: Option<&String>| End {
        contact: (call.direction == of).then(|| contact(&member, &view, &call)).flatten(),
        number: Number::of(number),
    };
    let shown = Page {
        sheet: member.sheet("calls/one").under(vec![member.crumb("calls")]),
        title,
        chip: of_call(&view, &call),
        at: call.started_at.to_string(),
        when: view.words.moment(call.started_at, zone),
        sub: sub.join(" · "),
        lines: lines(call.summary.as_deref().unwrap_or_default()),
        came_of_it: came_of_it(&member, &view, &call).await?,
        number: Number::of(other_end(&call)),
        from: end(Direction::Inbound, call.from_number.as_ref()),
        to: end(Direction::Outbound, call.to_number.as_ref()),
        ended: format!(
            "{}, {}",
            days::clock(call.ended_at, zone),
            view.t(call_status(call.status)).to_lowercase()
        ),
        outcome: match call.status {
            CallStatus::Completed => view.t(outcome(call.outcome)),
            status => format!("{} · {}", view.t(call_status(status)), view.t(outcome(call.outcome))),
        },
        language: call.locale.map(language).unwrap_or_default(),
        recording: call.recording_url.clone().unwrap_or_default(),
    };
    page(&shown)
}

fn contact(member: &Member, view: &View, call: &CallView) -> Option<(String, String)> {
    let path = member.path_to(&format!("contacts/{}", call.contact_id?));
    Some((path, call.contact_name.clone().unwrap_or_else(|| view.t("call-contact"))))
}

/// The call's appointment and messages, if they still exist.
async fn came_of_it(member: &Member, view: &View, call: &CallView) -> Result<Vec<Row>, Refused> {
    let mut all = Vec::new();
    if let Some(id) = call.appointment_id
        && let Some(appointment) = member.business.appointment(id).await?
    {
        all.push(rows::appointment_with_day(member, view, &appointment));
    }
    let filter = MessageFilter { call_id: Some(call.id), ..MessageFilter::default() };
    let first = PageRequest { limit: MESSAGES_MAX, after: None };
    let mut messages = member.business.messages(&filter, &first).await?.items;
    if let Some(id) = call.message_id.filter(|id| messages.iter().all(|message| message.id != *id)) {
        // A message may exist before the call that refers to it.
        messages.extend(member.business.message(id).await?);
    }
    all.extend(messages.iter().map(|message| rows::message(member, view, message)));
    Ok(all)
}
