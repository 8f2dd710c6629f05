//! Makes backups of a running engine, one at a time, in small steps with pauses for commits.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use domain::{BackupId, ProblemCode, Refusal, Timestamp, UnderWay};
use parking_lot::Mutex;
use store::records::STORE_FORMAT;
use store::{Noted, Snapshot, Store, Weight};
use tokio::sync::watch;

use super::write::{Manifest, Writer, remove};
use crate::counting::Tally;
use crate::error::EngineError;

pub(crate) const BACKUP_ROWS: usize = 64;
const STEP_BYTES: usize = 64 << 10;
/// The pause after a step is this multiple of the step's duration, at most [`PAUSE_MAX`].
const PAUSE_TIMES: u32 = 9;
const PAUSE_MAX: Duration = Duration::from_millis(100);
const REMEMBERED: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupState {
    pub id: BackupId,
    pub to: PathBuf,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub rows: u64,
    pub bytes: u64,
    pub outcome: Option<Result<Manifest, BackupFailure>>,
}

/// The reason why a backup failed. The texts are error messages of the store or of the operating system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackupFailure {
    ServiceStopped,
    Panicked,
    DiskFull,
    Store(String),
    NotWritten(String),
}

type State = Arc<Mutex<BackupState>>;

#[derive(Debug, Default)]
pub(crate) struct BackupCounts {
    pub(crate) done: AtomicU64,
    pub(crate) incomplete: AtomicU64,
    pub(crate) failed: AtomicU64,
}

#[derive(Default)]
pub(crate) struct Backups {
    all: Mutex<VecDeque<State>>,
    closing: AtomicBool,
    ended: watch::Sender<()>,
    pub(crate) counts: BackupCounts,
}

impl Backups {
    pub(crate) fn begin(
        self: &Arc<Self>,
        (store, rows_in_step): (&Store, usize),
        to: &Path,
        id: BackupId,
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Result<(), EngineError> {
        if !to.is_absolute() {
            return Err(Refusal::invalid("to", ProblemCode::NotAbsolute).into());
        }
        store.check_room(Weight::Grows)?;
        let mut all = self.all.lock();
        let under_way = all.iter().find(|state| state.lock().outcome.is_none());
        if let Some(state) = under_way {
            let detail = ProblemCode::AfterBackup(state.lock().id);
            return Err(Refusal::under_way(UnderWay::Backup, "backup", detail).into());
        }
        let set_aside = store.businesses_set_aside().into_iter().map(|(id, _)| id);
        let writer = Writer::begin(to, Tally::new(set_aside))
            .map_err(|fault| Refusal::invalid("to", ProblemCode::BackupDir(to.to_owned(), fault)))?;
        let state = BackupState {
            id,
            to: to.to_owned(),
            started_at: now(),
            ended_at: None,
            rows: 0,
            bytes: 0,
            outcome: None,
        };
        tracing::info!(backup.id = %id, backup.to = %to.display(), "a backup was started");
        let state = Arc::new(Mutex::new(state));
        if all.len() == REMEMBERED {
            all.pop_front();
        }
        all.push_back(Arc::clone(&state));
        drop(all);
        let (backups, store) = (Arc::clone(self), store.clone());
        let making = Making { backups, store, rows_in_step, state, now: Box::new(now) };
        tokio::spawn(Arc::new(making).make(writer));
        Ok(())
    }

    pub(crate) fn state(&self, id: BackupId) -> Option<BackupState> {
        self.all.lock().iter().map(|state| state.lock().clone()).find(|state| state.id == id)
    }

    pub(crate) async fn stop(&self) {
        self.closing.store(true, Ordering::Release);
        let is_any_under_way = || self.all.lock().iter().any(|state| state.lock().outcome.is_none());
        let _ = self.ended.subscribe().wait_for(|()| !is_any_under_way()).await;
    }
}

type Copying = (Snapshot, Writer, Timestamp);

struct Making {
    backups: Arc<Backups>,
    store: Store,
    rows_in_step: usize,
    state: State,
    now: Box<dyn Fn() -> Timestamp + Send + Sync>,
}

impl Making {
    async fn make(self: Arc<Self>, writer: Writer) {
        let outcome = self.outcome(writer).await;
        let mut state = self.state.lock();
        state.ended_at = Some((self.now)());
        let counts = &self.backups.counts;
        let counted = match &outcome {
            Ok(manifest) => {
                (state.rows, state.bytes) = (manifest.rows, manifest.bytes);
                tracing::info!(
                    backup.id = %state.id,
                    backup.sequence = manifest.sequence,
                    backup.rows = manifest.rows,
                    "a backup was made"
                );
                if manifest.is_complete() {
                    if let Ok(taken_at) = Timestamp::parse(&manifest.taken_at) {
                        self.store.note_instant(Noted::NewestBackup, taken_at);
                    }
                    &counts.done
                } else {
                    tracing::error!(
                        backup.id = %state.id,
                        problems = %manifest.differences(),
                        "a backup is incomplete: recorded rows are missing from the store"
                    );
                    &counts.incomplete
                }
            }
            Err(error) => {
                tracing::warn!(backup.id = %state.id, ?error, "a backup failed");
                &counts.failed
            }
        };
        counted.fetch_add(1, Ordering::Relaxed);
        state.outcome = Some(outcome);
        drop(state);
        self.backups.ended.send_replace(());
    }

