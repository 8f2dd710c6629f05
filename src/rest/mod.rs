//! The typed HTTP framework of the JSON APIs. The signature of a handler declares its inputs and its
//! output.
//!
//! ```text
//! Route      a row of the route table, with its text for the API document
//! Gate       authenticates the caller, authorizes the route and builds the Context
//! Input      an argument of a handler: Query, Body, Streamed, CsvFile, Business, Path, PathDate
//! Output     the result of a handler: One, Sent, Removing, Listed, Lines, Table
//! ```
//!
//! Invariants:
//! - The router and the API document come from the same table and the same signatures.
//! - Syntax errors are reported before missing records, and missing records before conflicts ([`input`]).
//! - Only [`error::ApiError`] maps errors to a status and an error body.
//! - Each value type has one parser in [`values`], for bodies, queries and paths.

pub(crate) mod contact;
pub(crate) mod context;
pub(crate) mod error;
pub(crate) mod input;
pub(crate) mod list;
pub(crate) mod output;
pub(crate) mod route;
pub(crate) mod router;
#[cfg(test)]
mod tests;
pub(crate) mod through;
pub(crate) mod values;

pub(crate) mod prelude {
    pub(crate) use super::context::Context;
    pub(crate) use super::error::ApiError;
    pub(crate) use super::input::{Body, Business, CsvFile, Path, Query, Streamed};
    pub(crate) use super::list::{ListQuery, PlainList};
    pub(crate) use super::output::{
        Accepted, Changed, Created, Done, Ending, Gone, Lines, Listed, One, Plain, Removing, Table, Tagged,
    };
    pub(crate) use super::values::RecordId;
}
