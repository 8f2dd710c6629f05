//! A conversation of the receptionist with a caller: one call, one thread of text messages, or one chat.
//!
//! Invariants:
//! - The sequence numbers of the turns are 1, 2, 3 and so on.
//! - `ended_at`, `ended_by` and `outcome` are set if and only if the conversation has ended.
//! - The outcome is computed from the effects of the turns, and never stated by a language model.

use chrono::TimeDelta;
use uuid::Uuid;

use super::words::words;
use super::{
    AppointmentId, CallId, CallOutcome, ContactId, ConversationId, GapId, Locale, MessageId, Phone, Source,
    Timestamp,
};

pub const CALLER_CHARS_MAX: usize = 2_000;
pub const WEBSITE_CALLER_CHARS_MAX: usize = 400;
pub const SUMMARY_CHARS_MAX: usize = 400;
/// The maximum number of a caller's turns in a conversation. In a chat of the website, it is [`WEBSITE_TURNS_MAX`].
pub const CALLER_TURNS_MAX: usize = 60;
pub const WEBSITE_TURNS_MAX: usize = 30;
/// The maximum number of turns of a conversation, including those of the receptionist and the team.
pub const TURNS_MAX: usize = 1_000;
/// If the [`Conversation::bytes_max`] of a conversation is greater than this value, the conversation accepts no further
/// turn. A turn adds less than 128 KiB, so the record stays below the limit of the store, which is 512 KiB.
const FULL_BYTES: usize = 256 << 10;
/// The maximum size of a conversation without its summary, session, turns and ids of records.
const FIELDS_BYTES: usize = 1 << 10;
/// The maximum size of a turn without its texts, effects and dropped sentences.
const TURN_FIELDS_BYTES: usize = 64;
/// An upper bound for three sizes: the size of an effect, the size of the id of a record, and the size of a dropped
/// sentence without its text.
const PART_FIELDS_BYTES: usize = 24;
/// The time after the last turn of a website chat during which the caller can still read the chat.
pub const CHAT_SHOWN: TimeDelta = TimeDelta::hours(24);
/// The time after which a website chat without a contact is deleted.
pub const CHAT_KEPT: TimeDelta = TimeDelta::days(30);
/// The time for which the receptionist does not answer after a text message by the team.
pub const TEAM_SILENCE: TimeDelta = TimeDelta::minutes(30);
pub const GAPS_MAX: usize = 500;
pub const GAP_KEPT: TimeDelta = TimeDelta::days(90);

words! {
    Channel {
        Voice = "voice",
        Sms = "sms",
        Website = "website",
        Assistant = "assistant",
    }

    ConversationStatus {
        Open = "open",
        Ended = "ended",
    }

    /// The origin of the newest turn: a language model, or the guided path of questions and choices.
    ConversationMode {
        Model = "model",
        Guided = "guided",
    }

    EndedBy {
        Caller = "caller",
        Receptionist = "receptionist",
        Team = "team",
        Timeout = "timeout",
        Lost = "lost",
    }

    Speaker {
        Caller = "caller",
        Receptionist = "receptionist",
        Team = "team",
    }

    InputKind {
        Speech = "speech",
        Keys = "keys",
        Text = "text",
        Choice = "choice",
    }

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

    /// The kind of record that an effect names.
    EffectOn {
        Appointment = "appointment",
        Message = "message",
        Contact = "contact",
    }

    /// A rule that drops a sentence of a model.
    GateRule {
        Form = "form",
        Person = "person",
        Claim = "claim",
        Time = "time",
        Fact = "fact",
        Length = "length",
    }
}

impl Channel {
    /// The source of the appointments that are booked on this channel.
    pub fn source(self) -> Source {
        match self {
            Self::Voice | Self::Assistant => Source::Voice,
            Self::Sms => Source::Sms,
            Self::Website => Source::Website,
        }
    }

    /// The timeout of an open conversation. On the channel `voice`, it counts from the start of the call, and on the
    /// other channels from the last turn. After 30 minutes of a call, the receptionist only takes a message. The
    /// timeout of a call is 5 minutes longer, so that the caller can leave this message.
    pub fn silence(self) -> TimeDelta {
        match self {
            Self::Voice => TimeDelta::minutes(35),
            Self::Website => TimeDelta::minutes(30),
            Self::Sms => TimeDelta::hours(12),
            Self::Assistant => TimeDelta::minutes(5),
        }
    }

    pub fn turns_max(self) -> usize {
        if self == Self::Website { WEBSITE_TURNS_MAX } else { CALLER_TURNS_MAX }
    }

    pub fn caller_chars_max(self) -> usize {
        if self == Self::Website { WEBSITE_CALLER_CHARS_MAX } else { CALLER_CHARS_MAX }
    }