    async fn outcome(self: &Arc<Self>, mut writer: Writer) -> Result<Manifest, BackupFailure> {
        let side = self.state.lock().to.clone();
        let mut snapshot = match self.store.snapshot(side).await {
            Ok(snapshot) => snapshot,
            Err(error) => {
                writer.discard();
                return Err(BackupFailure::Store(error.to_string()));
            }
        };
        let taken_at = (self.now)();
        if self.store.is_simulated() {
            loop {
                match self.step(&mut snapshot, &mut writer) {
                    Ok(true) => tokio::task::yield_now().await,
                    ended => return self.end(ended, (snapshot, writer, taken_at)),
                }
            }
        }
        let making = Arc::clone(self);
        let copied =
            tokio::task::spawn_blocking(move || making.on_thread((snapshot, writer, taken_at))).await;
        // The task returns an error only if it panicked. The panic is already logged. The files of the failed
        // backup have no manifest, so they are not a valid backup.
        copied.unwrap_or(Err(BackupFailure::Panicked))
    }

    fn step(&self, snapshot: &mut Snapshot, writer: &mut Writer) -> Result<bool, BackupFailure> {
        if self.backups.closing.load(Ordering::Acquire) {
            return Err(BackupFailure::ServiceStopped);
        }
        self.store.check_room(Weight::Grows).map_err(|_| BackupFailure::DiskFull)?;
        let rows = snapshot.next(self.rows_in_step, STEP_BYTES);
        let rows = rows.map_err(|error| BackupFailure::Store(error.to_string()))?;
        let Some(rows) = rows else { return Ok(false) };
        writer.add(&rows).map_err(|error| BackupFailure::NotWritten(error.to_string()))?;
        let mut state = self.state.lock();
        (state.rows, state.bytes) = writer.written();
        Ok(true)
    }

    #[allow(
        clippy::disallowed_methods,
        reason = "the function runs on a separate thread, and simulations do not call it"
    )]
    fn on_thread(&self, mut copying: Copying) -> Result<Manifest, BackupFailure> {
        loop {
            let started = std::time::Instant::now();
            match self.step(&mut copying.0, &mut copying.1) {
                Ok(true) => std::thread::sleep(started.elapsed().saturating_mul(PAUSE_TIMES).min(PAUSE_MAX)),
                ended => return self.end(ended, copying),
            }
        }
    }

    fn end(
        &self,
        copied: Result<bool, BackupFailure>,
        (snapshot, writer, taken_at): Copying,
    ) -> Result<Manifest, BackupFailure> {
        let sequence = snapshot.sequence();
        drop(snapshot);
        if let Err(error) = copied {
            writer.discard();
            return Err(error);
        }
        let dir = self.state.lock().to.clone();
        let aside = self.store.businesses_set_aside().into_iter().map(|(id, _)| id);
        writer.finish(STORE_FORMAT, sequence, taken_at, aside).map_err(|error| {
            remove(&dir);
            BackupFailure::NotWritten(error.to_string())
        })
    }
}
