//! Tests of damage to sled's files. A store whose log lost messages does not open. A corrupt page affects only
//! the businesses with rows in it.

use std::collections::BTreeMap;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use domain::{BusinessId, ResourceId};
use uuid::Uuid;

use super::*;
use crate::isolating::Files;
use crate::keys::{self, installation_kind};
use crate::sled_log::{Log, snapshots_of};
use crate::{KeyRange, Order, Store, every_row};

const VALUE_BYTES: usize = 1_000;

fn business(number: u64) -> BusinessId {
    Uuid::from_u128(u128::from(number) << 64 | 7).into()
}

/// A key with the length of its kind. A salvage does not use changes with other keys.
fn row(number: u64, row: u64) -> Key {
    Key::new(business(number).uuid().as_bytes()).with(&[0x30]).with(&u128::from(row).to_be_bytes())
}

/// Adds these businesses to the list of all businesses, and writes `rows` rows for each.
fn write(store: &DiskBackend, businesses: std::ops::RangeInclusive<u64>, rows: u64) {
    for number in businesses {
        let mut batch = Batch::default();
        batch.put(keys::business_index(business(number)), Vec::new());
        store.commit(&batch).unwrap();
        for first in (0..rows).step_by(40) {
            let mut batch = Batch::default();
            for at in first..(first + 40).min(rows) {
                batch.put(row(number, at), [number as u8, at as u8].repeat(VALUE_BYTES / 2));
            }
            store.commit(&batch).unwrap();
            store.note_durable().unwrap();
        }
    }
    store.save().unwrap();
}

fn all(store: &DiskBackend, range: &KeyRange) -> Result<BTreeMap<Vec<u8>, Vec<u8>>, StoreError> {
    Backend::scan(store, range, Order::Ascending).collect()
}

fn copied(from: &Path) -> tempfile::TempDir {
    let to = tempfile::tempdir().unwrap();
    for (from, to) in [(from.to_owned(), to.path().to_owned()), (from.join("store"), to.path().join("store"))]
    {
        fs::create_dir_all(&to).unwrap();
        for path in entries(&from).unwrap() {
            if path.is_file() && !path.ends_with("ballast") {
                fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
            }
        }
    }
    to
}

fn flip(dir: &Path, at: u64) {
    let db = OpenOptions::new().read(true).write(true).open(dir.join("store/db")).unwrap();
    let mut byte = [0];
    db.read_exact_at(&mut byte, at).unwrap();
    db.write_all_at(&[byte[0] ^ 4], at).unwrap();
}

/// Reads sled's log. Returns it with the log position, file offset and length of each message that the tree
/// needs.
fn log(dir: &Path) -> (Log, Vec<(u64, u64, usize)>) {
    let files = Files::of(dir);
    let log = Log::open(&files.store, &files.segments, SEGMENT_BYTES as u64).unwrap().unwrap();
    let needed = log.needed().unwrap();
    (log, needed)
}

/// Finds a message of sled's log that contains all of these values. Returns the file offset of `values[0]`, and the log
/// position of the message.
fn place_of(dir: &Path, values: &[&[u8]]) -> (u64, u64) {
    let (log, needed) = log(dir);
    let found = needed.iter().find_map(|(lsn, at, length)| {
        let message = log.bytes(*at, *length).unwrap();
        let places = values.iter().map(|value| memchr::memmem::find(&message, value));
        Some((at + places.collect::<Option<Vec<_>>>()?[0] as u64, *lsn))
    });
    found.expect("no message contains the values")
}

/// Flips a bit in `values[0]`, in a message of sled's log that contains all of the values.
fn flip_value(dir: &Path, values: &[&[u8]]) {
    flip(dir, place_of(dir, values).0);
}

