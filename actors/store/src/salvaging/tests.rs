use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;

use uuid::Uuid;

use super::super::disk::DiskBackend;
use super::super::{Backend, Batch, Key, Order, every_row};
use super::*;

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

const VALUE_BYTES: usize = 1_000;

fn row(business: u64, number: u64) -> Key {
    keys::contact(
        Uuid::from_u128(u128::from(business) << 64 | 7).into(),
        Uuid::from_u128(number.into()).into(),
    )
}

fn write(store: &DiskBackend, businesses: std::ops::RangeInclusive<u64>, rows: u64) {
    for business in businesses {
        for first in (0..rows).step_by(40) {
            let mut batch = Batch::default();
            for number in first..(first + 40).min(rows) {
                batch.put(row(business, number), [business as u8, number as u8].repeat(VALUE_BYTES / 2));
            }
            store.commit(&batch).unwrap();
            store.note_durable().unwrap();
        }
    }
    store.save().unwrap();
}

fn all(rows: &dyn Backend) -> Rows {
    rows.scan(&every_row(), Order::Ascending).collect::<Result<_, _>>().unwrap()
}

/// Salvages a store. Returns the rows of the new store and the number of unreadable parts.
fn salvaged(from: &Path) -> (Rows, usize) {
    let to = tempfile::tempdir().unwrap();
    let salvaging = Salvaging::begin(from, to.path()).unwrap();
    let rows = salvaging.store.rows().scan(&every_row(), Order::Ascending);
    let (rows, unreadable) = (rows.collect::<Result<_, _>>().unwrap(), salvaging.unreadable.len());
    drop(salvaging);
    (rows, unreadable)
}

fn copied(from: &Path) -> tempfile::TempDir {
    let to = tempfile::tempdir().unwrap();
    for (from, to) in [(from.to_owned(), to.path().to_owned()), (from.join("store"), to.path().join("store"))]
    {
        fs::create_dir_all(&to).unwrap();
        for entry in fs::read_dir(&from).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() && !path.ends_with("ballast") {
                fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
            }
        }
    }
    to
}

fn flip(file: &Path, at: u64) {
    let file = OpenOptions::new().read(true).write(true).open(file).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[byte[0] ^ 4], at).unwrap();
}

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

#[test]
fn a_salvage_returns_all_rows_except_those_of_the_damaged_messages() {
    let home = tempfile::tempdir().unwrap();
    let store = DiskBackend::open(home.path()).unwrap();
    store.on_failure(Box::new(|error| panic!("{error}")));
    write(&store, 1..=6, 2_000);
    let rows = all(&store);
    store.close();
    let segment = SEGMENT_BYTES as u64;
    assert!(fs::metadata(home.path().join("store/db")).unwrap().len() >= 2 * segment);
    assert!(salvaged(home.path()) == (rows.clone(), 0));
    let segments = fs::metadata(home.path().join("store/db")).unwrap().len() / segment;
    let middles = (0..segments).map(|number| (number * segment + segment / 2, 40));
    let headers = (0..segments).map(|number| (number * segment + 5, 0));
    let mut refused = 0;
    for (at, missing_max) in middles.chain(headers) {
        let damaged = copied(home.path());
        flip(&damaged.path().join("store/db"), at);
        let before = fs::read(damaged.path().join("store/db")).unwrap();
        let (found, unreadable) = salvaged(damaged.path());
        assert!(unreadable <= 1, "{at}");
        assert!(rows.len() - found.len() <= missing_max, "{at}: {} of {} rows", found.len(), rows.len());
        assert!(found.iter().all(|(key, value)| rows.get(key) == Some(value)), "{at}");
        assert!(fs::read(damaged.path().join("store/db")).unwrap() == before);
        // If newer segments contain all pages of the damaged segment, the store opens, because the damage does not
        // matter.
        refused += usize::from(DiskBackend::open(damaged.path()).is_err());
    }
    assert!(refused > 0);
}

