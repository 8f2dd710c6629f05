//! Conversations of the receptionist: their start, the turns of callers, and replies of the team. [`super::endings`]
//! contains their end.
//!
//! Invariants:
//! - A turn and its effects are in one batch, which is durable before the response to the turn is sent.
//! - The audit log names the receptionist as the author of the changes that a turn makes.
//! - A chat of the website that ends without a turn of the caller is deleted.

use std::sync::Arc;

use chrono::NaiveDate;
use domain::{
    Actor, AuditAction, BudgetKind, Channel, Conflict, Contact, ContactId, Conversation, ConversationId,
    ConversationMode, ConversationStatus, Dropped, Effect, EffectKind, EffectOn, EndedBy, GAPS_MAX, Gap,
    GapId, InputKind, Locale, Named, Phone, ProblemCode, Refusal, ResourceId, Right, Speaker, TEAM_SILENCE,
    TakenMessage, Text, Timestamp, Turn, UnderWay,
};
use store::keys::kind;
use store::{Batch, Order, Weight, keys};
use talk::{Answer, Answers, Ask, Draft, Input, Output, Said, Start, Turned, reader};
use view::{ChoiceView, ConversationTurnsView, TurnView, TurnsTakenView};

use super::contacts;
use super::endings::{end_conversation, without_call, without_words};
use crate::business::codes::SentCode;
use crate::business::remembered::check_actor;
use crate::business::state::State;
use crate::business::turn_context::{BookingLimit, ReadPhone, Session, TurnContext, Used, facts};
use crate::business::{Change, Context, Decision, Gives, New, Removed, Request, Shown, Write};
use crate::error::{EngineError, Result};
use crate::talking::{Round, Rounds, UsedTokens};

pub use super::endings::EndConversation;

super::listed!(DeleteConversation, DeleteGap, FinishTurn, ReplyByTeam, StartConversation, TakeTurn);

/// Starts a conversation. The answer contains the receptionist's first turn.
#[derive(Clone, Debug)]
pub struct StartConversation {
    pub channel: Channel,
    pub from: Option<Phone>,
    pub to: Option<Phone>,
    /// The language of the page. If it is `None`, the conversation begins in the language of the business.
    pub locale: Option<Locale>,
    /// The SHA-256 of the token of a chat on the website.
    pub token: Option<[u8; 32]>,
}

impl Change for StartConversation {
    type Gives = New<TurnsTakenView>;
    const RIGHT: Option<Right> = Some(Right::Day);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Self { channel, from, to, locale, token } = self;
        let (state, at) = (context.state, context.at);
        if state.business.suspended {
            return Err(EngineError::Suspended);
        }
        let contact = contacts::find(context, from.as_ref(), None)?;
        let id: ConversationId = context.mint();
        let locale = locale.unwrap_or(state.business.locale);
        let thread_of = from.as_ref().filter(|_| channel == Channel::Sms);
        let (wrong_numbers, silent_until) = match thread_of {
            Some(from) => state.wrong_numbers(from, at)?,
            None => (0, None),
        };
        let start = Start {
            at,
            channel: talk_channel(channel),
            from: from.as_deref().map(str::to_owned),
            locale,
            contact: contact.as_ref().map(|contact| contact.id).filter(|_| channel == Channel::Sms),
            wrong_numbers,
        };
        let output = Output { silent_until, ..talk::begin(&start, &facts(state, context.now)) };
        let conversation = Conversation {
            id,
            channel,
            status: ConversationStatus::Open,
            mode: ConversationMode::Guided,
            locale,
            contact_id: contact.map(|contact| contact.id),
            from,
            to,
            verified: channel == Channel::Sms,
            started_at: at,
            ended_at: None,
            ended_by: None,
            outcome: None,
            summary: None,
            call_id: channel.is_call().then(|| context.mint()),
            appointment_ids: Vec::new(),
            message_ids: Vec::new(),
            turns: Vec::new(),
            session: Vec::new(),
            token,
            created_at: at,
            updated_at: at,
        };
        let mut rows = Batch::default();
        rows.put(keys::unfinished(state.id), Vec::new());
        let replaced = conversation_to_replace(context)?;
        let decision: Decision<Removed> = Decision::gone().write(Write::Rows(rows));
        let decision = match replaced {
            Some(oldest) => decision
                .note(AuditAction::ConversationDeleted, oldest.id)
                .write(Write::delete(state.id, &oldest)),
            None => decision,
        };
        add_answer(context, None, (conversation, 1), (output, Used::default()), decision)
    }
}

