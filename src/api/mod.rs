//! The public API (spec §4), under `/v1`: one file per resource, every route in the table of `router`.
//!
//! What always holds: the checks come in one order, whatever the endpoint: key, rate, path and method, suspension,
//! scope, syntax, idempotency, state. Every request acts on the business of its key and on no other.

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