/// Opens and closes a store until sled's snapshot covers the message with this value. When sled opens a store, it
/// does not read a message that the snapshot covers. When sled closes the store, it may write the page of the value
/// again, in a message that is newer than the snapshot. In this case, the function tries again.
fn cover(dir: &Path, value: &[u8]) {
    let is_covered = || {
        let segment_of = |lsn| lsn / SEGMENT_BYTES as u64;
        let snapshot = snapshots_of(&dir.join("store")).unwrap().pop().unwrap();
        segment_of(place_of(dir, &[value]).1) < segment_of(snapshot.lsn)
    };
    let covered = (0..20).any(|_| {
        DiskBackend::open(dir).unwrap().close();
        if is_covered() {
            return true;
        }
        // The test fills the segment, so that the log continues in the next segment.
        let store = DiskBackend::open(dir).unwrap();
        for first in (0..(SEGMENT_BYTES / VALUE_BYTES) as u64).step_by(100) {
            let (mut put, mut deleted) = (Batch::default(), Batch::default());
            for at in first..first + 100 {
                put.put(row(u64::MAX, at), vec![at as u8; VALUE_BYTES]);
                deleted.delete(row(u64::MAX, at));
            }
            store.commit(&put).unwrap();
            store.commit(&deleted).unwrap();
        }
        store.close();
        false
    });
    assert!(covered, "sled must leave the page in place at one of the openings");
}

/// Returns two copies of a store with several segments, and the rows of the store. The first copy simulates a
/// kill. The second copy was closed cleanly.
fn killed_and_closed() -> ([tempfile::TempDir; 2], BTreeMap<Vec<u8>, Vec<u8>>) {
    let home = tempfile::tempdir().unwrap();
    let store = DiskBackend::open(home.path()).unwrap();
    write(&store, 1..=12, 2_000);
    // If sled completes a segment during a sync, only the next sync adds the segment to the list. The test therefore
    // writes once more.
    write(&store, 13..=13, 1);
    let killed = copied(home.path());
    let rows = all(&store, &every_row()).unwrap();
    store.close();
    for from in [&killed, &home] {
        let whole = copied(from.path());
        let store = DiskBackend::open(whole.path()).unwrap();
        assert!(all(&store, &every_row()).unwrap() == rows);
        store.close();
    }
    ([killed, home], rows)
}

#[test]
fn a_flipped_bit_in_a_message_that_the_tree_needs_is_refused_with_its_offset() {
    let (stores, _) = killed_and_closed();
    for from in stores {
        let (log, mut needed) = log(from.path());
        // The test leaves out messages in segments that sled completed during the last sync, because such segments are
        // not in the list of segments yet.
        needed.retain(|(lsn, ..)| log.is_listed(*lsn).unwrap());
        assert!(needed.len() > 100, "{}", needed.len());
        for share in 0..=10 {
            let (_, message, _) = needed[(needed.len() - 1) * share / 10];
            let damaged = copied(from.path());
            flip(damaged.path(), message + 9);
            // A refused opening must change nothing. So the second opening must also be refused.
            for _ in 0..2 {
                match DiskBackend::open(damaged.path()) {
                    Err(StoreError::DamagedAt { offset, .. }) => assert_eq!(offset, message),
                    opened => panic!("{message}: {:?}", opened.err()),
                }
            }
        }
    }
}

#[test]
fn after_any_flipped_bit_the_store_has_every_row_or_does_not_open() {
    let (stores, rows) = killed_and_closed();
    let segment = SEGMENT_BYTES as u64;
    for from in stores {
        // A damaged store may open if the tree no longer needs the damaged segment.
        for at in [30, segment / 2, segment - 3_000, segment + 7, 2 * segment - 2_000] {
            let damaged = copied(from.path());
            flip(damaged.path(), at);
            for _ in 0..2 {
                match DiskBackend::open(damaged.path()) {
                    Err(StoreError::DamagedAt { offset, .. }) => {
                        assert!(offset <= at && at - offset < 70_000);
                    }
                    // After damage at the end of a killed store's log, the newest batches are missing. The store
                    // detects this, because it has recorded the number of the newest batch.
                    Err(StoreError::Lost { .. } | StoreError::DamagedFiles { .. }) => {}
                    Err(error) => panic!("{at}: {error}"),
                    Ok(store) => {
                        assert!(all(&store, &every_row()).unwrap() == rows, "{at}");
                        store.close();
                        break;
                    }
                }
            }
        }
        let cut = copied(from.path());
        OpenOptions::new().write(true).open(cut.path().join("store/db")).unwrap().set_len(segment).unwrap();
        assert!(DiskBackend::open(cut.path()).is_err());
    }
}

