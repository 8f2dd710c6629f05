//! The public API under `/v1`. Each resource has a file, and `router` contains the table of all routes.
//!
//! Invariants:
//! - Every endpoint has the same order of checks: key, rate limit, path and method, suspension, scope,
//!   syntax, idempotency key, state.
//! - A request reads and changes only the business of its key.

pub(crate) mod appointments;
pub(crate) mod availability;
mod business;
pub(crate) mod contacts;
pub(crate) mod conversations;
mod gate;
mod router;
pub(crate) mod webhooks;

pub(crate) use gate::{Access, KeyGate, limited};
pub(crate) use router::{router, table};
