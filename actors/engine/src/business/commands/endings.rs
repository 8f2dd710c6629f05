//! The end of conversations: how the outcome, the summary and the call are written.
//!
//! Invariants:
//! - An ended conversation has an outcome, which is derived from the effects of its turns, for example a booking.
//! - If the service has a chat model, the model writes the summary within 10 seconds after the end. Until then, the
//!   ended conversation keeps its session, and its call is not saved.
//! - If a crash interrupts the request for the model's summary, the summary is made from the effects.
//! - When a conversation on the channel `voice` or `assistant` ends, one call is saved, if the budget has room for it.

use chrono::{NaiveDate, TimeDelta};
use domain::{
    Actor, AppointmentId, AuditAction, BudgetKind, CallDetails, CallOutcome, CallStatus, Channel,
    Conversation, ConversationId, ConversationStatus, Direction, EffectOn, EndedBy, Named, Refusal, Right,
    Speaker, TakenMessage, Text, Timestamp,
};
use store::keys::kind;
use store::{Order, StoreError, Weight, keys};
use view::ConversationTurnsView;

use super::calls::{RecordCall, call_of};
use super::contacts;
use super::conversations::open_conversation;
use crate::business::state::{Ahead, State};
use crate::business::turn_context::{Session, facts};
use crate::business::{Change, Context, Decision, Removed, Shown, Write};
use crate::error::Result;
use crate::talking::UsedTokens;

super::listed!(CompleteConversation, EndConversation, EndOverdue);

/// If the summary is not stored within this time after the end of the conversation, the service makes the summary from
/// the effects of the turns. This happens only after a crash or an error, because the model has only 10 seconds to
/// write the summary.
const SUMMARY_AWAITED: TimeDelta = TimeDelta::seconds(30);

/// Ends a conversation. `before` is the stored conversation, or `None` if it is not stored yet. If a model writes the
/// summary, [`CompleteConversation`] later stores the summary and the call.
pub(super) fn end_conversation(
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
    let ended = Conversation {
        status: ConversationStatus::Ended,
        ended_at: Some(ended_at),
        ended_by: Some(by),
        outcome: Some(outcome),
        updated_at: context.at,
        ..it
    };
    if state.has_model() && ended.caller_turns() > 0 && ended.awaits_summary() {
        let decision = decision.write(Write::put(of, before.as_ref(), &ended)).summarize(ended.id);
        return Ok((decision, ended));
    }
    let summary = summary_of_effects(&ended);
    complete(context, (before, ended), summary, decision)
}

/// The summary that is made from the effects of the conversation. Returns `None` after an erasure, because the session
/// is deleted.
fn summary_of_effects(it: &Conversation) -> Option<String> {
    Session::of(it).and_then(|session| talk::summary(&session.talk))
}