/// Deletes the journal of a store. The next opening creates an empty journal.
fn delete_journal(dir: &Path) {
    fs::remove_file(dir.join("journal")).unwrap();
}

/// Salvages a store. Returns its rows, whether the salvage found the newest change, and whether the store was sound.
fn salvaged(from: &Path) -> (BTreeMap<Vec<u8>, Vec<u8>>, bool, bool) {
    let to = tempfile::tempdir().unwrap();
    let salvaging = crate::Salvaging::begin(from, to.path()).unwrap();
    let rows = salvaging.store.rows().scan(&every_row(), Order::Ascending);
    (rows.collect::<Result<_, _>>().unwrap(), salvaging.missing.is_none(), salvaging.is_sound)
}

#[test]
fn a_refused_start_does_not_change_the_log() {
    let home = tempfile::tempdir().unwrap();
    let store = DiskBackend::open(home.path()).unwrap();
    write(&store, 1..=2, 400);
    store.close();
    let store = DiskBackend::open(home.path()).unwrap();
    let snapshot = snapshots_of(&home.path().join("store")).unwrap().pop().unwrap().lsn;
    write(&store, 3..=3, 400);
    let rows = all(&store, &every_row()).unwrap();
    let killed = copied(home.path());
    store.close();
    for from in [&killed, &home] {
        assert!(salvaged(from.path()).2);
        let needed = log(from.path()).1;
        assert!(needed.iter().all(|(lsn, ..)| *lsn < SEGMENT_BYTES as u64), "the log must have one segment");
        let (before, after): (Vec<_>, _) = needed.iter().partition(|(lsn, ..)| *lsn < snapshot);
        for (messages, has_journal) in [(&before, true), (&before, false), (&after, false)] {
            let (_, message, _) = messages[messages.len() / 3];
            let damaged = copied(from.path());
            if !has_journal {
                delete_journal(damaged.path());
            }
            flip(damaged.path(), message + 9);
            let log = || fs::read(damaged.path().join("store/db")).unwrap();
            let bytes = log();
            match DiskBackend::open(damaged.path()) {
                Err(StoreError::DamagedAt { offset, .. }) => assert_eq!(offset, message),
                opened => panic!("{message}: {:?}", opened.err()),
            }
            assert!(log() == bytes, "{message}");
            let (found, is_newest, is_sound) = salvaged(damaged.path());
            assert!(
                !is_sound && is_newest && rows.len() - found.len() <= 16,
                "{message}: {} rows",
                found.len()
            );
        }
        // This damage affects a batch after the snapshot. The journal also contains the batches after the snapshot, so
        // the store opens with all rows.
        let (_, message, _) = after[after.len() / 3];
        flip(from.path(), message + 9);
        let store = DiskBackend::open(from.path()).unwrap();
        assert!(all(&store, &every_row()).unwrap() == rows);
        store.close();
    }
}

/// Opens a damaged store, and returns true if the store refuses to open. A store that opens must contain these rows. A
/// refused opening must not change the log.
fn is_refused_unchanged_or_has(dir: &Path, rows: &BTreeMap<Vec<u8>, Vec<u8>>) -> bool {
    let log = || fs::read(dir.join("store/db")).unwrap();
    let before = log();
    match DiskBackend::open(dir) {
        Ok(store) => {
            assert!(all(&store, &every_row()).unwrap() == *rows);
            store.close();
            false
        }
        Err(error) => {
            assert!(log() == before, "{error}");
            true
        }
    }
}

