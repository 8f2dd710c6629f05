//! The tasks for the team: urgent messages, requests to confirm, new messages, missed calls of today and
//! yesterday that are not handled, and webhook endpoints that were disabled after failures. A snoozed message is
//! no task.
//!
//! Invariants:
//! - Each kind shows a limited number of tasks, and the page says if there are more.
//! - A member sees only tasks that the role may see.

use domain::{
    CallStatus, Direction, DisabledReason, ENDPOINTS_MAX, MessageStatus, Right, Timestamp, Urgency,
    day_bounds,
};
use engine::business::{CallFilter, MessageFilter, PageRequest};
use view::{AppointmentView, CallView, MessageView};

use crate::dashboard::pages::prelude::*;
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
    pub(super) of: String,
}

pub(super) struct Needs {
    pub(super) all: Vec<Need>,
    pub(super) more: bool,
    pub(super) more_messages: bool,
}

pub(super) async fn needs(member: &Member) -> Result<Needs, Refused> {
    let part = PageRequest { limit: SHOWN, after: None };
    let new = MessageFilter {
        status: Some(MessageStatus::New),
        awake_at: Some(member.business.now()),
        ..MessageFilter::default()
    };
    let business = &member.business;
    // Urgent messages are first, regardless of their age.
    let taken = async |urgency| {
        let of = &MessageFilter { urgency: Some(urgency), ..new.clone() };
        read_through(part.clone(), |page| async move { business.messages(of, &page).await }).await
    };
    let (urgent, others) = (taken(Urgency::Urgent).await?, taken(Urgency::Normal).await?);
    let (requests, more_requests) = business.requests(SHOWN).await?;
    let yesterday = member.today().pred_opt().unwrap_or_else(|| member.today());
    let (mut missed, mut more_missed): (Vec<CallView>, bool) = (Vec::new(), false);
    for status in [CallStatus::Missed, CallStatus::Failed] {
        let of = CallFilter {
            from: Some(day_bounds(member.profile.zone, yesterday).start),
            direction: Some(Direction::Inbound),
            status: Some(status),
            unhandled: true,
            ..CallFilter::default()
        };
        let asked_for = &of;
        let read = |page| async move { business.calls(asked_for, &page).await };
        let found = read_through(part.clone(), read).await?;
        more_missed |= found.next.is_some();
        missed.extend(found.items);
    }
    missed.sort_by_key(|call| std::cmp::Reverse(call.started_at));
    let more_messages = urgent.next.is_some() || others.next.is_some();
    let more = more_messages || more_requests || more_missed || missed.len() > SHOWN;
    let mut all: Vec<Need> = urgent.items.iter().map(|one| message(member, one)).collect();
    all.extend(requests.iter().map(|visit| request(member, visit)));
    all.extend(others.items.iter().map(|one| message(member, one)));
    all.extend(missed.iter().take(SHOWN).map(|call| missed_call(member, call)));
    all.extend(turned_off(member).await?);
    Ok(Needs { all, more, more_messages })
}

impl Member {
    pub(super) fn event_time(&self, at: Timestamp) -> String {
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
        of: name,
        ..Need::default()
    }
}

async fn turned_off(member: &Member) -> Result<Vec<Need>, Refused> {
    if !member.sees(Right::Integrations) {
        return Ok(Vec::new());
    }
    let all = PageRequest { limit: ENDPOINTS_MAX, after: None };
    let endpoints = member.business.webhooks(&all).await?.items;
    let failing =
        endpoints.into_iter().filter(|endpoint| endpoint.disabled_reason == Some(DisabledReason::Failures));
    let need = |endpoint: domain::WebhookEndpoint| {
        let since = endpoint.disabled_at.map(|at| member.event_time(at)).unwrap_or_default();
        Need {
            chip: "disabled",
            word: member.t("today-need-webhook"),
            path: member.path_to(&format!("settings/webhooks/{}", endpoint.id)),
            text: member.with("today-need-webhook-text", "since", &since),
            of: endpoint.url.as_str().to_owned(),
            title: endpoint.url.as_str().to_owned(),
            ..Need::default()
        }
    };
    Ok(failing.map(need).collect())
}
