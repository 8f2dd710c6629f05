//! Measures how long syncs take. On a disk that hangs, a sync does not return.
//!
//! Invariants:
//!
//! - No lock is held during a sync or a write to the log, so reading the age of the oldest sync in progress never waits
//!   for the disk.
//! - A sync that hangs is logged once after [`LOGGED_AFTER`], and once when it returns.
//! - While syncs return in time, the logging task wakes up at most once per [`LOGGED_AFTER`].

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use ports::Clock;
use tokio::sync::Notify;

const LOGGED_AFTER: Duration = Duration::from_secs(5);

/// The age at which a sync counts as stuck. The service then reports that it is unavailable.
pub(super) const STUCK_AFTER: Duration = Duration::from_secs(30);

#[derive(Default)]
pub struct Syncs {
    /// The clock that measures the ages of syncs. Without a clock, syncs are not recorded.
    clock: OnceLock<Arc<dyn Clock>>,
    state: Mutex<State>,
    begun: Arc<Notify>,
}

#[derive(Default)]
struct State {
    /// The syncs under way, each with a unique number.
    under_way: BTreeMap<u64, UnderWay>,
    begun: u64,
    /// True while the logging task waits for a sync to begin.
    is_idle: bool,
}

/// The purpose of a sync: batches of the journal, or rows of the tree. A reader that isolates a corrupt page syncs the
/// tree too, possibly at the same time as the thread of the checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Committer,
    Checkpoint,
}

struct UnderWay {
    by: By,
    since: Duration,
    is_logged: bool,
}

#[must_use]
pub(super) struct Syncing<'a> {
    syncs: &'a Syncs,
    number: Option<u64>,
}

impl Syncs {
    pub(super) fn begin(&self, by: By) -> Syncing<'_> {
        let number = self.now().map(|now| {
            let mut state = self.state.lock();
            state.begun += 1;
            let number = state.begun;
            state.under_way.insert(number, UnderWay { by, since: now, is_logged: false });
            if std::mem::take(&mut state.is_idle) {
                self.begun.notify_one();
            }
            number
        });
        Syncing { syncs: self, number }
    }

    pub(super) fn during<T>(&self, by: By, sync: impl FnOnce() -> T) -> T {
        let _syncing = self.begin(by);
        sync()
    }

    pub(super) fn age(&self) -> Duration {
        let oldest = self.state.lock().under_way.values().map(|one| one.since).min();
        oldest.zip(self.now()).map_or(Duration::ZERO, |(since, now)| now.saturating_sub(since))
    }

    /// Starts to measure syncs and to log syncs that hang. Only the first call has an effect. Panics outside a tokio
    /// runtime.
    pub(super) fn watch(self: &Arc<Self>, clock: Arc<dyn Clock>) {
        if self.clock.set(clock).is_err() {
            return;
        }
        let (syncs, begun) = (Arc::downgrade(self), Arc::clone(&self.begun));
        tokio::spawn(async move {
            while let Some(syncs) = syncs.upgrade() {
                let (hung, next_look) = syncs.look();
                drop(syncs);
                for (by, age) in hung {
                    tracing::error!(
                        sync.by = ?by,
                        sync.age_seconds = age.as_secs(),
                        "a sync of the store does not return: the disk hangs, and changes wait for it"
                    );
                }
                if next_look.is_none() {
                    begun.notified().await;
                }
                tokio::time::sleep(next_look.unwrap_or(LOGGED_AFTER)).await;
            }
        });
    }

    fn now(&self) -> Option<Duration> {
        self.clock.get().map(|clock| clock.steady())
    }

    /// Returns the hanging syncs that have not been logged yet, with their ages, and the time until the next check.
    /// Marks these syncs as logged.
    fn look(&self) -> (Vec<(By, Duration)>, Option<Duration>) {
        let (mut hung, mut next_look) = (Vec::new(), None::<Duration>);
        let now = self.now().unwrap_or_default();
        let mut state = self.state.lock();
        for one in state.under_way.values_mut().filter(|one| !one.is_logged) {
            let age = now.saturating_sub(one.since);
            if age >= LOGGED_AFTER {
                one.is_logged = true;
                hung.push((one.by, age));
            } else {
                let left = LOGGED_AFTER - age;
                next_look = Some(next_look.map_or(left, |next| next.min(left)));
            }
        }
        state.is_idle = next_look.is_none();
        (hung, next_look)
    }

    /// Removes an ended sync from the syncs under way. If the sync was logged as hanging, returns its purpose and
    /// duration.
    fn end(&self, number: u64) -> Option<(By, Duration)> {
        let ended = self.state.lock().under_way.remove(&number).filter(|ended| ended.is_logged)?;
        Some((ended.by, self.now()?.saturating_sub(ended.since)))
    }
}

