//! Tests of power cuts. A process opens a store and changes it. The process runs with a preloaded library, the *shim*
//! (`shim.c`), which records each call that changes the store's files as a *note*. From the notes, the test computes a
//! possible content of the disk after a power cut: some of the unsynced blocks of 4 KiB survive. If several writes have
//! changed a block, the block contains the data of one of them. The store must open with this content. It must contain
//! every acknowledged change and no partial change.
//!
//! Data that only `sync_file_range` has written is unsynced. If a change to a name in a directory survives, all earlier
//! changes to names in this directory survive too. Changes before a sync of the directory always survive.
//!
//! In other runs, one call per process fails with an error or writes only half of its bytes. The store must stop or
//! continue without loss.
//!
//! The module [`churn`] tests kills and power cuts while sled reuses freed segments. The module [`syncs`] tests failed
//! syncs after which memory and disk differ. The module [`loops`] tests such syncs on a real file system.
//!
//! `POWER_CUTS`, `POWER_FAULTS`, `CHURN_CUTS`, `CHURN_KILLS`, `POWER_SYNCS` and `LOOP_ROUNDS` set the numbers of
//! repetitions. `POWER_SEED` repeats a run, except that the timing of the threads varies. Without a C compiler, the
//! test skips power cuts and failed syncs, and prints that it skips them. If `REQUIRE_COMPILER` is set, the test fails
//! instead.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // the test fails at an error and prints its results

mod chance;
mod churn;
mod disk;
mod lanes;
mod loops;
mod notes;
mod segments;
mod session;
mod syncs;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use self::chance::{Rng, home, is_selected, number_of, seed};
use self::session::Tally;

const CUTS: usize = 60;
const CUTS_A_SESSION: usize = 60;

const FAULTS: usize = 24;

/// The default numbers of repetitions of the tests in the other modules.
const CHURN_CUTS: usize = 16;
const CHURN_KILLS: usize = 3;
const SYNCS: usize = 12;
const LOOP_ROUNDS: usize = 1;

const NAME: &str = "whatever_a_disk_keeps_in_a_power_cut_nothing_acknowledged_is_lost";
const CHURN: &str = "a_store_that_uses_freed_segments_again_opens_after_a_kill_or_a_power_cut";
const FAILED_SYNC: &str = "nothing_acknowledged_is_lost_after_a_failed_sync_a_restart_and_a_power_cut";
const LOOP_DEVICE: &str = "nothing_acknowledged_is_lost_on_a_loop_device_whose_file_was_full";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [work, dir, seed, commits, end] = &arguments[..]
        && work == "work"
    {
        session::work(Path::new(dir), seed.parse().unwrap(), commits.parse().unwrap(), end);
        return ExitCode::SUCCESS;
    }
    let selected = [NAME, CHURN, FAILED_SYNC, LOOP_DEVICE].map(is_selected);
    if !selected.contains(&true) {
        return ExitCode::SUCCESS;
    }
    let home = home();
    let shim = shim(home.path());
    if shim.is_none() {
        println!("no C compiler was found: the tests of power cuts and failed syncs are skipped");
        if std::env::var_os("REQUIRE_COMPILER").is_some() {
            return ExitCode::FAILURE;
        }
    }
    let mut rng = Rng(seed("POWER_SEED"));
    let mut tally = Tally::default();
    let dir = home.path().join("session");
    if selected[1] {
        churn::kill(&dir, &mut rng, number_of("CHURN_KILLS", CHURN_KILLS), &mut tally);
        println!("{tally}");
    }
    if selected[3] {
        let is_permitted = loops::run(&dir, &mut rng, number_of("LOOP_ROUNDS", LOOP_ROUNDS), &mut tally);
        println!("{tally}");
        if !is_permitted && std::env::var_os("REQUIRE_LOOP").is_some() {
            return ExitCode::FAILURE;
        }
    }
    let Some(shim) = shim else { return ExitCode::SUCCESS };
    if selected[0] {
        power(&dir, &shim, &mut rng, &mut tally);
    }
    if selected[1] {
        churn::cut(&dir, &shim, &mut rng, number_of("CHURN_CUTS", CHURN_CUTS), &mut tally);
    }
    if selected[2] {
        let is_permitted = syncs::fail(&dir, &shim, &mut rng, number_of("POWER_SYNCS", SYNCS), &mut tally);
        println!("{tally}");
        if !is_permitted && std::env::var_os("REQUIRE_SECCOMP").is_some() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn power(dir: &Path, shim: &Path, rng: &mut Rng, tally: &mut Tally) {
    let cuts = number_of("POWER_CUTS", CUTS);
    while tally.cuts < cuts {
        session::run(dir, shim, rng, CUTS_A_SESSION.min(cuts - tally.cuts), tally);
        println!("{tally}");
    }
    session::fail(dir, shim, rng, number_of("POWER_FAULTS", FAULTS), tally);
    println!("{tally}");
}

fn shim(home: &Path) -> Option<PathBuf> {
    let shim = home.join("shim.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/power/shim.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o"]).arg(&shim).arg(source);
    let compiled = match compiler.args(["-ldl", "-lpthread"]).status() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        compiled => compiled.unwrap(),
    };
    assert!(compiled.success(), "the shim must compile");
    Some(shim)
}
