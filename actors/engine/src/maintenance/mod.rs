//! The background jobs.
//!
//! The jobs of the installation run in separate tasks ([`run`]). The jobs of a business run in its actor
//! ([`business`]). Invariants:
//! - A step of a job reads and writes a bounded number of rows. The job pauses before the next step.
//! - The store contains the remaining work, so a job continues after a restart.
//! - A failed job is tried again in the next minute.

mod age_marks;
pub(crate) mod business;
mod chats;
mod daily_round;
pub(crate) mod due;
mod erased_events;
pub(crate) mod erasure;
mod expired_logs;
pub(crate) mod installation_jobs;
mod merging;
mod reminders;
mod retention;

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Notify;

pub(crate) use self::age_marks::{AgeMarks, HourlyRound};
use self::daily_round::DailyRound;
use self::installation_jobs::{DeletedBusinesses, ExpiredAccounts, InterruptedImports, UnfinishedErasures};
use crate::engine::Parts;
use crate::error::EngineError;
use crate::shared::Shared;

/// The notifications that wake the jobs of the installation, and the progress of the daily round.
pub(crate) struct Maintenance {
    pub(crate) round: Arc<daily_round::Round>,
    wakes: [Arc<Notify>; 5],
}

trait Job: Default + Send + 'static {
    const NAME: &'static str;

    /// Makes a step. Returns the pause before the next step, or `None` if the job must wait for a wake-up.
    fn step(
        &mut self,
        engine: Arc<Parts>,
    ) -> impl Future<Output = Result<Option<Duration>, EngineError>> + Send;
}

impl Maintenance {
    /// Creates the jobs. The engine notifies `deleted` when a deleted business may have rows left. It
    /// notifies `left` when an interrupted import may have rows left.
    pub(crate) fn new(deleted: &Arc<Notify>, left: &Arc<Notify>) -> Self {
        let (deleted, left) = (Arc::clone(deleted), Arc::clone(left));
        Self { round: Arc::default(), wakes: [deleted, left, Arc::default(), Arc::default(), Arc::default()] }
    }

    pub(crate) fn minute(&self, shared: &Shared) {
        if let Err(error) = self.round.tick(shared) {
            tracing::warn!(%error, "the daily round could not continue");
        }
        self.wake();
    }

    /// Wakes every job. If the engine has closed, the woken jobs end.
    pub(crate) fn wake(&self) {
        self.wakes.iter().for_each(|wake| wake.notify_one());
    }
}

pub(crate) fn start(engine: &Arc<Parts>) {
    let [deleted, left, erasures, round, accounts] = engine.maintenance.wakes.each_ref().map(Arc::clone);
    tokio::spawn(run::<DeletedBusinesses>(Arc::downgrade(engine), deleted));
    tokio::spawn(run::<InterruptedImports>(Arc::downgrade(engine), left));
    tokio::spawn(run::<UnfinishedErasures>(Arc::downgrade(engine), erasures));
    tokio::spawn(run::<DailyRound>(Arc::downgrade(engine), round));
    tokio::spawn(run::<ExpiredAccounts>(Arc::downgrade(engine), accounts));
}

async fn run<J: Job>(engine: Weak<Parts>, wake: Arc<Notify>) {
    let mut job = J::default();
    while let Some(engine) = open(&engine) {
        let shared = Arc::clone(&engine.shared);
        // The step runs in a separate task. If the step panics, the progress in memory is lost, and the job begins
        // again at the next wake-up.
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

/// Returns the parts of the engine, or `None` if the engine has closed.
fn open(engine: &Weak<Parts>) -> Option<Arc<Parts>> {
    engine.upgrade().filter(|engine| engine.shared.check_open().is_ok())
}
