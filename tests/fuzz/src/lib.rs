//! What is tried with made-up bytes, one module a target: `check` takes any bytes and panics when a promise is broken.
//!
//! `cargo fuzz` calls them with coverage (`fuzz_targets/`), and `tests/fuzz_replay.rs` on stable Rust with the corpus
//! and what it makes of it.

#![allow(clippy::unwrap_used, reason = "a check stops where something is wrong, and `unwrap` shows where")]

pub mod assistants;
pub mod cursors;
pub mod records;
pub mod requests;
pub mod store;
pub mod urls;
