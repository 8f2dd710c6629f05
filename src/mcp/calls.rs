//! `list_calls` and `get_call`.

use domain::{CallId, CallOutcome, ContactId};
use engine::business::CallFilter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use view::CallView;

use super::asking::Asking;
use super::bounds::{CALL_TEXT_CHARS_MAX, Paging, TEXT_CHARS_MAX, answer, cut, of_view, page};
use super::moment::WallClock;
use super::refused::Refused;
use super::values::{DayOrTime, id};
use crate::http::cursor::CursorText;
use crate::json_object;
use crate::rest::values::RecordId;

json_object! {
    pub(super) struct Wanted {
        /// Date or time.
        from: Option<DayOrTime>,
        /// A date counts whole.
        to: Option<DayOrTime>,
        /// Only these.
        outcome: Option<CallOutcome>,
        /// Whose.
        contact_id: Option<String>,
        /// next_cursor of the page before.
        cursor: Option<CursorText>,
    }
}

json_object! {
    pub(super) struct One {
        /// Its id.
        call_id: String,
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
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
    fn of(mut view: CallView, clock: WallClock, (chars, whole): (usize, &str)) -> Result<Self, Refused> {
        view.summary = view.summary.map(|summary| cut(summary, chars, whole));
        let times = json!({"local_start": clock.local(view.started_at), "weekday": clock.weekday(view.started_at),
            "timezone": clock.0.name()});
        of_view(&view, times)
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
        contact_id: wanted.contact_id.map(|text| id::<ContactId>(&text)).transpose()?,
        ..CallFilter::default()
    };
    let (business, filter) = (&asking.business, &filter);
    let read = |request| async move { business.calls(filter, &request).await };
    let show = |view| Call::of(view, clock, (TEXT_CHARS_MAX, "get_call shows more"));
    let (calls, paging) = page(&asking, wanted.cursor.as_ref(), read, show).await?;
    Ok(Calls { calls, paging })
}

pub(super) async fn get(asking: Asking, one: One) -> Result<Call, Refused> {
    let id: CallId = id(&one.call_id)?;
    let clock = WallClock(asking.business.business().await?.zone);
    let found = asking.business.call_record(id).await?.ok_or(CallId::NOT_FOUND)?;
    let whole = format!("GET /v1/calls/{id} has the whole");
    let mut chars = CALL_TEXT_CHARS_MAX;
    loop {
        let call = Call::of(found.clone(), clock, (chars, &whole))?;
        // Escapes can make a text many times as long.
        if chars <= TEXT_CHARS_MAX || answer(&call).is_ok() {
            return Ok(call);
        }
        chars /= 2;
    }
}
