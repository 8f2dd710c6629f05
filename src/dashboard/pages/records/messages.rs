//! The list of the messages of callers. A tab selects the status: new, read or resolved. Urgent new messages
//! are listed first.

use std::collections::{HashMap, HashSet};

use domain::{MessageId, MessageStatus, Right, StaffId, Urgency};
use engine::business::{MessageFilter, PageRequest};
use view::MessageView;

use crate::dashboard::pages::prelude::*;
use crate::rest::through::read_through;

/// The number of messages per page. A page of new messages contains more, so that more of them are sorted by
/// urgency together.
const SHOWN: usize = 50;
const NEW_SHOWN: usize = 100;
const URGENT_SHOWN: usize = 100;

#[derive(Template)]
#[template(path = "dashboard/pages/records/messages.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: String,
    undo: Option<Undo>,
    sub: String,
    status: MessageStatus,
    messages: Vec<MessageView>,
    staff: HashMap<StaffId, String>,
    pages: Pages,
}

pub(crate) async fn show(member: Member) -> Answered {
    let (view, business) = (&member.view, &member.business);
    let status = MessageStatus::from_word(member.query.get("status")).unwrap_or(MessageStatus::New);
    let is_new = status == MessageStatus::New;
    let part = member.part("messages", if is_new { NEW_SHOWN } else { SHOWN }, &["status"]);
    let filter = &MessageFilter { status: Some(status), ..MessageFilter::default() };
    let found = part.read(|page| async move { business.messages(filter, &page).await }).await?;
    let mut messages = found.items;
    if is_new {
        if part.request.after.is_none() {
            // The first page also contains the urgent messages of later pages, which show them again.
            let urgent = &MessageFilter { urgency: Some(Urgency::Urgent), ..filter.clone() };
            let first = PageRequest { limit: URGENT_SHOWN, after: None };
            let urgent = read_through(first, |page| async move { business.messages(urgent, &page).await });
            let urgent = urgent.await?.items.into_iter();
            let shown: HashSet<MessageId> = messages.iter().map(|message| message.id).collect();
            messages.extend(urgent.filter(|message| !shown.contains(&message.id)));
        }
        messages.sort_by_key(|message| message.urgency != Urgency::Urgent);
    }
    let staff = if messages.iter().any(|message| message.staff_id.is_some()) {
        member.staff().await?.into_iter().map(|one| (one.id, one.name)).collect()
    } else {
        HashMap::new()
    };
    let pages = part.pages(found.next.as_deref());
    let urgent = messages.iter().filter(|message| message.urgency == Urgency::Urgent).count();
    page(&Page {
        sheet: member.sheet("messages"),
        done: done(&member),
        undo: member.undo(status.as_str()),
        // The number of messages is known only if there is a single page.
        sub: if is_new && pages.is_all() && !messages.is_empty() {
            let counts = [("count", messages.len()), ("urgent", urgent)];
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
