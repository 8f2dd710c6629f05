//! What a person's actor is told.

use domain::{AuditAction, Person, Timestamp};
use store::{Done, Weight};
use tokio::sync::OwnedSemaphorePermit;

use crate::actor::Permits;
use crate::error::EngineError;
use crate::mail::NewMail;

/// What becomes of a person.
#[derive(Debug)]
pub(crate) enum Fate {
    /// Nothing changes.
    Stays,
    /// It is as here.
    Is(Box<Person>),
    /// It is no more.
    Gone,
}

/// What a change comes to.
pub(crate) struct Decided {
    pub(super) fate: Fate,
    /// What the audit log says of it, if anything: what was done, and the fields that it gave other values.
    pub(super) note: Option<Note>,
    /// What is mailed of it, if anything, where mail is sent. It concerns the account alone.
    pub(super) mail: Option<NewMail>,
    /// Answers, once that is on the disk.
    pub(super) done: Done,
}

/// What the audit log says of a change.
#[derive(Debug)]
pub(crate) struct Note {
    pub(super) by: domain::Actor,
    pub(super) action: AuditAction,
}

/// Decides a change on the newest state; the error is that there is no such person, or no room.
pub(crate) type Change = Box<dyn FnOnce(Result<&Person, EngineError>, Timestamp) -> Decided + Send>;

/// What a person's actor is told.
pub(crate) enum Message {
    /// Carry out a change.
    Change { change: Change, weight: Weight, permits: Permits },
    /// A session was used.
    Used { hash: [u8; 32], at: Timestamp, permit: OwnedSemaphorePermit },
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Change { .. } => "Change",
            Self::Used { .. } => "Used",
        })
    }
}