/// Returns the ended conversation that a new conversation replaces. Returns `None` if the budget has room for another
/// conversation, or if no conversation has ended.
fn conversation_to_replace(context: &Context<'_>) -> Result<Option<Conversation>> {
    let state = context.state;
    let (used, allowed) = (
        state.budget.usage.of(BudgetKind::Conversations),
        state.budget.limits.allowed(BudgetKind::Conversations),
    );
    if used.rows < allowed.rows && used.bytes < allowed.bytes {
        return Ok(None);
    }
    for are_of_website in [true, false] {
        let range = keys::conversations_ended(state.id, are_of_website);
        if let Some((key, _)) = state.next_in(&range, Order::Ascending)? {
            return Ok(state.find(&keys::conversation(state.id, keys::id_at_end(&key)?))?);
        }
    }
    Ok(None)
}

/// Adds a turn of the caller, and the receptionist's answer.
#[derive(Clone, Debug)]
pub struct TakeTurn {
    pub id: ConversationId,
    pub said: Said,
    /// The SHA-256 of the token of the chat. It is `None` if the request needs no token.
    pub token: Option<[u8; 32]>,
    pub read_phone: ReadPhone,
    /// The limit on bookings of this caller, if there is one.
    pub limit: Option<BookingLimit>,
}

impl Change for TakeTurn {
    type Gives = Shown<TurnsTakenView>;
    const RIGHT: Option<Right> = Some(Right::Day);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let begun = begun(context, &self)?;
        let random = u64::from_le_bytes(context.random());
        let input = Input { at: context.at, said: begun.said.clone(), heard: None, model: false, random };
        take(
            context,
            begun,
            (self.read_phone, self.limit),
            Spoken { input, answers: Answers::default(), rounds: Rounds::default() },
        )
    }
}

/// The input of the rules for a turn.
struct Begun {
    before: Conversation,
    session: Session,
    facts: talk::Facts,
    /// The caller's words, cut to the maximum length, or the key of the choice if the caller clicked a button.
    said: Said,
    /// The kind and the text of the caller's input, as the turn stores them.
    shown: (Option<InputKind>, String),
}

fn begun(context: &Context<'_>, turn: &TakeTurn) -> Result<Begun> {
    let state = context.state;
    if state.business.suspended {
        return Err(EngineError::Suspended);
    }
    let before = open_conversation(context, turn.id)?;
    if turn.token.is_some() && before.token != turn.token {
        return Err(Refusal::NotFound(Named::Conversation).into());
    }
    check_length(&before)?;
    let facts = facts(state, context.now);
    let mut session = session(&before, &facts, context.at);
    if before.channel == Channel::Sms {
        // A conversation by text message belongs to the contact that now has the caller's phone number. A booking in an
        // earlier turn may have created this contact.
        session.talk.contact = contacts::find(context, before.from.as_ref(), None)?.map(|contact| contact.id);
        if let Some(from) = &before.from {
            // Wrong confirmation numbers are counted per phone number, so those of another conversation count too.
            session.silent_until = session.silent_until.max(state.wrong_numbers(from, context.at)?.1);
        }
    }
    let said = cut(turn.said.clone(), before.channel.caller_chars_max());
    let (said, shown) = chosen(said, &session.choices)?;
    Ok(Begun { before, session, facts, said, shown })
}

/// The caller's input, the answers that the engine has given to the rules in this turn, and the rounds of the model if
/// a model was used. In a round, the model writes text and calls functions.
struct Spoken {
    input: Input,
    answers: Answers,
    rounds: Rounds,
}

