//! The steps of a turn; see [`super`].

use domain::{Channel, Conversation, Refusal, UnderWay};
use store::keys;
use talk::Answers;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument;
use view::TurnsTakenView;

use super::tokens::Counted;
use super::{
    FIRST_TOKEN_TIME_MAX, FUNCTIONS_TIME_MIN, MOMENT_AFTER, Model, Received, Round, Rounds, TURN_TIME_MAX,
};
use crate::business::commands::conversations::{FinishTurn, Prepared, TakeTurn, asked_in_turn, prepare};
use crate::business::{Answer, BusinessHandle, Request};
use crate::error::{EngineError, Result};

impl BusinessHandle {
    /// Adds a turn of the caller, and the receptionist's answer. A repeated request gets the stored response. The
    /// stored response contains no texts, so this function adds the texts from the conversation. If the future is
    /// dropped, for example because the client disconnects, the turn still completes. So the turn and the tokens
    /// that it has used are stored.
    ///
    /// # Errors
    /// [`Refusal::UnderWay`] while another turn of the conversation is in progress.
    pub async fn take_turn(&self, request: Request, turn: TakeTurn) -> Result<Answer<TurnsTakenView>> {
        let handle = self.clone();
        let taking = async move { handle.turn_to_its_end(request, turn).await };
        match tokio::spawn(taking.in_current_span()).await {
            Ok(answer) => answer,
            Err(ended) => match ended.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(EngineError::Stopping),
            },
        }
    }

    async fn turn_to_its_end(&self, request: Request, turn: TakeTurn) -> Result<Answer<TurnsTakenView>> {
        let (began, id) = (Instant::now(), turn.id);
        let answer = match self.businesses.talking.model() {
            Some(model) => self.turn_with(&model, request, turn).await?,
            None => self.with_index(|| self.change(request.clone(), turn.clone())).await?,
        };
        if answer.replayed {
            return self.with_words(answer).await;
        }
        let found = self.read(|store| store.get::<Conversation>(&keys::conversation(self.id, id))).await?;
        if let Some(found) = found {
            self.businesses.talking.figures.turn(found.channel, began.elapsed(), &answer.value.turns);
        }
        Ok(answer)
    }

    async fn turn_with(
        &self,
        model: &Model,
        request: Request,
        turn: TakeTurn,
    ) -> Result<Answer<TurnsTakenView>> {
        if let Some(kept) = self.remembered::<TakeTurn>(&request).await? {
            return Ok(kept);
        }
        let held = self.businesses.talking.turns.take_owned((self.id, turn.id));
        let _held = held.ok_or(Refusal::UnderWay { what: UnderWay::Turn, details: Vec::new() })?;
        let (asking, asked) = (request.clone(), turn.clone());
        let prepared = self.ask(move |state, now| prepare(state, &asking, &asked, now)).await?;
        let Some(mut prepared) = prepared else {
            return self.with_index(|| self.change(request.clone(), turn.clone())).await;
        };
        let rounds = self.rounds(model, &request, &mut prepared).await?;
        let finish = FinishTurn { turn, prepared, rounds };
        self.with_index(|| self.change(request.clone(), finish.clone())).await
    }

    /// Runs the rounds of the model. If the result contains no rounds, for example after a failure of the model, the
    /// guided path answers the turn. A function call of the model may need a read or the preview of a change from the
    /// engine. The answer to a read is added to `prepared`, because the last step of the turn uses this answer.
    async fn rounds(&self, model: &Model, request: &Request, prepared: &mut Prepared) -> Result<Rounds> {
        let began = Instant::now();
        let deadline = began + TURN_TIME_MAX;
        let is_website = prepared.before.channel == Channel::Website;
        let counted = Counted {
            business: self.id,
            date: prepared.date,
            is_website,
            tokens_per_day: prepared.tokens_per_day,
        };
        model.tokens.add_stored(&counted, prepared.used_today);
        let mut draft = prepared.draft.clone();
        // If the model requests a change, the answer is only a preview, because the change has not been made yet. The
        // rounds need the preview, so it is added to `answers`. It is not added to `prepared.answers`, because the last
        // step of the turn makes the change and determines the final answer.
        let mut answers: Answers = prepared.answers.clone();
        let (mut rounds, mut used): (Vec<Round>, u64) = (Vec::new(), 0);
        let mut first_token = None;
        'rounds: while model.tokens.allow(&counted, prepared.tokens + used) {
            let body = |settings: &_| draft.body(&prepared.facts, settings);
            let (round, tokens) = model.round(&counted, body, (FIRST_TOKEN_TIME_MAX, deadline)).await;
            used += tokens;
            first_token =
                first_token.or_else(|| Some(round.as_ref().map_or_else(Instant::now, |it| it.first_token)));
            let Some(Received { round, has_failed, .. }) = round else {
                // The model failed in this round. The earlier rounds are dropped too, because their sentences only
                // announce the results of function calls, and no later round reports these results.
                rounds.clear();
                break;
            };
            for sentence in &round.sentences {
                draft.sentence(sentence, &prepared.facts);
            }
            let functions_by = deadline.max(Instant::now() + FUNCTIONS_TIME_MIN);
            for call in &round.calls {
                while let Err(ask) = draft.call(call, &prepared.facts, &answers) {
                    let answer = self.with_index(|| {
                        let (asking, of, it) = (request.clone(), prepared.asking(), (*ask).clone());
                        self.ask(move |state, now| asked_in_turn(state, &asking, &of, &it, now))
                    });
                    let Ok(answer) = timeout_at(functions_by, answer).await else {
                        rounds.clear();
                        break 'rounds;
                    };
                    let (answer, code) = answer?;
                    prepared.note(&answer, code);
                    if !ask.is_change() {
                        prepared.answers.add((*ask).clone(), answer.clone());
                    }
                    answers.add(*ask, answer);
                }
            }
            rounds.push(round);
            if !draft.wants_more() || has_failed {
                break;
            }
        }
        let is_call = prepared.before.channel == Channel::Voice;
        let is_late = is_call && first_token.is_some_and(|first| first - began > MOMENT_AFTER);
        Ok(Rounds { rounds, tokens: used, is_late })
    }
}
