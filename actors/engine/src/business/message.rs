//! The messages of the business actor.

use domain::Timestamp;
use store::Done;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::change::{AnyChange, AnyValue};
use super::request::{Answer, Request};
use super::state::State;
use crate::actor::Reply;

/// Computes an answer from the state. The returned closure sends it after the state is durable.
pub(crate) type Question = Box<dyn FnOnce(&mut State, Timestamp) -> Done + Send>;

pub(crate) enum Message {
    /// Decide and write a change.
    Change { request: Request, change: Box<dyn AnyChange>, reply: Reply<Answer<AnyValue>> },
    /// A question about the state in memory.
    Ask { question: Question },
    /// A question about the usage. It waits until all records are counted.
    AskUsage { question: Question },
    /// Run one step of counting.
    Count,
    /// The background jobs may have work.
    Maintain,
    /// Runs the background jobs for a request that waits until they are done.
    MaintainThrough(Maintained),
    /// A job step is durable.
    Stepped,
    /// Ends the actor after all earlier messages are answered.
    End,
}

/// A request that waits until the background jobs are done or cannot continue now; then the request is
/// dropped. Its permit keeps the actor running.
pub(crate) struct Maintained {
    pub(crate) _done: oneshot::Sender<()>,
    pub(crate) _permit: OwnedSemaphorePermit,
}
