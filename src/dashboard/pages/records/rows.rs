//! Texts about records (durations, names and states), and the rows for appointments, calls and messages on
//! pages about other records.

use chrono::Datelike;
use domain::{
    Attendance, AttendanceFilter, CallOutcome, CallStatus, Direction, MessageStatus, Timestamp, Urgency,
};
use view::{AppointmentView, CallView, ContactView, ConversationView, MessageView};

use crate::dashboard::pages::prelude::*;

/// The maximum number of characters of a quoted text in a row. The stylesheet shows two lines of the text.
const QUOTE_CHARS_MAX: usize = 300;

type Chip = (&'static str, String);

impl View {
    pub(super) fn of_message(&self, message: &MessageView) -> Chip {
        let (status, is_urgent) = (message.status, message.urgency == Urgency::Urgent);
        let class = if is_urgent && status != MessageStatus::Resolved { "urgent" } else { status.as_str() };
        let urgent = if is_urgent { "urgent-" } else { "" };
        (class, self.t(&format!("message-is-{urgent}{status}")))
    }

    /// The outcome of a completed call, or the status of a call that is not completed.
    pub(super) fn of_call(&self, call: &CallView) -> Chip {
        use CallOutcome as O;
        if call.status != CallStatus::Completed {
            return (call.status.as_str(), self.t(&format!("call-status-{}", call.status)));
        }
        let class = match call.outcome {
            O::AppointmentBooked | O::AppointmentRescheduled | O::QuestionAnswered | O::Transferred => "good",
            O::AppointmentCancelled => "cancelled",
            // The colour amber marks open tasks. A call with a message has no colour, since the message has
            // its own chip.
            O::MessageTaken | O::Voicemail | O::Hangup | O::Spam | O::Other => "",
        };
        (class, self.outcome(call.outcome))
    }

    /// The attendance of an appointment or, if no attendance is set, the status of the appointment.
    pub(in crate::dashboard) fn of_appointment(&self, visit: &AppointmentView) -> Chip {
        let class = match visit.attendance {
            None => return (visit.status.as_str(), self.status(visit.status)),
            Some(Attendance::Arrived | Attendance::Completed) => "good",
            Some(Attendance::NoShow) => "bad",
        };
        (class, self.attendance(visit.attendance.into()))
    }

    pub(in crate::dashboard) fn attendance(&self, attendance: AttendanceFilter) -> String {
        self.t(&format!("appointment-attendance-{attendance}"))
    }

    pub(super) fn outcome(&self, outcome: CallOutcome) -> String {
        self.t(&format!("call-outcome-{outcome}"))
    }

    pub(super) fn standing(&self, status: MessageStatus) -> String {
        self.t(&format!("messages-tab-{status}"))
    }

    pub(super) fn caller(&self, call: &CallView) -> String {
        let number = self.other_end(call).map(|number| self.phone(number));
        call.contact_name.clone().or(number).unwrap_or_else(|| self.t("call-anonymous"))
    }

    pub(super) fn sender(&self, message: &MessageView) -> String {
        let number = message.caller_phone.as_deref().map(|number| self.phone(number));
        message.caller_name.clone().or(number).unwrap_or_else(|| self.t("somebody"))
    }

    pub(super) fn called(&self, contact: &ContactView) -> String {
        let number = contact.phone.as_deref().map(|number| self.phone(number));
        let name = contact.name.clone().or(number).or_else(|| contact.email.clone());
        name.unwrap_or_else(|| self.t("somebody"))
    }

    pub(super) fn other_end<'a>(&self, call: &'a CallView) -> Option<&'a String> {
        match call.direction {
            Direction::Inbound => call.from_number.as_ref(),
            Direction::Outbound => call.to_number.as_ref(),
        }
    }

    pub(super) fn quote(&self, text: &str) -> String {
        plain(text, QUOTE_CHARS_MAX)
    }

    /// A duration: `41 s`, `3 min 02 s`, `1 h 05 min`.
    pub(super) fn duration(&self, seconds: u32) -> String {
        duration(seconds)
    }
}

impl Member {
    pub(super) fn lately(&self, at: Timestamp) -> String {
        let (day, today) = (self.day(at), self.today());
        if day == today {
            return self.clock(at);
        }
        if day.succ_opt() == Some(today) {
            return self.with("records-yesterday", "time", &self.clock(at));
        }
        if day.year() == today.year() { self.short_moment(at) } else { self.moment(at) }
    }

    fn row(&self, path: &str, at: Timestamp, title: String, quote: &str, chip: Chip) -> Row {
        Row {
            path: self.path_to(path),
            at: at.to_string(),
            day: self.short_date(at),
            title,
            detail: String::new(),
            quote: self.quote(quote),
            chip,
        }
    }

    pub(super) fn row_of_appointment(&self, shown: &AppointmentView) -> Row {
        let values = [("service", &shown.service_name), ("time", &self.clock(shown.starts_at))];
        let (path, title) = (format!("appointments/{}", shown.id), self.says("contact-appointment", &values));
        let row = self.row(&path, shown.starts_at, title, "", self.of_appointment(shown));
        Row { detail: self.with("contact-with", "staff", &shown.staff_name), ..row }
    }

    pub(super) fn row_of_call(&self, shown: &CallView) -> Row {
        let values =
            [("time", self.clock(shown.started_at)), ("long", self.duration(shown.duration_seconds))];
        let (path, title) = (format!("calls/{}", shown.id), self.says("contact-call", &values));
        let summary = shown.summary.as_deref().unwrap_or_default();
        self.row(&path, shown.started_at, title, summary, self.of_call(shown))
    }

    pub(super) fn row_of_conversation(&self, shown: &ConversationView) -> Row {
        let (path, title) = (format!("conversations/{}", shown.id), self.conversation_channel(shown.channel));
        let summary = shown.summary.as_deref().unwrap_or_default();
        self.row(&path, shown.started_at, title, summary, self.of_conversation(shown))
    }

    pub(super) fn row_of_message(&self, shown: &MessageView) -> Row {
        let title = self.with("contact-message", "time", &self.clock(shown.created_at));
        let path = format!("messages/{}", shown.id);
        self.row(&path, shown.created_at, title, &shown.body, self.of_message(shown))
    }

    /// The row of an appointment, with its service as the title and its day in the details.
    pub(super) fn row_with_day(&self, shown: &AppointmentView) -> Row {
        let row = self.row_of_appointment(shown);
        let when = capitalised(&self.moment(shown.starts_at));
        Row { title: shown.service_name.clone(), detail: format!("{when} · {}", row.detail), ..row }
    }
}

fn duration(seconds: u32) -> String {
    match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds:02} s"),
        (hours, minutes, _) => format!("{hours} h {minutes:02} min"),
    }
}

pub(super) struct Row {
    pub(super) path: String,
    pub(super) at: String,
    pub(super) day: String,
    pub(super) title: String,
    pub(super) detail: String,
    pub(super) quote: String,
    pub(super) chip: Chip,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_at_most_two_numbers() {
        for (seconds, expected) in [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min 00 s"),
            (182, "3 min 02 s"),
            (3_599, "59 min 59 s"),
            (3_600, "1 h 00 min"),
            (90_061, "25 h 01 min"),
        ] {
            assert_eq!(duration(seconds), expected);
        }
    }
}
