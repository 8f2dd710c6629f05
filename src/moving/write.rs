//! Writing records as lines.

use actors::counting::Difference;
use actors::domain::{
    Appointment, BlockedTime, Buffers, Business, CallRecord, Contact, DayHours, EventType, Knowledge,
    Retention, Service, SpecialDay, StaffMember, TakenMessage, Timestamp, WebhookEndpoint,
};
use actors::moving::Moved;
use actors::view::{BreakView, HoursView, SpecialDayView};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::{FORMAT, PROBLEM, SECRET_TAG, VERSION, kind};

/// The first line.
pub(crate) fn head(exported_at: Timestamp) -> String {
    Line::new("format", FORMAT).put("version", &VERSION).put("exported_at", &exported_at).end()
}

/// The last line.
pub(crate) fn end(businesses: u64) -> String {
    Line::new("kind", "end").put("businesses", &businesses).end()
}

/// A line in place of the last one: records of a business are missing, so the export is not whole.
pub(crate) fn problem(difference: &Difference) -> String {
    let Difference { business_id, kind, recorded, found } = difference;
    Line::new("kind", PROBLEM)
        .put("business_id", business_id)
        .put("records", kind)
        .put("recorded", recorded)
        .put("found", found)
        .end()
}

/// The line of a record.
pub(crate) fn line(moved: &Moved) -> String {
    let line = Line::new("kind", kind(moved));
    let line = match moved {
        Moved::Business(it) => business(line, it),
        Moved::Retention(it) => retention(line, it),
        Moved::Service(it) => service(line, it),
        Moved::Staff(it) => staff(line, it),
        Moved::SpecialDay(it) => special_day(line, it),
        Moved::TimeOff(it) => time_off(line, it),
        Moved::Contact(it) => contact(line, it),
        Moved::Appointment(it) => appointment(line, it),
        Moved::Call(it) => call(line, it),
        Moved::Message(it) => message(line, it),
        Moved::Knowledge(it) => knowledge(line, it),
        Moved::Webhook(it) => webhook(line, it),
        Moved::End { records } => line.put("records", records),
    };
    line.end()
}

/// Puts fields of a record that are called as their properties are.
macro_rules! put {
    ($line:expr, $it:ident: $($name:ident),+ $(,)?) => {
        $line$(.put(stringify!($name), &$it.$name))+
    };
}

/// A line as it is written, property by property.
struct Line(String);

impl Line {
    fn new(name: &str, word: &str) -> Self {
        Self(String::from("{")).value(name, &word)
    }

    fn put(mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Self {
        self.0.push(',');
        self.value(name, value)
    }

    fn value(mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Self {
        match serde_json::to_string(value) {
            Ok(value) => self.0.push_str(&format!("\"{name}\":{value}")),
            Err(error) => unreachable!("texts, numbers and lists of them can be written: {error}"),
        }
        self
    }

    fn end(mut self) -> String {
        self.0.push_str("}\n");
        self.0
    }
}

fn business(line: Line, it: &Business) -> Line {
    let breaks: Vec<_> = it.breaks.days().iter().map(BreakView::from).collect();
    let line = put!(line, it: id, name).put("timezone", it.zone.name());
    let line = put!(line, it: locale, website_url, booking_mode).put("hours", &hours(it.hours.days()));
    put!(line.put("breaks", &breaks), it: phone_region, suspended, created_at, updated_at)
}

fn retention(line: Line, it: &Retention) -> Line {
    put!(line, it: calls_days, messages_days, audit_days, appointments_days)
}

fn service(line: Line, it: &Service) -> Line {
    let line = buffers(put!(line, it: id, name, description, duration_minutes, active), it.buffers);
    let line = put!(line, it: min_notice_minutes, max_advance_days)
        .put("price_cents", &it.price.map(|price| price.cents))
        .put("currency", &it.price.as_ref().map(|price| price.currency.as_str()));
    put!(line, it: created_at, updated_at)
}

fn buffers(line: Line, it: Buffers) -> Line {
    line.put("buffer_before_minutes", &it.before_minutes()).put("buffer_after_minutes", &it.after_minutes())
}

/// The windows of a week.
fn hours(days: &[DayHours]) -> Vec<HoursView> {
    days.iter().map(HoursView::from).collect()
}

fn staff(line: Line, it: &StaffMember) -> Line {
    let line = put!(line, it: id, name, active).put("timezone", it.zone.name());
    let line = put!(line, it: service_ids).put("hours", &it.hours.as_ref().map(|it| hours(it.days())));
    put!(line, it: created_at, updated_at)
}

fn special_day(line: Line, it: &SpecialDay) -> Line {
    let SpecialDayView { date, windows, .. } = SpecialDayView::from(it);
    put!(line.put("date", &date).put("windows", &windows), it: note, created_at, updated_at)
}

fn time_off(line: Line, it: &BlockedTime) -> Line {
    put!(line, it: id, staff_id, starts_at, ends_at, note, created_at)
}

fn contact(line: Line, it: &Contact) -> Line {
    let line = put!(line, it: id, name, phone, email, locale);
    put!(line.put("timezone", &it.zone.map(|zone| zone.name())), it: notes, created_at, updated_at)
}

fn appointment(line: Line, it: &Appointment) -> Line {
    let line = buffers(put!(line, it: id, status, starts_at, ends_at), it.buffers);
    let line = put!(line, it: service_id, staff_id, contact_id, source, calendar_sync_status, announced);
    put!(line, it: move_unannounced, notes, created_at, updated_at)
}

fn call(line: Line, it: &CallRecord) -> Line {
    let line = put!(line, it: id, direction, status, outcome, from_number, to_number, contact_id);
    let line = put!(line, it: started_at, ended_at, duration_seconds, locale, summary, recording_url);
    put!(line, it: appointment_id, message_id, created_at, updated_at)
}

fn message(line: Line, it: &TakenMessage) -> Line {
    let line = put!(line, it: id, call_id, contact_id, caller_name, caller_phone, body, urgency, staff_id);
    put!(line, it: status, created_at, updated_at)
}

fn knowledge(line: Line, it: &Knowledge) -> Line {
    put!(line, it: id, title, content, source_url, locale, created_at, updated_at)
}

fn webhook(line: Line, it: &WebhookEndpoint) -> Line {
    let events: Vec<EventType> = it.events.iter().collect();
    let line = put!(line, it: id, url).put("events", &events);
    let line = put!(line, it: description, status, disabled_reason, disabled_at);
    let secret = format!("{SECRET_TAG}{}", STANDARD.encode(it.secret.bytes()));
    put!(line.put("secret", &secret), it: created_at, updated_at)
}
