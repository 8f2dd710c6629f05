//! The tasks that today's page shows to the team. They are urgent messages, appointments to confirm, new
//! messages, missed calls that are not handled, and webhook endpoints that are failing or were disabled after
//! failures. A snoozed message is not a task. A link leads to missed calls that are too old to be tasks.
//!
//! Invariants:
//! - Each kind shows a limited number of tasks, and the page says if there are more.
//! - A member sees only the tasks that the member's role may see.

use domain::{CallStatus, Right, Timestamp, Urgency, WebhookEndpoint};
use engine::business::{MessageFilter, PageRequest};
use view::{AppointmentView, CallView, MessageView};

use crate::dashboard::pages::prelude::*;
use crate::dashboard::waiting::{
    Trouble, count_older_missed_calls, counted, endpoints_in_trouble, missed_calls, new_messages,
};
use crate::rest::through::read_through;
use crate::words::plain_lines;

const SHOWN: usize = 20;
const QUOTE_CHARS_MAX: usize = 300;

#[derive(Default)]
pub(super) struct Need {
    pub(super) chip: &'static str,
    pub(super) word: String,
    pub(super) title: String,
    pub(super) path: String,
    pub(super) aside: String,
    /// The time to show, or `None` if the text already contains the time.
    pub(super) at: Option<Timestamp>,
    pub(super) text: String,
    pub(super) is_quote: bool,
    /// The phone number to call back, in E.164 form, or an empty text.
    pub(super) tel: String,
    /// Whether the task has a form that confirms an appointment. `tag` is the appointment's entity tag.
    pub(super) confirms: bool,
    pub(super) tag: String,
    pub(super) resolves: bool,
    pub(super) handles: bool,
    /// Whether the task has a link to its page in addition to its other actions.
    pub(super) opens: bool,
    pub(super) of: String,
}

pub(super) struct Needs {
    pub(super) all: Vec<Need>,
    pub(super) more: bool,
    pub(super) more_messages: bool,
    /// The text of the link to missed calls that are too old to be tasks. It is empty if there are none.
    pub(super) older: String,
}

pub(super) async fn needs(member: &Member) -> Result<Needs, Refused> {
    let (business, now) = (&member.business, member.business.now());
    let part = PageRequest { limit: SHOWN, after: None };
    let new = new_messages(now);
    // Urgent messages are first, regardless of their age.
    let taken = async |urgency| {
        let of = &MessageFilter { urgency: Some(urgency), ..new.clone() };
        read_through(part.clone(), |page| async move { business.messages(of, &page).await }).await
    };
    let (urgent, others) = (taken(Urgency::Urgent).await?, taken(Urgency::Normal).await?);
    let (requests, more_requests) = business.requests(SHOWN).await?;
    let unhandled = &missed_calls(now);
    let missed = read_through(part, |page| async move { business.calls(unhandled, &page).await }).await?;
    let more_messages = urgent.next.is_some() || others.next.is_some();
    let more = more_messages || more_requests || missed.next.is_some();
    let mut all: Vec<Need> = urgent.items.iter().map(|one| message(member, one)).collect();
    all.extend(requests.iter().map(|visit| request(member, visit)));
    all.extend(others.items.iter().map(|one| message(member, one)));
    all.extend(missed.items.iter().map(|call| missed_call(member, call)));
    all.extend(troubled(member).await?);
    let older = match count_older_missed_calls(business).await? {
        0 => String::new(),
        count => {
            let shown = counted(count);
            let values = [("count", Value::Count(count as u64)), ("shown", Value::Text(&shown))];
            member.words.say("today-older-missed", &values)
        }
    };
    Ok(Needs { all, more, more_messages, older })
}

impl Member {
    pub(in crate::dashboard) fn event_time(&self, at: Timestamp) -> String {
        if self.day(at) == self.today() { self.clock(at) } else { self.moment_heading(at) }
    }
}

fn message(member: &Member, message: &MessageView) -> Need {
    let is_urgent = message.urgency == Urgency::Urgent;
    let (chip, word) =
        if is_urgent { ("urgent", "today-need-urgent") } else { ("new", "today-need-message") };
    let name = member.named((message.caller_name.as_deref(), message.caller_phone.as_deref()), "somebody");
    Need {
        chip,
        word: member.t(word),
        title: name.clone(),
        at: Some(message.created_at),
        text: plain_lines(&message.body, QUOTE_CHARS_MAX),
        is_quote: true,
        tel: message.caller_phone.clone().unwrap_or_default(),
        resolves: member.may(Right::Day),
        path: member.path_to(&format!("messages/{}", message.id)),
        of: name,
        ..Need::default()
    }
}

fn request(member: &Member, visit: &AppointmentView) -> Need {
    let who = member.who_comes(visit);
    let source = member.t(&format!("appointment-source-{}", visit.source));
    let values = [("who", who.clone()), ("source", source), ("when", member.event_time(visit.created_at))];
    Need {
        chip: "pending",
        word: member.t("today-need-request"),
        title: capitalised(&format!("{}, {}", visit.service_name, member.starts(visit))),
        aside: member.with("today-with-staff", "name", &visit.staff_name),
        text: member.says("today-need-request-text", &values),
        confirms: member.may(Right::Day),
        tag: tag(visit),
        path: member.appointment_path(visit),
        of: who,
        ..Need::default()
    }
}

fn missed_call(member: &Member, call: &CallView) -> Need {
    let known = (call.contact_name.as_deref(), call.from_number.as_deref());
    let name = member.named(known, "today-need-unknown-number");
    let text = call.summary.as_deref().map(|summary| plain_lines(summary, QUOTE_CHARS_MAX));
    let failed = call.status == CallStatus::Failed;
    Need {
        chip: "missed",
        word: member.t(if failed { "today-need-failed" } else { "today-need-missed" }),
        title: name.clone(),
        path: member.path_to(&format!("calls/{}", call.id)),
        at: Some(call.started_at),
        text: text.unwrap_or_else(|| {
            member.t(match (failed, call.contact_id) {
                (true, _) => "today-need-failed-text",
                (false, Some(_)) => "today-need-missed-known",
                (false, None) => "today-need-missed-text",
            })
        }),
        tel: call.from_number.clone().unwrap_or_default(),
        handles: member.may(Right::Day),
        of: name,
        ..Need::default()
    }
}

/// The endpoints that were disabled after failures, and those that have been failing for an hour.
async fn troubled(member: &Member) -> Result<Vec<Need>, Refused> {
    if !member.sees(Right::Integrations) {
        return Ok(Vec::new());
    }
    let need = |(endpoint, trouble): (WebhookEndpoint, Trouble)| {
        let (chip, word, text, since) = match trouble {
            Trouble::Off(since) => ("disabled", "today-need-webhook", "today-need-webhook-text", since),
            Trouble::Failing(since) => ("failed", "today-need-failing", "today-need-failing-text", since),
        };
        let since = member.event_time(since);
        Need {
            chip,
            word: member.t(word),
            path: member.path_to(&format!("settings/webhooks/{}", endpoint.id)),
            text: member.with(text, "since", &since),
            of: endpoint.url.as_str().to_owned(),
            title: endpoint.url.as_str().to_owned(),
            opens: true,
            ..Need::default()
        }
    };
    Ok(endpoints_in_trouble(&member.business).await?.into_iter().map(need).collect())
}
