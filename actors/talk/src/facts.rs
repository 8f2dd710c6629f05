//! The data of the business that a conversation uses, and the requests that the rules make to the engine.
//!
//! Invariant: the rules read only these facts and the engine's answers. A rule that needs an answer returns a request.
//! The engine answers the request, and runs the same rule again with the answer.

use chrono::{NaiveDate, NaiveTime};
use chrono_tz::Tz;
use domain::{AppointmentId, BookingMode, ContactId, Locale, MessageId, ServiceId, StaffId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::reader::Times;

/// The settings of the business that apply to this turn.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The name of the business.
    pub business: String,
    pub zone: Tz,
    /// The language of the business.
    pub locale: Locale,
    pub phone_region: String,
    pub booking_mode: BookingMode,
    /// The active services that at least one active staff member offers, sorted by `position`.
    pub services: Vec<OfferedService>,
    /// The active staff members, sorted by `position`.
    pub staff: Vec<OfferedStaff>,
    /// The opening hours of 14 local days from today on. A closed day has no windows.
    pub hours: Vec<OpenDay>,
    pub phone: Option<String>,
    pub email: Option<String>,
    pub address: Option<String>,
    pub website_url: Option<String>,
    pub change_by_caller: bool,
    pub knowledge_public: bool,
    /// Whether calls can be transferred: a handoff number is set and the business is open now.
    pub handoff: bool,
    /// Whether a transfer fails at once, because the service has no connection to the call.
    pub transfers_fail: bool,
    /// The `greeting` of the settings.
    pub greeting_en: Option<String>,
    pub greeting_fr: Option<String>,
    /// The `instructions` for the model.
    pub instructions: Option<String>,
    /// Whether the receptionist asks for the consent to text messages after a booking in a call.
    pub asks_consent: bool,
    /// Whether codes can be sent, by text message or by email.
    pub sends_codes: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedService {
    pub id: ServiceId,
    pub name: String,
    /// The active staff members who offer the service.
    pub staff: Vec<StaffId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedStaff {
    pub id: StaffId,
    pub name: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenDay {
    pub date: NaiveDate,
    /// Opening and closing times in local time. A closing time that is not after its opening time is on the next day.
    pub windows: Vec<(NaiveTime, NaiveTime)>,
}

/// A request to the engine: a query or a change; see [`Ask::is_change`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ask {
    /// Asks for the openings of a service. The answer is [`Answer::Openings`].
    Openings(OpeningsAsk),
    /// Asks for at most 20 future appointments of the verified contact, in the order of their starts. The answer is
    /// [`Answer::Appointments`].
    Appointments { contact: ContactId },
    /// Asks for at most 3 passages of the knowledge entries. The answer is [`Answer::Passages`]. The rules ask only if
    /// the setting `knowledge_public` is on.
    Passages { query: String },
    /// Asks for the E.164 form of a phone number that the caller wrote. The phone number may be a national number of
    /// the business's region. The answer is [`Answer::Phone`].
    Phone { written: String },
    /// The answer is [`Answer::Booked`] or [`Answer::Refused`].
    Book(BookAsk),
    /// The answer is [`Answer::Booked`] or [`Answer::Refused`].
    Move(MoveAsk),
    /// The answer is [`Answer::Done`] or [`Answer::Refused`].
    Cancel { key: u32, appointment: AppointmentId, starts_at: Timestamp },
    /// The answer is [`Answer::Message`] or [`Answer::Refused`].
    Message(MessageAsk),
    /// Sends a code to the contact with this phone number, if the contact has a future appointment. The answer is
    /// always [`Answer::Done`].
    SendCode { phone: String },
    /// The answer is [`Answer::Verified`] or [`Answer::Refused`].
    CheckCode { code: String },
    /// Records that the caller agrees to get text messages at the number of this call. The answer is [`Answer::Done`].
    Consent { phone: String },
}

impl Ask {
    /// Whether the engine makes a change to answer the request.
    pub fn is_change(&self) -> bool {
        match self {
            Self::Openings(_) | Self::Appointments { .. } | Self::Passages { .. } | Self::Phone { .. } => {
                false
            }
            Self::Book(_)
            | Self::Move(_)
            | Self::Cancel { .. }
            | Self::Message(_)
            | Self::SendCode { .. }
            | Self::CheckCode { .. }
            | Self::Consent { .. } => true,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningsAsk {
    pub service: ServiceId,
    /// `None` means any staff member.
    pub staff: Option<StaffId>,
    /// The appointment to be moved. Its current time counts as free, and it keeps its staff member.
    pub moving: Option<AppointmentId>,
    /// The first and the last local day.
    pub from: NaiveDate,
    pub to: NaiveDate,
    /// The local times of day at which the openings must start. `None` means any time.
    pub times: Option<Times>,
    /// The maximum number of days in the answer. The answer contains the openings of the first days that have any.
    pub days_max: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookAsk {
    /// The number of the change within the conversation. Together with the conversation's id, it is the idempotency
    /// key.
    pub key: u32,
    pub service: ServiceId,
    pub staff: StaffId,
    pub starts_at: Timestamp,
    pub name: String,
    /// The phone number in E.164 form. This field or `email` is always set.
    pub phone: Option<String>,
    pub email: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveAsk {
    pub key: u32,
    pub appointment: AppointmentId,
    /// The appointment's start as the caller heard it. If the appointment has a different start now, the answer is
    /// `Refused(Changed)`.
    pub expected_starts_at: Timestamp,
    pub starts_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageAsk {
    pub key: u32,
    pub urgent: bool,
    pub staff: Option<StaffId>,
    pub name: Option<String>,
    /// The caller's phone number in E.164 form.
    pub phone: Option<String>,
    /// The caller's own words, 1 to 2,000 characters.
    pub body: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// The openings in ascending order, one per instant.
    Openings(Vec<Opening>),
    Appointments(Vec<OwnAppointment>),
    Passages(Vec<Passage>),
    /// The number in E.164 form, or `None` if the text is not a valid phone number.
    Phone(Option<String>),
    Booked {
        appointment: AppointmentId,
        staff: StaffId,
        /// False if the appointment is pending.
        confirmed: bool,
    },
    Message(MessageId),
    Verified {
        contact: ContactId,
        name: Option<String>,
    },
    Done,
    Refused(Refused),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refused {
    /// The time is no longer available.
    Taken,
    /// The appointment cannot be changed in this conversation, because its notice period has begun, `change_by_caller`
    /// is off, or the appointment has ended or was changed in the meantime.
    Changed,
    /// A limit is reached, a budget is used up, or the booking mode is `off`.
    Limit,
    /// The code is wrong or has expired, or too many wrong codes were tried.
    Code,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    pub starts_at: Timestamp,
    /// The staff member who would take the appointment.
    pub staff: StaffId,
}

/// A future appointment of the verified caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnAppointment {
    pub id: AppointmentId,
    pub service: ServiceId,
    pub service_name: String,
    pub staff: StaffId,
    pub staff_name: String,
    pub starts_at: Timestamp,
    /// Whether the notice period and `change_by_caller` allow the caller to move and cancel the appointment now.
    pub changeable: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    pub title: String,
    pub text: String,
    pub source_url: Option<String>,
}

/// The answers that the engine has given during this turn.
#[derive(Clone, Debug, Default)]
pub struct Answers(Vec<(Ask, Answer)>);

/// A result of a rule, or the request that the engine must answer first.
pub type Asked<T> = Result<T, Box<Ask>>;

impl Answers {
    pub fn add(&mut self, ask: Ask, answer: Answer) {
        self.0.push((ask, answer));
    }

    pub(crate) fn get(&self, ask: Ask) -> Asked<&Answer> {
        match self.0.iter().find(|(asked, _)| *asked == ask) {
            Some((_, answer)) => Ok(answer),
            None => Err(Box::new(ask)),
        }
    }

    pub(crate) fn openings(&self, ask: OpeningsAsk) -> Asked<&[Opening]> {
        match self.get(Ask::Openings(ask))? {
            Answer::Openings(openings) => Ok(openings),
            other => misfit(other),
        }
    }

    pub(crate) fn appointments(&self, contact: ContactId) -> Asked<&[OwnAppointment]> {
        match self.get(Ask::Appointments { contact })? {
            Answer::Appointments(appointments) => Ok(appointments),
            other => misfit(other),
        }
    }

    pub(crate) fn passages(&self, query: &str) -> Asked<&[Passage]> {
        match self.get(Ask::Passages { query: query.to_owned() })? {
            Answer::Passages(passages) => Ok(passages),
            other => misfit(other),
        }
    }

    pub(crate) fn phone(&self, written: &str) -> Asked<Option<&str>> {
        match self.get(Ask::Phone { written: written.to_owned() })? {
            Answer::Phone(phone) => Ok(phone.as_deref()),
            other => misfit(other),
        }
    }
}

pub(crate) fn misfit(answer: &Answer) -> ! {
    panic!("the answer {answer:?} does not fit the question")
}

impl Facts {
    pub(crate) fn service(&self, id: ServiceId) -> Option<&OfferedService> {
        self.services.iter().find(|service| service.id == id)
    }

    pub(crate) fn member(&self, id: StaffId) -> Option<&OfferedStaff> {
        self.staff.iter().find(|member| member.id == id)
    }
}
