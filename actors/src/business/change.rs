//! A change: what it is decided on, and what it asks of the disk.

use super::context::Context;
use super::decision::{Decided, Decision};
use super::request::{Answer, AnswerStatus, Gives};
use crate::domain::Right;
use crate::error::EngineError;
use crate::store::{StoreError, Weight};

/// A change that the business actor can be asked for.
pub trait Change: Send + Sized {
    /// What its answer shows.
    type Gives: Gives;

    /// Decides the change.
    ///
    /// # Errors
    /// The refusal, or the store's failure; then nothing is changed.
    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError>;

    /// The answer to the same request again, from what is remembered of the first one: all of it, but for what the
    /// request says itself.
    ///
    /// # Errors
    /// When what is remembered is no such answer.
    fn replay(&self, remembered: Answer) -> Result<Answer, StoreError> {
        Ok(remembered)
    }

    /// How much room on the disk it asks for: on a nearly full one it is refused by that.
    fn weight(&self) -> Weight;

    /// What one of the business's people has to have a right to, to ask for it. `None` where it looks itself at who
    /// asks.
    fn needs(&self) -> Option<Right> {
        Some(Right::Settings)
    }
}

/// A change of any kind, as the actor takes it: what its answer shows was settled where it was asked for.
pub(crate) trait AnyChange: Send {
    /// What kind of answer it gives.
    fn status(&self) -> AnswerStatus;

    /// See [`Change::decide`].
    fn decide_any(self: Box<Self>, context: &mut Context<'_>) -> Result<Decided, EngineError>;

    /// See [`Change::replay`].
    fn replay_any(&self, remembered: Answer) -> Result<Answer, StoreError>;

    /// See [`Change::weight`].
    fn weight_any(&self) -> Weight;

    /// See [`Change::needs`].
    fn needs_any(&self) -> Option<Right>;
}

impl<C: Change> AnyChange for C {
    fn status(&self) -> AnswerStatus {
        C::Gives::STATUS
    }

    fn decide_any(self: Box<Self>, context: &mut Context<'_>) -> Result<Decided, EngineError> {
        self.decide(context).map(Decision::into_decided)
    }

    fn replay_any(&self, remembered: Answer) -> Result<Answer, StoreError> {
        self.replay(remembered)
    }

    fn weight_any(&self) -> Weight {
        self.weight()
    }

    fn needs_any(&self) -> Option<Right> {
        self.needs()
    }
}

/// The weight of a change to a record that is there: it frees if it `ends` something and changes nothing beside it,
/// else whoever changes more each time would write on.
pub(super) fn weight_of_change(ends: bool, changes_more: bool) -> Weight {
    if ends && !changes_more { Weight::Frees } else { Weight::Grows }
}
