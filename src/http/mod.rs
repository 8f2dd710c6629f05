//! HTTP without business knowledge: route tables, router, readers of requests, and writers of responses.
//!
//! ```text
//! Surface     a part of the service with its own route table and gate, for example the dashboard
//! Gate        the access check of a surface, which runs before the handlers
//! Route       method, path, access rule, handler, and data that only the surface of the route uses
//! PathRoutes  a path with the routes of its methods
//! ```
//!
//! Invariants:
//! - The only types of the engine that this module uses are problems, entity tags and the ids for the log.
//! - A reader reports the first [`problems::PROBLEMS_MAX`] problems of a request, each with its path.
//! - One declaration of a type gives its reader and its schema ([`crate::json_object`],
//!   [`crate::query_object`]).
//! - All data of a request that the service holds in memory has a maximum size.

pub(crate) mod assets;
pub(crate) mod authorization;
pub mod body;
pub mod cursor;
pub mod envelope;
pub mod etag;
pub(crate) mod form;
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
