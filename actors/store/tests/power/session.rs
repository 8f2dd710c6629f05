//! Runs a process several times on the same store, and simulates power cuts during these runs. In the code, a run of
//! the process is a *life*.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use store::{Store, StoreError};
use tokio::sync::{Semaphore, oneshot};

use crate::chance::Rng;
use crate::disk::Disk;
use crate::lanes::{CHURN_SEED, LANES, Lane};
use crate::notes::{self, Note};
use crate::segments::{self, SEGMENT_BYTES};

const COMMITS: usize = 4_000;
/// The number of changes in a run after a power cut. The next power cuts happen at random points of this run. The
/// number of changes is small, so most of these points are in the opening of the store.
const COMMITS_AGAIN: usize = 40;
const CUTS_AGAIN: usize = 3;
/// After a power cut, another run follows with a probability of 1 / `AGAIN`.
const AGAIN: usize = 6;
/// The number of changes in each run of [`fail`].
const COMMITS_FAILING: usize = 120;
/// The ways in which a call fails: with `EIO`, with `ENOSPC`, or, for 0, by writing only half of the bytes.
const FAULTS: [i32; 3] = [5, 28, 0];
/// The maximum number of changes in progress.
const UNDER_WAY: usize = 24;

/// A way to end a run: after sled has reused a freed segment, the process makes further changes and then aborts.
/// The test fails if sled reuses no segment within `COMMITS_CHURNING_MAX` changes.
pub(crate) const CHURN: &str = "churn";
const COMMITS_CHURNING_MAX: u32 = 30_000;

#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) cuts: usize,
    notes: usize,
    acknowledged: usize,
    beyond: usize,
    unsynced_max: usize,
    pub(crate) reused: usize,
    /// The numbers of kills, of failed syncs, and of blocks that were in memory but not on the disk.
    pub(crate) kills: usize,
    pub(crate) failed_syncs: usize,
    pub(crate) lost_blocks: usize,
    pub(crate) loop_rounds: usize,
    /// The number of runs with a fault that the shim causes. Either one system call fails, or one call writes only half
    /// of its bytes. `ended` is the number of these runs in which the store stopped.
    pub(crate) faults: usize,
    ended: usize,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cuts, notes, acknowledged, beyond, unsynced_max, reused, faults, ended, .. } = self;
        write!(
            f,
            "{cuts} power cuts in runs with {notes} calls: {acknowledged} acknowledged and {beyond} other changes survived; \
             sled reused {reused} segments, and the tree had at most {unsynced_max} unsynced bytes; {ended} of \
             {faults} failed calls stopped the store; {} kills; {} failed syncs with {} lost blocks; \
             {} rounds on a loop device",
            self.kills, self.failed_syncs, self.lost_blocks, self.loop_rounds
        )
    }
}

/// The exit code of a process whose store has stopped after an error or has not opened.
pub(crate) const FAILED: i32 = 98;

fn failed(error: &StoreError) {
    println!("the store failed: {error}");
    std::process::exit(FAILED);
}

/// The main function of the child process. It opens the store, makes changes, records the acknowledged changes in
/// `acks`, and ends.
pub(crate) fn work(dir: &Path, seed: u64, commits: usize, end: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let store = match Store::open_disk(dir, Box::new(failed)) {
            Ok(store) => store,
            Err(error) => return failed(&error),
        };
        let acks = std::env::var_os("ACKS").map_or(dir.join("acks"), PathBuf::from);
        let acks = OpenOptions::new().create(true).append(true).open(acks).unwrap();
        let acks = Arc::new(acks);
        let mut lanes: Vec<_> = (0..LANES).map(|number| Lane::new(number, seed)).collect();
        for lane in &mut lanes {
            lane.catch_up(&store);
            lane.check(&store);
        }
        let under_way = Arc::new(Semaphore::new(UNDER_WAY));
        let changes: u32 = lanes.iter().map(|lane| lane.changes).sum();
        let mut rng = Rng(seed ^ (u64::from(changes) << 32));
        let opened = segments::positions(dir);
        let (mut left, mut made, mut churns) = (commits, 0, end == CHURN);
        while left > 0 {
            made += 1;
            if churns {
                assert!(made < COMMITS_CHURNING_MAX, "sled must reuse a freed segment");
                churns = made % 32 > 0 || segments::reused(&opened, &segments::positions(dir)) == 0;
            } else {
                left -= 1;
            }
            let permit = Arc::clone(&under_way).acquire_owned().await.unwrap();
            let number = rng.below(LANES);
            let lane = &mut lanes[number];
            let (batch, acks) = (lane.change(), Arc::clone(&acks));
            let note = [&[number as u8][..], &lane.changes.to_be_bytes()].concat();
            let done = move || {
                (&*acks).write_all(&note).unwrap();
                drop(permit);
            };
            // A failing store may refuse a change before it reports its error.
            if store.submit(lane.business(), batch, Box::new(done)).is_none() {
                return failed(&StoreError::Stopped);
            }
            // From time to time, the process waits for all of its changes, so that the groups of the committer have
            // different lengths.
            if rng.below(40) == 0 {
                let _ = under_way.acquire_many(UNDER_WAY as u32).await.unwrap();
            }
        }
        if end == "close" {
            if let Err(error) = store.close().await {
                failed(&error);
            }
        } else {
            // The process aborts without closing the store.
            let (_never, ends) = oneshot::channel::<()>();
            std::thread::spawn(|| std::process::abort());
            let _ = ends.await;
        }
    });
}

