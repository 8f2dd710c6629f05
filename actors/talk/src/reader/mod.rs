//! The meaning of the caller's words, in English and French.
//!
//! A *reading* is the meaning of some words: a set of dates, of times of day, or of names. The rules intersect a
//! reading with the possible times or names. Invariants:
//!
//! - Both languages are read at once, so a caller may mix them.
//! - An empty reading means that the words were not understood. Words with a negation have an empty reading, but
//!   `clear` recognises a clear no.

mod clear;
mod dates;
mod details;
mod language;
mod menu;
mod names;
mod numbers;
mod phrases;
mod questions;
#[cfg(test)]
mod tests;
mod times;
mod tokens;
mod when;

pub use self::clear::{Clear, bare_number, clear, is_farewell};
pub use self::details::{code, email, is_opt_out, person_name, phone};
pub use self::language::language;
pub use self::menu::{Entry, entries};
pub use self::names::{Named, names};
pub(crate) use self::numbers::cardinal;
pub use self::numbers::position;
pub(crate) use self::phrases::{has_phrase, plain};
pub use self::phrases::{is_emergency, is_person};
pub use self::questions::{asks_for_fact, is_question};
pub use self::times::Times;
pub use self::when::{Context, Expect, Mention, Reading, mentions, read};