/// Runs the rules of a turn. Returns the decision that contains the turn and its effects.
fn take<G: Gives<Value = TurnsTakenView>>(
    context: &mut Context<'_>,
    Begun { before, session, facts, shown: (shown, text), .. }: Begun,
    (read_phone, limit): (ReadPhone, Option<BookingLimit>),
    Spoken { input, mut answers, rounds: Rounds { rounds, tokens, is_late } }: Spoken,
) -> Result<Decision<G>> {
    let mut turned = before.clone();
    let seq = turned.next_seq();
    turned.turns.push(Turn {
        seq,
        at: input.at,
        by: Speaker::Caller,
        input: shown,
        text,
        heard: None,
        effects: Vec::new(),
        dropped: Vec::new(),
    });
    let is_of_website = before.channel == Channel::Website;
    let counted = context.state.count_tokens(tokens, is_of_website, context.now)?;
    let used = Used { tokens: session.used.tokens + tokens, ..session.used };
    // While the receptionist is silent, it still answers an opt-out and the first emergency. A later emergency gets no
    // answer, because the receptionist says the text about emergencies only once per conversation.
    let is_first_emergency =
        |text: &str| reader::is_emergency(text) && !session.talk.has(talk::EffectKind::Emergency);
    let is_urgent = matches!(&input.said, Said::Text(text) | Said::Speech(text)
        if before.channel == Channel::Sms && (reader::is_opt_out(text) || is_first_emergency(text)));
    if !is_urgent && session.silent_until.is_some_and(|until| context.at < until) {
        let mut output = silent_output(&session.talk);
        output.silent_until = session.silent_until;
        return add_answer(context, Some(before), (turned, seq), (output, used), Decision::gone());
    }
    let mut turn_context = TurnContext {
        context: &mut *context,
        conversation: &before,
        talk: &session.talk,
        read_phone,
        limit,
        planned: Decision::gone(),
        booked_by: None,
        code: used.code.clone(),
        verified: None,
    };
    let turn = |answers: &Answers| talk::turn(&session.talk, &input, &facts, answers);
    let mut output = match answered(&mut turn_context, &mut answers, turn)? {
        Turned::Done(output) => *output,
        Turned::Model(mut draft) => {
            for Round { sentences, calls } in &rounds {
                for sentence in sentences {
                    draft.sentence(sentence, &facts);
                }
                for call in calls {
                    answered(&mut turn_context, &mut answers, |answers| draft.call(call, &facts, answers))?;
                }
                draft.wants_more();
            }
            answered(&mut turn_context, &mut answers, |answers| draft.finish(&facts, answers))?
        }
    };
    let TurnContext { mut planned, booked_by, code, .. } = turn_context;
    let moment = talk::words::moment(output.talk.locale);
    let lately = before.turns.iter().rev().filter(|turn| turn.by == Speaker::Receptionist).take(2);
    // If the last two turns of the receptionist both began with the line that asks for a moment, this turn does not.
    if is_late && lately.filter(|turn| turn.text.starts_with(&moment)).count() < 2 {
        output.lines.insert(0, talk::Line { text: moment, fixed: true });
    }
    let is_wrong =
        output.silent_until.is_some() || output.talk.wrong_numbers() > session.talk.wrong_numbers();
    if let Some(from) = before.from.as_ref().filter(|_| is_wrong)
        && let Some(rows) = context.state.count_wrong_number(from)?
    {
        planned = planned.write(Write::Rows(rows));
    }
    if let Some(rows) = counted {
        planned = planned.write(Write::Rows(rows));
    }
    output.silent_until = output.silent_until.max(session.silent_until);
    turned.contact_id = turned.contact_id.or(booked_by);
    if let Some(contact) = booked_by {
        planned = with_contact(context, &before, contact, planned)?;
    }
    add_answer(context, Some(before), (turned, seq), (output, Used { code, ..used }), planned)
}

/// Runs a rule until it returns a result. If the rule returns a question instead, the next run also gets the answer.
fn answered<T>(
    turn_context: &mut TurnContext<'_, '_>,
    answers: &mut Answers,
    mut rule: impl FnMut(&Answers) -> talk::Asked<T>,
) -> Result<T> {
    loop {
        match rule(answers) {
            Ok(result) => return Ok(result),
            Err(ask) => {
                let answer = turn_context.answer(&ask)?;
                answers.add(*ask, answer);
            }
        }
    }
}

