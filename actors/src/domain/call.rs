//! A call that the receptionist answered or made.

use super::words::words;
use super::{
    AppointmentId, CallId, ContactId, Locale, MessageId, Phone, Problem, ProblemCode, Refusal, Text,
    Timestamp,
};

words! {
    /// Who called whom.
    Direction {
        /// Someone called the business.
        Inbound = "inbound",
        /// The business called someone.
        Outbound = "outbound",
    }
}

words! {
    /// How a call ended.
    CallStatus {
        /// It was answered and came to its end.
        Completed = "completed",
        /// Nobody answered it.
        Missed = "missed",
        /// It broke off.
        Failed = "failed",
    }
}

words! {
    /// What came of a call.
    CallOutcome {
        /// An appointment was booked.
        AppointmentBooked = "appointment_booked",
        /// An appointment was moved.
        AppointmentRescheduled = "appointment_rescheduled",
        /// An appointment was cancelled.
        AppointmentCancelled = "appointment_cancelled",
        /// A message was taken.
        MessageTaken = "message_taken",
        /// A question was answered.
        QuestionAnswered = "question_answered",
        /// The caller was put through.
        Transferred = "transferred",
        /// The caller left a voicemail.
        Voicemail = "voicemail",
        /// It was spam.
        Spam = "spam",
        /// The caller hung up.
        Hangup = "hangup",
        /// Something else.
        Other = "other",
    }
}

/// A call as it was saved when it ended. It never changes afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRecord {
    /// Its id.
    pub id: CallId,
    /// Who called whom.
    pub direction: Direction,
    /// How it ended.
    pub status: CallStatus,
    /// What came of it.
    pub outcome: CallOutcome,
    /// The number that called, E.164.
    pub from_number: Option<String>,
    /// The number that was called, E.164.
    pub to_number: Option<String>,
    /// The contact who called or was called.
    pub contact_id: Option<ContactId>,
    /// When it started.
    pub started_at: Timestamp,
    /// When it ended, not before it started.
    pub ended_at: Timestamp,
    /// How long the talk took, in seconds.
    pub duration_seconds: u32,
    /// The language that was spoken.
    pub locale: Option<Locale>,
    /// What was said, at most 20,000 characters.
    pub summary: Option<String>,
    /// Where the recording is.
    pub recording_url: Option<String>,
    /// The appointment that the call was about.
    pub appointment_id: Option<AppointmentId>,
    /// The message that was taken.
    pub message_id: Option<MessageId>,
    /// When it was saved.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl CallRecord {
    /// The same without who called, from where, and what was said, once the caller was erased.
    #[must_use]
    pub fn erased(&self) -> Self {
        Self { contact_id: None, summary: None, recording_url: None, ..self.without_numbers() }
    }

    /// The number at the other end: of whoever called the business, or whom it called.
    pub fn number_of_caller(&self) -> Option<&str> {
        match self.direction {
            Direction::Inbound => self.from_number.as_deref(),
            Direction::Outbound => self.to_number.as_deref(),
        }
    }

    /// The same without the number at the other end.
    #[must_use]
    pub fn without_number_of_caller(&self) -> Self {
        let mut call = self.clone();
        match self.direction {
            Direction::Inbound => call.from_number = None,
            Direction::Outbound => call.to_number = None,
        }
        call
    }

    /// The same without its numbers.
    #[must_use]
    pub fn without_numbers(&self) -> Self {
        Self { from_number: None, to_number: None, ..self.clone() }
    }
}

/// What a request says of a call.
#[derive(Clone, Debug)]
pub struct CallDetails {
    /// Who called whom.
    pub direction: Direction,
    /// How it ended.
    pub status: CallStatus,
    /// What came of it.
    pub outcome: CallOutcome,
    /// The number that called.
    pub from_number: Option<Phone>,
    /// The number that was called.
    pub to_number: Option<Phone>,
    /// The contact, when it is known.
    pub contact_id: Option<ContactId>,
    /// When it started.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Timestamp,
    /// How long the talk took, in seconds; from start to end when absent.
    pub duration_seconds: Option<u32>,
    /// The language that was spoken.
    pub locale: Option<Locale>,
    /// What was said.
    pub summary: Option<Text<0, 20_000>>,
    /// Where the recording is.
    pub recording_url: Option<String>,
    /// The appointment that the call was about.
    pub appointment_id: Option<AppointmentId>,
    /// The message that was taken.
    pub message_id: Option<MessageId>,
}

impl CallDetails {
    /// A call that was completed between these times, of which nothing else is known.
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

    /// The number of the person at the other end.
    pub fn caller(&self) -> Option<&Phone> {
        match self.direction {
            Direction::Inbound => self.from_number.as_ref(),
            Direction::Outbound => self.to_number.as_ref(),
        }
    }

    /// Refuses a call that ends before it starts, with the problems found before.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] with every problem.
    pub fn check(&self, mut problems: Vec<Problem>) -> Result<(), Refusal> {
        if self.ended_at < self.started_at {
            problems.push(Problem::new("ended_at", ProblemCode::Before("started_at")));
        }
        if problems.is_empty() { Ok(()) } else { Err(Refusal::Invalid(problems)) }
    }

    /// The call that these details make, once [`CallDetails::check`] has passed.
    pub fn into_call(self, id: CallId, contact_id: Option<ContactId>, now: Timestamp) -> CallRecord {
        let elapsed = (self.ended_at - self.started_at).num_seconds();
        let elapsed = u32::try_from(elapsed).unwrap_or(u32::MAX); // 136 years are enough
        let number = |phone: Phone| phone.as_str().to_owned();
        CallRecord {
            id,
            direction: self.direction,
            status: self.status,
            outcome: self.outcome,
            from_number: self.from_number.map(number),
            to_number: self.to_number.map(number),
            contact_id,
            started_at: self.started_at,
            ended_at: self.ended_at,
            duration_seconds: self.duration_seconds.unwrap_or(elapsed),
            locale: self.locale,
            summary: self.summary.map(Text::into_string),
            recording_url: self.recording_url,
            appointment_id: self.appointment_id,
            message_id: self.message_id,
            created_at: now,
            updated_at: now,
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::domain::Named;

    fn details(direction: Direction) -> CallDetails {
        let phone = |digits: &str| Some(Phone::from_e164(digits.into()).unwrap());
        CallDetails {
            from_number: phone("+15550000001"),
            to_number: phone("+15550000002"),
            ..CallDetails::of(direction, Timestamp::from_millis(10_000), Timestamp::from_millis(72_900))
        }
    }

    #[test]
    fn the_caller_is_at_the_other_end() {
        assert_eq!(details(Direction::Inbound).caller().unwrap().as_str(), "+15550000001");
        assert_eq!(details(Direction::Outbound).caller().unwrap().as_str(), "+15550000002");
    }

    #[test]
    fn a_duration_that_is_not_given_is_that_from_start_to_end() {
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