#[test]
fn an_undamaged_store_is_salvaged_row_by_row() {
    for seed in 0..3 {
        let mut numbers = Numbers(seed);
        let home = tempfile::tempdir().unwrap();
        for life in 0..4 {
            let store = DiskBackend::open(home.path()).unwrap();
            for _ in 0..200 + numbers.below(300) {
                let mut batch = Batch::default();
                let business = 1 + numbers.below(4);
                // Each batch writes or deletes rows with adjacent keys, so that sled splits full pages and merges
                // empty pages.
                let first = numbers.below(2_000);
                let deletes = numbers.below(3) == 0;
                for number in first..first + 30 {
                    match deletes {
                        true => batch.delete(row(business, number)),
                        false => {
                            let bytes = 1 + numbers.below(1_500) as usize;
                            batch.put(row(business, number), vec![numbers.below(256) as u8; bytes]);
                        }
                    }
                }
                store.commit(&batch).unwrap();
                if numbers.below(40) == 0 {
                    store.save().unwrap();
                }
            }
            let rows = all(&store);
            let killed = copied(home.path());
            store.close();
            assert!(salvaged(killed.path()).0 == rows, "seed {seed}, run {life}, after a kill");
            assert!(salvaged(home.path()).0 == rows, "seed {seed}, run {life}");
        }
    }
}

#[test]
fn rows_of_the_journal_replace_unreadable_rows_and_a_damaged_record_loses_only_its_own() {
    let home = tempfile::tempdir().unwrap();
    let store = DiskBackend::open(home.path()).unwrap();
    write(&store, 1..=2, 400);
    store.save().unwrap();
    for number in 0..20 {
        let mut batch = Batch::default();
        batch.put(row(3, number), vec![number as u8 | 0x40; VALUE_BYTES]);
        store.commit(&batch).unwrap();
    }
    let killed = copied(home.path());
    let rows = all(&store);
    store.close();
    let path = killed.path().join("journal");
    let journal = fs::read(&path).unwrap();
    let at = memchr::memmem::find(&journal, &[7 | 0x40; VALUE_BYTES]).unwrap() as u64;
    flip(&path, at);
    assert!(DiskBackend::open(killed.path()).is_err());
    let mut expected = rows.clone();
    expected.remove(&*row(3, 7));
    assert!(salvaged(killed.path()).0 == expected);
    // The header of the journal and the whole tree are unreadable, but the journal's records contain every row.
    fs::write(&path, &journal).unwrap();
    flip(&path, 3);
    let db = killed.path().join("store/db");
    fs::write(&db, vec![0; fs::metadata(&db).unwrap().len() as usize]).unwrap();
    assert!(salvaged(killed.path()).0 == rows);
}

#[tokio::test]
async fn the_new_store_gets_the_tombstones_and_an_unfinished_store_is_refused() {
    let (home, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = DiskBackend::open(home.path()).unwrap();
    write(&store, 1..=1, 40);
    format::keep(home.path()).unwrap();
    let rows = all(&store);
    assert!(matches!(Salvaging::begin(home.path(), to.path()), Err(StoreError::InUse(_))));
    store.close();
    fs::write(home.path().join(TOMBSTONES_FILE), "ended-business 01a1fa8e-16f0-7000-8d3c-04b8fdd35a0c\n")
        .unwrap();
    let salvaging = Salvaging::begin(home.path(), to.path()).unwrap();
    salvaging.store.close().await.unwrap();
    assert!(matches!(DiskBackend::open(to.path()), Err(StoreError::RestoreUnfinished(_))));
    assert!(matches!(
        Salvaging::begin(home.path(), to.path()),
        Err(StoreError::InUse(_) | StoreError::RestoreUnfinished(_))
    ));
    salvaging.finish().await.unwrap();
    let store = DiskBackend::open(to.path()).unwrap();
    assert!(all(&store) == rows);
    assert_eq!(store.tombstones().unwrap().len(), 1);
    assert_eq!(format::of(to.path()).unwrap(), format::of(home.path()).unwrap());
    assert!(matches!(Salvaging::begin(home.path(), to.path()), Err(StoreError::NotEmpty(_))));
}

#[test]
fn a_batch_that_neither_the_tree_nor_the_journal_contains_is_missing() {
    let found = |numbers: &[u64]| -> Vec<Found> {
        numbers.iter().map(|number| Found { number: *number, rows: Vec::new() }).collect()
    };
    assert_eq!(missing(&found(&[]), 9, 9), None);
    assert_eq!(missing(&found(&[8, 9, 10, 11]), 9, 11), None);
    assert_eq!(missing(&found(&[900, 901]), 100, 901), Some(Missing { found: 100, stored: 901 }));
    assert_eq!(missing(&found(&[101, 103]), 100, 103), Some(Missing { found: 101, stored: 103 }));
    assert_eq!(missing(&found(&[]), 0, 3), Some(Missing { found: 0, stored: 3 }));
}
