//! The list of the messages of callers. A tab selects the status: new, read or resolved. Urgent new messages
//! are listed first, and snoozed new messages last.

use std::collections::{HashMap, HashSet};

use domain::{MessageId, MessageStatus, Right, StaffId, Timestamp, Urgency};
use engine::business::{MessageFilter, PageRequest};
use view::{MessageView, OperatorMessageView};

use crate::dashboard::pages::prelude::*;
use crate::rest::through::read_through;

/// The number of read or resolved messages per page.
const SHOWN: usize = 50;
/// The number of new messages per page. Urgent messages are sorted first within each page, not within the whole list.
/// A long page makes this difference less visible.
const NEW_SHOWN: usize = 100;
/// The first page also shows the urgent messages of later pages. To find them, the page reads at most this number of
/// urgent messages.
const URGENT_SHOWN: usize = 100;

#[derive(Template)]
#[template(path = "dashboard/pages/records/messages.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: String,
    undo: Option<Undo>,
    sub: String,
    status: MessageStatus,
    messages: Vec<Row>,
    staff: HashMap<StaffId, String>,
    pages: Pages,
}

struct Row {
    message: MessageView,
    snoozed_until: Option<Timestamp>,
}

/// The end of the snooze. Returns `None` if the message is not snoozed now, or if it is resolved.
pub(super) fn snoozed_until(member: &Member, shown: &OperatorMessageView) -> Option<Timestamp> {
    let is_open = shown.message.status != MessageStatus::Resolved;
    shown.snoozed_until.flatten().filter(|until| is_open && *until > member.business.now())
}

pub(crate) async fn show(member: Member) -> Answered {
    let (view, business) = (&member.view, &member.business);
    let status = MessageStatus::from_word(member.query.get("status")).unwrap_or(MessageStatus::New);
    let is_new = status == MessageStatus::New;
    let part = member.part("messages", if is_new { NEW_SHOWN } else { SHOWN }, &["status"]);
    let filter = &MessageFilter { status: Some(status), ..MessageFilter::default() };
    let read = |filter, page| async move { business.messages_as::<OperatorMessageView>(filter, &page).await };
    let found = part.read(|page| read(filter, page)).await?;
    let mut messages = found.items;
    if is_new && part.request.after.is_none() {
        // The first page also contains the urgent messages that belong to later pages. The later pages contain these
        // messages too.
        let urgent = &MessageFilter { urgency: Some(Urgency::Urgent), ..filter.clone() };
        let first = PageRequest { limit: URGENT_SHOWN, after: None };
        let urgent = read_through(first, |page| read(urgent, page)).await?.items.into_iter();
        let shown: HashSet<MessageId> = messages.iter().map(|one| one.message.id).collect();
        messages.extend(urgent.filter(|one| !shown.contains(&one.message.id)));
    }
    let row =
        |one: OperatorMessageView| Row { snoozed_until: snoozed_until(&member, &one), message: one.message };
    let mut messages: Vec<_> = messages.into_iter().map(row).collect();
    if is_new {
        messages.sort_by_key(|row| (row.snoozed_until.is_some(), row.message.urgency != Urgency::Urgent));
    }
    let staff = if messages.iter().any(|row| row.message.staff_id.is_some()) {
        member.staff().await?.into_iter().map(|one| (one.id, one.name)).collect()
    } else {
        HashMap::new()
    };
    let pages = part.pages(found.next.as_deref());
    // A snoozed message does not count as new.
    let awake: Vec<_> = messages.iter().filter(|row| row.snoozed_until.is_none()).collect();
    let urgent = awake.iter().filter(|row| row.message.urgency == Urgency::Urgent).count();
    page(&Page {
        sheet: member.sheet("messages"),
        done: done(&member),
        undo: member.undo(status.as_str()),
        // The number of messages is known only if there is a single page.
        sub: if is_new && pages.is_all() && !awake.is_empty() {
            let counts = [("count", awake.len()), ("urgent", urgent)];
            view.words.say("messages-sub-new", &counts.map(|(name, n)| (name, Value::Count(n as u64))))
        } else {
            view.t("messages-sub")
        },
        status,
        messages,
        staff,
        pages,
    })
}

impl Page<'_> {
    fn heading(&self) -> String {
        self.sheet.member.t(&format!("messages-all-{}", self.status))
    }

    fn staff_of(&self, message: &MessageView) -> Option<&String> {
        self.staff.get(&message.staff_id?)
    }
}

pub(super) fn done(member: &Member) -> String {
    member.done(&[
        ("new", "message-done-new"),
        ("read", "message-done-read"),
        ("resolved", "message-done-resolved"),
        ("assigned", "message-done-assigned"),
        ("added", "message-done-added"),
        ("noted", "saved"),
        ("snoozed", "message-done-snoozed"),
        ("awake", "message-done-awake"),
    ])
}
