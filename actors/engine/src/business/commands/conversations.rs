//! Conversations of the receptionist: their start, the turns of callers, replies of the team, and their end.
//!
//! Invariants:
//! - A turn and its effects are in one batch, which is durable before the response to the turn is sent.
//! - The audit log names the receptionist as the author of the changes that a turn makes.
//! - An ended conversation has an outcome and no session. The end of a voice conversation saves a call.
//! - A chat of the website that ends without a turn of the caller is deleted.

use std::sync::Arc;

use chrono::NaiveDate;
use domain::{
    Actor, AuditAction, BudgetKind, CallDetails, CallOutcome, CallStatus, Channel, Conflict, Contact,
    ContactId, Conversation, ConversationId, ConversationMode, ConversationStatus, Direction, Dropped,
    Effect, EffectKind, EffectOn, EndedBy, GAPS_MAX, Gap, GapId, InputKind, Locale, Named, Phone,
    ProblemCode, Refusal, ResourceId, Right, Speaker, TEAM_SILENCE, TakenMessage, Text, Timestamp, Turn,
    UnderWay,
};
use store::keys::kind;
use store::{Batch, Order, StoreError, Weight, keys};
use talk::{Answer, Answers, Ask, Draft, Input, Output, Said, Start, Turned, reader};
use view::{ChoiceView, ConversationTurnsView, TurnView, TurnsTakenView};

use super::calls::{RecordCall, call_of};
use super::contacts;
use crate::business::remembered::check_actor;
use crate::business::state::State;
use crate::business::turn_context::{BookingLimit, ReadPhone, Session, TurnContext, facts};
use crate::business::{Change, Context, Decision, Gives, New, Removed, Request, Shown, Write};
use crate::error::{EngineError, Result};
use crate::talking::Round;

/// Starts a conversation. The answer contains the receptionist's first turn.
#[derive(Clone, Debug)]
pub struct StartConversation {
    pub channel: Channel,
    pub from: Option<Phone>,
    pub to: Option<Phone>,
    /// The language of the page. `None` means the language of the business.
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
        let start = Start {
            at,
            channel: talk_channel(channel),
            from: from.as_deref().map(str::to_owned),
            locale,
            contact: contact.as_ref().map(|contact| contact.id).filter(|_| channel == Channel::Sms),
        };
        let output = talk::begin(&start, &facts(state, context.now));
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
        add_answer(context, None, (conversation, 1), (output, 0), decision)
    }
}

/// Returns the ended conversation that a new conversation replaces. `None` if the budget has room for a
/// further conversation, or if no conversation has ended.
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
    /// The SHA-256 of the token of the chat. `None` if the request needs no token.
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
            Spoken { input, answers: Answers::default(), rounds: Vec::new(), tokens: 0 },
        )
    }
}

/// The values that the rules of a turn need.
struct Begun {
    before: Conversation,
    session: Session,
    facts: talk::Facts,
    /// The caller's words, cut to the maximum length.
    said: Said,
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
        // A conversation by text message belongs to the contact that has its phone number now. An earlier
        // turn may have created this contact with a booking.
        session.talk.contact = contacts::find(context, before.from.as_ref(), None)?.map(|contact| contact.id);
    }
    let said = cut(turn.said.clone(), before.channel.caller_chars_max());
    Ok(Begun { before, session, facts, said })
}

/// The input of the rules. If a model was used, also its rounds. In a round, the model writes text and calls
/// functions.
struct Spoken {
    input: Input,
    answers: Answers,
    rounds: Vec<Round>,
    tokens: u64,
}