/// Writes the summary of an ended conversation, and its call.
fn complete(
    context: &mut Context<'_>,
    (before, it): (Option<Conversation>, Conversation),
    summary: Option<String>,
    mut decision: Decision<Removed>,
) -> Result<(Decision<Removed>, Conversation)> {
    let (state, of) = (context.state, context.state.id);
    let mut it = Conversation { summary, session: Vec::new(), updated_at: context.at, ..it };
    if it.call_id.is_some() && !state.has_room(&[BudgetKind::Calls, BudgetKind::Contacts]) {
        // The budget has no room for the call, but the conversation must still end.
        decision = without_call(context, &it, decision)?;
        it.call_id = None;
    }
    if let Some(call_id) = it.call_id {
        let ended_at = it.ended_at.unwrap_or(it.started_at);
        // If the contact was erased during the conversation, the call belongs to the contact that has the caller's
        // number now. If no contact has the number, the call must not contain the number or the summary.
        let contact_id = match it.contact_id {
            Some(id) if context.contact(id)?.is_none() => {
                contacts::find(context, it.from.as_ref(), None)?.map(|contact| contact.id)
            }
            id => id,
        };
        let is_erased = it.contact_id.is_some() && contact_id.is_none();
        let details = CallDetails {
            status: status_of(&it),
            outcome: it.outcome.unwrap_or(CallOutcome::Other),
            from_number: it.from.clone().filter(|_| !is_erased),
            to_number: it.to.clone(),
            contact_id,
            locale: Some(it.locale),
            summary: it.summary.clone().filter(|_| !is_erased).and_then(|summary| Text::new(summary).ok()),
            appointment_id: newest_appointment(&it),
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

/// The appointment that the conversation changed last.
fn newest_appointment(it: &Conversation) -> Option<AppointmentId> {
    let changed = it.effects().filter_map(|effect| effect.on);
    changed.filter(|(on, _)| *on == EffectOn::Appointment).last().map(|(_, id)| id.into())
}

/// Returns the status of the call. A call without a turn of the receptionist is missed.
fn status_of(it: &Conversation) -> CallStatus {
    if it.turns.iter().any(|turn| turn.by == Speaker::Receptionist) {
        CallStatus::Completed
    } else {
        CallStatus::Missed
    }
}

/// Removes the id of the conversation's call from the conversation's messages, because the call will not be saved.
pub(super) fn without_call(
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
pub(super) fn without_words(it: &Conversation) -> ConversationTurnsView {
    ConversationTurnsView::from(&it.erased())
}

/// The data of an ended conversation that the request for its summary needs.
pub(crate) struct Ended {
    pub(crate) talk: talk::Talk,
    pub(crate) facts: talk::Facts,
    /// The number of tokens that the conversation has used.
    pub(crate) tokens: u64,
    pub(crate) tokens_per_day: u64,
    pub(crate) used_today: UsedTokens,
    /// The current date in the time zone of the business.
    pub(crate) date: NaiveDate,
    pub(crate) at: Timestamp,
}

/// Returns the data of a conversation that awaits its summary. Returns `None` if the conversation does not exist,
/// awaits no summary, or was erased.
pub(crate) fn ended(state: &State, id: ConversationId, now: Timestamp) -> Result<Option<Ended>> {
    let found = state.read::<Conversation>(&keys::conversation(state.id, id))?;
    let session = found.filter(Conversation::awaits_summary).and_then(|it| Session::of(&it));
    let Some(Session { talk, used, .. }) = session else { return Ok(None) };
    let facts = facts(state, now);
    let date = now.utc().with_timezone(&facts.zone).date_naive();
    let (tokens, tokens_per_day) = (used.tokens, state.receptionist.tokens_per_day);
    let used_today = state.tokens_of_day(now)?;
    Ok(Some(Ended { talk, facts, tokens, tokens_per_day, used_today, date, at: now }))
}

/// Completes an ended conversation after the model has written the summary or has failed.
#[derive(Clone, Debug)]
pub(crate) struct CompleteConversation {
    pub(crate) id: ConversationId,
    /// The summary that the model has written, or `None` if the model failed.
    pub(crate) summary: Option<String>,
    /// The number of tokens that the summary used.
    pub(crate) tokens: u64,
}

impl Change for CompleteConversation {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Frees;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Removed>> {
        let found = context.state.read::<Conversation>(&keys::conversation(context.state.id, self.id))?;
        let before = found.filter(Conversation::awaits_summary);
        let before = before.ok_or(Refusal::NotFound(Named::Conversation))?;
        // The model has written the summary from the caller's words, so the summary is dropped if the conversation has
        // been erased since.
        let is_erased = Session::of(&before).is_none();
        let summary = self.summary.filter(|_| !is_erased).or_else(|| summary_of_effects(&before));
        // This change does not end the conversation: an earlier change ended it. So this change is recorded as
        // `ConversationContinued`, not as `ConversationEnded`.
        let mut decision = Decision::gone().note(AuditAction::ConversationContinued, self.id);
        let is_of_website = before.channel == Channel::Website;
        if let Some(rows) = context.state.count_tokens(self.tokens, is_of_website, context.now)? {
            decision = decision.write(Write::Rows(rows));
        }
        let decision = complete(context, (Some(before.clone()), before), summary, decision)?.0;
        Ok(decision.by(Actor::Receptionist(self.id)))
    }
}

/// Ends an open conversation whose time limit has passed, or completes an ended conversation that still awaits its
/// summary. Each conversation is a separate change, so the refusal of one change does not affect other conversations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndOverdue {
    id: ConversationId,
    /// The reason for the end. It is `None` if the conversation has already ended and only awaits its summary.
    by: Option<EndedBy>,
}

impl Change for EndOverdue {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Frees;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Removed>> {
        let found = context.state.read::<Conversation>(&keys::conversation(context.state.id, self.id))?;
        let Some(by) = self.by else {
            return CompleteConversation { id: self.id, summary: None, tokens: 0 }.decide(context);
        };
        let before = found.filter(Conversation::is_open).ok_or(Refusal::NotFound(Named::Conversation))?;
        let decision = Decision::gone().note(AuditAction::ConversationEnded, self.id);
        Ok(end_conversation(context, Some(before.clone()), before, by, decision)?.0)
    }
}

impl State {
    /// Returns at most `max` changes. Each change ends or completes one overdue conversation. A phone conversation that
    /// was open when the service stopped is overdue, because its connection is lost.
    pub(crate) fn overdue(&mut self, now: Timestamp, max: usize) -> Result<Vec<EndOverdue>, StoreError> {
        let mut overdue = Vec::new();
        let (store, known) = (self.store.clone(), std::mem::take(&mut self.ahead));
        for row in store.scan(&keys::of_kind(self.id, kind::CONVERSATION_OPEN), Order::Ascending) {
            let (key, _) = row?;
            let id = keys::id_at_end::<ConversationId>(&key)?;
            let found = self.find::<Conversation>(&keys::conversation(self.id, id))?;
            let Some(it) = found.filter(Conversation::is_unfinished) else { continue };
            let is_ahead = |state: &mut Self, silence| state.is_silent_ahead(&it, &known, (now, silence));
            let by = match it.ended_at {
                Some(at) => {
                    let is_late = at + SUMMARY_AWAITED <= now || at < self.clocks.opened_at();
                    if !is_late && !is_ahead(self, SUMMARY_AWAITED) {
                        continue;
                    }
                    None
                }
                None if it.channel == Channel::Voice && it.last_turn_at() < self.clocks.opened_at() => {
                    Some(EndedBy::Lost)
                }
                None if it.ends_by() <= now || is_ahead(self, it.channel.silence()) => Some(EndedBy::Timeout),
                None => continue,
            };
            overdue.push(EndOverdue { id, by });
            if overdue.len() == max {
                break;
            }
        }
        Ok(overdue)
    }

    /// True if the last turn has a timestamp in the future and the conversation has been silent for `silence`. The
    /// steady clock measures the silence from the moment at which the actor first saw the last turn.
    fn is_silent_ahead(
        &mut self,
        it: &Conversation,
        known: &Ahead,
        (now, silence): (Timestamp, TimeDelta),
    ) -> bool {
        if it.last_turn_at() <= now {
            return false;
        }
        let steady = self.clocks.steady();
        let seen = known.get(&it.id).filter(|(seq, _)| *seq == it.next_seq());
        let since = seen.map_or(steady, |(_, since)| *since);
        self.ahead.insert(it.id, (it.next_seq(), since));
        steady - since >= silence
    }
}
