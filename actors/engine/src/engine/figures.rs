//! What the engine counts, for the metrics.

use std::sync::atomic::Ordering;
use std::time::Duration;

use domain::{BusinessId, Timestamp};
use store::{CommitStats, Noted, StoreError};

use super::Engine;
use crate::backup::BackupCounts;
use crate::shared::{Counted, Swept};

impl Engine {
    /// What the committer has done so far.
    pub fn commit_stats(&self) -> CommitStats {
        self.shared.store.stats()
    }

    /// How many businesses are in memory.
    pub fn running_businesses(&self) -> usize {
        self.shared.businesses.len()
    }

    /// How many endpoints have an actor: those at which something is under way, or was a while ago.
    pub fn running_deliveries(&self) -> usize {
        self.shared.deliveries.len()
    }

    /// How many attempts to deliver are under way, up to the heads of their responses.
    pub fn attempts_under_way(&self) -> usize {
        self.shared.dispatcher.places_taken()
    }

    /// How many endpoints wait for a place for an attempt, or for the time at which one is due.
    pub fn endpoints_waiting(&self) -> usize {
        self.shared.dispatcher.waiting()
    }

    /// Whether webhooks are held back because this machine has no network.
    pub fn is_cut_off(&self) -> bool {
        self.shared.webhooks.network().is_out()
    }

    /// How many attempts to deliver reached their endpoint, and how many failed, since the engine started.
    pub fn attempts_made(&self) -> (u64, u64) {
        self.shared.dispatcher.made()
    }

    /// How many endpoints were turned off for their failures since the engine started.
    pub fn endpoints_turned_off(&self) -> u64 {
        self.shared.turned_off.load(Ordering::Relaxed)
    }

    /// How many deliveries were missed at once since the start, for as many of their business waited as may.
    pub fn missed_over_budget(&self) -> u64 {
        self.shared.missed_over_budget.load(Ordering::Relaxed)
    }

    /// How many alerts were not mailed since the start, for as many mails of their business waited as may: they show in
    /// the dashboard.
    pub fn alerts_not_mailed(&self) -> u64 {
        self.shared.mail.left_out()
    }

    /// How many businesses that nobody uses were looked at since the engine started for what has outlived its time: those
    /// that had nothing to do, and those whose actor was started.
    pub fn unused_businesses_looked_at(&self) -> (u64, u64) {
        let Swept { idle, started } = &self.shared.swept;
        (idle.load(Ordering::Relaxed), started.load(Ordering::Relaxed))
    }

    /// How many backups have ended since the engine started: those that are complete, those that lack recorded rows, and
    /// those that failed.
    pub fn backups_ended(&self) -> (u64, u64, u64) {
        let BackupCounts { done, incomplete, failed } = self.shared.backups.counts();
        let [done, incomplete, failed] =
            [done, incomplete, failed].map(|count| count.load(Ordering::Relaxed));
        (done, incomplete, failed)
    }

    /// The point of the newest complete backup that this data directory knows of, of earlier lives too.
    pub fn newest_backup(&self) -> Option<Timestamp> {
        self.shared.store.noted_instant(Noted::NewestBackup)
    }

    /// How many times a business was counted since the engine started: found as recorded, and found different.
    pub fn businesses_counted(&self) -> (u64, u64) {
        let Counted { equal, different } = &self.shared.counted;
        (equal.load(Ordering::Relaxed), different.load(Ordering::Relaxed))
    }

    /// How many rows of the store were met since it was opened that do not decode.
    pub fn rows_set_aside(&self) -> usize {
        self.shared.store.rows_set_aside()
    }

    /// The businesses that are set aside, because the store has lost or damaged some of their rows, with the reasons.
    pub fn businesses_set_aside(&self) -> Vec<(BusinessId, String)> {
        self.shared.store.businesses_set_aside()
    }

    /// Sets a business aside: it is neither read nor changed, over restarts too, until an operator lifts that.
    ///
    /// # Errors
    /// As [`Store::set_business_aside`](store::Store::set_business_aside).
    pub fn set_business_aside(&self, business: BusinessId, reason: &str) -> Result<(), StoreError> {
        self.shared.store.set_business_aside(business, reason)
    }

    /// How many rows were read for parts of lists since the engine started.
    pub fn rows_listed(&self) -> u64 {
        self.shared.scans.rows_read()
    }

    /// How many requests for parts of lists read on threads of their own, or wait to.
    pub fn long_lists(&self) -> usize {
        self.shared.scans.under_way()
    }

    /// How many more messages may be in flight, of [`ENGINE_PERMITS`](super::ENGINE_PERMITS).
    pub fn permits_available(&self) -> usize {
        self.shared.permits.available_permits()
    }

    /// The age of the oldest sync of the store that is under way; zero when none is.
    pub fn sync_age(&self) -> Duration {
        self.shared.store.sync_age()
    }

    /// Whether a sync of the store has been under way for more than 30 s.
    pub fn store_is_stuck(&self) -> bool {
        self.shared.store.is_stuck()
    }

    /// Whether the store has failed for good.
    pub fn store_failed(&self) -> bool {
        self.shared.store.failed()
    }
}
