//! The receptionist: its settings, conversations with their turns, and unanswered questions.

use domain::{
    AppointmentId, CallId, CallOutcome, Channel, Channels, ContactId, Conversation, ConversationId,
    ConversationMode, ConversationStatus, Dropped, Effect, EffectKind, EffectOn, EndedBy, Gap, GapId,
    GateRule, Greeting, InputKind, Locale, MessageId, Receptionist, Speaker, Timestamp, Turn,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The settings of the receptionist.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Receptionist")]
pub struct ReceptionistView {
    /// The channels on which the receptionist answers.
    pub channels: ChannelsView,
    /// The text that the receptionist says after its first sentence.
    pub greeting: GreetingView,
    /// Instructions for the model.
    pub instructions: Option<String>,
    /// The phone number of the person who takes over calls within opening hours, in E.164 form.
    pub handoff_number: Option<String>,
    /// The time for which the handoff number rings before the receptionist answers, in seconds. 0 means that the
    /// receptionist answers at once.
    pub team_first_seconds: u32,
    /// The phone numbers whose calls are rejected and whose text messages are dropped, in E.164 form.
    pub blocked_numbers: Vec<String>,
    /// Whether the receptionist may use the knowledge entries in answers to customers and assistants. The text of
    /// the entries then becomes public.
    pub knowledge_public: bool,
    /// The maximum number of tokens of the model that the business may use in a local day. With 0, no model is used.
    pub tokens_per_day: u64,
}

/// The channels on which the receptionist answers.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ReceptionistChannels")]
pub struct ChannelsView {
    /// Whether the receptionist answers phone calls.
    pub voice: bool,
    /// Whether the receptionist answers text messages.
    pub sms: bool,
    /// Whether the receptionist answers in the chat on the booking page.
    pub website: bool,
}

/// The greeting in each language.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ReceptionistGreeting")]
pub struct GreetingView {
    /// The English greeting.
    pub en: Option<String>,
    /// The French greeting.
    pub fr: Option<String>,
}

impl From<&Receptionist> for ReceptionistView {
    fn from(settings: &Receptionist) -> Self {
        let Channels { voice, sms, website } = settings.channels;
        let Greeting { en, fr } = settings.greeting.clone();
        Self {
            channels: ChannelsView { voice, sms, website },
            greeting: GreetingView { en, fr },
            instructions: settings.instructions.clone(),
            handoff_number: settings.handoff_number.as_deref().map(str::to_owned),
            team_first_seconds: settings.team_first_seconds,
            blocked_numbers: settings
                .blocked_numbers
                .iter()
                .map(|number| number.as_str().to_owned())
                .collect(),
            knowledge_public: settings.knowledge_public,
            tokens_per_day: settings.tokens_per_day,
        }
    }
}

/// A conversation of the receptionist with a caller, without its turns.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Conversation")]
pub struct ConversationView {
    /// The conversation's id.
    pub id: ConversationId,
    /// The channel.
    pub channel: Channel,
    /// Whether the conversation has ended.
    pub status: ConversationStatus,
    /// The origin of the newest turn: a model, or the guided path of questions and choices.
    pub mode: ConversationMode,
    /// The language.
    pub locale: Locale,
    /// The contact of the caller, found by the caller's number or by a booking in the conversation.
    pub contact_id: Option<ContactId>,
    /// The number of the caller, in E.164 form.
    pub from: Option<String>,
    /// The number of the business, in E.164 form.
    pub to: Option<String>,
    /// Whether the caller has proved to be the contact.
    pub verified: bool,
    /// The time of the start.
    pub started_at: Timestamp,
    /// The time of the end. It is null for an open conversation.
    pub ended_at: Option<Timestamp>,
    /// The person or the event that ended the conversation.
    pub ended_by: Option<EndedBy>,
    /// The outcome, which follows from the effects of the turns. It is null for an open conversation.
    pub outcome: Option<CallOutcome>,
    /// A summary of the conversation. It is null for an open conversation.
    pub summary: Option<String>,
    /// The id of the call that the service saves when the conversation ends.
    pub call_id: Option<CallId>,
    /// The appointments that were booked, moved or cancelled in the conversation.
    pub appointment_ids: Vec<AppointmentId>,
    /// The messages that were taken in the conversation.
    pub message_ids: Vec<MessageId>,
    /// The number of turns.
    pub turn_count: u32,
    /// The time of creation.
    pub created_at: Timestamp,
    /// The time of the last change.
    pub updated_at: Timestamp,
}

impl From<&Conversation> for ConversationView {
    fn from(it: &Conversation) -> Self {
        Self {
            id: it.id,
            channel: it.channel,
            status: it.status,
            mode: it.mode,
            locale: it.locale,
            contact_id: it.contact_id,
            from: it.from.as_deref().map(str::to_owned),
            to: it.to.as_deref().map(str::to_owned),
            verified: it.verified,
            started_at: it.started_at,
            ended_at: it.ended_at,
            ended_by: it.ended_by,
            outcome: it.outcome,
            summary: it.summary.clone(),
            call_id: it.call_id,
            appointment_ids: it.appointment_ids.clone(),
            message_ids: it.message_ids.clone(),
            turn_count: it.turns.last().map_or(0, |turn| turn.seq),
            created_at: it.created_at,
            updated_at: it.updated_at,
        }
    }
}

/// A conversation with all its turns.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ConversationWithTurns")]
pub struct ConversationTurnsView {
    /// The conversation.
    #[serde(flatten)]
    pub conversation: ConversationView,
    /// The turns, ordered by `seq`.
    pub turns: Vec<TurnView>,
}

impl From<&Conversation> for ConversationTurnsView {
    fn from(it: &Conversation) -> Self {
        Self { conversation: it.into(), turns: it.turns.iter().map(TurnView::from).collect() }
    }
}

/// A turn of a conversation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Turn")]
pub struct TurnView {
    /// The position of the turn, from 1.
    pub seq: u32,
    /// The time of the turn.
    pub at: Timestamp,
    /// The speaker.
    pub by: Speaker,
    /// The kind of the caller's input: `speech`, `keys`, `text` or `choice`. It is null for the turns of other
    /// speakers.
    pub input: Option<InputKind>,
    /// The text of the turn.
    pub text: String,
    /// The part of the text that was played before an interruption. It is null if all of it was played.
    pub heard: Option<String>,
    /// The effects of the turn.
    pub effects: Vec<EffectView>,
    /// The sentences of the model that the caller did not receive, because a rule dropped them.
    pub dropped: Vec<DroppedView>,
}

/// An effect of a turn.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TurnEffect")]
pub struct EffectView {
    /// The kind of effect.
    pub kind: EffectKind,
    /// The kind of the record that the effect concerns; null if it concerns no record.
    pub resource_type: Option<EffectOn>,
    /// The id of the record that the effect concerns; null if it concerns no record.
    #[schemars(with = "Option<ContactId>")]
    pub resource_id: Option<Uuid>,
}

/// A sentence of the model that a rule dropped.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DroppedSentence")]
pub struct DroppedView {
    /// The rule that dropped the sentence.
    pub rule: GateRule,
    /// The sentence.
    pub text: String,
}

impl From<&Turn> for TurnView {
    fn from(turn: &Turn) -> Self {
        let effect = |Effect { kind, on }: &Effect| EffectView {
            kind: *kind,
            resource_type: on.map(|(on, _)| on),
            resource_id: on.map(|(_, id)| id),
        };
        let dropped = |Dropped { rule, text }: &Dropped| DroppedView { rule: *rule, text: text.clone() };
        Self {
            seq: turn.seq,
            at: turn.at,
            by: turn.by,
            input: turn.input,
            text: turn.text.clone(),
            heard: turn.heard.clone(),
            effects: turn.effects.iter().map(effect).collect(),
            dropped: turn.dropped.iter().map(dropped).collect(),
        }
    }
}

/// The answer to a turn of a caller.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TurnsTaken")]
pub struct TurnsTakenView {
    /// The conversation's id.
    pub id: ConversationId,
    /// The new turns.
    pub turns: Vec<TurnView>,
    /// The choices that the caller has in the next turn.
    pub choices: Vec<ChoiceView>,
    /// Whether the conversation has ended.
    pub ended: bool,
}

/// A choice of the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TurnChoice")]
pub struct ChoiceView {
    /// The id of the choice. A request selects the choice by this id. If the id is a digit, a caller can also press
    /// this key on the phone.
    pub id: String,
    /// The text of the choice.
    pub label: String,
    /// The appointment that the choice links to. The chat of the website shows the manage link of this appointment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<AppointmentId>,
}

/// A question that the receptionist could not answer.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Gap")]
pub struct GapView {
    /// The gap's id.
    pub id: GapId,
    /// The question.
    pub question: String,
    /// The time at which the question was asked last.
    pub asked_at: Timestamp,
    /// The number of times that the question was asked.
    pub count: u32,
    /// The conversation in which the question was asked first.
    pub conversation_id: ConversationId,
}

impl From<&Gap> for GapView {
    fn from(gap: &Gap) -> Self {
        let Gap { id, question, asked_at, count, conversation_id } = gap;
        Self {
            id: *id,
            question: question.clone(),
            asked_at: *asked_at,
            count: *count,
            conversation_id: *conversation_id,
        }
    }
}
