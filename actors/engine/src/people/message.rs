use domain::{AuditAction, Person, Timestamp};
use store::{Done, Weight};
use tokio::sync::OwnedSemaphorePermit;

use crate::error::EngineError;
use crate::mail::NewMail;

/// The new state of a person.
#[derive(Debug)]
pub(crate) enum Outcome {
    Unchanged,
    Changed(Box<Person>),
    Deleted,
}

/// The result of a change.
pub(crate) struct Decided {
    pub(super) outcome: Outcome,
    /// The audit entry, if any.
    pub(super) note: Option<Note>,
    /// The mail about the account, if there is one. It is written only if mail is on.
    pub(super) mail: Option<NewMail>,
    /// Called after the commit.
    pub(super) done: Done,
}

/// An audit entry: the action and the changed fields.
#[derive(Debug)]
pub(crate) struct Note {
    pub(super) by: domain::Actor,
    pub(super) action: AuditAction,
}

/// Decides a change on the newest state. Fails if the person does not exist or the disk has no room.
pub(crate) type Change = Box<dyn FnOnce(Result<&Person, EngineError>, Timestamp) -> Decided + Send>;

pub(crate) enum Message {
    Change { change: Change, weight: Weight },
    Used { hash: [u8; 32], at: Timestamp, permit: OwnedSemaphorePermit },
}
