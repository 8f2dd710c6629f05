//! The changes a business can be asked for, one file per group.
//!
//! Each reads what it needs from the context, lets the pure rules of [`domain`] decide, and hands back a
//! [`Decision`](super::Decision) as data. None of them writes anything itself.

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

/// A change that is answered as the business's team sees the resource.
#[derive(Clone, Debug)]
pub struct ForOperator<C>(pub C);

/// Implements [`Change`](super::Change) for changes that the day brings: as they are, answered as integrations see the
/// resource, and [for the operator](ForOperator). Both are decided by the type's `decide_as`.
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
