//! `list_messages`.

use domain::MessageStatus;
use engine::business::MessageFilter;
use schemars::JsonSchema;
use serde::Serialize;
use view::MessageView;

use super::asking::Asking;
use super::bounds::{TEXT_CHARS_MAX, cut};
use super::lists::{Listed, page};
use super::moment::WallClock;
use super::refused::Refused;
use super::values::DayOrTime;
use crate::http::cursor::CursorText;
use crate::json_object;

json_object! {
    /// Which messages are asked for.
    pub(super) struct Wanted {
        /// Date or time.
        from: Option<DayOrTime>,
        /// A date counts whole.
        to: Option<DayOrTime>,
        /// Only these.
        status: Option<MessageStatus>,
        /// next_cursor of the page before.
        cursor: Option<CursorText>,
    }
}

/// A message, as a model reads it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Message {
    id: String,
    status: String,
    urgency: String,
    body: String,
    created_at: String,
    local_created: String,
    weekday: String,
    timezone: String,
    caller_name: Option<String>,
    caller_phone: Option<String>,
    contact_id: Option<String>,
    call_id: Option<String>,
    staff_id: Option<String>,
    staff_name: Option<String>,
}

/// A page of messages.
#[derive(Serialize, JsonSchema)]
pub(super) struct Messages {
    messages: Vec<Message>,
    next_cursor: Option<String>,
    search_incomplete: Option<bool>,
}

pub(super) async fn list(asking: Asking, wanted: Wanted) -> Result<Messages, Refused> {
    let catalog = super::catalog::Catalog::read(&asking.business).await?;
    let clock = catalog.clock();
    let (from, to) = clock.between((wanted.from, wanted.to))?;
    let filter = MessageFilter { from, to, status: wanted.status, ..MessageFilter::default() };
    let (business, filter) = (&asking.business, &filter);
    let read = |request| async move { business.messages(filter, &request).await };
    let show = |view: MessageView| {
        let name = view.staff_id.and_then(|id| catalog.staff.iter().find(|member| member.id == id));
        Ok(shown(view, name.map(|member| member.name.clone()), clock))
    };
    let Listed { items, next_cursor, search_incomplete } =
        page(&asking, wanted.cursor.as_ref(), read, show).await?;
    Ok(Messages { messages: items, next_cursor, search_incomplete })
}

fn shown(view: MessageView, staff_name: Option<String>, clock: WallClock) -> Message {
    Message {
        local_created: clock.local(view.created_at),
        weekday: clock.weekday(view.created_at).to_owned(),
        timezone: clock.0.name().to_owned(),
        id: view.id.to_string(),
        status: view.status.to_string(),
        urgency: view.urgency.to_string(),
        body: cut(view.body, TEXT_CHARS_MAX, "GET /v1/messages has the whole"),
        created_at: view.created_at.to_string(),
        caller_name: view.caller_name,
        caller_phone: view.caller_phone,
        contact_id: view.contact_id.map(|id| id.to_string()),
        call_id: view.call_id.map(|id| id.to_string()),
        staff_id: view.staff_id.map(|id| id.to_string()),
        staff_name,
    }
}
