//! A change: what it is decided on, and what it asks of the disk.

use std::any::Any;

use domain::Right;
use store::{StoreError, Weight};

use super::context::Context;
use super::decision::{Decided, Decision};
use super::remembered::read_kept;
use super::request::{Answer, AnswerStatus, Gives};
use crate::error::EngineError;

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
    fn replay(&self, remembered: <Self::Gives as Gives>::Value) -> <Self::Gives as Gives>::Value {
        remembered
    }

    /// How much room on the disk it asks for: on a nearly full one it is refused by that.
    fn weight(&self) -> Weight;

    /// What one of the business's people has to have a right to, to ask for it. `None` where it looks itself at who
    /// asks.
    fn needs(&self) -> Option<Right> {
        Some(Right::Settings)
    }
}

/// The answer to a change of this type.
pub type AnswerOf<C> = Answer<<<C as Change>::Gives as Gives>::Value>;

/// The value of an answer, whose type the change knows.
pub(crate) type AnyValue = Box<dyn Any + Send>;

/// A change of any kind, as the actor takes it.
pub(crate) trait AnyChange: Send {
    /// What kind of answer it gives.
    fn status(&self) -> AnswerStatus;

    /// See [`Change::decide`]; gives what is done, the answer, and the answer as it is kept where the request is.
    fn decide_any(
        self: Box<Self>,
        context: &mut Context<'_>,
        is_kept: bool,
    ) -> Result<(Decided, AnyValue, Option<Vec<u8>>), EngineError>;

    /// See [`Change::replay`].
    fn replay_any(&self, kept: &[u8]) -> Result<AnyValue, StoreError>;

    /// See [`Change::weight`].
    fn weight_any(&self) -> Weight;

    /// See [`Change::needs`].
    fn needs_any(&self) -> Option<Right>;
}

impl<C: Change> AnyChange for C {
    fn status(&self) -> AnswerStatus {
        C::Gives::STATUS
    }

    fn decide_any(
        self: Box<Self>,
        context: &mut Context<'_>,
        is_kept: bool,
    ) -> Result<(Decided, AnyValue, Option<Vec<u8>>), EngineError> {
        let (decided, value, kept) = self.decide(context)?.into_parts(is_kept);
        Ok((decided, Box::new(value), kept))
    }

    fn replay_any(&self, kept: &[u8]) -> Result<AnyValue, StoreError> {
        Ok(Box::new(self.replay(read_kept::<C::Gives>(kept)?)))
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
