//! A power cut while the store opens: what sled has cleared is cleared, and its snapshot has no name yet.

use super::*;
use crate::store::Key;

/// The rows that are written over and over.
const ROWS: u64 = 100;

/// Writes some megabytes of log.
fn write_over(store: &DiskBackend, groups: u64) {
    for group in 1..=groups {
        let mut batch = Batch::default();
        for row in 0..8 {
            let value = vec![group as u8; 3_000];
            batch.put(Key::new(&((group * 8 + row) % ROWS).to_be_bytes()), value);
        }
        store.apply(&batch).unwrap();
        if group % 16 == 0 {
            store.sync().unwrap();
        }
    }
    store.sync().unwrap();
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

/// The number of the newest batch that sled finds by itself, if it opens.
fn found_by_sled(store: &Path) -> Option<u64> {
    let (db, newest) = open_sled(store).ok()?;
    drop(db);
    assert!(is_let_go_of(&File::open(store.join("db")).unwrap()));
    Some(newest)
}

#[test]
fn a_store_whose_opening_was_cut_short_opens() {
    let homes: Vec<_> = (0..4).map(|_| tempfile::tempdir().unwrap()).collect();
    let [first, before, cut, bare] = [0, 1, 2, 3].map(|home: usize| homes[home].path());
    let is_snapshot = |name: &str| name.starts_with("snap.");
    let mut lost = 0;
    let store = DiskBackend::open(first).unwrap();
    write_over(&store, 300);
    store.close();
    // At some length the newest segment holds every row, and sled clears the one before it.
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

        // Without what was kept it may be lost: this is why it is kept.
        lost += usize::from(found_by_sled(&stores[2]).is_none_or(|found| found < newest));
        let store = DiskBackend::open(cut).unwrap();
        assert_eq!(store.sequence(), newest);
        for row in 0..ROWS {
            assert_eq!(store.get(&Key::new(&row.to_be_bytes())).unwrap().unwrap().len(), 3_000);
        }
        assert!(!stores[1].join("end").exists());
        store.close();
    }
    assert!(lost > 0, "no opening cleared what it needs");
}
