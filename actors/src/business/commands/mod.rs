//! The changes a business can be asked for, one file per group.
//!
//! Each reads what it needs from the desk, lets the pure rules of [`crate::domain`] decide, and hands back a
//! [`Decision`] as data. None of them writes anything itself.

pub mod appointments;
pub mod budget;
pub mod calls;
pub mod catalog;
pub mod contacts;
pub mod keys;
pub mod knowledge;
pub mod messages;
pub mod profile;
pub mod webhooks;

use super::desk::{Decision, Desk};
use crate::engine::EngineError;

/// A change that the business actor can be asked for.
pub trait Change: Send {
    /// Decides the change.
    ///
    /// # Errors
    /// The refusal, or the store's failure; then nothing is changed.
    fn decide(self: Box<Self>, desk: &mut Desk<'_>) -> Result<Decision, EngineError>;
}

/// Which of its views a resource is answered in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// An integration's.
    Integration,
    /// The operator's.
    Operator,
}
