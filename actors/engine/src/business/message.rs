//! What a business's actor is told.

use domain::Timestamp;
use store::Done;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::change::{AnyChange, AnyValue};
use super::request::{Answer, Request};
use super::state::State;
use crate::actor::{Permits, Reply};

/// Computes an answer from the state; the closure it gives back sends it once the state is on the disk.
pub(crate) type Question = Box<dyn FnOnce(&mut State, Timestamp) -> Done + Send>;

/// What a business actor is asked.
pub(crate) enum Message {
    /// Carry out a change.
    Change { request: Request, change: Box<dyn AnyChange>, reply: Reply<Answer<AnyValue>>, permits: Permits },
    /// Answer a question about what is in memory.
    Ask { question: Question },
    /// Answer a question about how much there is, once that is counted.
    AskAccounts { question: Question },
    /// Count some more of what there is.
    Count,
    /// Delete some of what has outlived its time.
    Sweep,
    /// A step of that is done; there may be more.
    Swept { more: bool },
    /// Delete all of it, a step after the other.
    SweepThrough(SweptThrough),
    /// There may be something to be done in steps.
    Chores,
    /// One of these steps is done.
    Stepped,
    /// Everything that was asked of it before was answered: it ends.
    End,
}

/// Who waits until everything that has outlived its time is deleted, or cannot be just now: it is dropped then. Its permit
/// keeps the actor from being put away meanwhile.
pub(crate) struct SweptThrough {
    pub(crate) _through: oneshot::Sender<()>,
    pub(crate) _permit: OwnedSemaphorePermit,
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Change { .. } => "Change",
            Self::Ask { .. } => "Ask",
            Self::AskAccounts { .. } => "AskAccounts",
            Self::Count => "Count",
            Self::Sweep => "Sweep",
            Self::Swept { .. } => "Swept",
            Self::SweepThrough(_) => "SweepThrough",
            Self::Chores => "Chores",
            Self::Stepped => "Stepped",
            Self::End => "End",
        })
    }
}
