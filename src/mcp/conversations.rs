//! The tools `list_calls`, `get_call`, `list_messages` and `add_knowledge`.

use domain::{CallId, CallOutcome, ContactId, KnowledgeDetails, Locale, MessageStatus, Text};
use engine::business::commands::knowledge::AddKnowledge;
use engine::business::{CallFilter, MessageFilter};
use schemars::JsonSchema;
use serde::Serialize;
use view::{CallView, MessageView};

use super::bounds::{CALL_TEXT_CHARS_MAX, Paging, TEXT_CHARS_MAX, answer, cut, page, text};
use super::catalog::Catalog;
use super::moment::WallClock;
use super::refused::Refused;
use super::tool_call::ToolCall;
use super::values::{DayOrTime, IdempotencyKey, id};
use crate::http::cursor::CursorText;
use crate::json_object;
use crate::rest::values::RecordId;
use crate::rest::values::web::WebsiteUrl;

json_object! {
    pub(super) struct ListCallsArgs {
        /// Only calls that started at or after this date or time.
        from: Option<DayOrTime>,
        /// Only calls that started before this time, or by the end of this date.
        to: Option<DayOrTime>,
        /// Only calls with this outcome.
        outcome: Option<CallOutcome>,
        /// Only calls of this contact.
        contact_id: Option<String>,
        /// The next_cursor of the previous page.
        cursor: Option<CursorText>,
    }
}