    /// True if a call is saved when a conversation on this channel ends.
    pub fn is_call(self) -> bool {
        matches!(self, Self::Voice | Self::Assistant)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    pub id: ConversationId,
    pub channel: Channel,
    pub status: ConversationStatus,
    pub mode: ConversationMode,
    pub locale: Locale,
    pub contact_id: Option<ContactId>,
    /// The number of the caller.
    pub from: Option<Phone>,
    /// The number of the business.
    pub to: Option<Phone>,
    /// Whether the caller has proved that they are the contact.
    pub verified: bool,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub ended_by: Option<EndedBy>,
    pub outcome: Option<CallOutcome>,
    pub summary: Option<String>,
    /// The id of the call that is written when the conversation ends.
    pub call_id: Option<CallId>,
    /// The appointments that were booked, moved or cancelled here, in the order of their first change.
    pub appointment_ids: Vec<AppointmentId>,
    pub message_ids: Vec<MessageId>,
    pub turns: Vec<Turn>,
    /// The state that the next turn needs, as JSON that the engine writes. After the end of the conversation, the state
    /// is kept until the summary is written, and is empty from then on.
    pub session: Vec<u8>,
    /// The SHA-256 of the token of a chat on the website.
    pub token: Option<[u8; 32]>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    pub seq: u32,
    pub at: Timestamp,
    pub by: Speaker,
    pub input: Option<InputKind>,
    pub text: String,
    /// The part of the text that was played before an interruption, or `None` if all of it was played.
    pub heard: Option<String>,
    pub effects: Vec<Effect>,
    /// The sentences of the model that the caller did not receive, because a rule dropped them.
    pub dropped: Vec<Dropped>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effect {
    pub kind: EffectKind,
    pub on: Option<(EffectOn, Uuid)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    pub rule: GateRule,
    pub text: String,
}

impl Turn {
    fn bytes_max(&self) -> usize {
        let heard = self.heard.as_ref().map_or(0, String::len);
        let dropped: usize = self.dropped.iter().map(|it| PART_FIELDS_BYTES + it.text.len()).sum();
        TURN_FIELDS_BYTES + self.text.len() + heard + dropped + self.effects.len() * PART_FIELDS_BYTES
    }
}

impl Conversation {
    pub fn is_open(&self) -> bool {
        self.status == ConversationStatus::Open
    }

    /// True if the conversation has ended, and its summary and its call are not written yet.
    pub fn awaits_summary(&self) -> bool {
        !self.is_open() && !self.session.is_empty()
    }

    /// True if the conversation is open, or awaits its summary.
    pub fn is_unfinished(&self) -> bool {
        self.is_open() || self.awaits_summary()
    }

    pub fn last_turn_at(&self) -> Timestamp {
        self.turns.last().map_or(self.started_at, |turn| turn.at)
    }

    /// Returns the time at which an open conversation ends by a timeout. Further turns postpone it, except on the
    /// channel `voice`.
    pub fn ends_by(&self) -> Timestamp {
        let from = if self.channel == Channel::Voice { self.started_at } else { self.last_turn_at() };
        from + self.channel.silence()
    }

    pub fn caller_turns(&self) -> usize {
        self.turns.iter().filter(|turn| turn.by == Speaker::Caller).count()
    }

    /// Whether the conversation is so long that it takes no further turn.
    pub fn is_full(&self) -> bool {
        self.turns.len() + 2 > TURNS_MAX || self.bytes_max() > FULL_BYTES
    }

    /// An upper bound of the size of the stored record.
    pub fn bytes_max(&self) -> usize {
        let ids = self.appointment_ids.len() + self.message_ids.len();
        let summary = self.summary.as_ref().map_or(0, String::len);
        let turns: usize = self.turns.iter().map(Turn::bytes_max).sum();
        FIELDS_BYTES + ids * PART_FIELDS_BYTES + summary + self.session.len() + turns
    }

    pub fn next_seq(&self) -> u32 {
        self.turns.last().map_or(1, |turn| turn.seq + 1)
    }

    pub fn effects(&self) -> impl Iterator<Item = &Effect> {
        self.turns.iter().flat_map(|turn| &turn.effects)
    }

    /// Returns the outcome of the conversation. `is_active` returns whether an appointment is still pending
    /// or confirmed.
    pub fn outcome_of(&self, ended_by: EndedBy, is_active: impl Fn(AppointmentId) -> bool) -> CallOutcome {
        let has = |kind| self.effects().any(|effect| effect.kind == kind);
        let is_booked = self.effects().any(|effect| {
            matches!(effect.kind, EffectKind::Booked | EffectKind::Requested)
                && effect.on.is_some_and(|(_, id)| is_active(id.into()))
        });
        let found = [
            (is_booked, CallOutcome::AppointmentBooked),
            (has(EffectKind::Moved), CallOutcome::AppointmentRescheduled),
            (has(EffectKind::Cancelled), CallOutcome::AppointmentCancelled),
            (has(EffectKind::Transferred), CallOutcome::Transferred),
            (has(EffectKind::MessageTaken), CallOutcome::MessageTaken),
            (has(EffectKind::Answered), CallOutcome::QuestionAnswered),
            (matches!(ended_by, EndedBy::Caller | EndedBy::Lost), CallOutcome::Hangup),
        ];
        found.into_iter().find(|(is_so, _)| *is_so).map_or(CallOutcome::Other, |(_, outcome)| outcome)
    }

    /// True if the caller asked this question, even if another caller asked it first.
    pub fn has_asked(&self, gap: &Gap) -> bool {
        let question = gap.question.to_lowercase();
        let mut said = self.turns.iter().filter(|turn| turn.by == Speaker::Caller);
        gap.conversation_id == self.id || said.any(|turn| turn.text.to_lowercase().contains(&question))
    }

    /// Returns the conversation without its texts and without the caller's number.
    #[must_use]
    pub fn erased(&self) -> Self {
        let turns = self.turns.iter().map(|turn| Turn {
            text: String::new(),
            heard: None,
            dropped: Vec::new(),
            ..turn.clone()
        });
        Self {
            contact_id: None,
            from: None,
            summary: None,
            turns: turns.collect(),
            // A session that is not empty marks an ended conversation whose summary and call are not written yet. The
            // erasure must not remove this mark.
            session: if self.awaits_summary() { b"{}".to_vec() } else { Vec::new() },
            ..self.clone()
        }
    }

    #[must_use]
    pub fn of_contact(&self, id: ContactId) -> Self {
        Self { contact_id: Some(id), ..self.clone() }
    }
}

/// A question that the receptionist could not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    pub id: GapId,
    pub question: String,
    /// The time at which the question was asked last.
    pub asked_at: Timestamp,
    pub count: u32,
    /// The conversation in which the question was asked first.
    pub conversation_id: ConversationId,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation(effects: &[EffectKind]) -> Conversation {
        let at = Timestamp::from_millis(1);
        let on = Some((EffectOn::Appointment, Uuid::from_u128(7)));
        let turn = Turn {
            seq: 1,
            at,
            by: Speaker::Receptionist,
            input: None,
            text: "Hello".into(),
            heard: None,
            effects: effects.iter().map(|kind| Effect { kind: *kind, on }).collect(),
            dropped: Vec::new(),
        };
        Conversation {
            id: Uuid::from_u128(1).into(),
            channel: Channel::Website,
            status: ConversationStatus::Open,
            mode: ConversationMode::Guided,
            locale: Locale::En,
            contact_id: Some(Uuid::from_u128(2).into()),
            from: None,
            to: None,
            verified: false,
            started_at: at,
            ended_at: None,
            ended_by: None,
            outcome: None,
            summary: None,
            call_id: None,
            appointment_ids: Vec::new(),
            message_ids: Vec::new(),
            turns: vec![turn],
            session: vec![1],
            token: None,
            created_at: at,
            updated_at: at,
        }
    }

    #[test]
    fn the_outcome_follows_from_the_effects_in_their_order() {
        use EffectKind::{Answered, Booked, Cancelled, MessageTaken, Moved, Requested, Transferred};
        for (effects, is_active, ended_by, expected) in [
            (&[Booked, Moved][..], true, EndedBy::Caller, CallOutcome::AppointmentBooked),
            (&[Requested], true, EndedBy::Lost, CallOutcome::AppointmentBooked),
            (&[Booked, Cancelled], false, EndedBy::Caller, CallOutcome::AppointmentCancelled),
            (&[Cancelled, Moved], true, EndedBy::Caller, CallOutcome::AppointmentRescheduled),
            (&[MessageTaken, Transferred], true, EndedBy::Caller, CallOutcome::Transferred),
            (&[Answered, MessageTaken], true, EndedBy::Caller, CallOutcome::MessageTaken),
            (&[Answered], true, EndedBy::Caller, CallOutcome::QuestionAnswered),
            (&[], true, EndedBy::Caller, CallOutcome::Hangup),
            (&[], true, EndedBy::Timeout, CallOutcome::Other),
        ] {
            let outcome = conversation(effects).outcome_of(ended_by, |_| is_active);
            assert_eq!(outcome, expected, "{effects:?} {ended_by}");
        }
    }

    #[test]
    fn an_erased_conversation_keeps_its_effects_and_no_words() {
        let erased = conversation(&[EffectKind::Booked]).erased();
        assert_eq!((erased.contact_id, erased.session.len()), (None, 0));
        assert_eq!((erased.turns[0].text.as_str(), erased.turns[0].effects.len()), ("", 1));
    }
}