/// Returns the command that runs the process on this directory. The process appends its notes to `log`.
pub(crate) fn life(dir: &Path, log: &Path, shim: &Path, seed: u64, commits: usize, end: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("work").arg(dir).args([seed.to_string(), commits.to_string(), end.to_owned()]);
    command.env("LD_PRELOAD", shim).env("RECORD_ROOT", dir).env("RECORD_LOG", log);
    command
}

pub(crate) fn live(dir: &Path, log: &Path, shim: &Path, seed: u64, commits: usize, end: &str) {
    let status = life(dir, log, shim, seed, commits, end).status().unwrap();
    assert!(
        if end == "close" { status.success() } else { status.code().is_none() },
        "the process must open the store and end as planned: {status}"
    );
}

pub(crate) fn run(dir: &Path, shim: &Path, rng: &mut Rng, cuts: usize, tally: &mut Tally) {
    let _ = fs::remove_dir_all(dir);
    fs::create_dir(dir).unwrap();
    let (root, log) = (dir.join("data"), dir.join("log"));
    fs::create_dir(&root).unwrap();
    let disk = Disk::of(&root);
    let seed = rng.next() & !CHURN_SEED;
    for end in ["kill", "close", "kill"] {
        live(&root, &log, shim, seed, COMMITS, end);
    }
    let history = History { seed, notes: notes::read(&log), begins_with: [0; LANES], first_cut: 0 };
    history.cut(disk, dir, shim, rng, (cuts, true), tally);
}

/// In each run, makes one system call fail while the store opens, works or closes. The process must report the failure
/// or end normally. Afterwards, two stores must open with every acknowledged change: the store in the directory, and a
/// store with the content that the disk would have after a power cut.
pub(crate) fn fail(dir: &Path, shim: &Path, rng: &mut Rng, faults: usize, tally: &mut Tally) {
    let _ = fs::remove_dir_all(dir);
    let (before, root, log) = (dir.join("before"), dir.join("data"), dir.join("log"));
    fs::create_dir_all(&before).unwrap();
    let seed = rng.next() & !CHURN_SEED;
    for end in ["close", "kill"] {
        live(&before, &log, shim, seed, COMMITS_FAILING, end);
    }
    let start_over = || {
        let _ = fs::remove_dir_all(&root);
        assert!(Command::new("cp").arg("-a").args([&before, &root]).status().unwrap().success());
        fs::remove_file(&log).unwrap();
    };
    let begins_with = acknowledged(&notes::read(&log), [0; LANES]);
    start_over();
    live(&root, &log, shim, seed, COMMITS_FAILING, "close");
    let calls = notes::read(&log).iter().filter(|note| note.can_fail()).count();
    for fault in 0..faults {
        start_over();
        let mut disk = Disk::of(&root);
        let mut command = life(&root, &log, shim, seed, COMMITS_FAILING, "close");
        command.env("FAULT_AT", (1 + rng.below(calls)).to_string());
        command.env("FAULT", FAULTS[fault % FAULTS.len()].to_string());
        let output = command.output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        match output.status.code() {
            Some(0) => {}
            Some(FAILED) if printed.starts_with("the store failed: ") => tally.ended += 1,
            code => panic!("{code:?}: {printed}{}", String::from_utf8_lossy(&output.stderr)),
        }
        tally.faults += 1;
        let notes = notes::read(&log);
        notes.iter().for_each(|note| follow(&mut disk, note));
        let acknowledged = acknowledged(&notes, begins_with);
        let left = dir.join("left");
        let _ = fs::remove_dir_all(&left);
        disk.cut(&left, rng);
        tally.cuts += 1;
        check(&left, seed, &acknowledged, tally);
        check(&root, seed, &acknowledged, tally);
    }
}

/// Returns the number of acknowledged changes to each business, computed from these notes. `before` contains the
/// numbers before the first note.
pub(crate) fn acknowledged(notes: &[Note], before: [u32; LANES]) -> [u32; LANES] {
    let mut acknowledged = before;
    notes.iter().for_each(|note| note_acknowledged(&mut acknowledged, note));
    acknowledged
}

pub(crate) fn note_acknowledged(acknowledged: &mut [u32; LANES], note: &Note) {
    if let Note::Acknowledged(note) = note {
        // A note may contain several acknowledgements.
        for note in note.chunks_exact(5) {
            let newest = &mut acknowledged[usize::from(note[0])];
            *newest = (*newest).max(u32::from_be_bytes(*note[1..].first_chunk().unwrap()));
        }
    }
}

