//! What moves, and what can be wrong with it.

use domain::{BusinessId, CallId, Problem, Timestamp};
use store::kept::{self, Kept, Stamped};
use store::{Batch, Key, Record, StoreError};

use crate::business::{Personal, Theirs};

/// Declares the kinds of records that exports contain, from the table of the store.
macro_rules! declare {
    (
        exported {
            $($(#[$about:meta])* $kind:ident($record:ident) $word:literal $($mark:ident)? { $($_facts:tt)* })*
        }
        others $_others:tt
    ) => {
        /// A record on its way, in the order in which they come: a business, what it has, its end.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "there is one of it at a time")]
        pub enum Moved {
            $($(#[$about])* $kind(domain::$record),)*
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
                    $(Self::$kind => domain::$record::KIND,)*
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

            /// Its key in a business; none for the end of a business.
            pub(super) fn key(&self, of: BusinessId) -> Option<Key> {
                match self {
                    $(Self::$kind(it) => Some(Kept::key(it, of)),)*
                    Self::End { .. } => None,
                }
            }

            /// Whether it has an id, which its key ends with.
            pub(super) const fn has_id(&self) -> bool {
                match self {
                    $(Self::$kind(_) => declare!(@has_id $($mark)?),)*
                    Self::End { .. } => false,
                }
            }

            /// When it was created and when it last changed.
            pub(super) fn stamps(&mut self) -> (Timestamp, Timestamp) {
                let stamps = match self {
                    $(Self::$kind(it) => it.stamps(),)*
                    Self::End { .. } => Vec::new(),
                };
                let mut stamps = stamps.into_iter().map(|stamp| *stamp);
                let created_at = stamps.next().unwrap_or(Timestamp::MIN);
                (created_at, stamps.next().unwrap_or(created_at))
            }

            /// The record as the erasure of these contacts will leave it.
            pub(super) fn without(
                self,
                theirs: &Theirs,
                is_their_call: impl FnOnce(CallId) -> Result<bool, StoreError>,
            ) -> Result<Self, StoreError> {
                Ok(match self {
                    $(Self::$kind(it) => {
                        Self::$kind(declare!(@without it, theirs, is_their_call $(, $mark)?))
                    })*
                    end @ Self::End { .. } => end,
                })
            }

            /// Writes it as a new record of a business.
            pub(super) fn put(&self, of: BusinessId, batch: &mut Batch) {
                match self {
                    $(Self::$kind(it) => kept::put(of, None, it, batch),)*
                    Self::End { .. } => {}
                }
            }
        }
    };
    (@without $it:ident, $theirs:ident, $is_their_call:ident, personal) => {
        $it.without($theirs, $is_their_call)?.unwrap_or($it)
    };
    (@without $it:ident, $_theirs:ident, $_is_their_call:ident $(, dated)?) => { $it };
    (@has_id dated) => { false };
    (@has_id $(personal)?) => { true };
}

kept::each_kind!(declare);

impl MovedKind {
    /// The kind that lines name by this word, if any.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.word() == word)
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
