//! A change to a business, which the business's actor decides.

use domain::Right;
use store::Weight;

use super::context::Context;
use super::decision::Decision;
use super::listed::Listed;
use super::request::{Answer, Gives};
use crate::error::Result;

pub trait Change: Listed + Send + Sized {
    type Gives: Gives;
    /// The weight decides whether the store refuses the change on a nearly full disk.
    const WEIGHT: Weight = Weight::Grows;
    /// The right that a member needs for this change. It is `None` if [`Self::decide`] checks the member.
    const RIGHT: Option<Right> = Some(Right::Settings);

    /// Decides the change. If this function returns an error, nothing is changed.
    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>>;

    /// Builds the answer to a repeated request. Adds to the stored answer the parts that are not stored.
    fn replay(&self, remembered: <Self::Gives as Gives>::Value) -> <Self::Gives as Gives>::Value {
        remembered
    }

    fn weight(&self) -> Weight {
        Self::WEIGHT
    }

    fn needs(&self) -> Option<Right> {
        Self::RIGHT
    }
}

pub type AnswerOf<C> = Answer<<<C as Change>::Gives as Gives>::Value>;

/// The weight of a change to an existing record. The weight is [`Weight::Frees`] only if the change ends or disables
/// the record and changes no other field. All other changes have the weight [`Weight::Grows`], because a client could
/// fill the disk with them.
pub(super) fn weight_of_change(ends: bool, changes_more: bool) -> Weight {
    if ends && !changes_more { Weight::Frees } else { Weight::Grows }
}
