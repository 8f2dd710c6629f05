//! Opens sled with the store's settings, finds sled's cleaner thread, and describes sled's errors.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::Mutex;

use super::StoreError;
use super::error::Cause;
use super::mark::NEWEST_KEY;

/// The length of a segment of sled's log. With shorter segments, stores were damaged in tests that cut the
/// power while a long part of the log was not synced.
pub(super) const SEGMENT_BYTES: usize = 8 << 20;

/// The interval of sled's own flushes, which also drive sled's garbage collection.
const FLUSH_EVERY_MS: u64 = 500;

const CACHE_BYTES: u64 = 48 << 20;

pub(super) struct Sled {
    pub(super) db: sled::Db,
    pub(super) cleaner: Option<Cleaner>,
}

/// sled's *cleaner*: the thread that flushes and frees segments. sled does not report when the thread ends.
pub(super) struct Cleaner(PathBuf);

const THREADS: &str = "/proc/self/task";
const START_TRIES_MAX: u32 = 1_000;
const START_PAUSE: Duration = Duration::from_millis(1);
const CLEANER: &str = "log flusher";

impl Cleaner {
    /// Runs `open`, which starts sled's cleaner thread. Also returns this thread, or `None` if the system
    /// cannot list threads.
    fn of<T>(open: impl FnOnce() -> sled::Result<T>) -> sled::Result<(T, Option<Self>)> {
        static OPENING: Mutex<()> = Mutex::new(());
        let _opening = OPENING.lock();
        // A list may omit a thread while other threads end, so the threads are listed twice.
        let (before, began) = (&Self::all() | &Self::all(), Self::now());
        let opened = open()?;
        let thread = if Path::new(THREADS).exists() { Self::started(&before, began) } else { None };
        Ok((opened, thread))
    }

    /// Waits until the new thread has set its name. A thread sets its name only after it has started.
    #[allow(clippy::disallowed_methods, reason = "opening a store waits briefly for the start of a thread")]
    fn started(before: &BTreeSet<PathBuf>, began: Option<u64>) -> Option<Self> {
        (0..START_TRIES_MAX).find_map(|tried| {
            if tried > 0 {
                std::thread::sleep(START_PAUSE);
            }
            Self::new_thread(before, began)
        })
    }

    /// Returns the thread that is missing in `before` and has started at `began` or later. An older thread can be
    /// missing in `before` too, because the system's list may omit a thread while other threads end.
    fn new_thread(before: &BTreeSet<PathBuf>, began: Option<u64>) -> Option<Self> {
        let mut new = Self::all().into_iter().filter(|thread| !before.contains(thread));
        new.find(|thread| start_ticks(thread) >= began).map(Self)
    }

    fn now() -> Option<u64> {
        let thread = std::thread::spawn(|| start_ticks(Path::new("/proc/thread-self")));
        thread.join().ok().flatten()
    }

    fn all() -> BTreeSet<PathBuf> {
        let threads = std::fs::read_dir(THREADS).into_iter().flatten().flatten().map(|thread| thread.path());
        let is_cleaner = |path: &PathBuf| {
            std::fs::read_to_string(path.join("comm")).is_ok_and(|name| name.trim_end() == CLEANER)
        };
        threads.filter(is_cleaner).collect()
    }

    pub(super) fn has_ended(&self) -> bool {
        !self.0.exists()
    }
}

/// Returns the start time of a thread in clock ticks since the boot of the system. It is field 22 of proc_pid_stat(5).
fn start_ticks(thread: &Path) -> Option<u64> {
    let stat = std::fs::read_to_string(thread.join("stat")).ok()?;
    let (_, fields_from_third) = stat.rsplit_once(") ")?;
    fields_from_third.split(' ').nth(19)?.parse().ok()
}

pub(super) fn open_sled(store: &Path) -> Result<(Sled, u64), StoreError> {
    let damaged = |source| StoreError::DamagedFiles { path: store.to_owned(), source };
    let opened = caught(|| {
        let (db, cleaner) = Cleaner::of(|| {
            sled::Config::new()
                .path(store)
                .segment_size(SEGMENT_BYTES)
                .flush_every_ms(Some(FLUSH_EVERY_MS))
                .cache_capacity(CACHE_BYTES)
                .open()
        })?;
        let newest = db.get(NEWEST_KEY)?;
        Ok((Sled { db, cleaner }, newest))
    });
    let (sled, newest) = match opened.map_err(damaged)? {
        Ok(opened) => opened,
        Err(error @ sled::Error::Corruption { .. }) => return Err(damaged(described(error))),
        Err(error) => return Err(StoreError::Open { path: store.to_owned(), source: error.into() }),
    };
    let newest = match newest.as_deref().map(TryInto::try_into) {
        None => 0,
        Some(Ok(bytes)) => u64::from_be_bytes(bytes),
        Some(Err(_)) => return Err(damaged("the number of the newest batch does not have 8 bytes".into())),
    };
    Ok((sled, newest))
}

/// Calls sled. If sled panics, returns an error. The panic hook has already logged the panic.
pub(super) fn caught<T>(act: impl FnOnce() -> T) -> Result<T, Cause> {
    catch_unwind(AssertUnwindSafe(act)).map_err(|_| "the storage engine panicked".into())
}

/// Converts an error of sled into a description without sled's backtrace, which is always empty.
pub(super) fn described(error: sled::Error) -> Cause {
    match error {
        sled::Error::Corruption { at: Some(at), .. } => {
            format!("the message at byte {} of db is corrupt", at.lid()).into()
        }
        sled::Error::Corruption { at: None, .. } => "the files of the storage engine are corrupt".into(),
        error => error.into(),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn an_older_cleaner_is_never_returned_as_the_new_cleaner() {
        let cleaner = || {
            let (end, ended) = channel::<()>();
            let (tell, started) = channel();
            let thread = std::thread::Builder::new().name(CLEANER.into()).spawn(move || {
                tell.send(start_ticks(Path::new("/proc/thread-self")).unwrap()).unwrap();
                ended.recv().unwrap_err();
            });
            (started.recv().unwrap(), end, thread.unwrap())
        };
        let all_before = Cleaner::all();
        let (old_start, end_old, old) = cleaner();
        let began = loop {
            let now = Cleaner::now().unwrap();
            if now > old_start {
                break now;
            }
        };
        let is_old = |found: &Cleaner| start_ticks(&found.0) == Some(old_start);
        // The old cleaner started after `all_before` was read and before `began`. So it is missing in `all_before`, but
        // `new_thread` must not return it.
        assert!(Cleaner::new_thread(&all_before, Some(began)).is_none_or(|found| !is_old(&found)));
        let (new_start, end_new, new) = cleaner();
        let found = Cleaner::new_thread(&all_before, Some(began)).unwrap();
        assert!(new_start >= began && !is_old(&found));
        drop((end_old, end_new));
        old.join().unwrap();
        new.join().unwrap();
    }
}
