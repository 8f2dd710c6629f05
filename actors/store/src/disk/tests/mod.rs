//! Tests how a store opens after a kill, or after a power cut during opening. The store must either contain all
//! acknowledged changes or refuse to open.

mod damage;

use std::sync::atomic::{AtomicBool, Ordering};

use super::super::opening::open_sled;
use super::super::tail;
use super::super::tree::{self, is_let_go_of};
use super::*;
use crate::{Key, KeyRange, Order};

const ROWS: u64 = 100;

/// Writes several megabytes to the log.
fn write_over(store: &DiskBackend, groups: u64) {
    for group in 1..=groups {
        let mut batch = Batch::default();
        for row in 0..8 {
            let value = vec![group as u8; 3_000];
            batch.put(Key::new(&((group * 8 + row) % ROWS).to_be_bytes()), value);
        }
        store.commit(&batch).unwrap();
        if group % 16 == 0 {
            store.save().unwrap();
        }
    }
    store.save().unwrap();
}

fn copy(from: &Path, to: &Path, which: impl Fn(&str) -> bool) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        let name = name.to_str().unwrap();
        if path.is_file() && which(name) {
            fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

/// Lets sled open its files without the journal. Returns the number of the newest batch in these files, or `None` if
/// sled does not open them.
fn found_by_sled(store: &Path) -> Option<u64> {
    let (db, newest) = open_sled(store).ok()?;
    drop(db);
    assert!(is_let_go_of(&File::open(store.join("db")).unwrap()));
    Some(newest)
}

/// A scan of a closed store must not return a read error, which would count as a failure of the store.
#[test]
fn a_scan_during_the_stop_of_the_store_gets_the_error_closed() {
    let dir = tempfile::tempdir().unwrap();
    let rows = 10_000_u64;
    let mut batch = Batch::default();
    (0..rows).for_each(|row| batch.put(Key::new(&row.to_be_bytes()), vec![1]));
    let store = DiskBackend::open(dir.path()).unwrap();
    store.commit(&batch).unwrap();
    store.close();
    let store = DiskBackend::open(dir.path()).unwrap();
    let mut scan = store.scan(&crate::every_row(), Order::Ascending);
    assert!(scan.next().unwrap().is_ok());
    store.close();
    let end = scan.find_map(Result::err);
    assert!(matches!(end, Some(StoreError::Closed)), "{end:?}");
}

#[test]
fn group_and_others_have_no_access_to_anything_in_the_data_directory() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    fn all(dir: &Path, found: &mut Vec<std::path::PathBuf>) {
        found.push(dir.to_owned());
        for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap() {
                of if of.is_dir() => all(&entry.path(), found),
                of if of.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
    }
    let (home, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::NamedTempFile::new().unwrap());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    DiskBackend::open(home.path()).unwrap().close();
    symlink(elsewhere.path(), home.path().join("linked")).unwrap();
    set(elsewhere.path(), 0o644);
    let mut before = Vec::new();
    all(home.path(), &mut before);
    for path in &before {
        set(path, if path.is_dir() { 0o755 } else { 0o664 });
    }
    let store = DiskBackend::open(home.path()).unwrap();
    write_over(&store, 100);
    store.close();
    let mut after = Vec::new();
    all(home.path(), &mut after);
    for name in ["journal", "committed", "store/db"] {
        assert!(after.contains(&home.path().join(name)), "{name} is missing in {after:?}");
    }
    for path in after {
        assert_eq!(mode(&path) & 0o077, 0, "{}", path.display());
    }
    assert_eq!(mode(elsewhere.path()), 0o644, "the target of a link must not be changed");
}

#[test]
fn a_store_whose_opening_was_interrupted_opens() {
    let homes: Vec<_> = (0..4).map(|_| tempfile::tempdir().unwrap()).collect();
    let [first, before, cut, bare] = [0, 1, 2, 3].map(|home: usize| homes[home].path());
    let is_snapshot = |name: &str| name.starts_with("snap.");
    let mut lost = 0;
    let store = DiskBackend::open(first).unwrap();
    write_over(&store, 300);
    store.close();
    // If the newest segment of a store contains every row, sled clears the preceding segment when it opens the store.
    // The last assertion checks that at least one step of this loop makes such a store.
    for step in 0..9 {
        for dir in [before, cut, bare] {
            fs::remove_dir_all(dir).unwrap();
            copy(first, dir, |_| true);
        }
        let stores = [before, cut, bare].map(|dir| dir.join("store"));
        copy(&first.join("store"), &stores[0], |_| true);
        let store = DiskBackend::open(before).unwrap();
        write_over(&store, 600 + 40 * step);
        let newest = store.sequence();
        store.close();
        copy(before, cut, |_| true);
        copy(&stores[0], &stores[1], |_| true);
        assert_eq!(found_by_sled(&stores[1]), Some(newest));
        for entry in fs::read_dir(&stores[1]).unwrap() {
            let path = entry.unwrap().path();
            if is_snapshot(path.file_name().unwrap().to_str().unwrap()) {
                fs::remove_file(path).unwrap();
            }
        }
        copy(&stores[0], &stores[1], is_snapshot);
        copy(&stores[1], &stores[2], |_| true);
        tail::secure(&stores[0], SEGMENT_BYTES as u64, u64::MAX).unwrap();
        copy(&stores[0], &stores[1], |name| name == "end");
        tail::let_go(&stores[0]).unwrap();

        // The third copy has no file `end`, so sled may find fewer batches in it.
        lost += usize::from(found_by_sled(&stores[2]).is_none_or(|found| found < newest));
        let store = DiskBackend::open(cut).unwrap();
        assert_eq!(store.sequence(), newest);
        for row in 0..ROWS {
            assert_eq!(store.get(&Key::new(&row.to_be_bytes())).unwrap().unwrap().len(), 3_000);
        }
        assert!(!stores[1].join("end").exists());
        store.close();
    }
    assert!(lost > 0, "the test must reach a step in which sled clears a needed segment");
}

/// In the copy that [`killed`] makes, the journal contains this many batches that sled's files lack.
const AHEAD: u64 = 3;

fn row_of(number: u64, row: u8) -> Key {
    Key::new(&number.to_be_bytes()).with(&[row])
}

fn acknowledge(store: &DiskBackend, number: u64) {
    let mut batch = Batch::default();
    for row in 0..2 {
        batch.put(row_of(number, row), vec![number as u8; 3_000]);
    }
    store.commit(&batch).unwrap();
    store.note_durable().unwrap();
}

/// Simulates a kill by copying the files of an open store. Repeats this until the copy of sled's files lacks
/// the last batches. Returns the number of the newest batch in this copy, and that of the newest batch in the journal.
fn killed(home: &Path, to: &Path) -> (u64, u64) {
    let store = DiskBackend::open(&home.join("open")).unwrap();
    for number in 1..=20 {
        acknowledge(&store, number);
    }
    for _ in 0..1_000 {
        store.save().unwrap();
        for _ in 0..AHEAD {
            acknowledge(&store, store.sequence() + 1);
        }
        let newest = store.sequence();
        let _ = fs::remove_dir_all(to);
        // The test copies sled's files before the other files, because sled may soon write to them again.
        copy(&home.join("open/store"), &to.join("store"), |_| true);
        copy(&home.join("open"), to, |name| name != "ballast");
        let alone = home.join("alone");
        let _ = fs::remove_dir_all(&alone);
        copy(&to.join("store"), &alone, |_| true);
        if let Some(found) = found_by_sled(&alone)
            && found == newest - AHEAD
        {
            return (found, newest);
        }
    }
    panic!("sled's files contained the last batches in every copy");
}

fn check(dir: &Path, newest: u64) {
    let store = DiskBackend::open(dir).unwrap();
    assert_eq!(store.sequence(), newest);
    for number in 1..=newest {
        for row in 0..2 {
            let found = store.get(&row_of(number, row)).unwrap();
            assert_eq!(found.unwrap(), vec![number as u8; 3_000]);
        }
    }
    store.close();
}

#[test]
fn batches_that_only_the_journal_has_are_found_or_reported_as_lost() {
    let home = tempfile::tempdir().unwrap();
    let left = home.path().join("left");
    let (kept, newest) = killed(home.path(), &left);
    let altered = home.path().join("altered");
    let alter = |alter: &dyn Fn(&Path)| {
        let _ = fs::remove_dir_all(&altered);
        copy(&left, &altered, |_| true);
        copy(&left.join("store"), &altered.join("store"), |_| true);
        alter(&altered);
        DiskBackend::open(&altered)
    };
    let journal = |dir: &Path| OpenOptions::new().write(true).open(dir.join("journal")).unwrap();
    let records = fs::read(left.join("journal")).unwrap();
    let blocks = records.iter().rposition(|byte| *byte != 0).unwrap() / 4_096;
    let mut missed = 0;
    for block in 1..=blocks {
        let zeroed = alter(&|dir| {
            std::os::unix::fs::FileExt::write_all_at(&journal(dir), &[0; 4_096], 4_096 * block as u64)
                .unwrap();
        });
        match zeroed {
            Err(StoreError::DamagedFiles { .. } | StoreError::Lost { .. }) => missed += 1,
            Err(error) => panic!("{error}"),
            // The store may open only if sled's files contain the batch of the damaged record.
            Ok(store) => assert_eq!(store.sequence(), newest),
        }
    }
    // Each record takes two blocks.
    assert_eq!(missed, 2 * (newest - kept), "of {blocks} blocks");
    let without = alter(&|dir| fs::remove_file(dir.join("journal")).unwrap());
    assert!(matches!(without.err(), Some(StoreError::Lost { .. })));
    let shorter = alter(&|dir| journal(dir).set_len(8 << 10).unwrap());
    assert!(matches!(shorter.err(), Some(StoreError::Lost { .. })));
    // The undamaged copy can be opened any number of times.
    check(&left, newest);
    check(&left, newest);
}

#[test]
fn the_journal_wraps_around_and_loses_nothing_in_a_kill() {
    let home = tempfile::tempdir().unwrap();
    let (open, left) = (home.path().join("open"), home.path().join("left"));
    let store = DiskBackend::open(&open).unwrap();
    // Each batch takes a whole block of the journal but few bytes of the tree's log, so a checkpoint becomes due when
    // the journal fills.
    for number in 1..=3_000_u64 {
        let mut batch = Batch::default();
        batch.put(Key::new(&[1]), number.to_be_bytes().to_vec());
        store.commit(&batch).unwrap();
        store.note_durable().unwrap();
        if number >= 1_800 && number % 300 == 0 {
            let _ = fs::remove_dir_all(&left);
            copy(&open.join("store"), &left.join("store"), |_| true);
            copy(&open, &left, |name| name != "ballast");
            let killed = DiskBackend::open(&left).unwrap();
            assert_eq!(killed.sequence(), number);
            assert_eq!(killed.get(&[1]).unwrap().unwrap(), number.to_be_bytes());
            killed.close();
        }
    }
}

#[test]
fn the_log_never_grows_by_more_than_its_bound_between_two_syncs() {
    let dir = tempfile::tempdir().unwrap();
    let (tree, _) = Tree::open(&Files::of(dir.path())).unwrap();
    // The estimate counts deletes too: a delete writes only a short key, but sled later writes the whole page again.
    let value = vec![1; 4_000];
    let mut synced = 0;
    for number in 1..=10 {
        let before = tree.log_bytes();
        let value = (number % 2 == 1).then_some(&value[..]);
        let keys: Vec<_> = (0..250_u8).map(|row| [row]).collect();
        tree.write(number, keys.iter().map(|key| (&key[..], value))).unwrap();
        assert!(tree.log_bytes() < tree::LOG_BYTES_MAX);
        // Without a sync, a write increases the estimate by more than three times the bytes of the values. A sync
        // resets the estimate to 0. So a smaller increase, or a decrease, shows that the tree was synced.
        synced += usize::from(tree.log_bytes() < before + 3 * 250 * 4_000);
    }
    assert!(synced >= 5, "{synced}");
    // Deleting a missing row writes nothing to the log.
    let before = tree.log_bytes();
    tree.write(11, (0..200).map(|_| (&[1, 2, 3][..], None))).unwrap();
    assert!(tree.log_bytes() < before + 1_000);
    tree.sync().unwrap();
    assert_eq!(tree.log_bytes(), 0);
    tree.close();
}

#[test]
fn filled_rows_are_durable_after_each_save() {
    let dir = tempfile::tempdir().unwrap();
    let store = DiskBackend::open(dir.path()).unwrap();
    let unsynced = || store.with(|open| open.home.unsynced_log_bytes()).unwrap();
    for page in 0..3_u8 {
        // All rows of a backup are written with the same batch number.
        store.fill(&[(vec![page], vec![page; 3_000])], 7).unwrap();
        assert!(unsynced() > 3_000);
        store.save().unwrap();
        assert_eq!(unsynced(), 0);
    }
}

#[test]
fn bytes_that_only_the_journal_contains_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let store = DiskBackend::open(dir.path()).unwrap();
    let mut batch = Batch::default();
    (0..40_u8).for_each(|row| batch.put(Key::new(&[row]), vec![row; 4_000]));
    store.commit(&batch).unwrap();
    assert!([0, batch.bytes() as u64].contains(&store.unsaved_bytes())); // 0 if a checkpoint already ran
    store.save().unwrap();
    assert_eq!(store.unsaved_bytes(), 0);
    store.write(&batch).unwrap();
    assert_eq!(store.unsaved_bytes(), 0);
}

