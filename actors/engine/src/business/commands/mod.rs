//! The changes to a business, one file per group.
//!
//! A change reads from the context, applies the pure rules of [`domain`] and returns a [`Decision`](super::Decision).
//! The change itself writes nothing.

pub mod alerts;
pub mod appointments;
pub mod budget;
pub mod calendars;
pub mod calls;
pub mod catalog;
pub mod contacts;
pub mod conversations;
pub mod customers;
pub mod diary;
pub(crate) mod endings;
pub mod erasure;
pub mod feeds;
pub mod guarded;
pub mod keys;
pub mod knowledge;
pub mod mails;
pub mod messages;
pub mod notices;
pub mod offers;
pub mod people;
pub mod profile;
pub mod receptionist;
pub mod webhooks;
pub mod website;
pub mod writing;

use super::listed::listed;

/// A change whose answer contains all fields of the resource that the operator and the team may see.
#[derive(Clone, Debug)]
pub struct ForOperator<C>(pub C);

/// Implements [`Change`](super::Change) for a type and for [`ForOperator`] of the type. The first view is the answer
/// for integrations, and the second view is the answer for the operator and the team. Both implementations call the
/// type's `decide_as`.
macro_rules! for_both {
    ($($change:ident => $gives:ident<$public:ty, $operator:ty>, $weight:ident;)*) => {$(
        impl Change for $change {
            type Gives = $gives<$public>;
            const WEIGHT: Weight = Weight::$weight;
            const RIGHT: Option<Right> = Some(Right::Day);

            fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
                self.decide_as(context)
            }
        }

        impl Change for $crate::business::commands::ForOperator<$change> {
            type Gives = $gives<$operator>;
            const WEIGHT: Weight = $change::WEIGHT;
            const RIGHT: Option<Right> = $change::RIGHT;

            fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
                self.0.decide_as(context)
            }
        }
    )*};
}
use for_both;
