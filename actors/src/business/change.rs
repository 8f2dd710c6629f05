//! A change: what it is decided on, and what it asks of the disk.

use super::context::Context;
use super::decision::Decision;
use super::request::Answer;
use crate::error::EngineError;
use crate::store::{StoreError, Weight};

/// A change that the business actor can be asked for.
pub trait Change: Send {
    /// Decides the change.
    ///
    /// # Errors
    /// The refusal, or the store's failure; then nothing is changed.
    fn decide(self: Box<Self>, context: &mut Context<'_>) -> Result<Decision, EngineError>;

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
}

/// The weight of a change to a record that is there: it frees if it `ends` something and changes nothing beside it, else
/// whoever changes more each time would write on.
pub(super) fn weight_of_change(ends: bool, changes_more: bool) -> Weight {
    if ends && !changes_more { Weight::Frees } else { Weight::Grows }
}
