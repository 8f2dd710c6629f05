//! The state of a conversation between two turns, the input of a turn and its output.

use std::collections::BTreeSet;

use chrono::{NaiveDate, NaiveTime};
use domain::{AppointmentId, ContactId, Locale, MessageId, ServiceId, StaffId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::facts::OwnAppointment;
use crate::reader::Times;

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $(#[serde(rename = $word)] $variant,)* }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }
    )*};
}

words! {
    Channel { Voice = "voice", Sms = "sms", Website = "website", Assistant = "assistant" }
    Mode { Model = "model", Guided = "guided" }
    EffectKind {
        Offered = "offered",
        Booked = "booked",
        Requested = "requested",
        Moved = "moved",
        Cancelled = "cancelled",
        MessageTaken = "message_taken",
        CodeSent = "code_sent",
        Verified = "verified",
        Answered = "answered",
        Transferred = "transferred",
        Emergency = "emergency",
        Consent = "consent",
        OptedOut = "opted_out",
    }
    /// The rules of the gate.
    Rule { Form = "form", Person = "person", Claim = "claim", Time = "time", Fact = "fact", Length = "length" }
    EndedBy {
        Caller = "caller",
        Receptionist = "receptionist",
        Team = "team",
        Timeout = "timeout",
        Lost = "lost",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Resource {
    Appointment(AppointmentId),
    Message(MessageId),
    Contact(ContactId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    pub kind: EffectKind,
    pub resource: Option<Resource>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    pub rule: Rule,
    pub text: String,
}

/// A line that the receptionist says. `text` is one sentence or one fixed line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    pub text: String,
    /// True for a fixed line, false for a sentence that the model wrote.
    pub fixed: bool,
}

/// A button of the website, or a numbered line of a text message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The key that selects the choice (`1` to `9`, `0` or `*`), or `link` for a link on the website.
    pub id: String,
    pub label: String,
    /// If set, the choice is a link to manage this appointment. The engine creates the URL.
    pub link: Option<AppointmentId>,
}

/// The number of key presses on the phone that the carrier collects for the next turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Keys {
    #[default]
    One,
    /// All digits up to `#`, for a phone number or a code.
    Many,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    Speech(String),
    Keys(String),
    Text(String),
    /// The id of a choice.
    Choice(String),
    /// The caller was silent for 8 seconds.
    Silence,
}

/// A turn of the caller.
#[derive(Clone, Debug)]
pub struct Input {
    pub at: Timestamp,
    pub said: Said,
    /// The part of the previous lines that was played before the caller interrupted them. It is `None` if all lines
    /// were played.
    pub heard: Option<String>,
    /// Whether a model may take this turn.
    pub model: bool,
    /// Random bits, for confirmation numbers.
    pub random: u64,
}

/// The start of a conversation.
#[derive(Clone, Debug)]
pub struct Start {
    pub at: Timestamp,
    pub channel: Channel,
    /// The caller's phone number in E.164 form.
    pub from: Option<String>,
    /// The page's language, or the business's language if there is no page.
    pub locale: Locale,
    /// The contact whose phone number is `from`. It is set only in a text thread.
    pub contact: Option<ContactId>,
    /// The number of wrong confirmation numbers that this phone number has lately sent in earlier text threads.
    pub wrong_numbers: u32,
}

#[derive(Clone, Debug)]
pub struct Output {
    pub talk: Talk,
    pub lines: Vec<Line>,
    pub choices: Vec<Choice>,
    pub keys: Keys,
    pub effects: Vec<Effect>,
    pub dropped: Vec<Dropped>,
    /// The questions that the knowledge entries did not answer.
    pub gaps: Vec<String>,
    /// The party that ends the conversation after `lines`, or the cause of the end. It is `None` if the conversation
    /// continues.
    pub end: Option<EndedBy>,
    /// Whether the call is transferred to the handoff number after `lines`.
    pub transfer: bool,
    /// The time until which the receptionist does not answer this phone number. It is set only in a text thread.
    pub silent_until: Option<Timestamp>,
}

