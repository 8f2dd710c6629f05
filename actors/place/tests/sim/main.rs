//! A simulation of nodes that share a log. The same seed always gives the same history.
//!
//! ```console
//! $ cargo test -p receptionist-place                                            # a few hundred seeds
//! $ PLACE_SEED=7 PLACE_RUNS=1 PLACE_TRACE=1 cargo test -p receptionist-place --test sim clean -- --nocapture
//! $ PLACE_RUNS=20000 cargo test -p receptionist-place --test sim clean          # many seeds
//! ```
//!
//! Two to four nodes use the model of a database ([`database`]). Messages are lost or late. Nodes crash,
//! pause for up to 30 s and lose their images, and their clocks run at 0.8 to 1.25 times the real speed.
//! Backends are terminated, and failovers drop commits that are not replicated. In some runs, failovers also
//! drop replicated commits, and then only the rules about images apply. In the last minute nothing fails, and
//! all nodes must reach the same state. [`check`] contains the rules, and [`faults`] the planted faults.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test may panic and print its history")]
#![allow(clippy::cast_possible_truncation, reason = "the numbers are small")]

mod check;
mod database;
mod dice;
mod faults;
mod node;
mod world;

use std::fmt::Display;
use std::str::FromStr;

use self::faults::{FAULTS, Fault};
use self::world::{Tally, World};

const RUNS: u64 = 300;
/// Each planted fault must be caught within this number of seeds.
const RUNS_TO_CATCH: u64 = 3_000;

fn setting<T: FromStr<Err: Display>>(name: &str, default: T) -> T {
    std::env::var(name)
        .map_or(default, |value| value.parse().unwrap_or_else(|error| panic!("{name}: {error}")))
}

fn run(seed: u64, fault: Option<Fault>) -> (Result<(), String>, Tally) {
    let mut world = World::new(seed, fault, setting("PLACE_TRACE", 0) == 1);
    (world.run(), world.tally)
}

#[test]
fn a_run_without_a_planted_fault_is_clean() {
    let first = setting("PLACE_SEED", 1);
    let runs = setting("PLACE_RUNS", RUNS);
    let mut sum = Tally::default();
    let mut failed = Vec::new();
    for seed in first..first + runs {
        let (result, tally) = run(seed, None);
        sum += tally;
        if let Err(violation) = result {
            failed.push(format!("seed {seed}: {violation}"));
        }
    }
    eprintln!("{runs} runs: {sum:?}");
    assert!(
        failed.is_empty(),
        "{} of {runs} runs failed:\n{}",
        failed.len(),
        failed[..failed.len().min(20)].join("\n")
    );
    if runs >= RUNS {
        let rare = [
            sum.acknowledged / 10,
            sum.reads / 10,
            sum.takeovers,
            sum.hand_overs,
            sum.outcomes_looked_up,
            sum.found_visible * 10,
            sum.failovers,
            sum.commits_dropped,
            sum.rebuilt,
            sum.snapshots,
        ];
        assert!(rare.iter().all(|count| *count >= 50), "a situation was reached too rarely: {sum:?}");
    }
}

#[test]
fn every_planted_fault_is_caught() {
    let mut missed = Vec::new();
    for fault in FAULTS {
        let caught = (1..=RUNS_TO_CATCH).find_map(|seed| Some((seed, run(seed, Some(fault)).0.err()?)));
        match caught {
            Some((seed, violation)) => eprintln!("{fault:?}: seed {seed}: {violation}"),
            None => missed.push(fault),
        }
    }
    assert!(missed.is_empty(), "not caught: {missed:?}");
}
