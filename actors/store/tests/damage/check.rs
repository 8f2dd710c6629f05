//! Opens a damaged store and compares its rows with the rows before the damage.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use domain::ResourceId;
use store::{Key, KeyRange, Order, Salvaging, Store, StoreError, every_row, piece_of};

use crate::loads::{BUSINESSES, Rows, business};

/// The check scans all rows. Then it also reads one of every `READ_BY_KEY` rows by its key, because a read by key
/// runs other code in sled than a scan.
const READ_BY_KEY: usize = 41;

#[derive(Debug)]
pub(crate) enum Outcome {
    /// All rows are the same as before the damage.
    Identical,
    /// The opening of the store, a read or the close failed. If the opening failed and changed sled's log, `changed`
    /// contains the error of the opening. After every other failure, `changed` is `None`.
    Refused { changed: Option<String> },
    /// Some rows differ, but all of them belong to businesses that are set aside.
    SetAside,
    /// One of two cases:
    /// - The store reported no error, but rows of a business that is not set aside differ.
    /// - The store did not open, and the attempt to open it destroyed many rows. A salvage could have read these rows
    ///   before the attempt.
    Silent(String),
}

enum Seen {
    Everything,
    SetAside,
    Less(String),
}

#[derive(Default)]
struct Difference {
    missing: usize,
    altered: usize,
    added: usize,
    /// The numbers of the businesses whose rows differ or cannot be read. The number [`BUSINESSES`] means
    /// rows that belong to no business.
    businesses: BTreeSet<usize>,
}

/// Opens the store twice and compares its rows each time. At the first opening, sled writes a snapshot. At the second
/// opening, sled reads this snapshot.
pub(crate) fn compare(dir: &Path, rows: &Rows) -> Outcome {
    let mut is_set_aside = false;
    for opening in ["first", "second"] {
        match quietly(|| compare_once(dir, rows)) {
            Ok(Seen::Everything) => {}
            Ok(Seen::SetAside) => is_set_aside = true,
            Ok(Seen::Less(difference)) => {
                return Outcome::Silent(format!("{difference}, at the {opening} opening"));
            }
            Err(changed) => return Outcome::Refused { changed },
        }
    }
    if is_set_aside { Outcome::SetAside } else { Outcome::Identical }
}

/// Salvages the stores at `before` and at `after`. Returns the number of rows that only the first salvage finds.
pub(crate) fn cost(before: &Path, after: &Path, rows: &Rows) -> usize {
    let (before, after) = quietly(|| (salvaged(before), salvaged(after)));
    let is_in = |found: &Rows, (key, value): (&Vec<u8>, &Vec<u8>)| found.get(key) == Some(value);
    rows.iter().filter(|row| is_in(&before, *row) && !is_in(&after, *row)).count()
}

fn salvaged(from: &Path) -> Rows {
    let to = tempfile::tempdir().unwrap();
    let Ok(salvaging) = Salvaging::begin(from, to.path()) else { return Rows::new() };
    let rows = salvaging.store.rows().scan(&every_row(), Order::Ascending);
    rows.collect::<Result<_, _>>().unwrap()
}

/// Opens the store once and compares its rows. Returns `Err` if the opening, a read or the close fails. The `Err`
/// contains the error only if the opening failed and changed sled's log. For every other failure, it is `Err(None)`.
fn compare_once(dir: &Path, rows: &Rows) -> Result<Seen, Option<String>> {
    let log = || fs::read(dir.join("store/db")).unwrap_or_default();
    let before = log();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let has_failed = Arc::new(AtomicBool::new(false));
        let failed = Arc::clone(&has_failed);
        let opened = Store::open_disk(dir, Box::new(move |_| failed.store(true, Ordering::Relaxed)));
        let store = opened.map_err(|error| (log() != before).then(|| error.to_string()))?;
        let difference = differ(&store, rows).map_err(|_| None)?;
        let closed = store.close().await;
        if has_failed.load(Ordering::Relaxed) || closed.is_err() {
            return Err(None);
        }
        Ok(difference)
    })
}

