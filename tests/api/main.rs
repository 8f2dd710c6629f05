//! The service as its clients see it: the real server, real connections, a clock that the tests move.

#![allow(clippy::unwrap_used, reason = "a test stops where something is wrong, and `unwrap` shows where")]

mod audit;
mod availability;
mod bad_input;
mod booking;
mod business;
mod cancel;
mod catalog;
mod concurrency;
mod contacts;
mod cursors;
mod etag;
mod fuzz;
mod gate;
mod harness;
mod idempotency;
mod keys;
mod listing;
mod metrics;
mod modes;
mod operator;
mod rate_limit;
mod reschedule;
mod tenancy;
