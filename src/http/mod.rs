//! HTTP without knowledge of the business: tables of routes and their router, reading bodies, queries and headers, and
//! writing answers.
//!
//! ```text
//! Surface    a part of the service with a table of routes and a gate: the JSON APIs (`rest`), the dashboard
//! Route      method, path, access, handler, and what the surface says beside
//! Place      a path with its rows, to which the router brings a request; the gate answers it
//! ```
//!
//! What always holds in it:
//!
//! - of the engine it names the form of a problem and of an entity tag, and the ids that are logged, and nothing else;
//! - what is read is read whole: every problem of a request is found and named with its place, up to
//!   [`problems::PROBLEMS_MAX`];
//! - one declaration of a type says how it is read and how it is described ([`crate::json_object`],
//!   [`crate::query_object`]);
//! - nothing from outside is kept without a bound.

pub(crate) mod authorization;
pub mod body;
pub mod cursor;
pub mod envelope;
pub mod etag;
pub(crate) mod idempotency;
pub mod json;
pub mod lists;
pub mod numbers;
pub mod object;
pub(crate) mod packed;
pub mod patch;
pub mod problems;
pub mod query;
pub mod read;
pub mod reading;
pub mod request_id;
pub(crate) mod router;
pub mod schemas;
#[cfg(test)]
pub(crate) mod testing;
