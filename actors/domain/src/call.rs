//! A call that the receptionist of the business has answered or made.

use super::words::words;
use super::{
    AppointmentId, CallId, ContactId, Locale, MessageId, Phone, Problem, ProblemCode, Refusal, Text,
    Timestamp, search_text,
};

words! {
    Direction {
        Inbound = "inbound",
        Outbound = "outbound",
    }

    CallStatus {
        Completed = "completed",
        Missed = "missed",
        Failed = "failed",
    }

    CallOutcome {
        AppointmentBooked = "appointment_booked",
        AppointmentRescheduled = "appointment_rescheduled",
        AppointmentCancelled = "appointment_cancelled",
        MessageTaken = "message_taken",
        QuestionAnswered = "question_answered",
        Transferred = "transferred",
        Voicemail = "voicemail",
        Spam = "spam",
        Hangup = "hangup",
        Other = "other",
    }
}

/// A finished call. After it is stored, only an erasure or the team's mark "handled" changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRecord {
    pub id: CallId,
    pub direction: Direction,
    pub status: CallStatus,
    pub outcome: CallOutcome,
    pub from_number: Option<Phone>,
    pub to_number: Option<Phone>,
    pub contact_id: Option<ContactId>,
    pub started_at: Timestamp,
    /// The end. It is not before `started_at`.
    pub ended_at: Timestamp,
    pub duration_seconds: u32,
    pub locale: Option<Locale>,
    /// A summary of at most 20,000 characters.
    pub summary: Option<String>,
    pub recording_url: Option<String>,
    pub appointment_id: Option<AppointmentId>,
    pub message_id: Option<MessageId>,
    /// The time at which the team marked the call as handled. Integrations do not see it.
    pub handled_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl CallRecord {
    #[must_use]
    pub fn erased(&self) -> Self {
        Self {
            contact_id: None,
            summary: None,
            recording_url: None,
            from_number: None,
            to_number: None,
            ..self.clone()
        }
    }

    #[must_use]
    pub fn of_contact(&self, id: ContactId) -> Self {
        Self { contact_id: Some(id), ..self.clone() }
    }

    /// Returns the customer's number: `from_number` for an inbound call, `to_number` for an outbound call.
    pub fn number_of_caller(&self) -> Option<&str> {
        match self.direction {
            Direction::Inbound => self.from_number.as_deref(),
            Direction::Outbound => self.to_number.as_deref(),
        }
    }

    pub fn search_text(&self) -> String {
        search_text(None, self.number_of_caller(), None)
    }

    #[must_use]
    pub fn without_number_of_caller(&self) -> Self {
        let mut call = self.clone();
        match self.direction {
            Direction::Inbound => call.from_number = None,
            Direction::Outbound => call.to_number = None,
        }
        call
    }
}

#[derive(Clone, Debug)]
pub struct CallDetails {
    pub direction: Direction,
    pub status: CallStatus,
    pub outcome: CallOutcome,
    pub from_number: Option<Phone>,
    pub to_number: Option<Phone>,
    pub contact_id: Option<ContactId>,
    pub started_at: Timestamp,
    pub ended_at: Timestamp,
    /// The duration in seconds. `None` means the whole time from start to end.
    pub duration_seconds: Option<u32>,
    pub locale: Option<Locale>,
    pub summary: Option<Text<0, 20_000>>,
    pub recording_url: Option<String>,
    pub appointment_id: Option<AppointmentId>,
    pub message_id: Option<MessageId>,
}

impl CallDetails {
    pub fn of(direction: Direction, started_at: Timestamp, ended_at: Timestamp) -> Self {
        Self {
            direction,
            status: CallStatus::Completed,
            outcome: CallOutcome::Other,
            from_number: None,
            to_number: None,
            contact_id: None,
            started_at,
            ended_at,
            duration_seconds: None,
            locale: None,
            summary: None,
            recording_url: None,
            appointment_id: None,
            message_id: None,
        }
    }

    pub fn caller(&self) -> Option<&Phone> {
        match self.direction {
            Direction::Inbound => self.from_number.as_ref(),
            Direction::Outbound => self.to_number.as_ref(),
        }
    }

    /// Checks that the call does not end before it starts. `problems` contains the problems of this call that earlier
    /// checks have found.
    ///
    /// # Errors
    /// Returns [`Refusal::Invalid`] with all problems, earlier and new, if there are any.
    pub fn check(&self, mut problems: Vec<Problem>) -> Result<(), Refusal> {
        if self.ended_at < self.started_at {
            problems.push(Problem::new("ended_at", ProblemCode::Before("started_at")));
        }
        Refusal::check(problems)
    }

    /// Builds the record. The details must have passed [`CallDetails::check`].
    pub fn into_call(self, id: CallId, contact_id: Option<ContactId>, now: Timestamp) -> CallRecord {
        let elapsed = (self.ended_at - self.started_at).num_seconds();
        let elapsed = u32::try_from(elapsed).unwrap_or(u32::MAX); // saturates at 136 years
        CallRecord {
            id,
            direction: self.direction,
            status: self.status,
            outcome: self.outcome,
            from_number: self.from_number,
            to_number: self.to_number,
            contact_id,
            started_at: self.started_at,
            ended_at: self.ended_at,
            duration_seconds: self.duration_seconds.unwrap_or(elapsed),
            locale: self.locale,
            summary: self.summary.map(Text::into_string),
            recording_url: self.recording_url,
            appointment_id: self.appointment_id,
            message_id: self.message_id,
            handled_at: None,
            created_at: now,
            updated_at: now,
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::Named;

    fn details(direction: Direction) -> CallDetails {
        let phone = |digits: &str| Some(Phone::from_e164(digits.into()).unwrap());
        CallDetails {
            from_number: phone("+15550000001"),
            to_number: phone("+15550000002"),
            ..CallDetails::of(direction, Timestamp::from_millis(10_000), Timestamp::from_millis(72_900))
        }
    }

    #[test]
    fn the_caller_is_the_customer() {
        assert_eq!(details(Direction::Inbound).caller().unwrap().as_str(), "+15550000001");
        assert_eq!(details(Direction::Outbound).caller().unwrap().as_str(), "+15550000002");
    }

    #[test]
    fn a_missing_duration_is_the_time_from_start_to_end() {
        let made = |details: CallDetails| {
            details.into_call(Uuid::from_bytes([1; 16]).into(), None, Timestamp::from_millis(1))
        };
        assert_eq!(made(details(Direction::Inbound)).duration_seconds, 62);
        let given = CallDetails { duration_seconds: Some(0), ..details(Direction::Inbound) };
        assert_eq!(made(given).duration_seconds, 0);
    }

    #[test]
    fn a_call_does_not_end_before_it_starts() {
        let at_once = CallDetails { ended_at: Timestamp::from_millis(10_000), ..details(Direction::Inbound) };
        assert_eq!(at_once.check(vec![]), Ok(()));
        let backwards =
            CallDetails { ended_at: Timestamp::from_millis(9_999), ..details(Direction::Inbound) };
        let earlier = Problem::new("contact_id", ProblemCode::NotOfTheBusiness(Named::Contact));
        let Err(Refusal::Invalid(problems)) = backwards.check(vec![earlier.clone()]) else { panic!() };
        assert_eq!(problems, [earlier, Problem::new("ended_at", ProblemCode::Before("started_at"))]);
    }
}
