//! Tests that the tables and the tree together return the same rows as a single map, while writes, flushes
//! and reads run concurrently.

use std::collections::BTreeMap;
use std::ops::Bound;

use parking_lot::Mutex;
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// A simulated tree. A scan of a real tree may show changes that are made during the scan. A scan of this tree never
/// shows them, because it copies all rows when it starts.
type Tree = Arc<Mutex<BTreeMap<Key, Vec<u8>>>>;

fn seek(tree: &Tree) -> impl Fn(&Rest) -> Pairs<'static> + Send + use<> {
    let tree = Arc::clone(tree);
    move |rest| {
        let tree = tree.lock();
        let mut pairs: Vec<_> = tree
            .range::<[u8], _>(rest.bounds())
            .map(|(key, value)| Ok((key.to_vec(), value.clone())))
            .collect();
        if rest.order == Order::Descending {
            pairs.reverse();
        }
        Box::new(pairs.into_iter())
    }
}

const SCANS: usize = 3;

#[derive(Clone, Debug)]
enum Step {
    /// Applies a batch of keys with values. `None` deletes a key.
    Apply(Vec<(u8, Option<u8>)>),
    Close,
    /// Writes this many rows of the oldest closed table to the tree.
    Flush(usize),
    /// Writes the remaining rows of the oldest closed table, and drops the table.
    Forget,
    Next(usize),
    /// Starts one of the scans again, with another range.
    Begin(usize, u8, u8, bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let rows = vec((0_u8..24, proptest::option::of(any::<u8>())), 1..8);
    let step = prop_oneof![
        3 => rows.prop_map(Step::Apply),
        1 => Just(Step::Close),
        1 => (0_usize..24).prop_map(Step::Flush),
        1 => Just(Step::Forget),
        6 => (0..SCANS).prop_map(Step::Next),
        1 => (0..SCANS, 0_u8..24, 1_u8..24, any::<bool>())
            .prop_map(|(scan, from, rows, is_ascending)| Step::Begin(scan, from, from + rows, is_ascending)),
    ];
    vec(step, 1..160)
}

fn flush(tree: &Tree, table: &Table, rows: usize) {
    for (key, value) in table.rows().take(rows) {
        match value {
            Some(value) => tree.lock().insert(Key::new(key), value.to_vec()),
            None => tree.lock().remove(key),
        };
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_step_of_a_scan_returns_the_row_that_is_next_at_that_time(steps in steps()) {
        let (memtable, tree) = (Arc::new(Memtable::default()), Tree::default());
        let (mut model, mut number) = (BTreeMap::new(), 0);
        let mut scans: [_; SCANS] = std::array::from_fn(|_| (0, 24, true, None, None));
        for step in steps {
            match step {
                Step::Apply(rows) => {
                    let mut batch = Batch::default();
                    for (key, value) in rows {
                        match value {
                            Some(value) => {
                                batch.put(Key::new(&[key]), vec![value]);
                                model.insert(key, vec![value]);
                            }
                            None => {
                                batch.delete(Key::new(&[key]));
                                model.remove(&key);
                            }
                        }
                    }
                    number += 1;
                    memtable.apply(number, &batch, |key| Ok(tree.lock().contains_key(key))).unwrap();
                }
                Step::Close => {
                    memtable.close();
                    let tables = memtable.0.read();
                    prop_assert_eq!(tables.active.newest, 0);
                    prop_assert!(tables.closed.back().is_none_or(|table| table.newest() == number));
                }
                Step::Flush(rows) => memtable.oldest().iter().for_each(|table| flush(&tree, table, rows)),
                Step::Forget => {
                    if let Some(table) = memtable.oldest() {
                        flush(&tree, &table, usize::MAX);
                        memtable.forget();
                    }
                }
                Step::Begin(scan, from, to, is_ascending) => scans[scan] = (from, to, is_ascending, None, None),
                Step::Next(scan) => {
                    let (from, to, is_ascending, scan, last) = &mut scans[scan];
                    let is_left = |key: &u8| {
                        (*from..*to).contains(key)
                            && last.is_none_or(|last| if *is_ascending { *key > last } else { *key < last })
                    };
                    let mut left = model.iter().filter(|(key, _)| is_left(key));
                    let expected = if *is_ascending { left.next() } else { left.next_back() };
                    let order = if *is_ascending { Order::Ascending } else { Order::Descending };
                    let range = KeyRange { from: Key::new(&[*from]), to: Key::new(&[*to]) };
                    let scanning = || memtable.scan(&range, order, seek(&tree));
                    let found = scan.get_or_insert_with(scanning).next().transpose().unwrap();
                    prop_assert_eq!(&found, &expected.map(|(key, value)| (vec![*key], value.clone())));
                    match found {
                        Some((key, _)) => *last = Some(key[0]),
                        None => (*scan, *last) = (None, None),
                    }
                }
            }
            let gaps = memtable.0.read().gaps.lock().ranges();
            prop_assert!(gaps.windows(2).all(|gaps| gaps[0].1 < gaps[1].0), "{:?}", gaps);
            for key in 0..24 {
                let key = Key::new(&[key]);
                let is_in_gap = gaps.iter().any(|(from, last)| (*from..=*last).contains(&key));
                prop_assert!(!is_in_gap || !model.contains_key(&key[0]));
                let row = memtable.get(&key).unwrap_or_else(|| tree.lock().get(&key).cloned());
                prop_assert_eq!(row.as_ref(), model.get(&key[0]));
            }
        }
    }
}

#[test]
fn an_error_of_the_tree_is_returned() {
    let memtable = Arc::new(Memtable::default());
    let mut batch = Batch::default();
    batch.put(Key::new(&[1]), vec![1]);
    memtable.apply(1, &batch, |_| Ok(false)).unwrap();
    let range = KeyRange { from: Key::new(&[0]), to: Key::new(&[9]) };
    let failing = |_: &Rest| -> Pairs<'static> {
        Box::new(std::iter::once_with(|| Err(StoreError::Read("it is out of order".into()))))
    };
    let mut scan = memtable.scan(&range, Order::Ascending, failing);
    assert!(matches!(scan.next(), Some(Err(StoreError::Read(_)))));
}

#[test]
fn readers_never_see_a_part_of_a_batch() {
    let (memtable, tree) = (Arc::new(Memtable::default()), Tree::default());
    let range = KeyRange { from: Key::new(&[0]), to: Key::new(&[200]) };
    let write = |value: u8| {
        let mut batch = Batch::default();
        for key in 0..200 {
            batch.put(Key::new(&[key]), vec![value]);
        }
        memtable.apply(1 + u64::from(value), &batch, |_| Ok(true)).unwrap();
    };
    write(0);
    std::thread::scope(|threads| {
        let reader = threads.spawn(|| {
            let mut newest = 0;
            while newest < 99 {
                // The values must not become older from one row of the scan to the next.
                let mut last = newest;
                for pair in memtable.scan(&range, Order::Descending, seek(&tree)) {
                    let value = pair.unwrap().1[0];
                    assert!(value >= last, "{value} is older than {last}");
                    last = value;
                }
                newest = last;
            }
        });
        for value in 1..100 {
            write(value);
            memtable.close();
            flush(&tree, &memtable.oldest().unwrap(), usize::MAX);
            memtable.forget();
        }
        reader.join().unwrap();
    });
}

#[test]
fn created_and_deleted_rows_leave_no_entry_and_rows_of_the_tree_are_deleted() {
    let memtable = Memtable::default();
    let key = |at: u8| Key::new(&[at]);
    let (mut puts, mut deletes) = (Batch::default(), Batch::default());
    for at in 0..3 {
        puts.put(key(at), vec![at]);
        deletes.delete(key(at));
    }
    let is_in_tree = |found: &[u8]| Ok(found == [2]);
    memtable.apply(1, &puts, is_in_tree).unwrap();
    memtable.apply(2, &deletes, is_in_tree).unwrap();
    let rows = |table: &Table| table.rows.clone().into_keys().collect::<Vec<_>>();
    assert_eq!(rows(&memtable.0.read().active), [key(2)]);
    // The batches create rows in this table and delete them again, so the table has no rows. `close` still closes it.
    let passing = Memtable::default();
    passing.apply(1, &puts, |_| Ok(false)).unwrap();
    passing.apply(2, &deletes, |_| Ok(false)).unwrap();
    passing.close();
    let closed = passing.oldest().unwrap();
    assert_eq!((closed.newest(), closed.rows().count()), (2, 0));
    // If a batch deletes a row that a closed table contains, the active table keeps the key of the row and marks the
    // row as deleted.
    memtable.apply(3, &puts, is_in_tree).unwrap();
    memtable.close();
    memtable.apply(4, &puts, is_in_tree).unwrap();
    memtable.apply(5, &deletes, is_in_tree).unwrap();
    assert_eq!(rows(&memtable.0.read().active), [key(0), key(1), key(2)]);
    assert_eq!(memtable.get(&[1]), Some(None));
    // If `is_in_tree` returns an error, the batch must not change the table.
    let fails = |_: &[u8]| Err(StoreError::Read("it is out of order".into()));
    memtable.close();
    memtable.apply(6, &puts, fails).unwrap();
    while memtable.oldest().is_some() {
        memtable.forget();
    }
    assert!(matches!(memtable.apply(7, &deletes, fails), Err(StoreError::Read(_))));
    assert_eq!(memtable.get(&[1]), Some(Some(vec![1])));
}

#[test]
fn a_table_that_is_closed_during_the_read_of_the_tree_keeps_its_rows_deleted() {
    let memtable = Memtable::default();
    let (mut put, mut over) = (Batch::default(), Batch::default());
    put.put(Key::new(&[1]), vec![1]);
    over.put(Key::new(&[1]), vec![2]);
    over.delete(Key::new(&[1]));
    memtable.apply(1, &put, |_| Ok(false)).unwrap();
    let closing = |_: &[u8]| {
        memtable.close();
        Ok(false)
    };
    memtable.apply(2, &over, closing).unwrap();
    assert_eq!(memtable.get(&[1]), Some(None));
}

#[test]
fn a_scan_for_the_first_row_skips_the_deleted_rows_before_it_once() {
    let (memtable, tree) = (Arc::new(Memtable::default()), Tree::default());
    let range = KeyRange { from: Key::new(&[0]), to: Key::new(&[1]) };
    let key = |number: u16| Key::new(&[0]).with(&number.to_be_bytes());
    let deleted = 3 * PASSED_MAX as u16;
    let mut batch = Batch::default();
    for number in 0..deleted {
        tree.lock().insert(key(number), vec![1]);
        batch.delete(key(number));
    }
    tree.lock().insert(key(deleted), vec![2]);
    memtable.apply(1, &batch, |_| Ok(true)).unwrap();
    let from = Arc::new(Mutex::new(Vec::new()));
    let first = || {
        let (from, seek) = (Arc::clone(&from), seek(&tree));
        let mut scan = memtable.scan(&range, Order::Ascending, move |rest| {
            from.lock().push(rest.from);
            seek(rest)
        });
        scan.next().transpose().unwrap().map(|(key, _)| key)
    };
    assert_eq!(first(), Some(key(deleted).to_vec()));
    assert_eq!(first(), Some(key(deleted).to_vec()));
    assert_eq!(*from.lock(), [Bound::Included(range.from), Bound::Excluded(key(deleted - 1))]);
    // A scan finds a row that is written among the skipped rows, even if it is written directly to the tree.
    let mut put = Batch::default();
    put.put(key(7), vec![3]);
    memtable.apply(2, &put, |_| Ok(true)).unwrap();
    assert_eq!(first(), Some(key(7).to_vec()));
    put = Batch::default();
    put.delete(key(7));
    memtable.apply(3, &put, |_| Ok(true)).unwrap();
    assert_eq!(first(), Some(key(deleted).to_vec()));
    memtable.close();
    flush(&tree, &memtable.oldest().unwrap(), usize::MAX);
    memtable.forget();
    assert_eq!(first(), Some(key(deleted).to_vec()));
    tree.lock().insert(key(5), vec![5]);
    memtable.filled();
    assert_eq!(first(), Some(key(5).to_vec()));
}
