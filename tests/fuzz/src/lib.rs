//! The fuzz targets, one module each. `check` takes any bytes and panics if a promise is broken.
//!
//! `cargo fuzz` calls them with coverage (`fuzz_targets/`). `tests/fuzz_replay.rs` calls them on stable Rust with the
//! corpus and inputs derived from it.

#![allow(clippy::unwrap_used, reason = "a check stops where something is wrong, and `unwrap` shows where")]

pub mod assistants;
pub mod cursors;
pub mod records;
pub mod requests;
pub mod store;
pub mod urls;
