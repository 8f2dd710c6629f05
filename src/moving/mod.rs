//! The lines of an export: JSON, one record a line, documented in `src/docs/topics/export.md`; and contacts in a table.
//!
//! What always holds:
//!
//! - a record that was written and read again is the same, and so is its line;
//! - the first line names the format and its version, and a file of a later version or of version 1 is not read; the last line says
//!   how many businesses there were, so a file that ends early is known. An export that lacks recorded records ends with
//!   lines that name them, and has no last line;
//! - a property that is added, removed or means something else makes another version, and every version from 2 on is read.

mod contacts;
mod conversations;
mod line;
mod read;
mod records;
mod stream;
mod take;
#[cfg(test)]
mod tests;
mod values;
mod webhooks;
mod write;

pub(crate) use contacts::{Flaw, Row, table};
pub(crate) use read::problem_in;
use records::{VERSION, VERSION_MIN};
pub(crate) use stream::stream;
pub(crate) use take::{Lines, PROBLEMS_MAX, Taking, place};

/// What the first line calls the format.
const FORMAT: &str = "receptionist-export";
/// The word that the line of a problem begins with.
const PROBLEM: &str = "problem";
/// The word that the line behind the last record of a business begins with.
const BUSINESS_END: &str = "business_end";
/// The word that the last line begins with.
const END: &str = "end";
/// How the secret of a webhook endpoint begins; the base64 of its bytes follows.
const SECRET_TAG: &str = "whsec_";
/// How many bytes a line may have: more than that of the longest record, each of its characters escaped.
const LINE_BYTES_MAX: usize = 1 << 20;
