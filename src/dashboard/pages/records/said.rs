//! Texts about records: times, durations, names and states.

use chrono::Datelike;
use chrono_tz::Tz;
use domain::{AppointmentStatus, CallOutcome, CallStatus, Locale, MessageStatus, Timestamp, Urgency};
use view::{CallView, ContactView, MessageView};

use crate::dashboard::pages::prelude::*;
use crate::rest::through::Through;
use crate::rest::values::phone::in_groups;

pub(super) struct Chip {
    pub(super) class: &'static str,
    pub(super) word: String,
}

/// The message that a search stopped early. It may be empty.
pub(super) fn incomplete<T>(view: &View, found: &Through<T>) -> String {
    if found.is_incomplete { view.t("records-incomplete") } else { String::new() }
}

pub(super) fn of_message(view: &View, message: &MessageView) -> Chip {
    let (class, id) = match (message.status, message.urgency) {
        (MessageStatus::New, Urgency::Urgent) => ("urgent", "message-urgent-new"),
        (MessageStatus::Read, Urgency::Urgent) => ("urgent", "message-urgent-read"),
        (MessageStatus::Resolved, Urgency::Urgent) => ("resolved", "message-urgent-resolved"),
        (MessageStatus::New, Urgency::Normal) => ("new", "message-new"),
        (MessageStatus::Read, Urgency::Normal) => ("read", "message-read"),
        (MessageStatus::Resolved, Urgency::Normal) => ("resolved", "message-resolved"),
    };
    Chip { class, word: view.t(id) }
}

/// The outcome of a completed call; the status of any other.
pub(super) fn of_call(view: &View, call: &CallView) -> Chip {
    let class = match (call.status, call.outcome) {
        (CallStatus::Missed, _) => "missed",
        (CallStatus::Failed, _) => "failed",
        (
            _,
            CallOutcome::AppointmentBooked
            | CallOutcome::AppointmentRescheduled
            | CallOutcome::QuestionAnswered
            | CallOutcome::Transferred,
        ) => "good",
        (_, CallOutcome::AppointmentCancelled) => "cancelled",
        // Amber marks open tasks. A message has its own chip.
        (
            _,
            CallOutcome::MessageTaken
            | CallOutcome::Voicemail
            | CallOutcome::Hangup
            | CallOutcome::Spam
            | CallOutcome::Other,
        ) => "",
    };
    let id =
        if call.status == CallStatus::Completed { outcome(call.outcome) } else { call_status(call.status) };
    Chip { class, word: view.t(id) }
}

pub(super) fn call_status(status: CallStatus) -> &'static str {
    match status {
        CallStatus::Completed => "call-completed",
        CallStatus::Missed => "call-missed",
        CallStatus::Failed => "call-failed",
    }
}

pub(super) fn outcome(outcome: CallOutcome) -> &'static str {
    match outcome {
        CallOutcome::AppointmentBooked => "call-booked",
        CallOutcome::AppointmentRescheduled => "call-moved",
        CallOutcome::AppointmentCancelled => "call-cancelled",
        CallOutcome::MessageTaken => "call-message",
        CallOutcome::QuestionAnswered => "call-answered",
        CallOutcome::Transferred => "call-transferred",
        CallOutcome::Voicemail => "call-voicemail",
        CallOutcome::Spam => "call-spam",
        CallOutcome::Hangup => "call-hangup",
        CallOutcome::Other => "call-other",
    }
}

pub(super) fn of_appointment(view: &View, status: AppointmentStatus) -> Chip {
    let id = match status {
        AppointmentStatus::Pending => "to-confirm",
        AppointmentStatus::Confirmed => "contact-confirmed",
        AppointmentStatus::Declined => "contact-declined",
        AppointmentStatus::Cancelled => "contact-cancelled",
    };
    Chip { class: status.as_str(), word: view.t(id) }
}

pub(super) fn caller(view: &View, call: &CallView) -> String {
    let number = other_end(call).map(|number| in_groups(number));
    call.contact_name.clone().or(number).unwrap_or_else(|| view.t("call-anonymous"))
}

pub(super) fn other_end(call: &CallView) -> Option<&String> {
    match call.direction {
        domain::Direction::Inbound => call.from_number.as_ref(),
        domain::Direction::Outbound => call.to_number.as_ref(),
    }
}

/// The sender of a message, from the message's own data.
pub(super) fn sender(view: &View, message: &MessageView) -> String {
    let number = message.caller_phone.as_deref().map(in_groups);
    message.caller_name.clone().or(number).unwrap_or_else(|| view.t("somebody"))
}

/// The contact's name, else the phone number or email.
pub(super) fn called(view: &View, contact: &ContactView) -> String {
    let number = contact.phone.as_deref().map(in_groups);
    contact.name.clone().or(number).or_else(|| contact.email.clone()).unwrap_or_else(|| view.t("somebody"))
}

pub(super) fn language(locale: Locale) -> &'static str {
    match locale {
        Locale::En => "English",
        Locale::Fr => "Français",
    }
}

/// The time of an instant today, else the day and the time.
pub(super) fn lately(view: &View, at: Timestamp, now: Timestamp, zone: Tz) -> String {
    let (day, today, time) = (days::day(at, zone), days::day(now, zone), days::clock(at, zone));
    if day == today {
        return time;
    }
    if day.succ_opt() == Some(today) {
        return view.with("records-yesterday", "time", &time);
    }
    if day.year() != today.year() {
        return view.words.moment(at, zone);
    }
    view.words.short_moment(at, zone)
}

/// A day in short form: `1 Dec 2026`.
pub(super) fn short_day(view: &View, at: Timestamp, zone: Tz) -> String {
    let day = days::day(at, zone);
    let number = |id, number: u32| view.words.say(id, &[("number", Value::Count(number.into()))]);
    let (month, number, year) =
        (number("records-month", day.month()), number("day", day.day()), day.year().to_string());
    let parts = [("day", &*number), ("month", &month), ("year", &year)];
    view.words.say("records-short-day", &parts.map(|(name, part)| (name, Value::Text(part))))
}

/// A duration: `41 s`, `3 min 02 s`, `1 h 05 min`.
pub(super) fn duration(seconds: u32) -> String {
    match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds:02} s"),
        (hours, minutes, _) => format!("{hours} h {minutes:02} min"),
    }
}

pub(super) fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_something_took_is_told_in_two_numbers_at_most() {
        for (seconds, told) in [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min 00 s"),
            (182, "3 min 02 s"),
            (3_599, "59 min 59 s"),
            (3_600, "1 h 00 min"),
            (90_061, "25 h 01 min"),
        ] {
            assert_eq!(duration(seconds), told);
        }
    }
}
