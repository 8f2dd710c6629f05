//! Tests the store on a real disk: which stores must not open, and whether reads return the written values.

#![allow(clippy::unwrap_used)] // a failed `unwrap` makes the test fail

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use domain::BusinessId;
use proptest::prelude::*;
use store::{
    Batch, Frozen, Key, KeyRange, LONG_VALUE_BYTES_MAX, MemoryBackend, OnFatal, Order, Pages, Pairs, Rows,
    Snapshot, Store, StoreError, VALUE_BYTES_MAX, every_row,
};
use uuid::Uuid;

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

fn business() -> BusinessId {
    Uuid::from_bytes([1; 16]).into()
}

fn on_fatal() -> OnFatal {
    Box::new(|error| panic!("the store failed: {error}"))
}

fn open(dir: &Path) -> Store {
    Store::open_disk(dir, on_fatal()).unwrap()
}

fn refused(dir: &Path) -> String {
    match Store::open_disk(dir, on_fatal()) {
        Ok(_) => panic!("the directory was opened"),
        Err(error) => error.to_string(),
    }
}

fn everything() -> KeyRange {
    KeyRange { from: Key::new(b""), to: Key::new(&[0xff; 63]) }
}

async fn commit(store: &Store, batch: Batch) {
    let (answer, answered) = tokio::sync::oneshot::channel();
    store.submit(business(), batch, Box::new(move || answer.send(()).unwrap()));
    answered.await.unwrap();
}

fn put(key: &[u8], value: &[u8]) -> Batch {
    let mut batch = Batch::new();
    batch.put(Key::new(key), value.to_vec());
    batch
}

#[tokio::test]
async fn a_committed_batch_exists_after_reopening() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a/b");
    let store = open(&path);
    commit(&store, put(b"a", b"1")).await;
    let mut batch = put(b"b", b"2");
    batch.delete(Key::new(b"a"));
    commit(&store, batch).await;
    // The test does not wait for this change. Closing the store must write it.
    store.submit(business(), put(b"c", b"3"), Box::new(|| {}));
    store.close().await.unwrap();
    store.close().await.unwrap();
    assert!(matches!(store.get_raw(&Key::new(b"b")), Err(StoreError::Closed)));
    assert!(matches!(store.scan(&everything(), Order::Ascending).next(), Some(Err(StoreError::Closed))));

    let store = open(&path);
    let pairs: Vec<_> = store.scan(&everything(), Order::Ascending).map(Result::unwrap).collect();
    assert_eq!(pairs, [(b"b".to_vec(), b"2".to_vec()), (b"c".to_vec(), b"3".to_vec())]);
    let stats = store.stats();
    assert_eq!((stats.changes, stats.groups), (0, 0));
}

#[tokio::test]
async fn a_directory_in_use_is_refused_until_it_is_closed() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let expected = format!("the data directory {} is in use by another process", dir.path().display());
    assert_eq!(refused(dir.path()), expected);
    commit(&store, put(b"a", b"1")).await;
    for _ in 0..5 {
        store.close().await.unwrap();
        open(dir.path()).close().await.unwrap();
    }
}

#[tokio::test]
async fn a_half_written_snapshot_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    commit(&store, put(b"a", b"1")).await;
    store.close().await.unwrap();
    let half = dir.path().join("store/snap.00000000000FFFFF.generating");
    fs::write(&half, b"half").unwrap();
    let store = open(dir.path());
    assert!(!half.exists());
    assert_eq!(store.get_raw(&Key::new(b"a")).unwrap().unwrap(), b"1");
}

#[tokio::test]
async fn a_store_with_blob_files_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    open(dir.path()).close().await.unwrap();
    let blobs = dir.path().join("store/blobs");
    fs::write(blobs.join("1"), b"blob").unwrap();
    let error = refused(dir.path());
    assert!(error.contains(blobs.to_str().unwrap()) && !error.contains('\n'), "{error}");
    fs::remove_file(blobs.join("1")).unwrap();
    open(dir.path());
}

#[tokio::test]
async fn a_store_that_has_lost_synced_data_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    commit(&store, put(b"a", b"1")).await;
    store.close().await.unwrap();
    let earlier = fs::read(dir.path().join("committed")).unwrap();
    let store = open(dir.path());
    commit(&store, put(b"a", b"2")).await;
    store.close().await.unwrap();
    // The store also opens if the mark is missing or is older than the store. Both can happen after a power
    // cut.
    let newest = fs::read(dir.path().join("committed")).unwrap();
    fs::write(dir.path().join("committed"), earlier).unwrap();
    open(dir.path()).close().await.unwrap();
    fs::remove_file(dir.path().join("committed")).unwrap();
    open(dir.path()).close().await.unwrap();
    assert_eq!(fs::read(dir.path().join("committed")).unwrap(), newest, "opening must not write a batch");

    fs::remove_dir_all(dir.path().join("store")).unwrap();
    for _ in 0..2 {
        let error = refused(dir.path());
        assert!(error.contains("its newest batch is 0, but batch 2 was synced"), "{error}");
    }
    fs::write(dir.path().join("committed"), "this is not a mark").unwrap();
    let error = refused(dir.path());
    assert!(error.contains("committed is damaged") && !error.contains('\n'), "{error}");
}