pub(crate) struct History {
    pub(crate) seed: u64,
    pub(crate) notes: Vec<Note>,
    pub(crate) begins_with: [u32; LANES],
    /// The number of the first note after which the power may be cut.
    pub(crate) first_cut: usize,
}

impl History {
    pub(crate) fn cut(
        &self,
        mut disk: Disk,
        dir: &Path,
        shim: &Path,
        rng: &mut Rng,
        (cuts, goes_on): (usize, bool),
        tally: &mut Tally,
    ) {
        tally.notes += self.notes.len();
        let mut at: Vec<_> = {
            let from = self.first_cut;
            (0..cuts).map(|_| from + rng.below(self.notes.len() - from)).collect()
        };
        at.sort_unstable();
        let mut at = at.into_iter().peekable();
        let mut acknowledged = self.begins_with;
        for (number, note) in self.notes.iter().enumerate() {
            tally.reused += usize::from(disk.writes_over("store/db", note, SEGMENT_BYTES));
            follow(&mut disk, note);
            note_acknowledged(&mut acknowledged, note);
            let unsynced = disk.unsynced("store/db", 0..usize::MAX);
            assert!(
                unsynced <= SEGMENT_BYTES,
                "the tree's log has {unsynced} unsynced bytes, more than a segment"
            );
            tally.unsynced_max = tally.unsynced_max.max(unsynced);
            while at.next_if_eq(&number).is_some() {
                self.cut_here(&disk, &acknowledged, dir, shim, rng, goes_on, tally);
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn cut_here(
        &self,
        disk: &Disk,
        acknowledged: &[u32; LANES],
        dir: &Path,
        shim: &Path,
        rng: &mut Rng,
        goes_on: bool,
        tally: &mut Tally,
    ) {
        let left = dir.join(if goes_on { "left" } else { "left-again" });
        let _ = fs::remove_dir_all(&left);
        disk.cut(&left, rng);
        tally.cuts += 1;
        if goes_on && rng.below(AGAIN) == 0 {
            // Another run continues with the content that has survived. The power is cut while the run opens
            // the store or soon afterwards.
            let log = dir.join("log-again");
            let _ = fs::remove_file(&log);
            let before = Disk::of(&left);
            live(&left, &log, shim, self.seed, COMMITS_AGAIN, "kill");
            let (notes, begins_with) = (notes::read(&log), *acknowledged);
            let history = History { seed: self.seed, notes, begins_with, first_cut: 0 };
            history.cut(before, dir, shim, rng, (CUTS_AGAIN, false), tally);
        } else {
            check(&left, self.seed, acknowledged, tally);
        }
    }
}

/// Applies a note to the simulated disk. Checks that the log is synced before the store is marked as closed, and that
/// each segment of the log is synced before its record is added to the file `segments`.
pub(crate) fn follow(disk: &mut Disk, note: &Note) {
    disk.follow(note);
    // The file `committed` contains four values of 8 bytes: the number of the newest batch, the bitwise complement of
    // this number, the end of the log, and a check value. While the store is open, the last two values are zero.
    if let Some((0, mark)) = disk.written("committed", note)
        && mark.get(24..32).is_some_and(|check| check != [0; 8])
    {
        assert_eq!(
            disk.unsynced("store/db", 0..usize::MAX),
            0,
            "the store was marked as closed before its log was synced"
        );
    }
    let listed = disk.written("segments", note).filter(|(at, _)| *at > 0);
    let mut records = listed.map_or(&[][..], |(_, records)| records);
    // A record consists of its length (4 bytes), a checksum (4), the position in the log (8), the offset in the file
    // (8), and the pages.
    while let Some((head, rest)) = records.split_first_chunk::<24>() {
        let length = u32::from_le_bytes(*head.first_chunk().unwrap()) as usize;
        let at = u64::from_le_bytes(*head[16..].first_chunk().unwrap()) as usize;
        let unsynced = disk.unsynced("store/db", at..at + SEGMENT_BYTES);
        assert_eq!(unsynced, 0, "the segment at {at} was listed before it was synced");
        records = rest.get(length - 16..).unwrap_or_default();
    }
}

/// Opens the store whose content has survived, and compares its rows with the acknowledged changes.
pub(crate) fn check(left: &Path, seed: u64, acknowledged: &[u32; LANES], tally: &mut Tally) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store = match Store::open_disk(left, Box::new(|error| panic!("{error}"))) {
            Ok(store) => store,
            Err(error) => panic!("the store did not open: {error}"),
        };
        for (number, acknowledged) in acknowledged.iter().enumerate() {
            let mut lane = Lane::new(number, seed);
            lane.catch_up(&store);
            assert!(
                lane.changes >= *acknowledged,
                "business {number} has {} changes, but {acknowledged} were acknowledged",
                lane.changes
            );
            lane.check(&store);
            tally.acknowledged += *acknowledged as usize;
            tally.beyond += (lane.changes - acknowledged) as usize;
        }
        store.close().await.unwrap();
    });
}
