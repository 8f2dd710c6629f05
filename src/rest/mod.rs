//! What everything that serves the engine over HTTP has in common, whoever may come: a table of routes whose handlers
//! say by their signatures what they take and what they give.
//!
//! ```text
//! Route      a row of the table of `http`, with what the document says beside
//! Gate       authenticates whoever asks, authorizes them for the route, and makes the request a Context
//! Input      what a handler takes: Query, Body, Streamed, Business, Path
//! Output     what it gives: One, Changed, Created, Done, Listed, Plain, Accepted, Ending, Gone, Lines
//! ```
//!
//! What always holds in it:
//!
//! - router and document are made from the same table, and from the same signatures;
//! - syntax is told before what is named, and what is named before the state ([`input`]);
//! - [`error::ApiError`] is the one place where a fault becomes a status and an error body;
//! - a value type is parsed in one place, [`values`], whether it stands in a body, in a query or in a path.

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

/// What the file of a resource names.
pub(crate) mod prelude {
    pub(crate) use super::context::Context;
    pub(crate) use super::error::ApiError;
    pub(crate) use super::input::{Body, Business, Path, Query, Streamed};
    pub(crate) use super::list::{ListQuery, PlainList};
    pub(crate) use super::output::{
        Accepted, Changed, Created, Done, Ending, Gone, Lines, Listed, One, Plain,
    };
    pub(crate) use super::values::RecordId;
}
