//! What moves, and what can be wrong with it.

use crate::domain::{
    Appointment, BlockedTime, Business, CallRecord, Contact, Knowledge, Problem, Retention, Service,
    SpecialDay, StaffMember, TakenMessage, WebhookEndpoint,
};
use crate::error::EngineError;
use crate::store::keys::kind;
use crate::store::{DiskFull, Record, StoreError};

/// Declares the kinds of records in the order in which they come: the record of each, the word by which lines name it, and
/// its kind of rows.
macro_rules! kinds {
    ($($(#[$about:meta])* $kind:ident($record:ty) $word:literal $rows:ident;)*) => {
        /// A record on its way, in the order in which they come: a business, what it has, its end.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "there is one of it at a time")]
        pub enum Moved {
            $($(#[$about])* $kind($record),)*
            /// The business is whole: it had so many records, itself included.
            End {
                /// How many.
                records: u64,
            },
        }

        /// A kind of records; they are ordered as they come.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum MovedKind {
            $($(#[$about])* $kind,)*
        }

        impl MovedKind {
            /// All of them in their order.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// The word by which lines name it.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$kind => $word,)*
                }
            }

            /// The kind of rows in which such records stand.
            pub(super) const fn rows(self) -> u8 {
                match self {
                    $(Self::$kind => kind::$rows,)*
                }
            }

            /// The record that is in a row.
            pub(super) fn decode(self, row: &[u8]) -> Result<Moved, StoreError> {
                match self {
                    $(Self::$kind => Record::decode(row).map(Moved::$kind),)*
                }
            }
        }

        impl Moved {
            /// Its kind; none for the end of a business.
            pub const fn kind(&self) -> Option<MovedKind> {
                match self {
                    $(Self::$kind(_) => Some(MovedKind::$kind),)*
                    Self::End { .. } => None,
                }
            }
        }
    };
}

kinds! {
    /// A business; what follows is its own.
    Business(Business) "business" PROFILE;
    /// For how long it keeps what has happened, where somebody has ever said so.
    Retention(Retention) "retention" RETENTION;
    /// A service.
    Service(Service) "service" SERVICE;
    /// A staff member.
    Staff(StaffMember) "staff" STAFF;
    /// A special day.
    SpecialDay(SpecialDay) "special_day" SPECIAL_DAY;
    /// Time that a staff member has off.
    TimeOff(BlockedTime) "time_off" BLOCKED_TIME;
    /// A contact.
    Contact(Contact) "contact" CONTACT;
    /// An appointment.
    Appointment(Appointment) "appointment" APPOINTMENT;
    /// A call.
    Call(CallRecord) "call" CALL;
    /// A message.
    Message(TakenMessage) "message" MESSAGE;
    /// A piece of knowledge.
    Knowledge(Knowledge) "knowledge" KNOWLEDGE;
    /// A webhook endpoint, with its secret.
    Webhook(WebhookEndpoint) "webhook" WEBHOOK;
}

impl MovedKind {
    /// The kind that lines name by this word, if any.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.word() == word)
    }
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