impl Drop for Syncs {
    fn drop(&mut self) {
        self.begun.notify_one();
    }
}

impl Drop for Syncing<'_> {
    fn drop(&mut self) {
        if let Some((by, took)) = self.number.and_then(|number| self.syncs.end(number)) {
            tracing::warn!(
                sync.by = ?by,
                sync.seconds = took.as_secs(),
                "a slow sync of the store has finished"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;
    use tokio::time::Instant;

    use super::*;

    struct Paused(Instant);

    impl Clock for Paused {
        fn now(&self) -> Timestamp {
            Timestamp::MIN
        }

        fn steady(&self) -> Duration {
            self.0.elapsed()
        }
    }

    fn clock() -> Arc<dyn Clock> {
        Arc::new(Paused(Instant::now()))
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn watched() -> Arc<Syncs> {
        let syncs = Arc::<Syncs>::default();
        syncs.watch(clock());
        syncs
    }

    #[tokio::test(start_paused = true)]
    async fn the_age_is_that_of_the_oldest_sync_in_progress_or_zero() {
        let syncs = watched();
        assert_eq!(syncs.age(), Duration::ZERO);
        let checkpoint = syncs.begin(By::Checkpoint);
        tokio::time::advance(seconds(3)).await;
        let committer = syncs.begin(By::Committer);
        drop(syncs.begin(By::Checkpoint)); // a second sync of the tree does not hide the first
        tokio::time::advance(seconds(4)).await;
        assert_eq!(syncs.age(), seconds(7));
        drop(checkpoint);
        assert_eq!(syncs.age(), seconds(4));
        drop(committer);
        assert_eq!(syncs.age(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_hanging_sync_is_logged_once_after_5_s_and_once_when_it_returns() {
        let syncs = Arc::<Syncs>::default();
        drop(syncs.begin(By::Committer)); // without a clock no sync is recorded
        assert!(syncs.clock.set(clock()).is_ok());
        let committer = syncs.begin(By::Committer);
        tokio::time::advance(seconds(2)).await;
        let checkpoint = syncs.begin(By::Checkpoint);
        assert_eq!(syncs.look(), (vec![], Some(seconds(3))));
        tokio::time::advance(seconds(3)).await;
        assert_eq!(syncs.look(), (vec![(By::Committer, seconds(5))], Some(seconds(2))));
        tokio::time::advance(seconds(60)).await;
        assert_eq!(syncs.look(), (vec![(By::Checkpoint, seconds(63))], None));
        assert_eq!(syncs.look(), (vec![], None));
        assert_eq!(syncs.end(committer.number.unwrap()), Some((By::Committer, seconds(65))));
        assert_eq!(syncs.end(checkpoint.number.unwrap()), Some((By::Checkpoint, seconds(63))));
        assert_eq!(syncs.end(checkpoint.number.unwrap()), None);
        // A sync that returns in time is not logged.
        let again = syncs.begin(By::Committer);
        tokio::time::advance(seconds(4)).await;
        assert_eq!((syncs.look(), syncs.end(again.number.unwrap())), ((vec![], Some(seconds(1))), None));
    }

    #[tokio::test(start_paused = true)]
    async fn the_task_logs_a_sync_after_5_s_at_any_time_after_an_earlier_sync() {
        let syncs = watched();
        let is_logged = || syncs.state.lock().under_way.values().next().unwrap().is_logged;
        let moment = Duration::from_millis(2);
        for before in [0, 1, 4, 5, 60] {
            syncs.during(By::Committer, || ());
            tokio::time::sleep(seconds(before)).await;
            let hangs = syncs.begin(By::Committer);
            tokio::time::sleep(seconds(5) - moment).await;
            assert!(!is_logged(), "{before}");
            tokio::time::sleep(2 * moment).await;
            assert!(is_logged(), "{before}");
            drop(hangs);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn without_syncs_the_task_waits_and_it_ends_with_the_store() {
        let syncs = watched();
        syncs.during(By::Committer, || ());
        tokio::time::sleep(seconds(6)).await;
        assert!(syncs.state.lock().is_idle);
        let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
        assert_eq!(tasks(), 1);
        drop(syncs);
        tokio::time::sleep(seconds(6)).await;
        assert_eq!(tasks(), 0);
    }
}
