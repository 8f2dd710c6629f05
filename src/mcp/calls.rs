//! `list_calls` and `get_call`.

use domain::{CallId, CallOutcome, ContactId};
use engine::business::CallFilter;
use schemars::JsonSchema;
use serde::Serialize;
use view::CallView;

use super::answer::is_within_bound;
use super::asking::Asking;
use super::bounds::{CALL_TEXT_CHARS_MAX, TEXT_CHARS_MAX, cut};
use super::lists::{Listed, page};
use super::moment::WallClock;
use super::refused::Refused;
use super::values::{DayOrTime, IdText};
use crate::http::cursor::CursorText;
use crate::json_object;
use crate::rest::values::RecordId;

json_object! {
    /// Which calls are asked for.
    pub(super) struct Wanted {
        /// Date or time.
        from: Option<DayOrTime>,
        /// A date counts whole.
        to: Option<DayOrTime>,
        /// Only these.
        outcome: Option<CallOutcome>,
        /// Whose.
        contact_id: Option<IdText>,
        /// next_cursor of the page before.
        cursor: Option<CursorText>,
    }
}

json_object! {
    /// Which call is asked for.
    pub(super) struct One {
        /// Its id.
        call_id: IdText,
    }
}

/// A call, as a model reads it.
#[derive(Debug, Serialize, JsonSchema)]
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

/// A page of calls.
#[derive(Serialize, JsonSchema)]
pub(super) struct Calls {
    calls: Vec<Call>,
    next_cursor: Option<String>,
    search_incomplete: Option<bool>,
}

impl Call {
    fn of(view: CallView, clock: WallClock, (chars, whole): (usize, &str)) -> Self {
        Self {
            local_start: clock.local(view.started_at),
            weekday: clock.weekday(view.started_at).to_owned(),
            timezone: clock.0.name().to_owned(),
            id: view.id.to_string(),
            direction: view.direction.to_string(),
            status: view.status.to_string(),
            outcome: view.outcome.to_string(),
            started_at: view.started_at.to_string(),
            ended_at: view.ended_at.to_string(),
            duration_seconds: view.duration_seconds,
            from_number: view.from_number,
            to_number: view.to_number,
            contact_id: view.contact_id.map(|id| id.to_string()),
            contact_name: view.contact_name,
            locale: view.locale.map(|locale| locale.to_string()),
            summary: view.summary.map(|summary| cut(summary, chars, whole)),
            recording_url: view.recording_url,
            appointment_id: view.appointment_id.map(|id| id.to_string()),
            message_id: view.message_id.map(|id| id.to_string()),
        }
    }
}

pub(super) async fn list(asking: Asking, wanted: Wanted) -> Result<Calls, Refused> {
    let profile = asking.business.business().await?;
    let clock = WallClock(profile.zone);
    let (from, to) = clock.between((wanted.from, wanted.to))?;
    let filter = CallFilter {
        from,
        to,
        outcome: wanted.outcome,
        contact_id: wanted.contact_id.map(|id| id.get::<ContactId>()).transpose()?,
        ..CallFilter::default()
    };
    let (business, filter) = (&asking.business, &filter);
    let read = |request| async move { business.calls(filter, &request).await };
    let show = |view| Ok(Call::of(view, clock, (TEXT_CHARS_MAX, "get_call shows more")));
    let Listed { items, next_cursor, search_incomplete } =
        page(&asking, wanted.cursor.as_ref(), read, show).await?;
    Ok(Calls { calls: items, next_cursor, search_incomplete })
}

pub(super) async fn get(asking: Asking, one: One) -> Result<Call, Refused> {
    let id: CallId = one.call_id.get()?;
    let clock = WallClock(asking.business.business().await?.zone);
    let found = asking.business.call_record(id).await?.ok_or(CallId::NOT_FOUND)?;
    let whole = format!("GET /v1/calls/{id} has the whole");
    let mut chars = CALL_TEXT_CHARS_MAX;
    loop {
        let call = Call::of(found.clone(), clock, (chars, &whole));
        // Escapes can make a text many times as long.
        if chars <= TEXT_CHARS_MAX || is_within_bound(&call) {
            return Ok(call);
        }
        chars /= 2;
    }
}
