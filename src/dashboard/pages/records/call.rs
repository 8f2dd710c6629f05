//! The page of a call: its summary and its results.

use domain::{CallId, CallStatus, Direction};
use engine::business::{MessageFilter, PageRequest};
use view::CallView;

use super::rows::{self, Row};
use crate::dashboard::pages::prelude::*;

/// The maximum number of messages of a call. A call has no more in practice.
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
    call: CallView,
}

pub(crate) async fn show(member: Member) -> Answered {
    let id: CallId = member.id("call_id")?;
    let call = member.business.call_record(id).await?.ok_or_else(Refused::not_found)?;
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
        call,
    })
}

impl Page<'_> {
    /// The path and the name of the contact, if this end of the call is the contact.
    fn contact(&self, end: Direction) -> Option<(String, String)> {
        let id = self.call.contact_id.filter(|_| self.call.direction == end)?;
        let name = self.call.contact_name.clone();
        let name = name.unwrap_or_else(|| self.sheet.member.t("call-contact"));
        Some((self.sheet.member.path_to(&format!("contacts/{id}")), name))
    }
}

/// The call's appointment and messages, if they still exist.
async fn came_of_it(member: &Member, call: &CallView) -> Result<Vec<Row>, Refused> {
    let mut all = Vec::new();
    if let Some(id) = call.appointment_id
        && let Some(appointment) = member.business.appointment(id).await?
    {
        all.push(rows::appointment_with_day(member, &appointment));
    }
    let filter = MessageFilter { call_id: Some(call.id), ..MessageFilter::default() };
    let first = PageRequest { limit: MESSAGES_MAX, after: None };
    let mut messages = member.business.messages(&filter, &first).await?.items;
    if let Some(id) = call.message_id.filter(|id| messages.iter().all(|message| message.id != *id)) {
        // A message may exist before the call that refers to it.
        messages.extend(member.business.message(id).await?);
    }
    all.extend(messages.iter().map(|message| rows::message(member, message)));
    Ok(all)
}
