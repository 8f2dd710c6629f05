//! A change of a business.

use domain::Right;
use store::Weight;

use super::context::Context;
use super::decision::Decision;
use super::request::{Answer, Gives};
use crate::error::Result;

pub trait Change: Send + Sized {
    type Gives: Gives;
    /// On a nearly full disk, the store refuses changes depending on this weight.
    const WEIGHT: Weight = Weight::Grows;
    /// The right that a member needs for this change. `None` when the change checks the member itself.
    const RIGHT: Option<Right> = Some(Right::Settings);

    /// Decides the change. After an error nothing is changed.
    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>>;

    /// Builds the answer to a repeated request. The stored answer may omit parts that the request repeats.
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

/// The weight of a change to an existing record. A change that ends something has [`Weight::Frees`] only if
/// it changes nothing else. Otherwise a client could fill the disk with the other changes.
pub(super) fn weight_of_change(ends: bool, changes_more: bool) -> Weight {
    if ends && !changes_more { Weight::Frees } else { Weight::Grows }
}
