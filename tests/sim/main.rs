//! A simulation of the whole engine on one thread: simulated time, random numbers from a seed, a disk that
//! loses unsynced writes, a scripted network, and a wall clock that jumps. The same seed always gives the
//! same history.
//!
//! ```console
//! $ cargo test --test sim                                  # a fixed number of seeds
//! $ SIM_SEED=7 SIM_RUNS=1 cargo test --test sim            # repeats one seed
//! $ SIM_SEED=1000 SIM_RUNS=1000 cargo test --test sim      # many other seeds
//! $ SIM_SEED=7 SIM_RUNS=1 SIM_TRACE=1 cargo test --test sim -- --nocapture      # with the whole history
//! $ SIM_SEED=528 SIM_RUNS=1 SIM_WORKLOAD=first cargo test --test sim           # with the first workload
//! ```
//!
//! A seed consists of several runs of the engine. In each run, clients of several businesses send concurrent changes
//! and reads. Receivers accept requests, refuse them or hang, host names get other addresses, and the network fails for
//! some time. A run ends in an orderly way, or with a crash that loses random unsynced writes. Between two runs, the
//! test reads the disk row by row and replays the history on a simple model ([`model`], [`rules`], [`hooks`]). The last
//! run has no faults, and all expected deliveries must arrive.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod alerts;
mod aside;
mod assistants;
mod attending;
mod backups;
#[path = "../support/caldav.rs"]
#[allow(dead_code, reason = "the tests of the engine use the other items")]
mod caldav;
mod customers;
mod deliveries;
mod diary;
mod dice;
mod documented;
mod guests;
mod hooks;
mod insights;
mod ledger;
mod leftovers;
mod life;
mod looks;
mod machine;
mod mails;
mod model;
mod moves;
mod network;
mod notices;
mod nudges;
mod ops;
mod outages;
mod overriding;
mod people;
mod planted;
mod practices;
mod receiver;
mod repair;
mod rows;
mod rules;
mod shop;
mod shortage;
mod sim;
mod talks;
mod terms;
mod time;
#[path = "../support/tls.rs"]
mod tls;
mod waste;
mod wide;
mod world;

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use parking_lot::Mutex;

use crate::wide::Workload;
use crate::world::Trace;

const FIRST_SEED: u64 = 1;
const RUNS: u64 = 16;
/// The maximum number of lines of history that are printed when a seed fails.
const LINES_SHOWN: usize = 60;
/// The maximum real time for a seed. A seed usually takes about a second. Simulated time advances only while no task
/// can run. A task that never waits would stop simulated time, so the simulation would never end.
const SEED_TIME_MAX: Duration = Duration::from_secs(300);
/// Seeds that revealed a fault of the service (or of the model) when they ran with the first workload. A change to the
/// workload would give a seed another history, so each of these faults also has a test of its own.
///
/// - 528: the service forgot the response to a change without effect after the clock had been set back.
/// - 22572 and 24099: a request was repeated more than a day later, after the clock had been set back, and
///   the model expected the first response.
/// - 1001221, 2007011 and 2009737: an attempt used a URL or a secret that was not on the disk.
/// - 2012550 and 2017516: a business carried out changes after its store had failed.
const FOUND_FAULTS: [u64; 8] = [528, 22_572, 24_099, 1_001_221, 2_007_011, 2_009_737, 2_012_550, 2_017_516];

/// The failure of a seed.
struct Failure {
    seed: u64,
    message: String,
    history: String,
}

/// Runs the function `run`. If it takes longer than the limit, calls `overdue` once.
fn watched<T>(bound: Duration, overdue: impl FnOnce() + Send, run: impl FnOnce() -> T) -> T {
    let (running, watching) = channel::<()>();
    std::thread::scope(move |scope| {
        scope.spawn(move || {
            if watching.recv_timeout(bound) == Err(RecvTimeoutError::Timeout) {
                overdue();
            }
        });
        let result = run();
        drop(running);
        result
    })
}

/// Runs a seed and returns its history. If the seed does not end in time, ends the process.
fn try_seed(seed: u64, workload: Workload) -> Result<Vec<String>, Failure> {
    world::count_panics();
    let trace = Arc::new(Trace::new());
    #[allow(
        clippy::print_stderr,
        reason = "prints the history before the process of an endless seed is ended"
    )]
    let overdue = || {
        eprintln!("\n{}\n\nseed {seed} does not end", trace.last(LINES_SHOWN));
        std::process::abort();
    };
    let run = || catch_unwind(AssertUnwindSafe(|| sim::run(seed, workload, Arc::clone(&trace))));
    let ran = watched(SEED_TIME_MAX, overdue, run);
    let Err(panic) = ran else { return Ok(trace.lines()) };
    let message = panic.downcast_ref::<String>().cloned();
    let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    Err(Failure { seed, message: message.unwrap_or_default(), history: trace.last(LINES_SHOWN) })
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().unwrap())
}

/// Returns the workload that `SIM_WORKLOAD` selects.
fn workload() -> Workload {
    match std::env::var("SIM_WORKLOAD").as_deref() {
        Ok("first") => Workload::First,
        Ok("talks") => Workload::Talks,
        _ => Workload::Wide,
    }
}

/// Runs the seeds on two threads. Stops at the first failure.
fn try_seeds(seeds: &[u64], workload: Workload) {
    let next = AtomicU64::new(0);
    let failure = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while failure.lock().is_none() {
                    let at = usize::try_from(next.fetch_add(1, Ordering::SeqCst)).unwrap();
                    let Some(seed) = seeds.get(at) else { return };
                    if let Err(failed) = try_seed(*seed, workload) {
                        failure.lock().get_or_insert(failed);
                    }
                }
            });
        }
    });
    if let Some(Failure { seed, message, history }) = failure.into_inner() {
        let mut told = format!("\n{history}\n\nseed {seed}: {message}\n");
        let selected = match workload {
            Workload::First => "SIM_WORKLOAD=first ",
            Workload::Talks => "SIM_WORKLOAD=talks ",
            Workload::Wide => "",
        };
        write!(told, "to repeat this run: {selected}SIM_SEED={seed} SIM_RUNS=1 cargo test --test sim")
            .unwrap();
        panic!("{told}");
    }
}

#[test]
fn every_seed_satisfies_the_invariants() {
    let first = number("SIM_SEED", FIRST_SEED);
    let seeds: Vec<u64> = (first..first + number("SIM_RUNS", RUNS)).collect();
    try_seeds(&seeds, workload());
}

#[test]
fn seeds_that_once_found_a_fault_find_none() {
    try_seeds(&FOUND_FAULTS, Workload::First);
}

#[test]
fn the_same_seed_gives_the_same_history() {
    for seed in 9_001..9_004 {
        let [first, second] = [(); 2]
            .map(|()| try_seed(seed, Workload::Wide).unwrap_or_else(|failed| panic!("{}", failed.message)));
        let differs = first.iter().zip(&second).position(|(a, b)| a != b);
        let at = differs.unwrap_or_else(|| first.len().min(second.len()));
        let around = |lines: &[String]| lines[at.saturating_sub(5)..lines.len().min(at + 1)].join("\n");
        assert!(first == second, "seed {seed}:\n{}\n\nthe second run:\n{}", around(&first), around(&second));
    }
}

#[test]
fn a_run_that_exceeds_its_time_is_reported() {
    let (telling, told) = channel();
    watched(Duration::ZERO, move || telling.send(()).unwrap(), || told.recv_timeout(SEED_TIME_MAX).unwrap());
    watched(SEED_TIME_MAX, || panic!("the function ended within its limit"), || ());
}
