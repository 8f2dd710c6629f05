//! Writing records as lines.

use actors::domain::{
    Appointment, BlockedTime, Business, CallRecord, Contact, DayHours, EventType, Knowledge, Service,
    SpecialDay, StaffMember, TakenMessage, Timestamp, WebhookEndpoint,
};
use actors::moving::Moved;
use actors::view::{BreakView, HoursView, SpecialDayView};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::{FORMAT, SECRET_TAG, VERSION, kind};

/// The first line.
pub(crate) fn head(exported_at: Timestamp) -> String {
    Line::new("format", FORMAT).put("version", &VERSION).put("exported_at", &exported_at).end()
}

/// The last line.
pub(crate) fn end(businesses: u64) -> String {
    Line::new("kind", "end").put("businesses", &businesses).end()
}

/// The line of a record.
pub(crate) fn line(moved: &Moved) -> String {
    let line = Line::new("kind", kind(moved));
    let line = match moved {
        Moved::Business(it) => business(line, it),
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
    line.put("id", &it.id)
        .put("name", &it.name)
        .put("timezone", it.zone.name())
        .put("locale", &it.locale)
        .put("website_url", &it.website_url)
        .put("booking_mode", &it.booking_mode)
        .put("hours", &hours(it.hours.days()))
        .put("breaks", &breaks)
        .put("phone_region", &it.phone_region)
        .put("suspended", &it.suspended)
        .put("created_at", &it.created_at)
        .put("updated_at", &it.updated_at)
}

fn service(line: Line, it: &Service) -> Line {
    line.put("id", &it.id)
        .put("name", &it.name)
        .put("description", &it.description)
        .put("duration_minutes", &it.duration_minutes)
        .put("active", &it.active)
        .put("buffer_before_minutes", &it.buffers.before_minutes())
        .put("buffer_after_minutes", &it.buffers.after_minutes())
        .put("min_notice_minutes", &it.min_notice_minutes)
        .put("max_advance_days", &it.max_advance_days)
        .put("price_cents", &it.price.map(|price| price.cents))
        .put("currency", &it.price.as_ref().map(|price| price.currency.as_str()))
        .put("created_at", &it.created_at)
        .put("updated_at", &it.updated_at)
}

/// The windows of a week.
fn hours(days: &[DayHours]) -> Vec<HoursView> {
    days.iter().map(HoursView::from).collect()
}

fn staff(line: Line, it: &StaffMember) -> Line {
    line.put("id", &it.id)
        .put("name", &it.name)
        .put("active", &it.active)
        .put("timezone", it.zone.name())
        .put("service_ids", &it.service_ids)
        .put("hours", &it.hours.as_ref().map(|it| hours(it.days())))
        .put("created_at", &it.created_at)
        .put("updated_at", &it.updated_at)
}

fn special_day(line: Line, it: &SpecialDay) -> Line {
    let SpecialDayView { date, windows, .. } = SpecialDayView::from(it);
    line.put("date", &date)
        .put("windows", &windows)
        .put("note", &it.note)
        .put("created_at", &it.created_at)
        .put("updated_at", &it.updated_at)
}

fn time_off(line: Line, it: &BlockedTime) -> Line {
    line.put("id", &it.id)
        .put("staff_id", &it.staff_id)
        .put("starts_at", &it.starts_at)
        .put("ends_at", &it.ends_at)
        .put("note", &it.note)
        .put("created_at", &it.created_at)
}

fn contact(line: Line, it: &Contact) -> Line {
    line.put("id", &it.id)
        .put("name", &it.name)
        .put("phone", &it.phone)
        .put("email", &it.email)
        .put("locale", &it.locale)
        .put("timezone", &it.zone.map(|zone| zone.name()))
        .put("created_at", &it.created_at)
        .put("updated_at", &it.updated_at)
}

fn appointment(line: Line, it: &Appointment) -> Line {
    line.put("id", &it.id)
        .put("status", &it.status)
        .put("starts_at", &it.starts_at)
        .put("ends_at", &it.ends_at)
        .put("buffer_before_minutes", &it.buffers.before_minutes())
        .put("buffer_after_minutes", &it.buffers.after_minutes())
        .put("service_id", &it.service_id)
        .put("staff_id", &it.staff_id)
        .put("contact_id", &it.contact_id)
        .put("source", &it.source)
        .put("calendar_sync_status", &it.calendar_sync_status)
        .put("announced", &it.announced)
        .put("move_unannounced", &it.move_unannounced)
        .put("created_at", &it.created_at)
        .put("updated_at", &it.updated_at)
}

fn call(line: Line, it: &CallRecord) -> Line {
    line.put("id", &it.id)
        .put("direction", &it.direction)
        .put("status", &it.status)
        .put("outcome", &it.outcome)
        .put("from_number", &it.from_number)
        .put("to_number", &it.to_number)
        .put("contact_id", &it.contact_id)
        .put("started_at", &it.started_at)
        .put("ended_at", &it.ended_at)
        .put("duration_seconds", &it.duration_seconds)
        .put("locale", &it.locale)
        .put("summary", &it.summary)
        .put("recording_url", &it.recording_url)
        .put("appointment_id", &it.appointment_id)
        .put("message_id", &it.message_id)
        .put("created_at", &it.created_at)
        .put("updated_at", &it.updated_at)
}

fn message(line: Line, it: &TakenMessage) -> Line {
    line.put("id", &it.id)
        .put("call_id", &it.call_id)
        .put("contact_id", &it.contact_id)
        .put("caller_name", &it.caller_name)
        .put("caller_phone", &it.caller_phone)
        .put("body", &it.body)
        .put("urgency", &it.urgency)
        .put("staff_id", &it.staff_id)
        .put("status", &it.status)
        .put("created_at", &it.created_at)
        .put("updated_at", &it.updated_at)
}

fn knowledge(line: Line, it: &Knowledge) -> Line {
    line.put("id", &it.id)
        .put("title", &it.title)
        .put("content", &it.content)
        .put("source_url", &it.source_url)
        .put("locale", &it.locale)
        .put("created_at", &it.created_at)
        .put("updated_at", &it.updated_at)
}

fn webhook(line: Line, it: &WebhookEndpoint) -> Line {
    let events: Vec<EventType> = it.events.iter().collect();
    line.put("id", &it.id)
        .put("url", &it.url)
        .put("events", &events)
        .put("description", &it.description)
        .put("status", &it.status)
        .put("disabled_reason", &it.disabled_reason)
        .put("disabled_at", &it.disabled_at)
        .put("secret", &format!("{SECRET_TAG}{}", STANDARD.encode(it.secret.bytes())))
        .put("created_at", &it.created_at)
        .put("updated_at", &it.updated_at)
}
