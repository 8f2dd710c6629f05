//! The receptionist's conversations: the operator reads them, speaks as a caller, replies for the team, and ends or
//! deletes them.

use domain::{
    CallOutcome, Channel, ContactId, ConversationId, ConversationStatus, EndedBy, Locale, Phone, ProblemCode,
    Text, Timestamp,
};
use engine::business::ConversationFilter;
use engine::business::commands::conversations::{
    DeleteConversation, EndConversation, ReplyByTeam, StartConversation, TakeTurn,
};
use talk::Said;
use view::{ConversationTurnsView, ConversationView, TurnsTakenView};

use crate::http::problems::{FieldPath, Problems};
use crate::http::read::Properties;
use crate::rest::output::AnswerTo;
use crate::rest::prelude::*;
use crate::rest::values::phone::read_phone;
use crate::{json_object, list_query};

list_query! {
    /// The filters of a list of conversations.
    pub(crate) struct ConversationsQuery => ConversationFilter {
        /// Only conversations on this channel.
        channel: Option<Channel>,
        /// Only conversations with this status.
        status: Option<ConversationStatus>,
        /// Only conversations with this outcome.
        outcome: Option<CallOutcome>,
        /// Only conversations of this contact.
        contact_id: Option<ContactId>,
        /// Only conversations that started at or after this instant.
        from: Option<Timestamp>,
        /// Only conversations that started before this instant.
        to: Option<Timestamp>,
        /// Only conversations changed at or after this instant. The list is then ordered by `updated_at`.
        updated_since: Option<Timestamp>,
    }
}

pub(super) async fn list(
    context: Context,
    Query(query): Query<ConversationsQuery>,
    business: Business,
) -> Result<Listed<ConversationView>, ApiError> {
    let asked = query.open(&context, business.list("conversations"))?;
    Ok(asked.listed(business.conversations(&asked.filter, &asked.page).await?))
}

pub(super) async fn show(
    _: Context,
    Path(id): Path<ConversationId>,
    business: Business,
) -> Result<One<ConversationTurnsView>, ApiError> {
    Ok(One::of(&business.conversation(id).await?.ok_or(ConversationId::NOT_FOUND)?))
}

json_object! {
    /// A conversation in which the operator speaks as a caller.
    pub(crate) struct ConversationBody {
        /// The channel. The service makes no call and sends no text message.
        channel: Channel,
        /// The number of the caller, in E.164 or national form.
        from: Option<Phone>,
        /// The language. The default is the language of the business.
        locale: Option<Locale>,
    }
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<ConversationBody>,
    business: Business,
) -> Result<Created<TurnsTakenView>, ApiError> {
    let ConversationBody { channel, from, locale } = body;
    let start = StartConversation { channel, from, to: None, locale, token: None };
    let answer = business.change(context.request()?, start).await?;
    Ok(AnswerTo::answer_to(if answer.replayed { business.with_words(answer).await? } else { answer }))
}

json_object! {
    /// A turn of a caller: one of `text`, `keys` and `choice`.
    pub(crate) struct TurnBody {
        /// The words that the caller says or writes.
        text: Option<Text<1, 10_000>>,
        /// The keys that the caller presses on a phone: digits, `*` and `#`.
        keys: Option<Text<1, 40>>,
        /// The id of one of the `choices` in the last response.
        choice: Option<Text<1, 40>>,
    }
    check one_input
}

const INPUTS: [&str; 3] = ["text", "keys", "choice"];

fn one_input(properties: &Properties<'_>, at: &FieldPath<'_>, problems: &mut Problems) {
    let given: Vec<_> = INPUTS.into_iter().filter(|name| properties.has(name)).collect();
    match given[..] {
        [] => problems.add(at, ProblemCode::OneRequired(&INPUTS)),
        [_] => {}
        [_, other, ..] => {
            let others: &[&str] = if other == "keys" { &["text"] } else { &["text", "keys"] };
            problems.add(&at.property(other), ProblemCode::NotWith(others));
        }
    }
}

impl TurnBody {
    fn said(self, is_spoken: bool) -> Said {
        let text = |text: Text<1, 10_000>| text.into_string();
        match (self.text, self.keys, self.choice) {
            (Some(words), ..) if is_spoken => Said::Speech(text(words)),
            (Some(words), ..) => Said::Text(text(words)),
            (None, Some(keys), _) => Said::Keys(keys.into_string()),
            (None, None, Some(choice)) => Said::Choice(choice.into_string()),
            (None, None, None) => Said::Silence,
        }
    }
}

pub(super) async fn take_turn(
    context: Context,
    Body(body): Body<TurnBody>,
    Path(id): Path<ConversationId>,
    business: Business,
) -> Result<Done<TurnsTakenView>, ApiError> {
    let found = business.conversation(id).await?.ok_or(ConversationId::NOT_FOUND)?;
    let said = body.said(matches!(found.conversation.channel, Channel::Voice | Channel::Assistant));
    let turn = TakeTurn { id, said, token: None, read_phone, limit: None };
    Ok(AnswerTo::answer_to(business.take_turn(context.request()?, turn).await?))
}

pub(super) async fn end(
    context: Context,
    Path(id): Path<ConversationId>,
    business: Business,
) -> Result<Changed<ConversationTurnsView>, ApiError> {
    let end = EndConversation { id, by: EndedBy::Team };
    Ok(AnswerTo::answer_to(business.with_texts(business.change(context.request()?, end).await?).await?))
}

json_object! {
    /// A text message by the team.
    pub(crate) struct ReplyBody {
        /// The text of the message.
        text: Text<1, 1600>,
    }
}

pub(super) async fn reply(
    context: Context,
    Body(body): Body<ReplyBody>,
    Path(id): Path<ConversationId>,
    business: Business,
) -> Result<Changed<ConversationTurnsView>, ApiError> {
    let reply = ReplyByTeam { id, text: body.text };
    Ok(AnswerTo::answer_to(business.with_texts(business.change(context.request()?, reply).await?).await?))
}

pub(super) async fn delete(context: Context, Path(id): Path<ConversationId>) -> Result<Gone, ApiError> {
    context.change(DeleteConversation { id }).await
}