/// The state of a turn before the first round of the model. The actor has made no change for the turn yet.
#[derive(Clone)]
pub(crate) struct Prepared {
    pub(crate) before: Conversation,
    pub(crate) facts: talk::Facts,
    /// The questions that the rules have asked the engine so far, with the answers. No question has changed a record.
    pub(crate) answers: Answers,
    pub(crate) draft: Box<Draft>,
    /// The number of tokens that the conversation has used.
    pub(crate) tokens: u64,
    pub(crate) tokens_per_day: u64,
    /// The tokens that the business has used today, according to the store.
    pub(crate) used_today: UsedTokens,
    /// The current date in the time zone of the business.
    pub(crate) date: NaiveDate,
    input: Input,
    asking: TurnFacts,
}

/// The parts of a turn that are needed to answer the function calls of a model.
#[derive(Clone)]
pub(crate) struct TurnFacts {
    conversation: Arc<Conversation>,
    talk: Arc<talk::Talk>,
    read_phone: ReadPhone,
    code: Option<SentCode>,
    /// The contact to whom the code was sent, if the caller entered the right code in this turn.
    verified: Option<ContactId>,
}

impl Prepared {
    pub(crate) fn asking(&self) -> TurnFacts {
        self.asking.clone()
    }

    /// Records the data that later answers of the turn need: the code that was sent, and the verified contact.
    pub(crate) fn note(&mut self, answer: &Answer, code: Option<SentCode>) {
        self.asking.code = code;
        if let Answer::Verified { contact, .. } = answer {
            self.asking.verified = Some(*contact);
        }
    }
}

/// Prepares a turn with a model. Returns `None` if the rules answer the turn without a model, or if the model may not
/// be used.
pub(crate) fn prepare(
    state: &State,
    request: &Request,
    turn: &TakeTurn,
    now: Timestamp,
) -> Result<Option<Prepared>> {
    check_actor(state, request, TakeTurn::RIGHT)?;
    let mut context = Context::new(state, request, now);
    let Begun { before, session, facts, said, .. } = begun(&context, turn)?;
    let (at, tokens_per_day) = (context.at, state.receptionist.tokens_per_day);
    if tokens_per_day == 0 || session.silent_until.is_some_and(|until| at < until) {
        return Ok(None);
    }
    let random = u64::from_le_bytes(context.random());
    let input = Input { at, said, heard: None, model: true, random };
    let mut answers = Answers::default();
    let mut turn_context = TurnContext {
        context: &mut context,
        conversation: &before,
        talk: &session.talk,
        read_phone: turn.read_phone,
        limit: None,
        planned: Decision::gone(),
        booked_by: None,
        code: None,
        verified: None,
    };
    let draft = loop {
        match talk::turn(&session.talk, &input, &facts, &answers) {
            Ok(Turned::Done(_)) => return Ok(None),
            Ok(Turned::Model(draft)) => break draft,
            Err(ask) if ask.is_change() => return Ok(None),
            Err(ask) => {
                let answer = turn_context.answer(&ask)?;
                answers.add(*ask, answer);
            }
        }
    };
    let asking = TurnFacts {
        conversation: Arc::new(before.clone()),
        talk: Arc::new(session.talk),
        read_phone: turn.read_phone,
        code: session.used.code,
        verified: None,
    };
    let date = now.utc().with_timezone(&facts.zone).date_naive();
    let (tokens, used_today) = (session.used.tokens, state.tokens_of_day(now)?);
    Ok(Some(Prepared {
        before,
        facts,
        answers,
        draft,
        tokens,
        tokens_per_day,
        used_today,
        date,
        input,
        asking,
    }))
}

/// Answers an [`Ask`]. When the model calls a function, the rules request data or a change with an [`Ask`]. A requested
/// change is not made: the answer is only a preview. Exception: an [`Ask`] about a code can create a code or count a
/// try. So this function also returns the newest code of the conversation, with its number of tries.
pub(crate) fn asked_in_turn(
    state: &State,
    request: &Request,
    asking: &TurnFacts,
    ask: &Ask,
    now: Timestamp,
) -> Result<(Answer, Option<SentCode>)> {
    let mut turn_context = TurnContext {
        context: &mut Context::new(state, request, now),
        conversation: &asking.conversation,
        talk: &asking.talk,
        read_phone: asking.read_phone,
        limit: None,
        planned: Decision::gone(),
        booked_by: None,
        code: asking.code.clone(),
        verified: asking.verified,
    };
    let answer = turn_context.answer(ask)?;
    Ok((answer, turn_context.code))
}

