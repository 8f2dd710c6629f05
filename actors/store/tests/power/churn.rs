//! These tests kill the process, or cut the power, while sled reuses segments that it has freed since its last
//! snapshot. The log after the snapshot then has gaps, and a reused segment may contain parts of its old content. sled
//! writes a snapshot only when a store is opened. The test process therefore keeps one store open, and writes,
//! overwrites and deletes rows until sled reuses a segment. Afterwards, each store must open with every acknowledged
//! change.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::chance::Rng;
use crate::disk::Disk;
use crate::lanes::{CHURN_SEED, LANES};
use crate::notes::{self, Note};
use crate::segments::{SEGMENT_BYTES, positions, reused};
use crate::session::{CHURN, History, Tally, acknowledged, check, live, note_acknowledged};

/// The number of changes that the first process makes, after it has created the store.
const COMMITS_BEFORE: usize = 1_200;
/// The maximum number of changes that are made after sled has reused a freed segment.
const COMMITS_AFTER_MAX: usize = 600;
const CUTS_A_HISTORY: usize = 50;
/// The number of kills per store. It is small, because each process repeats all earlier changes to compute
/// the expected rows.
const KILLS_A_STORE: usize = 5;

pub(crate) fn cut(dir: &Path, shim: &Path, rng: &mut Rng, cuts: usize, tally: &mut Tally) {
    let mut left = cuts;
    while left > 0 {
        let _ = fs::remove_dir_all(dir);
        let (root, log) = (dir.join("data"), dir.join("log"));
        fs::create_dir_all(&root).unwrap();
        let seed = rng.next() | CHURN_SEED;
        live(&root, &log, shim, seed, COMMITS_BEFORE, "close");
        let begins_with = acknowledged(&notes::read(&log), [0; LANES]);
        fs::remove_file(&log).unwrap();
        let disk = Disk::of(&root);
        live(&root, &log, shim, seed, 1 + rng.below(COMMITS_AFTER_MAX), CHURN);
        let notes = notes::read(&log);
        let first_cut = reuse_after_the_snapshot(disk.clone(), &notes);
        let now = CUTS_A_HISTORY.min(left);
        left -= now;
        let history = History { seed, notes, begins_with, first_cut };
        history.cut(disk, dir, shim, rng, (now, false), tally);
        println!("{tally}");
    }
}

/// Returns the index in `notes` of a write to a freed segment: the first such write after sled's last snapshot. To
/// write a snapshot, sled renames a file to `snap.*`.
fn reuse_after_the_snapshot(mut disk: Disk, notes: &[Note]) -> usize {
    let is_snapshot = |note: &Note| matches!(note, Note::Renamed { to, .. } if to.starts_with("store/snap."));
    let snapshot = notes.iter().rposition(is_snapshot).expect("sled must write a snapshot when it opens");
    let reuses = notes.iter().enumerate().filter(|(number, note)| {
        let reuses = disk.writes_over("store/db", note, SEGMENT_BYTES);
        disk.follow(note);
        reuses && *number > snapshot
    });
    reuses.map(|(number, _)| number).next().expect("sled must reuse a freed segment")
}

pub(crate) fn kill(dir: &Path, rng: &mut Rng, kills: usize, tally: &mut Tally) {
    let (mut seed, mut acknowledged) = (0, [0; LANES]);
    for number in 0..kills {
        if number % KILLS_A_STORE == 0 {
            let _ = fs::remove_dir_all(dir);
            fs::create_dir_all(dir).unwrap();
            (seed, acknowledged) = (rng.next() | CHURN_SEED, [0; LANES]);
            life(dir, seed, COMMITS_BEFORE, "close", &mut acknowledged);
        }
        let before = positions(dir);
        life(dir, seed, 1 + rng.below(COMMITS_AFTER_MAX), CHURN, &mut acknowledged);
        let reused = reused(&before, &positions(dir));
        assert!(reused > 0, "sled must reuse a freed segment");
        tally.reused += reused;
        tally.kills += 1;
        check(dir, seed, &acknowledged, tally);
        if tally.kills.is_multiple_of(50) {
            println!("{tally}");
        }
    }
}

/// Runs a process without the shim, and updates the numbers of acknowledged changes to each business.
fn life(dir: &Path, seed: u64, commits: usize, end: &str, acknowledged: &mut [u32; LANES]) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("work").arg(dir).args([seed.to_string(), commits.to_string(), end.to_owned()]);
    let status = command.status().unwrap();
    assert_eq!(
        status.code(),
        (end == "close").then_some(0),
        "the process must open the store and end as planned: {status}"
    );
    note_acknowledged(acknowledged, &Note::Acknowledged(fs::read(dir.join("acks")).unwrap()));
    fs::remove_file(dir.join("acks")).unwrap();
}
