//! `list_messages`.

use domain::MessageStatus;
use engine::business::MessageFilter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use view::MessageView;

use super::asking::Asking;
use super::bounds::{Paging, TEXT_CHARS_MAX, cut, of_view, page};
use super::catalog::Catalog;
use super::refused::Refused;
use super::values::DayOrTime;
use crate::http::cursor::CursorText;
use crate::json_object;

json_object! {
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

#[derive(Serialize, Deserialize, JsonSchema)]
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

#[derive(Serialize, JsonSchema)]
pub(super) struct Messages {
    messages: Vec<Message>,
    #[serde(flatten)]
    paging: Paging,
}

pub(super) async fn list(asking: Asking, wanted: Wanted) -> Result<Messages, Refused> {
    let catalog = Catalog::read(&asking).await?;
    let clock = catalog.clock();
    let (from, to) = clock.between((wanted.from, wanted.to))?;
    let filter = MessageFilter { from, to, status: wanted.status, ..MessageFilter::default() };
    let (business, filter) = (&asking.business, &filter);
    let read = |request| async move { business.messages(filter, &request).await };
    let show = |mut view: MessageView| {
        view.body = cut(view.body, TEXT_CHARS_MAX, "GET /v1/messages has the whole");
        let staff = view.staff_id.and_then(|id| catalog.staff.iter().find(|member| member.id == id));
        let more = json!({"local_created": clock.local(view.created_at), "weekday": clock.weekday(view.created_at),
            "timezone": clock.0.name(), "staff_name": staff.map(|member| &member.name)});
        of_view(&view, more)
    };
    let (messages, paging) = page(&asking, wanted.cursor.as_ref(), read, show).await?;
    Ok(Messages { messages, paging })
}