#[test]
fn a_log_without_the_first_segment_of_its_tail_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let store = DiskBackend::open(home.path()).unwrap();
    // Each round writes all pages again, so each segment of the log contains every page. Therefore, a later segment
    // replaces all pages of an earlier segment.
    for round in 0..160 {
        let mut batch = Batch::default();
        (0..200).for_each(|at| batch.put(row(1, at), vec![round; VALUE_BYTES]));
        store.commit(&batch).unwrap();
        store.save().unwrap();
    }
    let rows = all(&store, &every_row()).unwrap();
    let killed = copied(home.path());
    store.close();
    let mut refused = 0;
    for from in [&killed, &home] {
        let db = File::open(from.path().join("store/db")).unwrap();
        let mut segments = crate::sled_log::segments_of(&db, SEGMENT_BYTES as u64).unwrap();
        segments.sort_unstable_by_key(|segment| segment.lsn);
        assert!(segments.len() > 2, "{segments:?}");
        for segment in segments.iter().rev().take(3) {
            let damaged = copied(from.path());
            flip(damaged.path(), segment.at + 5);
            refused += usize::from(is_refused_unchanged_or_has(damaged.path(), &rows));
        }
    }
    assert!(refused >= 2, "{refused}");
}

#[test]
fn a_store_in_its_first_run_opens_after_a_crash_during_the_first_checkpoint() {
    let home = tempfile::tempdir().unwrap();
    let store = DiskBackend::open(home.path()).unwrap();
    for number in 1..=3 {
        let mut batch = Batch::default();
        (0..400).for_each(|at| batch.put(row(number, at), vec![number as u8; VALUE_BYTES]));
        store.commit(&batch).unwrap();
    }
    store.save().unwrap();
    let rows = all(&store, &every_row()).unwrap();
    let killed = copied(home.path());
    store.close();
    let (_, message, _) = log(killed.path()).1[3];
    flip(killed.path(), message + 9);
    let store = DiskBackend::open(killed.path()).unwrap();
    assert!(all(&store, &every_row()).unwrap() == rows, "the journal contains every batch");
    store.close();
}

#[tokio::test]
async fn damage_to_a_restored_store_is_refused_before_its_first_start() {
    let home = tempfile::tempdir().unwrap();
    let mut filling = crate::Filling::begin(home.path(), 7).unwrap();
    let rows: BTreeMap<_, _> =
        (0..2_000).map(|at| (row(1, at).to_vec(), vec![at as u8; VALUE_BYTES])).collect();
    for row in rows.clone() {
        filling.put(row).unwrap();
    }
    let store = filling.into_store(Box::new(|error| panic!("{error}"))).unwrap();
    let mut batch = Batch::default();
    batch.put(row(2, 1), vec![1]);
    store.write(business(2), batch).await.unwrap();
    store.close().await.unwrap();
    crate::Filling::finish(home.path()).unwrap();
    let mut rows = rows;
    rows.insert(row(2, 1).to_vec(), vec![1]);
    rows.extend(all(&DiskBackend::open(copied(home.path()).path()).unwrap(), &every_row()).unwrap());
    let needed = log(home.path()).1;
    for share in 1..6 {
        let damaged = copied(home.path());
        flip(damaged.path(), needed[needed.len() * share / 6].1 + 9);
        assert!(is_refused_unchanged_or_has(damaged.path(), &rows), "{share}");
    }
}

#[test]
fn an_isolation_stops_the_store_if_the_end_of_the_log_is_damaged_too() {
    let home = tempfile::tempdir().unwrap();
    let (store, _) = opened(home.path());
    // The rows do not fit into sled's cache, so sled has to read pages from the disk.
    write(&store, 1..=10, 9_000);
    flip_value(home.path(), &[&[4, 200].repeat(VALUE_BYTES / 2)]);
    let needed = log(home.path()).1;
    flip(home.path(), needed[needed.len() - 12].1 + 9);
    let range = KeyRange::prefix(Key::new(business(4).uuid().as_bytes()));
    match all(&store, &range) {
        Err(StoreError::Corrupt { .. }) => panic!("the page was isolated"),
        Err(_) => {}
        Ok(_) => panic!("the damage was not found"),
    }
    store.close();
    // When sled opens, it may erase batches at the damaged end of its log. If the journal still contains these batches,
    // the store opens. In this case, the rows of all businesses except number 4 must be complete.
    if let Ok(store) = DiskBackend::open(home.path()) {
        for number in (1..=10).filter(|number| *number != 4) {
            let range = KeyRange::prefix(Key::new(business(number).uuid().as_bytes()));
            let mut found = all(&store, &range);
            if let Err(StoreError::Corrupt { .. }) = found {
                found = all(&store, &range);
            }
            assert_eq!(found.unwrap().len(), 9_000, "{number}");
        }
    }
}

