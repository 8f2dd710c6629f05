//! The fuzz targets. Each is a module whose function `check` accepts any bytes and panics if a rule is
//! violated.
//!
//! `cargo fuzz` calls them with coverage (`fuzz_targets/`). `tests/fuzz_replay.rs` calls them on stable Rust,
//! with the corpus and with inputs that are derived from it.

#![allow(clippy::unwrap_used, reason = "a check may panic, and `unwrap` shows the line")]

pub mod assistants;
pub mod cursors;
pub mod records;
pub mod requests;
pub mod store;
pub mod urls;
