//! The public API under `/v1` (spec §4). Each resource has a file, and `router` has the table of all
//! routes.
//!
//! Invariants:
//! - Every endpoint has the same order of checks: key, rate, path and method, suspension, scope, syntax,
//!   idempotency, state.
//! - A request acts only on the business of its key.

pub(crate) mod access;
pub(crate) mod appointments;
pub(crate) mod availability;
mod business;
pub(crate) mod calls;
mod catalog;
pub(crate) mod contacts;
mod gate;
pub(crate) mod knowledge;
mod me;
pub(crate) mod messages;
mod router;
pub(crate) mod webhooks;

pub(crate) use access::Access;
pub(crate) use gate::KeyGate;
pub(crate) use router::{router, table};