/// Runs the rules of a turn. Returns the decision that contains the turn and its effects.
fn take<G: Gives<Value = TurnsTakenView>>(
    context: &mut Context<'_>,
    Begun { before, session, facts, said }: Begun,
    (read_phone, limit): (ReadPhone, Option<BookingLimit>),
    Spoken { input, mut answers, rounds, tokens }: Spoken,
) -> Result<Decision<G>> {
    let (shown, text) = shown_input(&said, &session.choices);
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
    let tokens = session.tokens + tokens;
    let is_urgent = matches!(&input.said, Said::Text(text) | Said::Speech(text)
        if before.channel == Channel::Sms && (reader::is_opt_out(text) || reader::is_emergency(text)));
    if !is_urgent && session.silent_until.is_some_and(|until| context.at < until) {
        let mut output = silent_output(&session.talk);
        output.silent_until = session.silent_until;
        return add_answer(context, Some(before), (turned, seq), (output, tokens), Decision::gone());
    }
    let mut turn_context = TurnContext {
        context: &mut *context,
        conversation: &before,
        talk: &session.talk,
        read_phone,
        limit,
        planned: Decision::gone(),
        booked_by: None,
    };
    let turn = |answers: &Answers| talk::turn(&session.talk, &input, &facts, answers);
    let output = match answered(&mut turn_context, &mut answers, turn)? {
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
    let TurnContext { mut planned, booked_by, .. } = turn_context;
    turned.contact_id = turned.contact_id.or(booked_by);
    if let Some(contact) = booked_by {
        planned = with_contact(context, &before, contact, planned)?;
    }
    add_answer(context, Some(before), (turned, seq), (output, tokens), planned)
}

/// Runs a rule until it returns a result instead of a question. Each run gets the answers to the earlier
/// questions.
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

/// A turn before the first round of the model that answers it. The actor has made no change for the turn yet.
pub(crate) struct Prepared {
    pub(crate) before: Conversation,
    pub(crate) facts: talk::Facts,
    /// The engine's answers to the rules' questions so far. None of them made a change.
    pub(crate) answers: Answers,
    pub(crate) draft: Box<Draft>,
    /// The number of tokens that the conversation has used.
    pub(crate) tokens: u64,
    pub(crate) tokens_per_day: u64,
    /// The current local date of the business.
    pub(crate) date: NaiveDate,
    input: Input,
    asking: Asking,
}

/// The parts of a turn that are needed to answer the functions of a model.
#[derive(Clone)]
pub(crate) struct Asking {
    conversation: Arc<Conversation>,
    talk: Arc<talk::Talk>,
    read_phone: ReadPhone,
}

impl Prepared {
    pub(crate) fn asking(&self) -> Asking {
        self.asking.clone()
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
    let Begun { before, session, facts, said } = begun(&context, turn)?;
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
    let asking = Asking {
        conversation: Arc::new(before.clone()),
        talk: Arc::new(session.talk),
        read_phone: turn.read_phone,
    };
    let date = now.utc().with_timezone(&facts.zone).date_naive();
    let tokens = session.tokens;
    Ok(Some(Prepared { before, facts, answers, draft, tokens, tokens_per_day, date, input, asking }))
}

/// Answers a question of a function that the model calls. If the question asks for a change, the answer is a
/// preview.
pub(crate) fn asked_in_turn(
    state: &State,
    request: &Request,
    asking: &Asking,
    ask: &Ask,
    now: Timestamp,
) -> Result<Answer> {
    let mut turn_context = TurnContext {
        context: &mut Context::new(state, request, now),
        conversation: &asking.conversation,
        talk: &asking.talk,
        read_phone: asking.read_phone,
        limit: None,
        planned: Decision::gone(),
        booked_by: None,
    };
    turn_context.answer(ask)
}

/// The last step of a turn with a model. It runs the rules with the rounds of the model, and makes the changes.
pub(crate) struct FinishTurn {
    pub(crate) turn: TakeTurn,
    pub(crate) prepared: Prepared,
    pub(crate) rounds: Vec<Round>,
    pub(crate) tokens: u64,
}

impl Change for FinishTurn {
    type Gives = Shown<TurnsTakenView>;
    const RIGHT: Option<Right> = TakeTurn::RIGHT;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Self { turn, prepared, rounds, tokens } = self;
        let Prepared { before, facts, answers, input, .. } = prepared;
        let begun = begun(context, &turn)?;
        if begun.before != before {
            return Err(Refusal::UnderWay { what: UnderWay::Turn, details: Vec::new() }.into());
        }
        let spoken = Spoken { input, answers, rounds, tokens };
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
/// [`Refusal::NotFound`], or a conflict if the conversation has ended or its time is over.
fn open_conversation(context: &Context<'_>, id: ConversationId) -> Result<Conversation, EngineError> {
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

/// Returns the session of an open conversation. If an erasure has deleted the session, the conversation
/// begins again.
fn session(conversation: &Conversation, facts: &talk::Facts, at: Timestamp) -> Session {
    Session::of(conversation).unwrap_or_else(|| {
        let start = Start {
            at,
            channel: talk_channel(conversation.channel),
            from: conversation.from.as_deref().map(str::to_owned),
            locale: conversation.locale,
            contact: None,
        };
        let talk = talk::begin(&start, facts).talk;
        Session { talk, choices: Vec::new(), silent_until: None, tokens: 0 }
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

/// Returns the kind of input and the text of a caller's turn. The text of a choice is the label of its
/// button.
fn shown_input(said: &Said, choices: &[ChoiceView]) -> (Option<InputKind>, String) {
    match said {
        Said::Speech(text) => (Some(InputKind::Speech), text.clone()),
        Said::Keys(text) => (Some(InputKind::Keys), text.clone()),
        Said::Text(text) => (Some(InputKind::Text), text.clone()),
        Said::Choice(id) => {
            let chosen = choices.iter().find(|choice| choice.id == *id);
            (Some(InputKind::Choice), chosen.map_or_else(|| id.clone(), |choice| choice.label.clone()))
        }
        Said::Silence => (Some(InputKind::Speech), String::new()),
    }
}

/// Adds the receptionist's turn to a conversation and answers with the turns from `seq` on. `decision` contains
/// the changes that the turn makes to other records.
fn add_answer<G: Gives<Value = TurnsTakenView>>(
    context: &mut Context<'_>,
    before: Option<Conversation>,
    (mut it, seq): (Conversation, u32),
    (output, tokens): (Output, u64),
    decision: Decision<Removed>,
) -> Result<Decision<G>> {
    let (of, at) = (context.state.id, context.at);
    let Output { talk, lines, choices, effects, dropped, gaps, end, silent_until, .. } = output;
    let effects: Vec<Effect> = effects.iter().map(effect).collect();
    let choices: Vec<ChoiceView> = choices
        .into_iter()
        .map(|choice| ChoiceView { id: choice.id, label: choice.label, link: choice.link })
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
    it.session = Session { talk, choices: choices.clone(), silent_until, tokens }.encode();
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
    // The stored answer contains no texts, because the contact may be erased later.
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

/// Ends a conversation. `before` is the stored conversation, or `None` if it is not stored yet.
pub(crate) fn end_conversation(
    context: &mut Context<'_>,
    before: Option<Conversation>,
    it: Conversation,
    by: EndedBy,
    decision: Decision<Removed>,
) -> Result<(Decision<Removed>, Conversation)> {
    let (state, of) = (context.state, context.state.id);
    if it.channel == Channel::Website && it.caller_turns() == 0 {
        let decision = match before {
            Some(before) => decision.write(Write::delete(of, &before)),
            None => decision,
        };
        return Ok((decision, it));
    }
    let is_active = |id| {
        // The decision of this turn may have booked an appointment that is not stored yet.
        decision.has_active(id).unwrap_or_else(|| {
            state.appointment(id).ok().flatten().is_some_and(|appointment| appointment.is_active())
        })
    };
    let ended_at = if by == EndedBy::Lost { it.last_turn_at() } else { context.at };
    let outcome = it.outcome_of(by, is_active);
    let summary = Session::of(&it).and_then(|session| talk::summary(&session.talk));
    let mut it = Conversation {
        status: ConversationStatus::Ended,
        ended_at: Some(ended_at),
        ended_by: Some(by),
        outcome: Some(outcome),
        summary,
        session: Vec::new(),
        updated_at: context.at,
        ..it
    };
    let mut decision = decision;
    if it.call_id.is_some() && !state.has_room(&[BudgetKind::Calls, BudgetKind::Contacts]) {
        // The conversation must end even if the budget has no room for the call.
        decision = without_call(context, &it, decision)?;
        it.call_id = None;
    }
    if let Some(call_id) = it.call_id {
        let details = CallDetails {
            status: status_of(&it),
            outcome: it.outcome.unwrap_or(CallOutcome::Other),
            from_number: it.from.clone(),
            to_number: it.to.clone(),
            contact_id: it.contact_id,
            locale: Some(it.locale),
            summary: it.summary.clone().and_then(|summary| Text::new(summary).ok()),
            appointment_id: it.appointment_ids.last().copied(),
            message_id: it.message_ids.last().copied(),
            ..CallDetails::of(Direction::Inbound, it.started_at, ended_at.max(it.started_at))
        };
        let recorded = call_of(context, RecordCall { details, contact_name: None }, call_id)?;
        let (with, call) = decision.with(recorded);
        decision = with;
        it.contact_id = call.call.contact_id.or(it.contact_id);
    }
    Ok((decision.write(Write::put(of, before.as_ref(), &it)), it))
}

/// A call without a turn of the receptionist is missed.
fn status_of(it: &Conversation) -> CallStatus {
    if it.turns.iter().any(|turn| turn.by == Speaker::Receptionist) {
        CallStatus::Completed
    } else {
        CallStatus::Missed
    }
}

/// Adds the contact of a booking to the earlier messages of the conversation that have no contact, so that an erasure of
/// the contact finds them.
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

/// Whether a message with this phone number concerns the contact or the caller, and not another person.
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

/// Removes the call of a conversation from its messages, because the call will not be saved.
fn without_call(
    context: &Context<'_>,
    it: &Conversation,
    decision: Decision<Removed>,
) -> Result<Decision<Removed>> {
    let (state, Some(call)) = (context.state, it.call_id) else { return Ok(decision) };
    let mut decision = decision.without_call(call);
    for id in &it.message_ids {
        let stored = state.read::<TakenMessage>(&keys::message(state.id, *id))?;
        if let Some(before) = stored.filter(|message| message.call_id == Some(call)) {
            let after = TakenMessage { call_id: None, updated_at: context.at, ..before.clone() };
            decision = decision.write(Write::Message { before: Some(before), after });
        }
    }
    Ok(decision)
}

/// Ends a conversation for the team, or for a caller who has left.
#[derive(Clone, Copy, Debug)]
pub struct EndConversation {
    pub id: ConversationId,
    pub by: EndedBy,
}

impl Change for EndConversation {
    type Gives = Shown<ConversationTurnsView>;
    const WEIGHT: Weight = Weight::Keeps;
    const RIGHT: Option<Right> = Some(Right::Day);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = open_conversation(context, self.id)?;
        context.check_match(&ConversationTurnsView::from(&before))?;
        let decision = Decision::gone().note(AuditAction::ConversationEnded, self.id);
        let (decision, after) = end_conversation(context, Some(before.clone()), before, self.by, decision)?;
        let answer = Decision::answering(ConversationTurnsView::from(&after));
        let (decision, ()) = answer.remember(without_words(&after)).with(decision);
        Ok(decision)
    }
}

/// The answer that is stored for a repeated request. It contains no words, because the contact may be erased later.
fn without_words(it: &Conversation) -> ConversationTurnsView {
    ConversationTurnsView::from(&it.erased())
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
        // After three wrong confirmation numbers, the receptionist is silent for longer than after a reply.
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
        // Without the conversation, a later erasure of the caller would not find its questions.
        let mut decision = decision.write(Write::delete(of, &gone));
        for gap in gaps(context)?.iter().filter(|gap| gap.conversation_id == self.id) {
            decision = decision.write(Write::delete(of, gap));
        }
        if gone.is_open() { without_call(context, &gone, decision) } else { Ok(decision) }
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

/// Ends an open conversation whose time is over. Each conversation is ended by a separate change, so a
/// refusal does not affect the others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndOverdue {
    id: ConversationId,
    by: EndedBy,
}

impl Change for EndOverdue {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Frees;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Removed>> {
        let found = context.state.read::<Conversation>(&keys::conversation(context.state.id, self.id))?;
        let before = found.filter(Conversation::is_open).ok_or(Refusal::NotFound(Named::Conversation))?;
        let decision = Decision::gone().note(AuditAction::ConversationEnded, self.id);
        Ok(end_conversation(context, Some(before.clone()), before, self.by, decision)?.0)
    }
}

impl State {
    /// Returns the changes that end the overdue conversations, at most `max`. The calls that were open when
    /// the service started are lost, because their connections ended with the previous process.
    pub(crate) fn overdue(&self, now: Timestamp, max: usize) -> Result<Vec<EndOverdue>, StoreError> {
        let mut overdue = Vec::new();
        for row in self.store.scan(&keys::of_kind(self.id, kind::CONVERSATION_OPEN), Order::Ascending) {
            let (key, _) = row?;
            let id = keys::id_at_end::<ConversationId>(&key)?;
            let found = self.find::<Conversation>(&keys::conversation(self.id, id))?;
            let Some(it) = found.filter(Conversation::is_open) else { continue };
            if it.channel == Channel::Voice && it.last_turn_at() < self.clocks.opened_at() {
                overdue.push(EndOverdue { id, by: EndedBy::Lost });
            } else if it.ends_by() <= now {
                overdue.push(EndOverdue { id, by: EndedBy::Timeout });
            }
            if overdue.len() == max {
                break;
            }
        }
        Ok(overdue)
    }

    /// Whether the budget allows another row of each of these kinds.
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
