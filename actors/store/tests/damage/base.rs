//! Creates the stores. The test then damages copies of them. A child process fills each store, and then closes the
//! store or aborts. The abort simulates `kill -9`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use store::Store;
use tokio::sync::Semaphore;

use crate::check::{Outcome, compare};
use crate::damages::Targets;
use crate::loads::{Load, Rows, Work};
use crate::segments::SEGMENT_BYTES;

/// The maximum number of changes in progress.
const UNDER_WAY: usize = 256;
/// The maximum number of bytes that are written for each planned segment. It is larger than a segment, because sled
/// writes some of the bytes to freed segments. These bytes do not enlarge the file.
const BYTES_A_SEGMENT: usize = 24 << 20;
/// For a store with a snapshot: the number of changes that the last process makes before it is killed.
const CHANGES_AFTER_A_SNAPSHOT: usize = 60;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) load: Load,
    pub(crate) segments: usize,
    pub(crate) seed: u64,
    pub(crate) is_killed: bool,
    /// True if sled has written a snapshot that covers most of the rows. sled writes a snapshot only when
    /// it opens a store.
    pub(crate) has_snapshot: bool,
}

pub(crate) struct Base {
    pub(crate) dir: PathBuf,
    pub(crate) rows: Rows,
    pub(crate) targets: Targets,
}

impl Plan {
    /// Creates the store in `home`. Checks that a copy of the store opens and contains every row.
    pub(crate) fn make(self, home: &Path) -> Base {
        let dir = home.join("base");
        let _ = fs::remove_dir_all(&dir);
        let mut changes = self.live(&dir, 0, usize::MAX, self.has_snapshot || !self.is_killed);
        if self.has_snapshot {
            let more = if self.is_killed { CHANGES_AFTER_A_SNAPSHOT } else { 0 };
            changes = self.live(&dir, changes, changes + more, !self.is_killed);
        }
        let rows = Work::after(self.load, self.segments, self.seed, changes).rows;
        let targets = Targets::of(&dir);
        let base = Base { dir, rows, targets };
        let copy = base.copy("damaged");
        let outcome = compare(&copy, &base.rows);
        assert!(matches!(outcome, Outcome::Identical), "an undamaged store of {self:?}: {outcome:?}");
        base
    }

    /// Runs a process that makes the changes from `from` to `to`. The process stops earlier if the store has the
    /// planned number of segments. Returns the number of changes that the store then contains.
    fn live(self, dir: &Path, from: usize, to: usize, closes: bool) -> usize {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("work").arg(dir).args([self.load.name(), if closes { "close" } else { "kill" }]);
        command.args([self.segments, from, to].map(|number| number.to_string())).arg(self.seed.to_string());
        let output = command.output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.success(), closes, "{}", String::from_utf8_lossy(&output.stderr));
        printed.trim().parse().expect("the child process prints the number of changes")
    }
}

impl Base {
    pub(crate) fn copy(&self, name: &str) -> PathBuf {
        let copy = self.dir.with_file_name(name);
        crate::files::copy(&self.dir, &copy);
        copy
    }
}

/// The main function of the child process. It opens the store, makes changes, waits until all are acknowledged, and
/// ends.
pub(crate) fn work(arguments: &[String]) {
    let [dir, load, end, segments, from, to, seed] = arguments else { panic!("{arguments:?}") };
    let [segments, from, to] = [segments, from, to].map(|number| number.parse::<usize>().unwrap());
    let dir = Path::new(dir);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store = Store::open_disk(dir, Box::new(|error| panic!("{error}"))).unwrap();
        let mut work = Work::after(Load::named(load), segments, seed.parse().unwrap(), from);
        let under_way = Arc::new(Semaphore::new(UNDER_WAY));
        let mut bytes = 0;
        while work.changes < to && bytes < segments * BYTES_A_SEGMENT {
            if work.changes.is_multiple_of(64) && to == usize::MAX && has_segments(dir, segments) {
                break;
            }
            let permit = Arc::clone(&under_way).acquire_owned().await.unwrap();
            let (business, batch) = work.change();
            bytes += batch.bytes();
            store.submit(business, batch, Box::new(move || drop(permit))).unwrap();
        }
        let _all = under_way.acquire_many(UNDER_WAY as u32).await.unwrap();
        println!("{}", work.changes);
        if end == "kill" {
            // The abort simulates `kill -9`: nothing is closed, and a checkpoint may be in progress.
            std::process::abort();
        }
        store.close().await.unwrap();
    });
}

/// True if the store has this number of segments and the last segment is at least a quarter full.
fn has_segments(dir: &Path, segments: usize) -> bool {
    let bytes = fs::metadata(dir.join("store/db")).map_or(0, |db| db.len());
    bytes as usize >= (segments - 1) * SEGMENT_BYTES + SEGMENT_BYTES / 4
}
