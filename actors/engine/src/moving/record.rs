//! The records of an export, and the problems of an import.

use domain::{BusinessId, CallId, ContactId, Problem, Timestamp};
use store::kept::{self, Kept, Stamped};
use store::{Batch, Key, Record, StoreError};

use crate::business::{BusinessHandle, ErasedContacts, Page, PageRequest, Personal};
use crate::error::EngineError;

/// Declares the kinds of exported records from the store's table of records.
macro_rules! declare {
    (
        exported {
            $($kind:ident($record:ident) $word:literal $([$($mark:tt)+])* { $($_facts:tt)* })*
        }
        others { $($_other:ident $([$($other_mark:tt)+])* { $($_other_facts:tt)* })* }
    ) => {
        $($(declare!(@other $($other_mark)+);)*)*

        /// A line of an export. The lines of a business are in the order of these variants.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "one value exists at a time")]
        pub enum Moved {
            $($kind(domain::$record),)*
            /// The line after the records of a business. It contains the number of these records, including the
            /// business itself.
            End {
                records: u64,
            },
        }

        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum MovedKind {
            $($kind,)*
        }

        impl MovedKind {
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$kind => $word,)*
                }
            }

            pub(super) const fn rows(self) -> u8 {
                match self {
                    $(Self::$kind => domain::$record::KIND,)*
                }
            }

            /// True if records of this kind have an id.
            pub(super) const fn has_id(self) -> bool {
                match self {
                    $(Self::$kind => declare!(@has_id $([$($mark)+])*),)*
                }
            }

            /// True if a record of this kind may belong to a contact.
            pub const fn is_of_contact(self) -> bool {
                match self {
                    $(Self::$kind => domain::$record::BY_CONTACT.is_some(),)*
                }
            }

            /// Reads the records of this kind that belong to a contact, newest first.
            pub async fn of_contact(
                self,
                business: &BusinessHandle,
                contact: ContactId,
                page: &PageRequest,
            ) -> Result<Page<Moved>, EngineError> {
                match self {
                    $(Self::$kind => {
                        let found = business.records_of_contact::<domain::$record>(contact, page).await?;
                        let items = found.items.into_iter().map(Moved::$kind).collect();
                        Ok(Page { items, next: found.next })
                    })*
                }
            }

            /// True if a business has at most one record of this kind.
            pub(super) const fn is_single(self) -> bool {
                match self {
                    $(Self::$kind => declare!(@is_single $([$($mark)+])*),)*
                }
            }

            pub(super) fn decode(self, row: &[u8]) -> Result<Moved, StoreError> {
                match self {
                    $(Self::$kind => Record::decode(row).map(Moved::$kind),)*
                }
            }
        }

        impl Moved {
            /// Returns the kind of the record, or `None` for [`Self::End`].
            pub const fn kind(&self) -> Option<MovedKind> {
                match self {
                    $(Self::$kind(_) => Some(MovedKind::$kind),)*
                    Self::End { .. } => None,
                }
            }

            /// Returns the key of the record's row, or `None` for [`Self::End`].
            pub(super) fn key(&self, of: BusinessId) -> Option<Key> {
                match self {
                    $(Self::$kind(it) => Some(Kept::key(it, of)),)*
                    Self::End { .. } => None,
                }
            }

            pub(super) fn stamps(&mut self) -> (Timestamp, Timestamp) {
                let stamps = match self {
                    $(Self::$kind(it) => it.stamps(),)*
                    Self::End { .. } => Vec::new(),
                };
                let mut stamps = stamps.into_iter().map(|stamp| *stamp);
                let created_at = stamps.next().unwrap_or(Timestamp::MIN);
                (created_at, stamps.next().unwrap_or(created_at))
            }

            /// Returns the record without the data of the erased contacts.
            pub(super) fn without(
                self,
                theirs: &ErasedContacts,
                is_their_call: impl FnOnce(CallId) -> Result<bool, StoreError>,
            ) -> Result<Self, StoreError> {
                Ok(match self {
                    $(Self::$kind(it) => {
                        Self::$kind(declare!(@without it, theirs, is_their_call, $([$($mark)+])*))
                    })*
                    end @ Self::End { .. } => end,
                })
            }

            pub(super) fn contact(&mut self) -> Option<&mut Option<ContactId>> {
                match self {
                    $(Self::$kind(it) => it.contact(),)*
                    Self::End { .. } => None,
                }
            }

            pub(super) fn put(&self, of: BusinessId, batch: &mut Batch) {
                match self {
                    $(Self::$kind(it) => kept::put(of, None, it, batch),)*
                    Self::End { .. } => {}
                }
            }
        }
    };
    (@without $it:ident, $theirs:ident, $is_their_call:ident, [personal $_stage:literal] $($_marks:tt)*) => {
        $it.without($theirs, $is_their_call)?.unwrap_or($it)
    };
    (@without $it:ident, $theirs:ident, $is_their_call:ident, $_mark:tt $($marks:tt)*) => {
        declare!(@without $it, $theirs, $is_their_call, $($marks)*)
    };
    (@without $it:ident, $_theirs:ident, $_is_their_call:ident,) => { $it };
    (@has_id [dated] $($_marks:tt)*) => { false };
    (@has_id [single] $($_marks:tt)*) => { false };
    (@has_id $_mark:tt $($marks:tt)*) => { declare!(@has_id $($marks)*) };
    (@has_id) => { true };
    (@is_single [single] $($_marks:tt)*) => { true };
    (@is_single $_mark:tt $($marks:tt)*) => { declare!(@is_single $($marks)*) };
    (@is_single) => { false };
    (@other dated) => { compile_error!("only exported kinds may be marked as dated"); };
    (@other single) => { compile_error!("only exported kinds may be marked as single"); };
    (@other $($_mark:tt)+) => {};
}

kept::each_kind!(declare);

impl MovedKind {
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.word() == word)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    pub line: u64,
    pub problem: Problem,
}