/// The last step of a turn with a model. During the rounds of the model, its function calls changed only a draft.
/// This step runs the rules with all sentences and function calls of the model, and makes the changes.
#[derive(Clone)]
pub(crate) struct FinishTurn {
    pub(crate) turn: TakeTurn,
    pub(crate) prepared: Prepared,
    pub(crate) rounds: Rounds,
}

impl Change for FinishTurn {
    type Gives = Shown<TurnsTakenView>;
    const RIGHT: Option<Right> = TakeTurn::RIGHT;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Self { turn, prepared, rounds } = self;
        let Prepared { before, facts, answers, input, .. } = prepared;
        let begun = begun(context, &turn)?;
        if begun.before != before {
            return Err(Refusal::UnderWay { what: UnderWay::Turn, details: Vec::new() }.into());
        }
        let spoken = Spoken { input, answers, rounds };
        take(context, Begun { facts, ..begun }, (turn.read_phone, turn.limit), spoken)
    }
}

/// Returns an output without lines, effects and choices.
fn silent_output(talk: &talk::Talk) -> Output {
    Output {
        talk: talk.clone(),
        lines: Vec::new(),
        choices: Vec::new(),
        keys: talk::Keys::One,
        effects: Vec::new(),
        dropped: Vec::new(),
        gaps: Vec::new(),
        end: None,
        transfer: false,
        silent_until: None,
    }
}

/// Returns an open conversation.
///
/// # Errors
/// Fails with [`Refusal::NotFound`] if the conversation does not exist, or with a conflict if the conversation has
/// ended or its time limit has passed.
pub(super) fn open_conversation(
    context: &Context<'_>,
    id: ConversationId,
) -> Result<Conversation, EngineError> {
    let found = context.state.read::<Conversation>(&keys::conversation(context.state.id, id))?;
    let found = found.ok_or(Refusal::NotFound(Named::Conversation))?;
    let ended_at = found.ended_at.or(Some(found.ends_by()).filter(|by| *by <= context.now));
    match ended_at {
        None => Ok(found),
        Some(ended_at) => {
            let now = ProblemCode::now(ended_at);
            Err(Refusal::conflict(Conflict::ConversationEnded, "ended_at", now).into())
        }
    }
}

/// Refuses a further turn of a conversation that is too long.
fn check_length(conversation: &Conversation) -> Result<()> {
    let turns = ProblemCode::now(conversation.turns.len());
    let full = || Refusal::conflict(Conflict::ConversationFull, "turns", turns);
    if conversation.is_full() { Err(full().into()) } else { Ok(()) }
}

/// Returns the session of an open conversation. If an erasure has deleted the session, returns the session of a new
/// conversation.
fn session(conversation: &Conversation, facts: &talk::Facts, at: Timestamp) -> Session {
    Session::of(conversation).unwrap_or_else(|| {
        let start = Start {
            at,
            channel: talk_channel(conversation.channel),
            from: conversation.from.as_deref().map(str::to_owned),
            locale: conversation.locale,
            contact: None,
            wrong_numbers: 0,
        };
        let talk = talk::begin(&start, facts).talk;
        Session { talk, choices: Vec::new(), silent_until: None, used: Used::default() }
    })
}

fn cut(said: Said, chars_max: usize) -> Said {
    let cut = |text: String| text.chars().filter(|c| *c != '\0').take(chars_max).collect();
    match said {
        Said::Speech(text) => Said::Speech(cut(text)),
        Said::Keys(text) => Said::Keys(cut(text)),
        Said::Text(text) => Said::Text(cut(text)),
        Said::Choice(text) => Said::Choice(cut(text)),
        Said::Silence => Said::Silence,
    }
}

