//! Counters and gauges of the engine for the metrics.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use chrono::TimeDelta;
use domain::{BusinessId, CalendarKind, CalendarStatus, Timestamp};
use store::{CommitStats, Noted, StoreError};
use tokio::task::spawn_blocking;

use super::Engine;
use crate::backup::BackupCounts;
use crate::delivery::Deliveries;
use crate::talking::TalkingCounts;

impl Engine {
    fn deliveries(&self) -> &Deliveries {
        &self.parts.businesses.deliveries
    }

    /// Returns the number of connected calendars by kind and status, and the longest time since the last successful
    /// read of a calendar. Calendars that are idle, stopped or being disconnected do not count for this time.
    pub fn calendars(&self) -> (BTreeMap<(CalendarKind, CalendarStatus), usize>, Option<TimeDelta>) {
        self.parts.businesses.readings.figures(self.now())
    }

    /// Returns the number of successful and of failed reads of calendars.
    pub fn calendar_reads(&self) -> (u64, u64) {
        self.parts
            .businesses
            .readings
            .read_counts
            .each_ref()
            .map(|count| count.load(Ordering::Relaxed))
            .into()
    }

    /// Returns the number of successful and of failed writes to calendars.
    pub fn calendar_writes(&self) -> (u64, u64) {
        let counts = &self.parts.businesses.readings.write_counts;
        counts.each_ref().map(|count| count.load(Ordering::Relaxed)).into()
    }

    /// Returns the number of appointments that wait to be written to a calendar, at most 10,000, or `None` if the count
    /// fails.
    pub async fn calendar_writes_pending(&self) -> Option<usize> {
        let readings = Arc::clone(&self.parts.businesses.readings);
        spawn_blocking(move || readings.pending_writes()).await.ok()
    }

    /// The counts of turns and of requests to the chat model.
    pub fn talking(&self) -> TalkingCounts {
        self.parts.businesses.talking.figures.read()
    }

    pub fn commit_stats(&self) -> CommitStats {
        self.shared().store.stats()
    }

    pub fn running_businesses(&self) -> usize {
        self.parts.businesses.directory.len()
    }

    pub fn running_deliveries(&self) -> usize {
        self.deliveries().directory.len()
    }

    pub fn attempts_under_way(&self) -> usize {
        self.deliveries().dispatcher.permits_held()
    }

    /// The number of endpoints that wait for a permit or for a due time.
    pub fn endpoints_waiting(&self) -> usize {
        self.deliveries().dispatcher.waiting()
    }

    /// Whether deliveries are paused because the machine has no network.
    pub fn is_cut_off(&self) -> bool {
        self.deliveries().client.network().is_out()
    }

    pub fn attempts_made(&self) -> (u64, u64) {
        self.deliveries().dispatcher.made()
    }

    pub fn endpoints_turned_off(&self) -> u64 {
        self.deliveries().turned_off.load(Ordering::Relaxed)
    }

    pub fn missed_over_budget(&self) -> u64 {
        self.deliveries().missed_over_budget.load(Ordering::Relaxed)
    }

    /// The number of alerts that were not mailed because too many mails of the business waited.
    pub fn alerts_not_mailed(&self) -> u64 {
        self.parts.mails.outbox.left_out.load(Ordering::Relaxed)
    }

    /// Two counts of background checks of unused businesses: first the checks that found no work, then the checks that
    /// found work.
    pub fn unused_businesses_looked_at(&self) -> (u64, u64) {
        self.parts.maintenance.round.checked.each_ref().map(|count| count.load(Ordering::Relaxed)).into()
    }

    /// Returns the counts of complete, incomplete and failed backups since the start.
    pub fn backups_ended(&self) -> (u64, u64, u64) {
        let BackupCounts { done, incomplete, failed } = &self.parts.backups.counts;
        [done, incomplete, failed].map(|count| count.load(Ordering::Relaxed)).into()
    }

    /// The point in time of the newest complete backup, which this process or an earlier process of the service made.
    pub fn newest_backup(&self) -> Option<Timestamp> {
        self.shared().store.noted_instant(Noted::NewestBackup)
    }

    /// A background job counts the records of each business and compares the result with the recorded usage. Returns
    /// how often the two were equal, and how often they were different.
    pub fn businesses_counted(&self) -> (u64, u64) {
        self.parts.maintenance.round.counted.each_ref().map(|count| count.load(Ordering::Relaxed)).into()
    }

    pub fn rows_set_aside(&self) -> usize {
        self.shared().store.rows_set_aside()
    }

    pub fn businesses_set_aside(&self) -> Vec<(BusinessId, String)> {
        self.shared().store.businesses_set_aside()
    }

    /// Blocks all reads of a business and all changes to it, until an operator lifts the block. A restart does
    /// not lift it.
    pub fn set_business_aside(&self, business: BusinessId, reason: &str) -> Result<(), StoreError> {
        self.shared().store.set_business_aside(business, reason)
    }

    pub fn rows_listed(&self) -> u64 {
        self.parts.businesses.scans.rows_read()
    }

    pub fn long_lists(&self) -> usize {
        self.parts.businesses.scans.under_way()
    }

    pub fn permits_available(&self) -> usize {
        self.shared().permits_available()
    }

    /// Returns the age of the oldest running sync, or zero if no sync is running.
    pub fn sync_age(&self) -> Duration {
        self.shared().store.sync_age()
    }

    /// Whether a sync has been running for more than 30 s.
    pub fn store_is_stuck(&self) -> bool {
        self.shared().store.is_stuck()
    }

    pub fn store_failed(&self) -> bool {
        self.shared().store.failed()
    }
}