#[test]
fn a_salvage_reports_that_the_newest_changes_are_missing() {
    let home = tempfile::tempdir().unwrap();
    let store = DiskBackend::open(home.path()).unwrap();
    write(&store, 1..=2, 1_000);
    store.close();
    let newest = log(home.path()).1.pop().unwrap().1;
    delete_journal(home.path());
    let db = OpenOptions::new().write(true).open(home.path().join("store/db")).unwrap();
    db.write_all_at(&vec![0; newest as usize / 2], newest / 2).unwrap();
    assert!(!salvaged(home.path()).1);
}

#[test]
fn damaged_snapshots_and_settings_are_created_again() {
    let home = tempfile::tempdir().unwrap();
    let store = DiskBackend::open(home.path()).unwrap();
    write(&store, 1..=2, 500);
    store.close();
    DiskBackend::open(home.path()).unwrap().close();
    let store = DiskBackend::open(home.path()).unwrap();
    write(&store, 3..=3, 500);
    let rows = all(&store, &every_row()).unwrap();
    store.close();
    let is_derived = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with("snap.") || name == "conf"
    };
    for derived in entries(&home.path().join("store")).unwrap().into_iter().filter(is_derived) {
        let name = derived.file_name().unwrap().to_str().unwrap().to_owned();
        for damage in [|bytes: &mut Vec<u8>| bytes[3] ^= 1, |bytes: &mut Vec<u8>| bytes.truncate(9)] {
            let damaged = copied(home.path());
            let path = damaged.path().join("store").join(&name);
            let mut bytes = fs::read(&path).unwrap();
            damage(&mut bytes);
            fs::write(&path, bytes).unwrap();
            let store = DiskBackend::open(damaged.path()).unwrap();
            assert!(all(&store, &every_row()).unwrap() == rows, "{name}");
            store.close();
            assert!(damaged.path().join(format!("{name}.damaged")).exists());
            DiskBackend::open(damaged.path()).unwrap().close();
        }
    }
}

/// Makes a store in which every business has 2,000 rows. Returns its directory and a value that occurs in rows of
/// the business with the number `within`. sled's snapshot covers the message with this value.
fn with_snapshot(businesses: u64, within: u64) -> (tempfile::TempDir, Vec<u8>) {
    let home = tempfile::tempdir().unwrap();
    let store = DiskBackend::open(home.path()).unwrap();
    write(&store, 1..=businesses, 2_000);
    store.close();
    let value = [within as u8, 200].repeat(VALUE_BYTES / 2);
    cover(home.path(), &value);
    (home, value)
}

/// Opens a store. When the store sets a business aside, it adds the business to the returned list.
fn opened(dir: &Path) -> (DiskBackend, Arc<Mutex<Vec<BusinessId>>>) {
    let store = DiskBackend::open(dir).unwrap();
    let aside = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&aside);
    store
        .on_isolated(Box::new(move |business, _| {
            noted.lock().push(business);
            Ok(())
        }))
        .unwrap();
    (store, aside)
}

#[test]
fn a_corrupt_page_affects_its_businesses_and_all_others_continue() {
    let (home, value) = with_snapshot(8, 4);
    flip_value(home.path(), &[&value]);
    let (store, aside) = opened(home.path());
    let mut found = None;
    for number in 1..=8 {
        let range = KeyRange::prefix(Key::new(business(number).uuid().as_bytes()));
        match all(&store, &range) {
            Ok(rows) => assert_eq!(rows.len(), 2_000, "{number}"),
            Err(StoreError::Corrupt { .. }) => found = Some(number),
            Err(error) => panic!("{number}: {error}"),
        }
    }
    assert_eq!(found, Some(4));
    assert_eq!(*aside.lock(), [business(4)]);
    // Later writes to other pages and to the isolated page succeed.
    write(&store, 1..=8, 2_000);
    store.save().unwrap();
    for _ in 0..2 {
        store.close();
        let store = DiskBackend::open(home.path()).unwrap();
        assert_eq!(all(&store, &every_row()).unwrap().len(), 8 * 2_001);
        store.close();
    }
    let kept = entries(home.path())
        .unwrap()
        .into_iter()
        .filter(|path| path.extension().is_some_and(|end| end == "damaged"));
    assert_eq!(kept.count(), 1);
}

