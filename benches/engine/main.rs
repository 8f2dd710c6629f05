//! The cost of single steps of the engine: `cargo bench --bench engine`.
//!
//! These benchmarks use neither the disk nor the network for waiting. `cargo bench --bench load` measures the
//! whole service.

#![allow(clippy::unwrap_used, reason = "a bench stops where something is wrong")]

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
