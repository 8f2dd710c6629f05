//! Moving house: reading the businesses of a store as records, and writing them into another one.
//!
//! It works on stores that no engine runs on. What always holds:
//!
//! - ids and stamps stay as they were; an import only ever makes businesses that the store did not know;
//! - a business under import is nobody's: what it will be stands apart (`keys::moving`), and its records under an id
//!   that no list names and no engine finds, until it is opened in one batch;
//! - businesses are opened only once everything that was read is good and on the disk. An import that broke off before
//!   that is taken back, one that broke off after it is finished, by [`settle`], which comes before every other; until
//!   then no engine starts on the store;
//! - memory goes with the services and staff members of one business, and with nothing else.

mod checks;
mod leave;
mod settle;
mod staged;
mod take;

use crate::domain::{
    Appointment, Business, CallRecord, Contact, Knowledge, Problem, Service, StaffMember, TakenMessage,
    WebhookEndpoint,
};
use crate::store::{DiskFull, Store, StoreError};

pub use leave::{LeftOut, Which, leave, meant};
pub use settle::{Settled, settle};
pub use take::Import;

/// How many rows are read, or deleted, in one step.
const ROWS_PER_STEP: usize = 512;

/// A record on its way, in the order in which they come: a business, what it has, its end.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "there is one of it at a time")]
pub enum Moved {
    /// A business; what follows is its own.
    Business(Business),
    /// A service.
    Service(Service),
    /// A staff member.
    Staff(StaffMember),
    /// A contact.
    Contact(Contact),
    /// An appointment.
    Appointment(Appointment),
    /// A call.
    Call(CallRecord),
    /// A message.
    Message(TakenMessage),
    /// A piece of knowledge.
    Knowledge(Knowledge),
    /// A webhook endpoint, with its secret.
    Webhook(WebhookEndpoint),
    /// The business is whole: it had so many records, itself included.
    End {
        /// How many.
        records: u64,
    },
}

/// Why nothing could be moved.
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    /// The store failed, or is not one to be moved from or to.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The disk of the store has no room for more.
    #[error(transparent)]
    Full(#[from] DiskFull),
}

/// What is wrong with one of the records that were read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// On which line it stood.
    pub line: u64,
    /// What is wrong.
    pub problem: Problem,
}

/// Refuses a store on which an import was begun and has not come to its end.
pub(crate) fn check_finished(store: &Store) -> Result<(), StoreError> {
    if settle::is_unfinished(store)? { Err(StoreError::ImportUnfinished) } else { Ok(()) }
}