/// Returns the input that the rules get, and the kind and the text that the turn shows. If the caller has selected a
/// choice, the rules get the key of the choice, and the turn shows the label of its button.
///
/// # Errors
/// Fails if the caller's choice is not one of the last `choices`.
fn chosen(said: Said, choices: &[ChoiceView]) -> Result<(Said, (Option<InputKind>, String))> {
    let (kind, text) = match &said {
        Said::Speech(text) => (InputKind::Speech, text.clone()),
        Said::Keys(text) => (InputKind::Keys, text.clone()),
        Said::Text(text) => (InputKind::Text, text.clone()),
        Said::Silence => (InputKind::Speech, String::new()),
        Said::Choice(id) => {
            let found = choices.iter().find(|choice| choice.id == *id && choice.link.is_none());
            let found = found.ok_or_else(|| Refusal::invalid("choice", ProblemCode::NotAChoice))?;
            let key = id.rsplit('-').next().unwrap_or_default().to_owned();
            return Ok((Said::Choice(key), (Some(InputKind::Choice), found.label.clone())));
        }
    };
    Ok((said, (Some(kind), text)))
}

/// The id of a choice. On a booking page, the id contains the number of the turn that offers the choice. The reason is
/// that another browser tab may show buttons of an earlier turn. Without this number, such a button could answer a
/// later question.
fn choice_id(it: &Conversation, key: String) -> String {
    match it.token {
        Some(_) => format!("{}-{key}", it.next_seq()),
        None => key,
    }
}

/// Adds the receptionist's turn to a conversation and answers with the turns from `seq` on. `decision` contains
/// the changes that the turn makes to other records.
fn add_answer<G: Gives<Value = TurnsTakenView>>(
    context: &mut Context<'_>,
    before: Option<Conversation>,
    (mut it, seq): (Conversation, u32),
    (output, used): (Output, Used),
    decision: Decision<Removed>,
) -> Result<Decision<G>> {
    let (of, at) = (context.state.id, context.at);
    let Output { talk, lines, choices, effects, dropped, gaps, end, silent_until, .. } = output;
    let effects: Vec<Effect> = effects.iter().map(effect).collect();
    let choices: Vec<ChoiceView> = choices
        .into_iter()
        .map(|choice| ChoiceView { id: choice_id(&it, choice.id), label: choice.label, link: choice.link })
        .collect();
    let text = lines.into_iter().map(|line| line.text).collect::<Vec<_>>().join(" ");
    if !text.is_empty() || !effects.is_empty() {
        let dropped = dropped.into_iter().map(|it| Dropped { rule: rule(it.rule), text: it.text });
        it.turns.push(Turn {
            seq: it.next_seq(),
            at,
            by: Speaker::Receptionist,
            input: None,
            text,
            heard: None,
            effects: effects.clone(),
            dropped: dropped.collect(),
        });
    }
    for Effect { on, .. } in effects {
        match on {
            Some((EffectOn::Appointment, id)) if !it.appointment_ids.contains(&id.into()) => {
                it.appointment_ids.push(id.into());
            }
            Some((EffectOn::Message, id)) => it.message_ids.push(id.into()),
            _ => {}
        }
    }
    it.locale = talk.locale;
    it.mode = match talk.mode {
        talk::Mode::Model => ConversationMode::Model,
        talk::Mode::Guided => ConversationMode::Guided,
    };
    it.verified = talk.verified;
    it.contact_id = talk.contact.filter(|_| talk.verified).or(it.contact_id);
    it.updated_at = at;
    it.session = Session { talk, choices: choices.clone(), silent_until, used }.encode();
    let mut decision = with_gaps(context, decision, &gaps, it.id)?;
    let shown: Vec<TurnView> = it.turns.iter().filter(|turn| turn.seq >= seq).map(TurnView::from).collect();
    let answer = TurnsTakenView { id: it.id, turns: shown, choices, ended: end.is_some() };
    let action = match (&before, end) {
        (None, _) => AuditAction::ConversationStarted,
        (Some(_), None) => AuditAction::ConversationContinued,
        (Some(_), Some(_)) => AuditAction::ConversationEnded,
    };
    let by = Actor::Receptionist(it.id);
    decision = decision.note(action, it.id);
    decision = match end {
        Some(by) => end_conversation(context, before, it, ended_by(by), decision)?.0,
        None => decision.write(Write::put(of, before.as_ref(), &it)),
    };
    // The answer that is stored for a repeated request contains no texts, because the contact may be erased later.
    let kept = answer.turns.iter().map(|turn| TurnView { text: String::new(), ..turn.clone() }).collect();
    let remembered = TurnsTakenView { turns: kept, ..answer.clone() };
    let (decision, ()) = Decision::<G>::answering(answer).remember(remembered).with(decision);
    Ok(decision.by(by))
}

