//! Tests of failed syncs. If Linux cannot write some pages during a sync, the sync fails, and the kernel marks these
//! pages as clean. Later syncs then succeed, and reads return these pages from memory, although the pages are not on
//! the disk. In each round, a first process makes changes, and one of its syncs fails. A second process then opens
//! the store and reads the pages from memory. Then the power is cut. The disk must contain every change that either
//! process acknowledged.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use crate::chance::Rng;
use crate::disk::Disk;
use crate::lanes::{CHURN_SEED, LANES};
use crate::notes::{self, Note};
use crate::session::{Tally, acknowledged, check, follow, life};

/// The number of changes that the process with the failed sync makes. It is large enough for several checkpoints.
const COMMITS: usize = 1_500;
const COMMITS_AFTER: usize = 60;
/// The exit code of a process that ends because the system does not permit the shim's filter of system calls.
const NO_FILTER: i32 = 97;

/// Runs the test with `faults` failed syncs. If the system does not permit a filter of system calls, prints a line and
/// returns false.
pub(crate) fn fail(dir: &Path, shim: &Path, rng: &mut Rng, faults: usize, tally: &mut Tally) -> bool {
    let _ = fs::remove_dir_all(dir);
    let (before, root, log) = (dir.join("before"), dir.join("data"), dir.join("log"));
    let lost = dir.join("lost");
    fs::create_dir_all(&before).unwrap();
    let seed = rng.next() & !CHURN_SEED;
    let run = |root: &Path, commits: usize, end: &str, settings: &[(&str, &str)]| {
        let mut command = life(root, &log, shim, seed, commits, end);
        command.envs(settings.iter().copied()).output().unwrap()
    };
    let first = run(&before, COMMITS, "close", &[]);
    assert!(first.status.success(), "{first:?}");
    let begins_with = acknowledged(&notes::read(&log), [0; LANES]);
    let start_over = || {
        let _ = fs::remove_dir_all(&root);
        assert!(Command::new("cp").arg("-a").args([&before, &root]).status().unwrap().success());
        fs::remove_file(&log).unwrap();
    };
    start_over();
    let usual = run(&root, COMMITS, "close", &[]);
    assert!(usual.status.success(), "{usual:?}");
    let db = fs::metadata(root.join("store/db")).unwrap().ino();
    let syncs: Vec<_> = notes::read(&log)
        .iter()
        .filter_map(|note| if let Note::Synced { inode, .. } = note { Some(*inode == db) } else { None })
        .collect();
    let syncs_of_db = syncs.iter().filter(|is_of_db| **is_of_db).count();
    for _ in 0..faults {
        start_over();
        let mut disk = Disk::of(&root);
        // Most of the failed syncs are syncs of the tree. A failed sync of the tree is the most dangerous kind,
        // because the journal frees records after a sync of the tree.
        let of_db = rng.below(4) > 0;
        let fault = (1 + rng.below(if of_db { syncs_of_db } else { syncs.len() })).to_string();
        let mut settings = vec![("FAULT_SYNC", &*fault)];
        settings.extend(of_db.then_some(("FAULT_FILE", "store/db")));
        let end = ["close", "kill"][rng.below(2)];
        run(&root, COMMITS, end, &settings);
        let notes = notes::read(&log);
        notes.iter().for_each(|note| follow(&mut disk, note));
        let acknowledged_before = acknowledged(&notes, begins_with);
        tally.failed_syncs += notes.iter().filter(|note| matches!(note, Note::SyncFailed { .. })).count();
        tally.lost_blocks += disk.write_lost(&lost);
        fs::remove_file(&log).unwrap();
        let again = run(&root, COMMITS_AFTER, "kill", &[("RECORD_LOST", lost.to_str().unwrap())]);
        match again.status.code() {
            None => {}
            Some(NO_FILTER) => {
                println!(
                    "the system does not permit a filter of system calls: the tests of failed syncs are skipped"
                );
                return false;
            }
            code => {
                let printed = String::from_utf8_lossy(&again.stdout);
                panic!("after {settings:?} the next run ended with {code:?}: {printed}");
            }
        }
        let notes = notes::read(&log);
        notes.iter().for_each(|note| follow(&mut disk, note));
        let left = dir.join("left");
        let _ = fs::remove_dir_all(&left);
        disk.cut(&left, rng);
        tally.cuts += 1;
        println!("{settings:?}, then {end}");
        check(&left, seed, &acknowledged(&notes, acknowledged_before), tally);
    }
    true
}
