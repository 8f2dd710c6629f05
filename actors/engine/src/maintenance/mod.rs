//! The background jobs. Each job has a file.
//!
//! The jobs of the installation are [run](run) in separate tasks. The jobs of a business run in its actor
//! ([`business`]). Invariants:
//! - A step of a job reads and writes a bounded number of rows. The job pauses before the next step.
//! - The store contains the remaining work, so a restart continues.
//! - A failed job is tried again in the next minute.

mod age_marks;
pub(crate) mod business;
mod daily_count;
mod daily_round;
mod deleted_businesses;
pub(crate) mod due;
mod erased_events;
pub(crate) mod erasure;
mod expired_accounts;
mod expired_logs;
pub(crate) mod interrupted_imports;
mod retention;
mod unfinished_erasures;

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Notify;

pub(crate) use self::age_marks::{AgeMarks, HourlyRound};
use self::daily_round::DailyRound;
use self::deleted_businesses::DeletedBusinesses;
use self::expired_accounts::ExpiredAccounts;
use self::interrupted_imports::InterruptedImports;
use self::unfinished_erasures::UnfinishedErasures;
use crate::engine::Parts;
use crate::error::EngineError;
use crate::shared::Shared;

/// The wake-ups of the jobs of the installation, and their progress.
pub(crate) struct Maintenance {
    pub(crate) round: Arc<daily_round::Round>,
    /// One wake-up for each job.
    wakes: [Arc<Notify>; 5],
}

/// A background job of the installation.
trait Job: Default + Send + 'static {
    const NAME: &'static str;

    /// Runs one step. Returns the pause before the next step, or `None` if there is no work until the next
    /// wake-up.
    fn step(
        &mut self,
        engine: Arc<Parts>,
    ) -> impl Future<Output = Result<Option<Duration>, EngineError>> + Send;
}

impl Maintenance {
    /// `deleted` is notified when rows of a deleted business may exist, and `left` when an import may have left
    /// rows.
    pub(crate) fn new(deleted: &Arc<Notify>, left: &Arc<Notify>) -> Self {
        let (deleted, left) = (Arc::clone(deleted), Arc::clone(left));
        Self { round: Arc::default(), wakes: [deleted, left, Arc::default(), Arc::default(), Arc::default()] }
    }

    /// Called once a minute.
    pub(crate) fn minute(&self, shared: &Shared) {
        if let Err(error) = self.round.tick(shared) {
            tracing::warn!(%error, "the daily round could not continue");
        }
        self.wake();
    }

    /// Wakes every job. After the engine has closed, the jobs end.
    pub(crate) fn wake(&self) {
        self.wakes.iter().for_each(|wake| wake.notify_one());
    }
}

/// Starts the jobs of the installation.
pub(crate) fn start(engine: &Arc<Parts>) {
    let [deleted, left, erasures, round, accounts] = engine.maintenance.wakes.each_ref().map(Arc::clone);
    tokio::spawn(run::<DeletedBusinesses>(Arc::downgrade(engine), deleted));
    tokio::spawn(run::<InterruptedImports>(Arc::downgrade(engine), left));
    tokio::spawn(run::<UnfinishedErasures>(Arc::downgrade(engine), erasures));
    tokio::spawn(run::<DailyRound>(Arc::downgrade(engine), round));
    tokio::spawn(run::<ExpiredAccounts>(Arc::downgrade(engine), accounts));
}

/// Runs a job until the engine closes.
async fn run<J: Job>(engine: Weak<Parts>, wake: Arc<Notify>) {
    let mut job = J::default();
    while let Some(engine) = open(&engine) {
        let shared = Arc::clone(&engine.shared);
        // The step runs in a separate task. After a panic, the next wake-up begins with a new job.
        let step = tokio::spawn(async move { (job.step(engine).await, job) });
        let (rest, stepped) = step.await.unwrap_or_else(|_| {
            tracing::error!(job = J::NAME, "a background job has panicked and starts again later");
            (Ok(None), J::default())
        });
        job = stepped;
        let rest = rest.unwrap_or_else(|error| {
            if shared.check_open().is_ok() {
                let error = &error as &dyn std::error::Error;
                tracing::error!(job = J::NAME, error, "a background job has failed and is tried again later");
            }
            None
        });
        drop(shared);
        match rest {
            Some(Duration::ZERO) => tokio::task::yield_now().await,
            Some(rest) => tokio::time::sleep(rest).await,
            None => wake.notified().await,
        }
    }
}

/// `None` after the engine has closed.
fn open(engine: &Weak<Parts>) -> Option<Arc<Parts>> {
    engine.upgrade().filter(|engine| engine.shared.check_open().is_ok())
}