/// The state of a conversation. It contains the caller's words, so it is deleted after the conversation has ended and
/// its summary is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Talk {
    pub channel: Channel,
    pub locale: Locale,
    pub mode: Mode,
    pub from: Option<String>,
    /// The contact that the caller has proved to be. In a text thread (of SMS messages), it is the contact with the
    /// caller's phone number.
    pub contact: Option<ContactId>,
    /// The contact's name. Only a verified caller may hear it.
    pub contact_name: Option<String>,
    pub verified: bool,
    pub started_at: Timestamp,
    pub turn_count: u32,
    /// The turns of the caller, the receptionist and the team, oldest first, with at most [`HISTORY_CHARS_MAX`]
    /// characters.
    pub history: Vec<Past>,
    /// All effects of this conversation.
    pub effects: Vec<Effect>,
    /// The lines of the summary, such as `Booked: Haircut, 2026-11-24 10:00.`
    pub summary: Vec<String>,
    pub(crate) name: Option<String>,
    pub(crate) phone: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) handles: Handles,
    pub(crate) stage: Option<Stage>,
    /// The number of staged changes and taken messages so far. Idempotency keys are made from it.
    pub(crate) changes: u32,
    pub(crate) place: Position,
    /// The number of consecutive turns in the language that the conversation does not use.
    pub(crate) other_language: u32,
    /// The number of consecutive turns that were not understood.
    pub(crate) unclear: u32,
    /// The number of consecutive silences.
    pub(crate) silences: u32,
    /// The lines of the last turn, each with the number of consecutive turns that contained it.
    pub(crate) repeated: Vec<(String, u32)>,
    pub(crate) emergency: bool,
    pub(crate) wrong_numbers: u32,
    /// Whether the next reply in this text thread is the first one, which introduces the receptionist.
    pub(crate) first_due: bool,
    /// Whether the conversation has reached the limit on its turns or its duration. Once it has, the receptionist only
    /// takes a message.
    pub(crate) limited: bool,
    /// The dates and times in the answers of functions and in passages. The gate lets the model say them.
    pub(crate) seen: Seen,
    /// The dates and times in the caller's turns. The gate lets the model use them in questions.
    pub(crate) caller_seen: Seen,
    /// The caller's newest turns since the last effect. They can become the body of a message.
    pub(crate) unsent: Vec<String>,
    /// Whether the caller was asked for the consent to text messages.
    pub(crate) consent_asked: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    pub by_caller: bool,
    pub text: String,
}

/// The maximum number of characters of [`Talk::history`].
pub const HISTORY_CHARS_MAX: usize = 16_000;
/// The maximum length of [`Handles::times`].
const TIMES_MAX: usize = 60;
/// The maximum numbers of dates and times that a [`Seen`] keeps from one turn to the next.
const SEEN_DATES_MAX: usize = 128;
const SEEN_TIMES_MAX: usize = 256;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Handles {
    pub(crate) services: Vec<ServiceId>,
    pub(crate) staff: Vec<StaffId>,
    /// The newest offered times, at most [`TIMES_MAX`].
    pub(crate) times: Vec<OfferedTime>,
    /// The number of older times that were dropped. Their handles are no longer valid.
    #[serde(default)]
    pub(crate) times_gone: usize,
    pub(crate) appointments: Vec<OwnAppointment>,
}

/// A start that was offered in this conversation, for one service and one staff member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OfferedTime {
    pub(crate) service: ServiceId,
    pub(crate) staff: StaffId,
    pub(crate) moving: Option<AppointmentId>,
    pub(crate) starts_at: Timestamp,
}

/// A change that waits for the caller's yes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Stage {
    pub(crate) key: u32,
    pub(crate) change: Change,
    pub(crate) at: Timestamp,
    /// The date and time in the last read-back: the text that replaced `{when}`.
    pub(crate) when: String,
    /// The confirmation number that the caller must send in a text thread.
    pub(crate) number: Option<u32>,
    /// True after the first unclear turn. The second unclear turn drops the change.
    pub(crate) unclear: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Change {
    Book { time: OfferedTime, name: String, phone: Option<String>, email: Option<String> },
    Move { appointment: OwnAppointment, time: OfferedTime },
    Cancel { appointment: OwnAppointment },
    Consent { phone: String },
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub(crate) dates: BTreeSet<NaiveDate>,
    pub(crate) times: BTreeSet<NaiveTime>,
}

