//! The lines of an export. A line is JSON with one record.
//! `src/docs/topics/export.md` documents the format.
//!
//! Invariants:
//! - Writing a record as a line and reading the line gives the same record. Reading a line of the current version and
//!   writing it gives the same line.
//! - The first line contains the format and its version. Every version from 2 to the current version is supported. All
//!   other versions are refused.
//! - The last line of a complete export contains the number of businesses. A truncated file does not have this line, so
//!   it is detected. If the store has lost records, the export ends with other lines instead. Each of these lines
//!   contains the recorded number of records of a kind, and the number of records found.
//! - A new version is needed to add, remove or redefine a property.

mod line;
mod read;
mod records;
mod stream;
mod take;
mod talk;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use read::problem_in;
pub(crate) use records::VERSION;
use records::VERSION_MIN;
pub(crate) use stream::{line as exported_line, stream};
pub(crate) use take::{Lines, PROBLEMS_MAX, Taking, place};

pub(crate) const FORMAT: &str = "receptionist-export";
const PROBLEM: &str = "problem";
/// The `kind` of the line after the last record of a business.
const BUSINESS_END: &str = "business_end";
const END: &str = "end";
/// The prefix of a webhook secret. The base64 of the secret follows.
const SECRET_TAG: &str = "whsec_";
/// The maximum length of a line in bytes. The longest record is shorter, even if every character in it is escaped.
const LINE_BYTES_MAX: usize = 1 << 20;
