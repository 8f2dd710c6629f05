//! What the public and the operator API share, without knowledge of the business: reading bodies and queries,
//! answers, errors, cursors, entity tags and request ids.
//!
//! What always holds in it:
//!
//! - [`error::ApiError`] is the one place where a fault becomes a status and an error body;
//! - every value type is parsed in one place, [`values`], whether it stands in a body or in a query;
//! - what is read is read whole: every problem of a request is found and named with its place, up to
//!   [`read::PROBLEMS_MAX`];
//! - nothing from outside is kept without a bound.

pub mod body;
pub(crate) mod call;
pub(crate) mod contact;
pub mod cursor;
pub mod describe;
pub mod envelope;
pub mod error;
pub mod etag;
pub mod json;
mod object;
pub mod query;
pub mod read;
pub mod request_id;
pub(crate) mod routes;
pub mod values;