fn differ(store: &Store, rows: &Rows) -> Result<Seen, StoreError> {
    let mut difference = Difference::default();
    let everything = every_row();
    let mut from = everything.from;
    for number in 0..BUSINESSES {
        let of_business = KeyRange::prefix(Key::new(business(number).uuid().as_bytes()));
        // The store must not contain rows between the key ranges of two businesses.
        difference.scan(store, &KeyRange { from, to: of_business.from }, rows, BUSINESSES)?;
        difference.scan(store, &of_business, rows, number)?;
        from = of_business.to;
    }
    difference.scan(store, &KeyRange { from, to: everything.to }, rows, BUSINESSES)?;
    for (key, value) in rows.iter().step_by(READ_BY_KEY) {
        match store.get_raw(&Key::new(key)) {
            Ok(found) if found.as_ref() == Some(value) => {}
            Err(error @ (StoreError::Read(_) | StoreError::Stopped)) => return Err(error),
            _ => {
                let of = (0..BUSINESSES).find(|number| key.starts_with(business(*number).uuid().as_bytes()));
                difference.businesses.insert(of.unwrap_or(BUSINESSES));
                difference.altered += 1;
            }
        }
    }
    store.check()?;
    let aside: Vec<_> = store.businesses_set_aside().into_iter().map(|(business, _)| business).collect();
    let is_aside = |number: &usize| *number < BUSINESSES && aside.contains(&business(*number));
    Ok(match difference.described(store.rows_set_aside()) {
        None => Seen::Everything,
        Some(_) if difference.businesses.iter().all(is_aside) => Seen::SetAside,
        Some(described) => Seen::Less(described),
    })
}

impl Difference {
    fn scan(
        &mut self,
        store: &Store,
        range: &KeyRange,
        rows: &Rows,
        business: usize,
    ) -> Result<(), StoreError> {
        // A scan that reaches a corrupt page returns an error, and the store isolates the page. The page may contain
        // rows of another business, so the scan is repeated until it returns no such error.
        while let Some(Err(StoreError::Corrupt { .. })) =
            store.scan(range, Order::Ascending).find(Result::is_err)
        {}
        let bounds = (Bound::Included(range.from.to_vec()), Bound::Excluded(range.to.to_vec()));
        let mut expected = rows.range(bounds).peekable();
        let before = self.count();
        for pair in store.scan(range, Order::Ascending) {
            let (key, value) = match pair {
                Err(StoreError::BusinessSetAside { .. }) => {
                    self.missing += 1;
                    break;
                }
                pair => pair?,
            };
            if piece_of(&key).is_some() {
                continue; // the scan returns the whole value under the key of the value
            }
            while expected.next_if(|(next, _)| **next < key).is_some() {
                self.missing += 1;
            }
            match expected.next_if(|(next, _)| **next == key) {
                None => self.added += 1,
                Some((_, before)) => self.altered += usize::from(*before != value),
            }
        }
        self.missing += expected.count();
        if self.count() > before {
            self.businesses.insert(business);
        }
        Ok(())
    }

    fn count(&self) -> usize {
        self.missing + self.altered + self.added
    }

    fn described(&self, set_aside: usize) -> Option<String> {
        let Self { missing, altered, added, businesses } = self;
        (self.count() > 0).then(|| {
            format!(
                "{missing} rows missing, {altered} altered, {added} added, in businesses {businesses:?}; \
                 {set_aside} rows set aside"
            )
        })
    }
}

/// True while the output of panics is suppressed. sled panics when it finds damage, and the store turns the panic into
/// an error.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

pub(crate) fn allow_quiet() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !IS_QUIET.load(Ordering::Relaxed) {
            usual(panic);
        }
    }));
}

fn quietly<T>(act: impl FnOnce() -> T) -> T {
    IS_QUIET.store(true, Ordering::Relaxed);
    let result = act();
    IS_QUIET.store(false, Ordering::Relaxed);
    result
}
