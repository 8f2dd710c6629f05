//! Counters of the writer, for the metrics.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::queue::Group;
use crate::measure::{Distribution, Histogram};

const GROUP_CHANGES: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Upper bounds in microseconds.
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
    pub group_changes_max: u64,
    /// The time spent on writing and syncing groups. Simulations do not measure it.
    pub commit_time: Duration,
    pub sync_time: Duration,
    pub sync_time_max: Duration,
    pub group_changes: Distribution,
    /// The duration of syncs in microseconds.
    pub sync_micros: Distribution,
}

/// The counters for [`CommitStats`]. Only the writer adds to them, so they need no order between each other.
pub(super) struct Counters {
    groups: AtomicU64,
    changes: AtomicU64,
    barriers: AtomicU64,
    writes: AtomicU64,
    bytes: AtomicU64,
    group_changes_max: AtomicU64,
    commit_nanos: AtomicU64,
    sync_nanos: AtomicU64,
    sync_nanos_max: AtomicU64,
    group_changes: Histogram<{ GROUP_CHANGES.len() }>,
    sync_micros: Histogram<{ SYNC_MICROS.len() }>,
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            groups: AtomicU64::default(),
            changes: AtomicU64::default(),
            barriers: AtomicU64::default(),
            writes: AtomicU64::default(),
            bytes: AtomicU64::default(),
            group_changes_max: AtomicU64::default(),
            commit_nanos: AtomicU64::default(),
            sync_nanos: AtomicU64::default(),
            sync_nanos_max: AtomicU64::default(),
            group_changes: Histogram::new(&GROUP_CHANGES),
            sync_micros: Histogram::new(&SYNC_MICROS),
        }
    }
}

impl Counters {
    pub(super) fn add(&self, group: &Group) {
        let add = |counter: &AtomicU64, count: usize| counter.fetch_add(count as u64, Ordering::Relaxed);
        add(&self.groups, usize::from(group.writing > 0));
        add(&self.changes, group.writing);
        add(&self.barriers, group.changes.len() - group.writing);
        add(&self.writes, group.batch.len());
        add(&self.bytes, group.batch.bytes());
        self.group_changes_max.fetch_max(group.writing as u64, Ordering::Relaxed);
        if group.writing > 0 {
            self.group_changes.observe(group.writing as u64);
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(super) fn timed(&self, group: &Group, commit: Duration, sync: Duration) {
        if group.writing == 0 {
            return;
        }
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.commit_nanos.fetch_add(nanos(commit), Ordering::Relaxed);
        self.sync_nanos.fetch_add(nanos(sync), Ordering::Relaxed);
        self.sync_nanos_max.fetch_max(nanos(sync), Ordering::Relaxed);
        self.sync_micros.observe(nanos(sync) / 1_000);
    }

    pub(super) fn snapshot(&self, queued: usize) -> CommitStats {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let time = |counter| Duration::from_nanos(get(counter));
        CommitStats {
            queued,
            groups: get(&self.groups),
            changes: get(&self.changes),
            barriers: get(&self.barriers),
            writes: get(&self.writes),
            bytes: get(&self.bytes),
            group_changes_max: get(&self.group_changes_max),
            commit_time: time(&self.commit_nanos),
            sync_time: time(&self.sync_nanos),
            sync_time_max: time(&self.sync_nanos_max),
            group_changes: self.group_changes.read(),
            sync_micros: self.sync_micros.read(),
        }
    }
}