/// Stops the other threads when the test ends or panics.
struct AtEnd<'a>(&'a AtomicBool);

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// While checkpoints run, each batch appends a row to a queue, deletes the first row of the queue and overwrites rows.
#[test]
fn concurrent_readers_never_see_a_part_of_a_batch() {
    const ALWAYS: u64 = 60;
    const IN_QUEUE: u64 = 20;
    const BATCHES: u64 = 3_000;
    let dir = tempfile::tempdir().unwrap();
    let store = DiskBackend::open(dir.path()).unwrap();
    let (always, queue) = (Key::new(&[1]), Key::new(&[2]));
    let at = |prefix: Key, number: u64| prefix.with(&number.to_be_bytes());
    let write = |number: u64| {
        let mut batch = Batch::default();
        (0..ALWAYS).for_each(|row| batch.put(at(always, row), number.to_be_bytes().to_vec()));
        (0..4).for_each(|row| batch.put(at(queue, 4 * number + row), vec![1; 200]));
        if let Some(gone) = number.checked_sub(IN_QUEUE) {
            (0..4).for_each(|row| batch.delete(at(queue, 4 * gone + row)));
        }
        store.commit(&batch).unwrap();
    };
    (0..IN_QUEUE).for_each(write);
    let scan = |prefix: Key, order: Order| {
        let rows = store.scan(&KeyRange::prefix(prefix), order);
        rows.map(Result::unwrap).collect::<Vec<_>>()
    };
    let number = |bytes: &[u8]| u64::from_be_bytes(*bytes.last_chunk().unwrap());
    let ends = AtomicBool::new(false);
    let goes_on = || !ends.load(Ordering::Relaxed);
    let (goes_on, scan, store_saved) = (&goes_on, &scan, &store);
    std::thread::scope(|threads| {
        let _end = AtEnd(&ends);
        for order in [Order::Ascending, Order::Descending] {
            threads.spawn(move || {
                let mut newest = 0;
                while goes_on() {
                    let rows = scan(always, order);
                    assert_eq!(rows.len() as u64, ALWAYS);
                    for (_, value) in rows {
                        assert!(number(&value) >= newest, "{} is older than {newest}", number(&value));
                        newest = number(&value);
                    }
                }
            });
        }
        threads.spawn(move || {
            let mut first = 0;
            while goes_on() {
                let rows = scan(queue, Order::Ascending);
                let numbers: Vec<_> = rows.iter().map(|(key, _)| number(key)).collect();
                assert!(numbers[0] >= first && numbers[0] % 4 == 0, "{} is older than {first}", numbers[0]);
                assert!(numbers.len() as u64 >= 4 * IN_QUEUE - 4, "{} rows", numbers.len());
                first = numbers[0];
            }
        });
        threads.spawn(move || {
            while goes_on() {
                store_saved.save().unwrap();
            }
        });
        (IN_QUEUE..BATCHES).for_each(write);
    });
    assert_eq!(scan(queue, Order::Ascending).len() as u64, 4 * IN_QUEUE);
    store.close();
    let store = DiskBackend::open(dir.path()).unwrap();
    let rows = store.scan(&KeyRange::prefix(queue), Order::Ascending).count() as u64;
    assert_eq!((store.sequence(), rows), (BATCHES, 4 * IN_QUEUE));
}

