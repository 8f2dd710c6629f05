//! Power cuts below the file system. A process works on a store under a shim (`shim.c`) that writes down every call to the
//! store's files. From its notes it is rebuilt what a disk may hold that lost its power behind any of them: of what was
//! written and not synced any subset of the blocks of 4 KiB, each as any of the writes left it. The store is opened on
//! that; it must not be refused, and must hold what was acknowledged by then, and nothing but whole changes.
//!
//! What `sync_file_range` was asked for counts as not synced. Names in a directory survive in the order in which they were
//! made, those at least that were there before the directory was synced.
//!
//! Calls fail, too, one in a life, with an error or in the middle of what they write: the store ends or goes on, and has lost
//! nothing.
//!
//! `POWER_CUTS` and `POWER_FAULTS` say how many, `POWER_SEED` begins the same way again; when exactly threads do what is up to the machine.
//! Where there is no C compiler nothing is tried, which is said, or fails with `REQUIRE_COMPILER=1`.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // a test stops where something is wrong, and says what came of it

mod disk;
mod lanes;
mod notes;
mod session;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use self::lanes::Rng;
use self::session::Tally;

/// How many cuts are made when nobody says.
const CUTS: usize = 60;
/// How many of them fall into one history.
const CUTS_A_SESSION: usize = 60;

/// How many calls fail when nobody says.
const FAULTS: usize = 24;

const NAME: &str = "whatever_a_disk_keeps_in_a_power_cut_nothing_acknowledged_is_lost";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [work, dir, seed, commits, end] = &arguments[..]
        && work == "work"
    {
        session::work(Path::new(dir), seed.parse().unwrap(), commits.parse().unwrap(), end);
        return ExitCode::SUCCESS;
    }
    // As the harness of other tests takes them: what is asked for by name, and a list.
    let asked: Vec<_> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        println!("{NAME}: test");
        return ExitCode::SUCCESS;
    }
    if !asked.is_empty() && !asked.iter().any(|asked| NAME.contains(asked.as_str())) {
        return ExitCode::SUCCESS;
    }
    let home = home();
    let Some(shim) = shim(home.path()) else {
        println!("there is no C compiler: no power was cut");
        let required = std::env::var_os("REQUIRE_COMPILER").is_some();
        return if required { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    };
    let cuts = number_of("POWER_CUTS", CUTS);
    let seed = std::env::var("POWER_SEED").map_or_else(|_| drawn(), |seed| seed.parse().unwrap());
    println!("again: POWER_SEED={seed}");
    let mut rng = Rng(seed);
    let mut tally = Tally::default();
    while tally.cuts < cuts {
        let dir = home.path().join("session");
        session::run(&dir, &shim, &mut rng, CUTS_A_SESSION.min(cuts - tally.cuts), &mut tally);
        println!("{tally}");
    }
    session::fail(
        &home.path().join("session"),
        &shim,
        &mut rng,
        number_of("POWER_FAULTS", FAULTS),
        &mut tally,
    );
    println!("{tally}");
    ExitCode::SUCCESS
}

fn number_of(variable: &str, usual: usize) -> usize {
    std::env::var(variable).map_or(usual, |number| number.parse().unwrap())
}

#[allow(clippy::disallowed_methods, reason = "it is the seed that is drawn")]
fn drawn() -> u64 {
    uuid::Uuid::new_v4().as_u64_pair().0
}

/// Where histories and disks lie: in memory where the system has such a place, for nothing of it has to be durable.
fn home() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        tempfile::tempdir_in(memory).or_else(|_| tempfile::tempdir())
    } else {
        tempfile::tempdir()
    }
    .unwrap()
}

/// The shim, compiled.
fn shim(home: &Path) -> Option<PathBuf> {
    let shim = home.join("shim.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/power/shim.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o"]).arg(&shim).arg(source);
    let compiled = match compiler.args(["-ldl", "-lpthread"]).status() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        compiled => compiled.unwrap(),
    };
    assert!(compiled.success(), "the shim does not compile");
    Some(shim)
}
