//! The public API (spec §4), under `/v1`: one file per resource, every route in the table of `router`.
//!
//! What always holds: the checks come in one order, whatever the endpoint: key, rate, path and method, suspension,
//! scope, syntax, idempotency, state. Every request acts on the business of its key and on no other.

pub(crate) mod access;
mod appointments;
mod availability;
mod business;
mod calls;
mod catalog;
mod contacts;
mod gate;
mod knowledge;
mod me;
mod messages;
mod rate_limit;
mod router;
mod webhooks;

pub(crate) use router::{router, table};
