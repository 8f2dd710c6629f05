//! The messages of callers by status: new, read, resolved. Urgent ones are first among the new ones.

use std::collections::{HashMap, HashSet};

use domain::{MessageId, MessageStatus, Right, StaffId, StaffMember, Timestamp, Urgency};
use engine::business::{MessageFilter, PageRequest};
use view::MessageView;

use super::rows::QUOTE_CHARS_MAX;
use super::said::{Chip, lately, of_message, sender};
use crate::dashboard::pages::prelude::*;
use crate::rest::through::read_through;

/// The number of messages per page. New messages are sorted within their page, so it is larger.
const SHOWN: usize = 50;
const NEW_SHOWN: usize = 100;
const URGENT_SHOWN: usize = 100;
const STAFF_MAX: usize = 500;

#[derive(Template)]
#[template(path = "dashboard/pages/records/messages.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    base: String,
    done: String,
    sub: String,
    tabs: Vec<Tab>,
    status: MessageStatus,
    heading: String,
    rows: Vec<Row>,
    pages: Pages,
    may: bool,
}

struct Tab {
    path: String,
    label: String,
    is_this: bool,
}

struct Row {
    id: String,
    chip: Chip,
    name: String,
    at: String,
    when: String,
    staff: String,
    quote: String,
    phone: Option<String>,
}

pub(crate) async fn show(member: Member) -> Answered {
    let (view, business) = (member.view(), &member.business);
    let status = MessageStatus::from_word(member.query.get("status")).unwrap_or(MessageStatus::New);
    let is_new = status == MessageStatus::New;
    let part = member.part("messages", if is_new { NEW_SHOWN } else { SHOWN }, &["status"]);
    let filter = &MessageFilter { status: Some(status), ..MessageFilter::default() };
    let mut found = part.read(|page| async move { business.messages(filter, &page).await }).await?;
    if is_new {
        if part.is_first() {
            // Urgent messages are first, regardless of their age. Later pages show them again at their place.
            let urgent = &MessageFilter { urgency: Some(Urgency::Urgent), ..filter.clone() };
            let first = PageRequest { limit: URGENT_SHOWN, after: None };
            let urgent = read_through(first, |page| async move { business.messages(urgent, &page).await });
            let urgent = urgent.await?.items.into_iter();
            let shown: HashSet<MessageId> = found.items.iter().map(|message| message.id).collect();
            found.items.extend(urgent.filter(|message| !shown.contains(&message.id)));
        }
        found.items.sort_by_key(|message| message.urgency != Urgency::Urgent);
    }
    let names = if found.items.iter().any(|message| message.staff_id.is_some()) {
        team(&member).await?.into_iter().map(|one| (one.id, one.name)).collect()
    } else {
        HashMap::new()
    };
    let now = business.now();
    let rows = found.items.iter().map(|message| row(&member, &view, message, (&names, now))).collect();
    let pages = part.pages(found.next.as_deref());
    let urgent = found.items.iter().filter(|message| message.urgency == Urgency::Urgent).count();
    let shown = Page {
        sheet: member.sheet("messages"),
        base: member.path_to("messages"),
        done: done(&view, member.query.get("done")),
        // The number is known only if there is a single page.
        sub: if is_new && pages.is_all() && !found.items.is_empty() {
            let counts = [("count", found.items.len()), ("urgent", urgent)];
            view.words.say("messages-sub-new", &counts.map(|(name, n)| (name, Value::Count(n as u64))))
        } else {
            view.t("messages-sub")
        },
        tabs: tabs(&member, &view, status),
        status,
        heading: view.t(match status {
            MessageStatus::New => "messages-all-new",
            MessageStatus::Read => "messages-all-read",
            MessageStatus::Resolved => "messages-all-resolved",
        }),
        rows,
        pages,
        may: member.may(Right::Day),
    };
    page(&shown)
}

fn tabs(member: &Member, view: &View, this: MessageStatus) -> Vec<Tab> {
    let tab = |status: &MessageStatus| Tab {
        path: member.path_to(&format!("messages?status={status}")),
        label: view.standing(*status),
        is_this: *status == this,
    };
    MessageStatus::ALL.iter().map(tab).collect()
}

impl View {
    pub(super) fn standing(&self, status: MessageStatus) -> String {
        self.t(match status {
            MessageStatus::New => "messages-tab-new",
            MessageStatus::Read => "messages-tab-read",
            MessageStatus::Resolved => "messages-tab-resolved",
        })
    }
}

fn row(
    member: &Member,
    view: &View,
    message: &MessageView,
    (names, now): (&HashMap<StaffId, String>, Timestamp),
) -> Row {
    let staff = message.staff_id.and_then(|id| names.get(&id));
    Row {
        id: message.id.to_string(),
        chip: of_message(view, message),
        name: sender(view, message),
        at: message.created_at.to_string(),
        when: lately(view, message.created_at, now, member.profile.zone),
        staff: staff.map(|name| view.with("messages-for", "name", name)).unwrap_or_default(),
        quote: if message.body.is_empty() {
            view.t("message-erased")
        } else {
            plain(&message.body, QUOTE_CHARS_MAX)
        },
        phone: message.caller_phone.clone(),
    }
}

pub(super) fn done(view: &View, word: &str) -> String {
    let id = match word {
        "new" => "message-done-new",
        "read" => "message-done-read",
        "resolved" => "message-done-resolved",
        "assigned" => "message-done-assigned",
        _ => return String::new(),
    };
    view.t(id)
}

/// The staff members of the business, in the order of creation.
pub(super) async fn team(member: &Member) -> Result<Vec<StaffMember>, Refused> {
    let business = &member.business;
    let first = PageRequest { limit: STAFF_MAX, after: None };
    let read = |page: PageRequest| async move { business.staff(&page).await };
    Ok(read_through(first, read).await?.items)
}