/// Adds the questions that the receptionist could not answer in this turn to the list of unanswered questions.
fn with_gaps(
    context: &mut Context<'_>,
    mut decision: Decision<Removed>,
    questions: &[String],
    conversation_id: ConversationId,
) -> Result<Decision<Removed>> {
    if questions.is_empty() {
        return Ok(decision);
    }
    let of = context.state.id;
    let known = gaps(context)?;
    for question in questions {
        let alike = |gap: &&Gap| gap.question.to_lowercase() == question.to_lowercase();
        let write = match known.iter().find(alike) {
            Some(gap) => {
                let after = Gap { count: gap.count.saturating_add(1), asked_at: context.at, ..gap.clone() };
                Write::put(of, Some(gap), &after)
            }
            None => {
                let question = question.clone();
                let gap =
                    Gap { id: context.mint(), question, asked_at: context.at, count: 1, conversation_id };
                if known.len() >= GAPS_MAX
                    && let Some(oldest) = known.iter().min_by_key(|gap| gap.asked_at)
                {
                    decision = decision.write(Write::delete(of, oldest));
                }
                Write::put(of, None, &gap)
            }
        };
        decision = decision.write(write);
    }
    Ok(decision)
}

fn gaps(context: &Context<'_>) -> Result<Vec<Gap>> {
    let (state, mut known) = (context.state, Vec::new());
    for (key, value) in state.rows(&keys::of_kind(state.id, kind::GAP), usize::MAX)? {
        known.extend(state.store.find_in::<Gap>(&key, &value)?);
    }
    Ok(known)
}

/// After a booking, adds its contact to the conversation's earlier messages that have no contact yet, except messages
/// with the phone number of another person. Without the contact, an erasure would not find these messages.
fn with_contact(
    context: &Context<'_>,
    it: &Conversation,
    contact: ContactId,
    mut decision: Decision<Removed>,
) -> Result<Decision<Removed>> {
    let state = context.state;
    let known = context.contact(contact)?;
    for id in &it.message_ids {
        let stored = state.read::<TakenMessage>(&keys::message(state.id, *id))?;
        let is_theirs =
            |message: &TakenMessage| speaks_for(message.caller_phone.as_ref(), it, known.as_ref());
        let stored = stored.filter(|message| message.contact_id.is_none() && is_theirs(message));
        if let Some(before) = stored.filter(|message| !message.is_erased()) {
            let after = TakenMessage { contact_id: Some(contact), updated_at: context.at, ..before.clone() };
            decision = decision.write(Write::Message { before: Some(before), after });
        }
    }
    Ok(decision)
}

/// Returns true if a message with the phone number `phone` can be the caller's own message: the number is missing, or
/// it is the number of the caller or of the contact.
pub(in crate::business) fn speaks_for(
    phone: Option<&Phone>,
    it: &Conversation,
    contact: Option<&Contact>,
) -> bool {
    phone.is_none_or(|phone| {
        it.from.as_ref() == Some(phone)
            || contact.is_some_and(|contact| contact.phone.as_ref() == Some(phone))
    })
}

/// Adds a text message by the team to a conversation on the channel `sms`. The receptionist then does not answer for
/// [`TEAM_SILENCE`].
#[derive(Clone, Debug)]
pub struct ReplyByTeam {
    pub id: ConversationId,
    pub text: Text<1, 1600>,
}

impl Change for ReplyByTeam {
    type Gives = Shown<ConversationTurnsView>;
    const RIGHT: Option<Right> = Some(Right::Day);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = open_conversation(context, self.id)?;
        context.check_match(&ConversationTurnsView::from(&before))?;
        if before.channel != Channel::Sms {
            return Err(Refusal::conflict(Conflict::NotByText, "channel", ProblemCode::NotByText).into());
        }
        check_length(&before)?;
        let text = self.text.into_string();
        let mut session = session(&before, &facts(context.state, context.now), context.at);
        session.talk.team_said(&text);
        // After three wrong confirmation numbers, the receptionist is silent for longer than [`TEAM_SILENCE`]. A reply
        // by the team does not shorten this silence.
        session.silent_until = session.silent_until.max(Some(context.at + TEAM_SILENCE));
        let mut after = before.clone();
        after.turns.push(Turn {
            seq: after.next_seq(),
            at: context.at,
            by: Speaker::Team,
            input: None,
            text,
            heard: None,
            effects: Vec::new(),
            dropped: Vec::new(),
        });
        after.session = session.encode();
        after.updated_at = context.at;
        Ok(Decision::answering(ConversationTurnsView::from(&after))
            .remember(without_words(&after))
            .note(AuditAction::ConversationContinued, self.id)
            .write(Write::put(context.state.id, Some(&before), &after)))
    }
}