#[test]
fn readers_that_meet_a_corrupt_page_at_once_isolate_it_once() {
    let (home, value) = with_snapshot(8, 4);
    flip_value(home.path(), &[&value]);
    let (store, aside) = opened(home.path());
    let (readers, page) = (4, KeyRange::prefix(Key::new(business(4).uuid().as_bytes())));
    let barrier = std::sync::Barrier::new(readers);
    std::thread::scope(|scope| {
        for _ in 0..readers {
            scope.spawn(|| {
                barrier.wait();
                // The first reader gets an error and isolates the page. A later reader may find the page empty, without
                // an error.
                if let Err(error) = all(&store, &page) {
                    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
                }
            });
        }
    });
    assert_eq!(*aside.lock(), [business(4)]);
    let other = KeyRange::prefix(Key::new(business(5).uuid().as_bytes()));
    assert_eq!(all(&store, &other).unwrap().len(), 2_000);
    store.close();
}

#[test]
fn rows_of_the_journal_for_a_corrupt_page_are_not_lost() {
    let (home, value) = with_snapshot(4, 2);
    let (store, aside) = opened(home.path());
    store.get(&row(3, 1)).unwrap();
    flip_value(home.path(), &[&value]);
    let mut batch = Batch::default();
    for number in 1..=4 {
        for at in 0..2_000 {
            batch.put(row(number, at), vec![9]);
        }
    }
    store.commit(&batch).unwrap();
    store.save().unwrap();
    assert_eq!(*aside.lock(), [business(2)]);
    assert!(
        all(&store, &every_row())
            .unwrap()
            .values()
            .filter(|value| !value.is_empty())
            .all(|value| *value == [9])
    );
    assert_eq!(all(&store, &every_row()).unwrap().len(), 4 * 2_001);
    store.close();
}

#[test]
fn a_corrupt_page_with_rows_of_the_installation_stops_the_store_with_its_offset() {
    let (home, _) = with_snapshot(3, 2);
    let listed = [1, 2, 3].map(|number| keys::business_index(business(number)));
    flip_value(home.path(), &listed.each_ref().map(|index| &index[index.len() - 9..]));
    let failure = Arc::new(Mutex::new(None));
    let error = match DiskBackend::open(home.path()) {
        Err(error) => error,
        Ok(store) => {
            let noted = Arc::clone(&failure);
            store.on_failure(Box::new(move |error| *noted.lock() = Some(error.to_string())));
            let range = keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX);
            let error = all(&store, &range).unwrap_err();
            assert!(failure.lock().is_some());
            error
        }
    };
    assert!(matches!(error, StoreError::DamagedAt { .. }), "{error}");
}

#[test]
fn when_sleds_cleaner_reads_a_corrupt_page_other_businesses_continue() {
    let (home, value) = with_snapshot(8, 4);
    flip_value(home.path(), &[&value]);
    let (store, aside) = opened(home.path());
    // The test overwrites all other rows, which moves their pages to new segments. sled's cleaner then has to process
    // the segment that contains only the corrupt page.
    let write_over = |value: u8| {
        for number in (1..=8).filter(|number| *number != 4) {
            for first in (0..2_000).step_by(100) {
                let mut batch = Batch::default();
                (first..first + 100).for_each(|at| batch.put(row(number, at), vec![value; VALUE_BYTES]));
                store.commit(&batch).unwrap();
            }
        }
        store.save().unwrap();
    };
    let met = (0..100).find(|round| {
        write_over(*round);
        !aside.lock().is_empty()
    });
    assert!(met.is_some(), "sled's cleaner must reach the corrupt page");
    assert_eq!(*aside.lock(), [business(4)]);
    write_over(200);
    write_over(201);
    for number in (1..=8).filter(|number| *number != 4) {
        let rows = all(&store, &KeyRange::prefix(Key::new(business(number).uuid().as_bytes()))).unwrap();
        assert_eq!(rows.len(), 2_000);
        assert!(rows.values().all(|value| value[..] == [201; VALUE_BYTES]));
    }
    store.close();
    DiskBackend::open(home.path()).unwrap().close();
}

