//! The pages of the receptionist's conversations. The list shows the newest conversation first. The page of a
//! conversation shows its turns. There, the team can end the conversation, and can reply to a text message.

use domain::{
    CallOutcome, Channel, ConversationId, ConversationStatus, EffectKind, EffectOn, EndedBy, Right, Speaker,
};
use engine::business::ConversationFilter;
use engine::business::commands::conversations::{EndConversation, ReplyByTeam};
use view::{ConversationTurnsView, ConversationView, EffectView, TurnView};

use crate::admin::conversations::ReplyBody;
use crate::dashboard::pages::prelude::*;
use crate::rest::through::Through;

const SHOWN: usize = 50;
const FILTERS: [&str; 3] = ["channel", "status", "outcome"];

#[derive(Template)]
#[template(path = "dashboard/pages/records/conversations.html", config = "src/askama.toml")]
struct List<'a> {
    sheet: Sheet<'a>,
    fields: [Field; 3],
    pages: Pages,
    found: Through<ConversationView>,
}

pub(crate) async fn list(member: Member) -> Answered {
    let (view, business) = (&member.view, &member.business);
    let given = |name: &str| member.query.get(name);
    let filter = &ConversationFilter {
        channel: Channel::from_word(given("channel")),
        status: ConversationStatus::from_word(given("status")),
        outcome: CallOutcome::from_word(given("outcome")),
        ..ConversationFilter::default()
    };
    let part = member.part("conversations", SHOWN, &FILTERS);
    let found = part.read(|page| async move { business.conversations(filter, &page).await }).await?;
    let select = |name: &str, made: &str, words: Vec<&str>| {
        let choice = |word: &str| Choice::new(word, view.t(&format!("{made}-{word}")));
        let field =
            Field::select(name, view.t(&format!("conversations-{name}")), words.into_iter().map(choice));
        field.or_empty(view.t("all")).chosen(given(name))
    };
    page(&List {
        sheet: member.sheet("conversations"),
        fields: [
            select("channel", "conversation-channel", Channel::ALL.iter().map(|one| one.as_str()).collect()),
            select(
                "status",
                "conversation-status",
                ConversationStatus::ALL.iter().map(|one| one.as_str()).collect(),
            ),
            select("outcome", "call-outcome", CallOutcome::ALL.iter().map(|one| one.as_str()).collect()),
        ],
        pages: part.pages(found.next.as_deref()),
        found,
    })
}

impl View {
    pub(in crate::dashboard) fn of_conversation(&self, it: &ConversationView) -> (&'static str, String) {
        match it.outcome {
            None => ("info", self.t("conversation-status-open")),
            Some(outcome) => ("", self.t(&format!("call-outcome-{outcome}"))),
        }
    }

    pub(in crate::dashboard) fn conversation_with(&self, it: &ConversationView) -> String {
        match (it.from.as_deref(), it.channel) {
            (Some(from), _) => self.phone(from),
            (None, Channel::Website) => self.t("conversation-visitor"),
            (None, Channel::Assistant) => self.t("conversation-channel-assistant"),
            (None, Channel::Voice | Channel::Sms) => self.t("conversation-unknown"),
        }
    }

    pub(in crate::dashboard) fn conversation_channel(&self, channel: Channel) -> String {
        self.t(&format!("conversation-channel-{channel}"))
    }

    fn conversation_effect(&self, kind: EffectKind) -> String {
        self.t(&format!("conversation-effect-{kind}"))
    }

    fn speaker(&self, turn: &TurnView, channel: Channel) -> String {
        match turn.by {
            Speaker::Caller if channel == Channel::Website => self.t("conversation-by-visitor"),
            Speaker::Caller => self.t("conversation-by-caller"),
            Speaker::Receptionist => self.t("who-receptionist"),
            Speaker::Team => self.t("conversation-by-team"),
        }
    }
}

#[derive(Template)]
#[template(path = "dashboard/pages/records/conversation.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: String,
    filled: Filled,
    text: Field,
    conversation: ConversationView,
    turns: Vec<TurnView>,
    is_open: bool,
    may_reply: bool,
}

impl Page<'_> {
    /// The page of the record that an effect concerns.
    fn path_of(&self, effect: &EffectView) -> Option<String> {
        let pages = match effect.resource_type? {
            EffectOn::Appointment => "appointments",
            EffectOn::Message => "messages",
            EffectOn::Contact => "contacts",
        };
        Some(self.sheet.member.path_to(&format!("{pages}/{}", effect.resource_id?)))
    }
}

async fn found(member: &Member) -> Result<ConversationTurnsView, Refused> {
    let id: ConversationId = member.id("conversation_id")?;
    member.business.conversation(id).await?.ok_or_else(Refused::not_found)
}

pub(crate) async fn show(member: Member) -> Answered {
    let filled = member.filled(&format!("{}/reply", member.path()), Form::default);
    shown(&member, filled).await
}

async fn shown(member: &Member, mut filled: Filled) -> Answered {
    let ConversationTurnsView { conversation, turns } = found(member).await?;
    let view = &member.view;
    let is_open = conversation.status == ConversationStatus::Open;
    let text = Field::area("text", view.t("conversation-reply")).hint(view.t("conversation-reply-hint"));
    let shown = Page {
        sheet: member.sheet("conversations/one").under(vec![member.crumb("conversations")]),
        done: member.done(&[("replied", "conversation-replied"), ("ended", "conversation-ended")]),
        text: filled.field(view, text),
        may_reply: is_open && conversation.channel == Channel::Sms && member.may(Right::Day),
        is_open: is_open && member.may(Right::Day),
        filled,
        conversation,
        turns,
    };
    page_as(shown.filled.status, &shown)
}

pub(crate) async fn reply(member: Member) -> Answered {
    let id = found(&member).await?.conversation.id;
    let done = async {
        let ReplyBody { text } = member.body().text("text").read::<ReplyBody>()?;
        member.change(ReplyByTeam { id, text }).await?;
        Ok(member.path_to(&format!("conversations/{id}?done=replied")))
    };
    member.answered(done.await, |filled| shown(&member, filled)).await
}

pub(crate) async fn end(member: Member) -> Answered {
    let id = found(&member).await?.conversation.id;
    let done = member.change(EndConversation { id, by: EndedBy::Team }).await;
    let done = done.map(|_| member.path_to(&format!("conversations/{id}?done=ended")));
    member.answered(done, |filled| shown(&member, filled)).await
}
