//! Counters of the committer, for the metrics.

use std::time::Duration;

use parking_lot::Mutex;

use super::queue::Group;
use crate::measure::{Distribution, Histogram};

const GROUP_CHANGES: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];
const SYNC_MICROS: [u64; 12] =
    [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 1_000_000];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitStats {
    pub queued: usize,
    pub groups: u64,
    pub changes: u64,
    pub barriers: u64,
    pub writes: u64,
    pub bytes: u64,
    /// The time spent on writing and syncing groups. Simulations do not measure it.
    pub commit_time: Duration,
    pub group_changes: Distribution,
    pub sync_micros: Distribution,
}

pub(super) struct Counters {
    /// The current counters. The fields `queued`, `group_changes` and `sync_micros` of `stats` are not used.
    stats: Mutex<CommitStats>,
    group_changes: Histogram<{ GROUP_CHANGES.len() }>,
    sync_micros: Histogram<{ SYNC_MICROS.len() }>,
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            stats: Mutex::default(),
            group_changes: Histogram::new(&GROUP_CHANGES),
            sync_micros: Histogram::new(&SYNC_MICROS),
        }
    }
}

impl Counters {
    pub(super) fn add(&self, group: &Group) {
        let mut stats = self.stats.lock();
        let changes = group.writing as u64;
        stats.changes += changes;
        stats.barriers += group.changes.len() as u64 - changes;
        stats.writes += group.batch.len() as u64;
        stats.bytes += group.batch.bytes() as u64;
        if changes > 0 {
            stats.groups += 1;
            self.group_changes.observe(changes);
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.stats.lock().bytes
    }

    pub(super) fn timed(&self, group: &Group, commit: Duration, sync: Duration) {
        if group.writing > 0 {
            let mut stats = self.stats.lock();
            stats.commit_time += commit;
            self.sync_micros.observe(u64::try_from(sync.as_micros()).unwrap_or(u64::MAX));
        }
    }

    pub(super) fn snapshot(&self, queued: usize) -> CommitStats {
        CommitStats {
            queued,
            group_changes: self.group_changes.read(),
            sync_micros: self.sync_micros.read(),
            ..self.stats.lock().clone()
        }
    }
}