/// The caller's position on the guided path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Position {
    pub(crate) step: Step,
    pub(crate) task: Task,
    /// The number of entries of `listed` before the current page.
    pub(crate) shown: usize,
    /// All entries of the list that was shown last, on all its pages.
    pub(crate) listed: Vec<Listed>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Step {
    #[default]
    Menu,
    Service,
    Staff,
    Day,
    Time,
    Name,
    Phone,
    Identify,
    Code,
    Pick,
    Body,
    Question,
    /// The receptionist has offered to take a message, for example after a question that it could not answer.
    OfferMessage,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Task {
    pub(crate) kind: Option<TaskKind>,
    pub(crate) service: Option<ServiceId>,
    pub(crate) staff: Option<StaffId>,
    pub(crate) wants_staff: bool,
    pub(crate) appointment: Option<OwnAppointment>,
    /// The requested dates. An empty set means any date.
    pub(crate) dates: BTreeSet<NaiveDate>,
    pub(crate) times: Option<Times>,
    pub(crate) time: Option<OfferedTime>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum TaskKind {
    Book,
    Move,
    Cancel,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Listed {
    Service(ServiceId),
    Staff(StaffId),
    Day(NaiveDate),
    Time(OfferedTime),
    Appointment(AppointmentId),
}

impl Handles {
    /// Makes room for new times by dropping the oldest times. `more` is the number of new times.
    pub(crate) fn make_room(&mut self, more: usize) {
        let gone = (self.times.len() + more).saturating_sub(TIMES_MAX).min(self.times.len());
        self.times.drain(..gone);
        self.times_gone += gone;
    }

    /// Returns the number in the handle of a time, such as 1 for `t1`. Creates a handle if the time has none.
    pub(crate) fn number_of(&mut self, time: OfferedTime) -> usize {
        let known = self.times.iter().position(|known| *known == time);
        let at = known.unwrap_or_else(|| {
            self.times.push(time);
            self.times.len() - 1
        });
        self.times_gone + at + 1
    }

    /// Returns the time with this index. The handle `t1` has the index 0.
    pub(crate) fn time(&self, at: usize) -> Option<OfferedTime> {
        self.times.get(at.checked_sub(self.times_gone)?).copied()
    }
}

impl Seen {
    /// Drops the earliest dates and times if there are more of them than the limits allow.
    pub(crate) fn limit(&mut self) {
        while self.dates.len() > SEEN_DATES_MAX {
            self.dates.pop_first();
        }
        while self.times.len() > SEEN_TIMES_MAX {
            self.times.pop_first();
        }
    }
}

impl Output {
    pub(crate) fn of(talk: Talk) -> Self {
        Self {
            talk,
            lines: Vec::new(),
            choices: Vec::new(),
            keys: Keys::One,
            effects: Vec::new(),
            dropped: Vec::new(),
            gaps: Vec::new(),
            end: None,
            transfer: false,
            silent_until: None,
        }
    }
}

impl Talk {
    /// Adds a reply of the team to the history. Drops a staged change, because the caller's next yes could be
    /// an answer to the team.
    pub fn team_said(&mut self, text: &str) {
        self.stage = None;
        self.place = Position::default();
        self.remember(false, text);
    }

    pub(crate) fn remember(&mut self, by_caller: bool, text: &str) {
        self.history.push(Past { by_caller, text: text.to_owned() });
        let mut chars: usize = self.history.iter().map(|past| past.text.chars().count()).sum();
        while chars > HISTORY_CHARS_MAX {
            chars -= self.history.remove(0).text.chars().count();
        }
    }

    pub(crate) fn caller_said(&self) -> impl Iterator<Item = &str> {
        self.history.iter().filter(|past| past.by_caller).map(|past| past.text.as_str())
    }

    /// The number of wrong confirmation numbers from this caller. When it reaches the limit, the receptionist does not
    /// answer the caller for an hour, and the number is 0 again.
    pub fn wrong_numbers(&self) -> u32 {
        self.wrong_numbers
    }

    pub(crate) fn next_key(&mut self) -> u32 {
        self.changes += 1;
        self.changes
    }

    /// Whether the conversation has an effect of this kind.
    pub fn has(&self, kind: EffectKind) -> bool {
        self.effects.iter().any(|effect| effect.kind == kind)
    }

    pub(crate) fn new(start: &Start) -> Self {
        Self {
            channel: start.channel,
            locale: start.locale,
            mode: Mode::Guided,
            from: start.from.clone(),
            contact: start.contact,
            contact_name: None,
            verified: start.channel == Channel::Sms,
            started_at: start.at,
            turn_count: 0,
            history: Vec::new(),
            effects: Vec::new(),
            summary: Vec::new(),
            name: None,
            phone: None,
            email: None,
            handles: Handles::default(),
            stage: None,
            changes: 0,
            place: Position::default(),
            other_language: 0,
            unclear: 0,
            silences: 0,
            repeated: Vec::new(),
            emergency: false,
            wrong_numbers: start.wrong_numbers,
            first_due: start.channel == Channel::Sms,
            limited: false,
            seen: Seen::default(),
            caller_seen: Seen::default(),
            unsent: Vec::new(),
            consent_asked: false,
        }
    }
}