json_object! {
    pub(super) struct One {
        /// The id of the call.
        call_id: String,
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Call {
    id: String,
    direction: String,
    status: String,
    outcome: String,
    started_at: String,
    ended_at: String,
    local_start: String,
    weekday: String,
    timezone: String,
    duration_seconds: u32,
    from_number: Option<String>,
    to_number: Option<String>,
    contact_id: Option<String>,
    contact_name: Option<String>,
    locale: Option<String>,
    summary: Option<String>,
    recording_url: Option<String>,
    appointment_id: Option<String>,
    message_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Calls {
    calls: Vec<Call>,
    #[serde(flatten)]
    paging: Paging,
}

impl Call {
    fn of(view: CallView, clock: WallClock, (chars, whole): (usize, &str)) -> Self {
        Self {
            id: view.id.to_string(),
            direction: view.direction.to_string(),
            status: view.status.to_string(),
            outcome: view.outcome.to_string(),
            started_at: view.started_at.to_string(),
            ended_at: view.ended_at.to_string(),
            local_start: clock.local(view.started_at),
            weekday: clock.weekday(view.started_at).to_owned(),
            timezone: clock.0.name().to_owned(),
            duration_seconds: view.duration_seconds,
            from_number: text(view.from_number.as_ref()),
            to_number: text(view.to_number.as_ref()),
            contact_id: text(view.contact_id.as_ref()),
            contact_name: view.contact_name,
            locale: text(view.locale.as_ref()),
            summary: view.summary.map(|summary| cut(summary, chars, whole)),
            recording_url: view.recording_url,
            appointment_id: text(view.appointment_id.as_ref()),
            message_id: text(view.message_id.as_ref()),
        }
    }
}

pub(super) async fn list_calls(asking: ToolCall, wanted: ListCallsArgs) -> Result<Calls, Refused> {
    let profile = asking.business.business().await?;
    let clock = WallClock(profile.zone);
    let (from, to) = clock.between((wanted.from, wanted.to))?;
    let filter = CallFilter {
        from,
        to,
        outcome: wanted.outcome,
        contact_id: wanted.contact_id.map(|text| id::<ContactId>(&text)).transpose()?,
        ..CallFilter::default()
    };
    let (business, filter) = (&asking.business, &filter);
    let read = |request| async move { business.calls(filter, &request).await };
    let show = |view| Ok(Call::of(view, clock, (TEXT_CHARS_MAX, "get_call shows more")));
    let (calls, paging) = page(&asking, wanted.cursor.as_ref(), read, show).await?;
    Ok(Calls { calls, paging })
}

pub(super) async fn get_call(asking: ToolCall, one: One) -> Result<Call, Refused> {
    let id: CallId = id(&one.call_id)?;
    let clock = WallClock(asking.business.business().await?.zone);
    let found = asking.business.call_record(id).await?.ok_or(CallId::NOT_FOUND)?;
    let whole = format!("GET /v1/calls/{id} returns the whole text");
    let mut chars = CALL_TEXT_CHARS_MAX;
    loop {
        let call = Call::of(found.clone(), clock, (chars, &whole));
        // Escapes can make a text many times longer, so the limit is reduced until the result fits.
        if chars <= TEXT_CHARS_MAX || answer(&call).is_ok() {
            return Ok(call);
        }
        chars /= 2;
    }
}

json_object! {
    pub(super) struct ListMessagesArgs {
        /// Only messages taken at or after this date or time.
        from: Option<DayOrTime>,
        /// Only messages taken before this time, or by the end of this date.
        to: Option<DayOrTime>,
        /// Only messages with this status.
        status: Option<MessageStatus>,
        /// The next_cursor of the previous page.
        cursor: Option<CursorText>,
    }
}

#[derive(Serialize, JsonSchema)]
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

pub(super) async fn list_messages(asking: ToolCall, wanted: ListMessagesArgs) -> Result<Messages, Refused> {
    let catalog = Catalog::read(&asking).await?;
    let clock = catalog.clock();
    let (from, to) = clock.between((wanted.from, wanted.to))?;
    let filter = MessageFilter { from, to, status: wanted.status, ..MessageFilter::default() };
    let (business, filter) = (&asking.business, &filter);
    let read = |request| async move { business.messages(filter, &request).await };
    let show = |view: MessageView| {
        let staff = view.staff_id.and_then(|id| catalog.staff.iter().find(|member| member.id == id));
        Ok(Message {
            id: view.id.to_string(),
            status: view.status.to_string(),
            urgency: view.urgency.to_string(),
            body: cut(view.body, TEXT_CHARS_MAX, "GET /v1/messages returns the whole text"),
            created_at: view.created_at.to_string(),
            local_created: clock.local(view.created_at),
            weekday: clock.weekday(view.created_at).to_owned(),
            timezone: clock.0.name().to_owned(),
            caller_name: view.caller_name,
            caller_phone: text(view.caller_phone.as_ref()),
            contact_id: text(view.contact_id.as_ref()),
            call_id: text(view.call_id.as_ref()),
            staff_id: text(view.staff_id.as_ref()),
            staff_name: staff.map(|member| member.name.clone()),
        })
    };
    let (messages, paging) = page(&asking, wanted.cursor.as_ref(), read, show).await?;
    Ok(Messages { messages, paging })
}

json_object! {
    pub(super) struct NewKnowledge {
        /// The topic of the entry.
        title: Text<1, 200>,
        /// The text of the entry, at most 50,000 characters.
        content: Text<1, 50_000>,
        /// The URL of the web page that the text comes from.
        source_url: Option<WebsiteUrl>,
        /// The language of the text.
        locale: Option<Locale>,
        /// A repeated call with the same key returns the first result.
        idempotency_key: Option<IdempotencyKey>,
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Knowledge {
    id: String,
    title: String,
    content: String,
    source_url: Option<String>,
    locale: Option<String>,
}

pub(super) async fn add_knowledge(asking: ToolCall, new: NewKnowledge) -> Result<Knowledge, Refused> {
    let details = KnowledgeDetails {
        title: new.title,
        content: new.content,
        source_url: new.source_url.map(WebsiteUrl::into_string),
        locale: new.locale,
    };
    let answer = asking.change(new.idempotency_key.as_ref(), AddKnowledge { details }).await?;
    let view = answer.value;
    Ok(Knowledge {
        id: view.id.to_string(),
        title: view.title,
        content: cut(view.content, TEXT_CHARS_MAX, "the knowledge base contains the whole text"),
        source_url: view.source_url,
        locale: text(view.locale.as_ref()),
    })
}