#[test]
fn a_page_is_isolated_in_a_store_that_deletes() {
    let home = tempfile::tempdir().unwrap();
    let store = DiskBackend::open(home.path()).unwrap();
    write(&store, 1..=8, 2_000);
    for number in 1..=8 {
        for first in (0..2_000).step_by(40) {
            let mut batch = Batch::default();
            (first..first + 40).filter(|at| at % 400 >= 280).for_each(|at| batch.delete(row(number, at)));
            store.commit(&batch).unwrap();
        }
    }
    store.save().unwrap();
    store.close();
    let value = [4, 20].repeat(VALUE_BYTES / 2);
    cover(home.path(), &value);
    flip_value(home.path(), &[&value]);
    let (store, aside) = opened(home.path());
    for number in 1..=8 {
        let range = KeyRange::prefix(Key::new(business(number).uuid().as_bytes()));
        match all(&store, &range) {
            Ok(rows) => assert_eq!(rows.len(), 1_400, "{number}"),
            Err(StoreError::Corrupt { .. }) => {}
            Err(error) => panic!("{number}: {error}"),
        }
    }
    assert!(aside.lock().contains(&business(4)) && aside.lock().len() <= 2, "{:?}", aside.lock());
    write(&store, 1..=8, 2_000);
    store.save().unwrap();
}

#[test]
fn a_page_that_was_written_since_the_start_is_isolated_and_no_other_byte_changes() {
    let home = tempfile::tempdir().unwrap();
    let (store, aside) = opened(home.path());
    // The rows do not fit into sled's cache, so sled has to read pages from the disk.
    write(&store, 1..=10, 9_000);
    flip_value(home.path(), &[&[4, 200].repeat(VALUE_BYTES / 2)]);
    for number in 1..=10 {
        let range = KeyRange::prefix(Key::new(business(number).uuid().as_bytes()));
        match all(&store, &range) {
            Ok(rows) => assert_eq!(rows.len(), 9_000, "{number}"),
            Err(StoreError::Corrupt { .. }) => {}
            Err(error) => panic!("{number}: {error}"),
        }
    }
    assert_eq!(*aside.lock(), [business(4)]);
    let isolated = entries(home.path()).unwrap();
    assert!(isolated.iter().any(|path| path.extension().is_some_and(|end| end == "damaged")));
    write(&store, 1..=10, 100);
    store.close();
    let store = DiskBackend::open(home.path()).unwrap();
    for number in (1..=10).filter(|number| *number != 4) {
        let range = KeyRange::prefix(Key::new(business(number).uuid().as_bytes()));
        assert_eq!(all(&store, &range).unwrap().len(), 9_000, "{number}");
    }
}

#[tokio::test]
async fn a_change_to_a_corrupt_page_during_a_copy_affects_no_other_business() {
    let (home, value) = with_snapshot(8, 4);
    flip_value(home.path(), &[&value]);
    let store = Store::open_disk(home.path(), Box::new(|error| panic!("{error}"))).unwrap();
    let snapshot = store.snapshot(home.path().to_owned()).await.unwrap();
    for at in 0..2_000 {
        let mut batch = Batch::default();
        batch.put(row(4, at), vec![1]);
        let _ = store.submit(business(4), batch, Box::new(|| ()));
        if at % 100 == 0 {
            let _ = store.wait_durable(business(4)).await;
        }
    }
    let set_aside: Vec<_> = store.businesses_set_aside().into_iter().map(|(business, _)| business).collect();
    assert_eq!(set_aside, [business(4)]);
    let mut batch = Batch::default();
    batch.put(row(5, 1), vec![1]);
    store.submit(business(5), batch, Box::new(|| ())).unwrap();
    store.wait_durable(business(5)).await.unwrap();
    drop(snapshot);
    store.close().await.unwrap();
}