/// Deletes a conversation. If it is open, no call is saved for it.
#[derive(Clone, Copy, Debug)]
pub struct DeleteConversation {
    pub id: ConversationId,
}

impl Change for DeleteConversation {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Frees;
    const RIGHT: Option<Right> = Some(Right::Data);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let of = context.state.id;
        let gone = context.state.read::<Conversation>(&keys::conversation(of, self.id))?;
        let gone = gone.ok_or(Refusal::NotFound(Named::Conversation))?;
        context.check_match(&ConversationTurnsView::from(&gone))?;
        let decision = Decision::gone().note(AuditAction::ConversationDeleted, self.id);
        // The unanswered questions of the conversation are deleted too, because a later erasure of the caller can find
        // them only through the conversation.
        let mut decision = decision.write(Write::delete(of, &gone));
        for gap in gaps(context)?.iter().filter(|gap| gap.conversation_id == self.id) {
            decision = decision.write(Write::delete(of, gap));
        }
        if gone.is_unfinished() { without_call(context, &gone, decision) } else { Ok(decision) }
    }
}

/// Deletes an unanswered question.
#[derive(Clone, Copy, Debug)]
pub struct DeleteGap {
    pub id: GapId,
}

impl Change for DeleteGap {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Frees;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let of = context.state.id;
        let gone = context.state.read::<Gap>(&keys::gap(of, self.id))?;
        let gone = gone.ok_or(Refusal::NotFound(Named::Gap))?;
        Ok(Decision::gone().note(AuditAction::GapDeleted, self.id).write(Write::delete(of, &gone)))
    }
}

impl State {
    /// True if the budget allows another row of each of these kinds.
    pub(in crate::business) fn has_room(&self, kinds: &[BudgetKind]) -> bool {
        kinds.iter().all(|kind| {
            let (used, allowed) = (self.budget.usage.of(*kind), self.budget.limits.allowed(*kind));
            used.rows < allowed.rows && used.bytes < allowed.bytes
        })
    }
}

fn talk_channel(channel: Channel) -> talk::Channel {
    match channel {
        Channel::Voice => talk::Channel::Voice,
        Channel::Sms => talk::Channel::Sms,
        Channel::Website => talk::Channel::Website,
        Channel::Assistant => talk::Channel::Assistant,
    }
}

fn ended_by(by: talk::EndedBy) -> EndedBy {
    EndedBy::from_word(by.as_str()).expect("both enums have the same words")
}

fn rule(rule: talk::Rule) -> domain::GateRule {
    domain::GateRule::from_word(rule.as_str()).expect("both enums have the same words")
}

fn effect(effect: &talk::Effect) -> Effect {
    let kind = EffectKind::from_word(effect.kind.as_str()).expect("both enums have the same words");
    let on = effect.resource.map(|resource| match resource {
        talk::Resource::Appointment(id) => (EffectOn::Appointment, id.uuid()),
        talk::Resource::Message(id) => (EffectOn::Message, id.uuid()),
        talk::Resource::Contact(id) => (EffectOn::Contact, id.uuid()),
    });
    Effect { kind, on }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_and_the_records_use_the_same_words() {
        for kind in talk::EffectKind::ALL {
            assert!(EffectKind::from_word(kind.as_str()).is_some(), "{}", kind.as_str());
        }
        for one in talk::Rule::ALL {
            assert_eq!(rule(*one).as_str(), one.as_str());
        }
        for by in talk::EndedBy::ALL {
            assert_eq!(ended_by(*by).as_str(), by.as_str());
        }
        assert_eq!(EffectKind::ALL.len(), talk::EffectKind::ALL.len());
    }
}
