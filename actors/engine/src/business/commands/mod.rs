//! The changes of a business, one file per group.
//!
//! A change reads from the context, applies the pure rules of [`domain`] and returns a
//! [`Decision`](super::Decision). It writes nothing itself.

pub mod alerts;
pub mod appointments;
pub mod budget;
pub mod calls;
pub mod catalog;
pub mod contacts;
pub mod diary;
pub mod erasure;
pub mod guarded;
pub mod keys;
pub mod knowledge;
pub mod mails;
pub mod messages;
pub mod offers;
pub mod people;
pub mod profile;
pub mod webhooks;

/// A change with the team's view of the resource as its answer.
#[derive(Clone, Debug)]
pub struct ForOperator<C>(pub C);

/// Implements [`Change`](super::Change) twice for a change: with the integrations' view as its answer, and
/// [for the operator](ForOperator). Both use the type's `decide_as`.
macro_rules! for_both {
    ($($change:ident => $gives:ident<$public:ty, $operator:ty>, $weight:ident;)*) => {$(
        $crate::business::commands::for_both!(@one $change, $gives<$public>, $weight, |change| change);
        $crate::business::commands::for_both!(
            @one $crate::business::commands::ForOperator<$change>, $gives<$operator>, $weight, |change| change.0
        );
    )*};
    (@one $change:ty, $gives:ty, $weight:ident, |$given:ident| $inner:expr) => {
        impl $crate::business::change::Change for $change {
            type Gives = $gives;

            fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
                let $given = self;
                $inner.decide_as(context)
            }

            fn weight(&self) -> ::store::Weight {
                ::store::Weight::$weight
            }

            fn needs(&self) -> Option<::domain::Right> {
                Some(::domain::Right::Day)
            }
        }
    };
}
use for_both;
