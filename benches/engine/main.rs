//! Measures the cost of single operations of the engine: `cargo bench --bench engine`.
//!
//! These operations do not wait for the disk or the network. `cargo bench --bench load` measures the whole service.

#![allow(clippy::unwrap_used, reason = "a benchmark ends at the first error")]

mod encoded;
mod rules;
mod stored;
#[path = "../support/mod.rs"]
mod support;
mod world;

use criterion::{criterion_group, criterion_main};
use encoded::{records, signature};
use rules::{availability, decision, diary};
use stored::{duties, key_check, list};

criterion_group!(benches, availability, diary, decision, records, key_check, list, duties, signature);
criterion_main!(benches);
