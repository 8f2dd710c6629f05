//! The tasks for the team: urgent messages, requests to confirm, new messages, missed calls of today and
//! yesterday, and webhook endpoints that were disabled after failures.
//!
//! Invariants:
//! - Each kind shows a limited number of tasks, and the page says if there are more.
//! - A member sees only tasks that the role may see.

use domain::{
    CallStatus, Direction, DisabledReason, ENDPOINTS_MAX, MessageStatus, Right, Urgency, day_bounds,
};
use engine::business::{CallFilter, MessageFilter, PageRequest};
use view::{AppointmentView, CallView, MessageView};

use crate::dashboard::days::clock;
use crate::dashboard::pages::prelude::*;
use crate::rest::through::read_through;
use crate::words::plain_lines;

const SHOWN: usize = 20;
const QUOTE_CHARS_MAX: usize = 300;

pub(super) struct Need {
    /// The status chip: its CSS class and its text.
    pub(super) chip: &'static str,
    pub(super) word: String,
    /// The title, and the path of the page. The path may be empty.
    pub(super) title: String,
    pub(super) path: String,
    pub(super) aside: String,
    /// The time for the `datetime` attribute and in words. Both are empty if the text contains the time.
    pub(super) at: String,
    pub(super) time: String,
    pub(super) text: String,
    pub(super) is_quote: bool,
    /// The phone number to call back, in E.164 form. It may be empty.
    pub(super) tel: String,
    /// The path of the form that confirms the request. It is empty for other tasks.
    pub(super) confirm: String,
    /// The path of the form that resolves the message, and the tag. The path is empty for other tasks.
    pub(super) resolve: String,
    pub(super) tag: String,
    pub(super) decline: String,
    /// The accessible description of the buttons.
    pub(super) of: String,
}

/// The tasks, and whether there are more than the page shows.
pub(super) struct Needs {
    pub(super) all: Vec<Need>,
    pub(super) more: bool,
    /// The path of the remaining messages. It is empty if the page shows all of them.
    pub(super) messages: String,
}

pub(super) async fn needs(member: &Member, view: &View) -> Result<Needs, Refused> {
    let part = PageRequest { limit: SHOWN, after: None };
    let new = MessageFilter { status: Some(MessageStatus::New), ..MessageFilter::default() };
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
    let mut all: Vec<Need> = urgent.items.iter().map(|one| message(member, view, one)).collect();
    all.extend(requests.iter().map(|visit| request(member, view, visit)));
    all.extend(others.items.iter().map(|one| message(member, view, one)));
    all.extend(missed.iter().take(SHOWN).map(|call| missed_call(member, view, call)));
    all.extend(turned_off(member, view).await?);
    let messages = if more_messages { member.path_to("messages") } else { String::new() };
    Ok(Needs { all, more, messages })
}

impl Need {
    fn new(chip: &'static str, word: String, title: String, path: Option<String>) -> Self {
        let empty = String::new;
        Self {
            chip,
            word,
            title,
            path: path.unwrap_or_default(),
            aside: empty(),
            at: empty(),
            time: empty(),
            text: empty(),
            is_quote: false,
            tel: empty(),
            confirm: empty(),
            resolve: empty(),
            tag: empty(),
            decline: empty(),
            of: empty(),
        }
    }
}

impl Member {
    /// The path of the form that resolves a message, if the person may resolve it.
    fn resolving(&self, message: &MessageView) -> String {
        let path = self.way_to("messages", message.id).filter(|_| self.may(Right::Day));
        path.map(|path| format!("{path}/status")).unwrap_or_default()
    }
}

/// The time of an event. The day is included if it is not today.
fn when(member: &Member, view: &View, at: domain::Timestamp) -> String {
    let zone = member.profile.zone;
    match crate::dashboard::days::day(at, zone) == member.today() {
        true => clock(at, zone),
        false => capitalised(&view.words.short_moment(at, zone)),
    }
}

fn message(member: &Member, view: &View, message: &MessageView) -> Need {
    let is_urgent = message.urgency == Urgency::Urgent;
    let (chip, word) =
        if is_urgent { ("urgent", "today-need-urgent") } else { ("new", "today-need-message") };
    let known = (message.caller_name.as_deref(), message.caller_phone.as_deref());
    let name = view.named(known, "somebody");
    Need {
        at: message.created_at.to_string(),
        time: when(member, view, message.created_at),
        text: plain_lines(&message.body, QUOTE_CHARS_MAX),
        is_quote: true,
        tel: message.caller_phone.clone().unwrap_or_default(),
        resolve: member.resolving(message),
        of: name.clone(),
        ..Need::new(chip, view.t(word), name, member.way_to("messages", message.id))
    }
}

fn request(member: &Member, view: &View, visit: &AppointmentView) -> Need {
    let (path, who) = (member.appointment_path(visit), view.who_comes(visit));
    let title = capitalised(&format!("{}, {}", visit.service_name, member.starts(view, visit)));
    let may = member.may(Right::Day);
    let deed = |deed: &str| if may { format!("{path}/{deed}") } else { String::new() };
    let source = view.t(&format!("appointment-source-{}", visit.source));
    let values = [("who", who.clone()), ("source", source), ("when", when(member, view, visit.created_at))];
    Need {
        aside: view.with("today-with-staff", "name", &visit.staff_name),
        text: view.says("today-need-request-text", &values),
        confirm: deed("confirm"),
        decline: deed("decline"),
        tag: tag(visit),
        of: who,
        ..Need::new("pending", view.t("today-need-request"), title, Some(path.clone()))
    }
}

fn missed_call(member: &Member, view: &View, call: &CallView) -> Need {
    let known = (call.contact_name.as_deref(), call.from_number.as_deref());
    let name = view.named(known, "today-need-unknown-number");
    let text = call.summary.as_deref().map(|summary| plain_lines(summary, QUOTE_CHARS_MAX));
    let failed = call.status == CallStatus::Failed;
    let word = if failed { "today-need-failed" } else { "today-need-missed" };
    Need {
        at: call.started_at.to_string(),
        time: when(member, view, call.started_at),
        text: text.unwrap_or_else(|| match (failed, call.contact_id) {
            (true, _) => view.t("today-need-failed-text"),
            (false, Some(_)) => view.t("today-need-missed-known"),
            (false, None) => view.t("today-need-missed-text"),
        }),
        tel: call.from_number.clone().unwrap_or_default(),
        of: name.clone(),
        ..Need::new("missed", view.t(word), name, member.way_to("calls", call.id))
    }
}

/// The disabled endpoints, if the person may see endpoints.
async fn turned_off(member: &Member, view: &View) -> Result<Vec<Need>, Refused> {
    if !member.sees(Right::Integrations) {
        return Ok(Vec::new());
    }
    let all = PageRequest { limit: ENDPOINTS_MAX, after: None };
    let endpoints = member.business.webhooks(&all).await?.items;
    let failing =
        endpoints.into_iter().filter(|endpoint| endpoint.disabled_reason == Some(DisabledReason::Failures));
    let need = |endpoint: domain::WebhookEndpoint| {
        let since = endpoint.disabled_at.map(|at| when(member, view, at)).unwrap_or_default();
        let path = member.way_to("settings/webhooks", endpoint.id);
        Need {
            text: view.with("today-need-webhook-text", "since", &since),
            of: endpoint.url.as_str().to_owned(),
            ..Need::new("disabled", view.t("today-need-webhook"), endpoint.url.as_str().to_owned(), path)
        }
    };
    Ok(failing.map(need).collect())
}