#[tokio::test]
async fn a_failed_read_stops_the_store() {
    let disk = MemoryBackend::new();
    let failures = Arc::new(Mutex::new(Vec::new()));
    let reported = Arc::clone(&failures);
    let on_fatal: OnFatal = Box::new(move |error| reported.lock().unwrap().push(error.to_string()));
    let store = Store::in_memory(&disk, on_fatal).unwrap();
    commit(&store, put(b"a", b"1")).await;
    disk.hold_syncs();
    let (answer, answered) = tokio::sync::oneshot::channel();
    store.submit(business(), put(b"b", b"2"), Box::new(move || answer.send(()).unwrap()));
    tokio::task::yield_now().await;
    for _ in 0..2 {
        disk.fail_next_read();
        assert!(matches!(store.get_raw(&Key::new(b"a")), Err(StoreError::Read(_))));
    }
    assert!(store.failed());
    assert_eq!(*failures.lock().unwrap(), ["reading the store failed: a fault was injected"]);
    assert!(matches!(store.wait_durable(business()).await, Err(StoreError::Stopped)));
    assert_eq!(store.submit(business(), put(b"c", b"3"), Box::new(|| ())), None);
    disk.release_syncs();
    assert!(answered.await.is_err(), "no change may be acknowledged after a failure");
    assert!(matches!(store.close().await, Err(StoreError::Stopped)));
}

/// The store must stop if any read fails: a read of a value, of a range or of stored rows, or a point-in-time read.
#[tokio::test]
async fn every_kind_of_failed_read_stops_the_store() {
    type Read = (&'static str, fn(&Store, &mut Snapshot, &Frozen) -> Result<(), StoreError>);
    fn first(mut rows: Pairs<'_>) -> Result<(), StoreError> {
        rows.next().transpose().map(drop)
    }
    let ways: [Read; 8] = [
        ("value", |store, _, _| store.get_raw(&Key::new(b"a")).map(drop)),
        ("values", |store, _, _| first(store.scan(&every_row(), Order::Descending))),
        ("pages", |store, _, _| Pages::of(every_row()).next(store).map(drop)),
        ("row", |store, _, _| store.rows().get(b"a").map(drop)),
        ("rows", |store, _, _| first(store.rows().scan(&every_row(), Order::Ascending))),
        ("snapshot", |_, snapshot, _| snapshot.next(9, 9).map(drop)),
        ("frozen row", |_, _, frozen| frozen.get(b"a").map(drop)),
        ("frozen rows", |_, _, frozen| first(frozen.scan(&every_row(), Order::Ascending))),
    ];
    for (name, read) in ways {
        let (disk, failures) = (MemoryBackend::new(), Arc::new(Mutex::new(0)));
        let count = Arc::clone(&failures);
        let store = Store::in_memory(&disk, Box::new(move |_| *count.lock().unwrap() += 1)).unwrap();
        commit(&store, put(b"a", b"1")).await;
        let mut snapshot = store.snapshot(std::env::temp_dir()).await.unwrap();
        let frozen = store.freeze(&[]).await.unwrap();
        disk.fail_next_read();
        let failed = read(&store, &mut snapshot, &frozen);
        assert!(matches!(failed, Err(StoreError::Read(_))), "{name}: {failed:?}");
        assert_eq!((store.failed(), *failures.lock().unwrap()), (true, 1), "{name}");
        assert_eq!(store.submit(business(), put(b"b", b"2"), Box::new(|| ())), None, "{name}");
        for (other, read) in ways {
            let refused = read(&store, &mut snapshot, &frozen);
            assert!(matches!(refused, Err(StoreError::Stopped)), "{name}, then {other}: {refused:?}");
        }
        assert!(matches!(store.close().await, Err(StoreError::Stopped)), "{name}");
    }
}

#[test]
fn a_path_that_cannot_be_a_data_directory_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, b"").unwrap();
    assert_eq!(refused(&file), format!("the data directory {} is not a directory", file.display()));
    let below = file.join("data");
    let error = refused(&below);
    assert!(
        error.starts_with(&format!("the data directory {} could not be created: ", below.display())),
        "{error}"
    );
    // Not even root can create a directory at this path.
    let error = refused(Path::new("/proc/receptionist"));
    assert!(error.contains("/proc/receptionist") && !error.contains('\n'), "{error}");
    // The directory exists, but its lock file cannot be created.
    fs::create_dir_all(dir.path().join("odd/lock")).unwrap();
    let error = refused(&dir.path().join("odd"));
    assert!(error.contains("odd/lock") && !error.contains('\n'), "{error}");
}

