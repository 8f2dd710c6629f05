//! What moves, and what can be wrong with it.

use crate::domain::{
    Appointment, BlockedTime, Business, CallRecord, Contact, Knowledge, Problem, Retention, Service,
    SpecialDay, StaffMember, TakenMessage, WebhookEndpoint,
};
use crate::error::EngineError;
use crate::store::{DiskFull, StoreError};

/// A record on its way, in the order in which they come: a business, what it has, its end.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "there is one of it at a time")]
pub enum Moved {
    /// A business; what follows is its own.
    Business(Business),
    /// For how long it keeps what has happened, where somebody has ever said so.
    Retention(Retention),
    /// A service.
    Service(Service),
    /// A staff member.
    Staff(StaffMember),
    /// A special day.
    SpecialDay(SpecialDay),
    /// Time that a staff member has off.
    TimeOff(BlockedTime),
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
    /// The engine beside which it goes on takes no more of it, for it ends.
    #[error("the service is stopping")]
    Stopping,
}

impl From<MoveError> for EngineError {
    fn from(error: MoveError) -> Self {
        match error {
            MoveError::Store(error) => error.into(),
            MoveError::Full(error) => error.into(),
            MoveError::Stopping => Self::Stopping,
        }
    }
}

/// What is wrong with one of the records that were read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// On which line it stood.
    pub line: u64,
    /// What is wrong.
    pub problem: Problem,
}