/// A clock that records which threads read it. Each sync reads the clock when it begins.
#[derive(Default)]
struct Threads(Mutex<Vec<std::thread::ThreadId>>);

impl ports::Clock for Threads {
    fn now(&self) -> domain::Timestamp {
        domain::Timestamp::MIN
    }

    fn steady(&self) -> std::time::Duration {
        self.0.lock().push(std::thread::current().id());
        std::time::Duration::ZERO
    }
}

#[tokio::test]
async fn syncs_of_journal_tombstones_and_tree_are_measured() {
    let dir = tempfile::tempdir().unwrap();
    let disk = DiskBackend::open(dir.path()).unwrap();
    let clock = Arc::new(Threads::default());
    disk.syncs().watch(Arc::clone(&clock) as _);
    let by_this_thread =
        || clock.0.lock().iter().filter(|asked| **asked == std::thread::current().id()).count();
    let mut batch = Batch::default();
    batch.put(Key::new(b"a"), b"1".to_vec());
    disk.write(&batch).unwrap();
    assert_eq!(by_this_thread(), 0);
    disk.sync().unwrap();
    assert_eq!(by_this_thread(), 1);
    disk.apply(&batch).unwrap();
    disk.record_tombstones(&[Tombstone::RevokedKey(uuid::Uuid::from_u128(7).into())]).unwrap();
    assert_eq!(by_this_thread(), 2);
    disk.save().unwrap();
    assert!(clock.0.lock().len() > 2, "`save` must sync the tree, in this thread or the checkpoint thread");
    assert_eq!(disk.syncs().age(), std::time::Duration::ZERO);
}