/// Rows of the maximum length share a page with their neighbours. sled must not write the page to a blob file, because
/// sled never syncs blob files.
#[tokio::test]
async fn values_of_the_maximum_length_create_no_blob_files() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut number = 0_u8;
    for step in 0..120 {
        number = number.wrapping_add(89); // 89 is odd, so the keys come in a mixed order
        let (key, value) = ([number], vec![number; VALUE_BYTES_MAX]);
        commit(&store, put(&key, &value)).await;
        if step % 3 == 2 {
            let mut batch = Batch::new();
            batch.delete(Key::new(&[number.wrapping_sub(89)]));
            commit(&store, batch).await;
        }
    }
    let blobs = dir.path().join("store/blobs");
    assert_eq!(fs::read_dir(&blobs).unwrap().count(), 0);
    store.close().await.unwrap();
    assert_eq!(fs::read_dir(&blobs).unwrap().count(), 0);
    assert_eq!(open(dir.path()).scan(&everything(), Order::Ascending).count(), 80);
}

fn record(number: u8) -> Key {
    Key::new(&[1; 16]).with(&[0x50]).with(&[number; 16])
}

/// Returns a value of this length. The pieces in which it is stored differ from each other.
fn long(bytes: usize, seed: usize) -> Vec<u8> {
    (seed..seed + bytes).map(|at| (at * 31 % 65_521) as u8).collect()
}

#[tokio::test]
async fn long_values_are_returned_completely_and_create_no_blob_files() {
    const MAX: usize = VALUE_BYTES_MAX;
    let lengths =
        [0, 1, MAX - 1, MAX, MAX + 1, 2 * MAX - 1, 2 * MAX, 2 * MAX + 1, 5 * MAX, LONG_VALUE_BYTES_MAX];
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    // Each round gives each key a value of another length, so the values become longer and shorter.
    for round in 0..lengths.len() {
        for number in 0..lengths.len() {
            let mut batch = Batch::new();
            batch.put(record(number as u8), long(lengths[(number * 3 + round) % lengths.len()], number));
            commit(&store, batch).await;
        }
        if round % 4 == 3 {
            store.close().await.unwrap();
            store = open(dir.path());
        }
        for number in 0..lengths.len() {
            let expected = long(lengths[(number * 3 + round) % lengths.len()], number);
            assert!(store.get_raw(&record(number as u8)).unwrap().unwrap() == expected, "{round} {number}");
        }
    }
    let of_kind = KeyRange::prefix(Key::new(&[1; 16]).with(&[0x50]));
    for order in [Order::Ascending, Order::Descending] {
        let found: Vec<_> = store.scan(&of_kind, order).map(|pair| pair.unwrap().1.len()).collect();
        assert_eq!(found.len(), lengths.len());
        assert_eq!(found.iter().sum::<usize>(), lengths.iter().sum::<usize>());
    }
    let blobs = dir.path().join("store/blobs");
    assert_eq!(fs::read_dir(&blobs).unwrap().count(), 0);
    store.close().await.unwrap();
    assert_eq!(fs::read_dir(&blobs).unwrap().count(), 0);
}

#[derive(Clone, Debug)]
enum Step {
    Commit(Vec<(Vec<u8>, Option<Vec<u8>>)>),
    Scan(Vec<u8>, Vec<u8>),
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // The keys consist of only four different bytes, so that many keys are equal, adjacent, or prefixes of others.
    let key = || proptest::collection::vec(prop_oneof![Just(0_u8), Just(1), Just(0x7f), Just(0xff)], 1..5);
    let value = proptest::option::weighted(0.7, proptest::collection::vec(any::<u8>(), 0..200));
    let commit = proptest::collection::vec((key(), value), 1..40).prop_map(Step::Commit);
    let scan = (key(), key()).prop_map(|(from, to)| Step::Scan(from, to));
    proptest::collection::vec(prop_oneof![8 => commit, 3 => scan, 1 => Just(Step::Reopen)], 1..25)
}

fn check_scan(store: &Store, model: &Model, range: &KeyRange) {
    let mut expected: Vec<_> = model
        .iter()
        .filter(|(key, _)| range.from[..] <= key[..] && key[..] < range.to[..])
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let found = |order| store.scan(range, order).collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(found(Order::Ascending), expected);
    expected.reverse();
    assert_eq!(found(Order::Descending), expected);
}

async fn run(dir: &Path, steps: Vec<Step>) {
    let (mut store, mut model) = (open(dir), Model::new());
    for step in steps {
        match step {
            Step::Commit(writes) => {
                let mut batch = Batch::new();
                for (key, value) in writes {
                    match value {
                        Some(value) => {
                            batch.put(Key::new(&key), value.clone());
                            model.insert(key, value);
                        }
                        None => {
                            batch.delete(Key::new(&key));
                            model.remove(&key);
                        }
                    }
                }
                commit(&store, batch).await;
            }
            Step::Scan(from, to) => {
                check_scan(&store, &model, &KeyRange { from: Key::new(&from), to: Key::new(&to) });
                assert_eq!(store.get_raw(&Key::new(&from)).unwrap().as_ref(), model.get(&from));
            }
            Step::Reopen => {
                store.close().await.unwrap();
                store = open(dir);
            }
        }
    }
    check_scan(&store, &model, &everything());
    store.close().await.unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_store_behaves_like_a_map(steps in steps()) {
        let dir = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(run(dir.path(), steps));
    }
}
