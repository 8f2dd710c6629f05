//! Changes of a business: the trait of a change, and its type-erased form for the mailbox.

use std::any::Any;

use domain::Right;
use store::{StoreError, Weight};

use super::context::Context;
use super::decision::{Decided, Decision};
use super::remembered::read_kept;
use super::request::{Answer, AnswerStatus, Gives};
use crate::error::EngineError;

pub trait Change: Send + Sized {
    type Gives: Gives;

    /// Decides the change. After an error nothing is changed.
    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError>;

    /// Builds the answer to a repeated request from the stored answer. A stored answer may lack parts that
    /// the request itself contains.
    fn replay(&self, remembered: <Self::Gives as Gives>::Value) -> <Self::Gives as Gives>::Value {
        remembered
    }

    /// How the change affects the usage of the disk. On a nearly full disk, the store refuses changes
    /// depending on this weight.
    fn weight(&self) -> Weight;

    /// The right that a member needs for this change. `None` when the change checks the member itself.
    fn needs(&self) -> Option<Right> {
        Some(Right::Settings)
    }
}

pub type AnswerOf<C> = Answer<<<C as Change>::Gives as Gives>::Value>;

/// The value of an answer without its type, which only the change knows.
pub(crate) type AnyValue = Box<dyn Any + Send>;

pub(crate) trait AnyChange: Send {
    fn status(&self) -> AnswerStatus;

    /// Also returns the answer in the form in which it is stored for a repeat.
    fn decide_any(
        self: Box<Self>,
        context: &mut Context<'_>,
        is_kept: bool,
    ) -> Result<(Decided, AnyValue, Option<Vec<u8>>), EngineError>;

    fn replay_any(&self, kept: &[u8]) -> Result<AnyValue, StoreError>;

    fn weight_any(&self) -> Weight;

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

/// The weight of a change to an existing record. It is [`Weight::Frees`] only if it ends something and
/// changes nothing else. Otherwise a client could fill the disk with small extra changes.
pub(super) fn weight_of_change(ends: bool, changes_more: bool) -> Weight {
    if ends && !changes_more { Weight::Frees } else { Weight::Grows }
}
