//! Simulated time: the time since the start of the simulation, the wall clock, and the times that the service may use.
//!
//! The service does not follow a large jump of the wall clock immediately, but doubts the clock for ten minutes.
//! A *belief* is a time that the service may use during these minutes. The *steady time* of the service runs
//! evenly, even if the wall clock jumps. The service stores the steady time and continues from the stored value
//! after a restart.
//!
//! Each run of the engine has its own tokio runtime. The clock of the runtime advances only while no task can run, and
//! begins again in each run. This module adds the durations of earlier runs, so time continues after crashes and
//! restarts.

use std::collections::BTreeMap;
use std::time::Duration;

use domain::Timestamp;
use parking_lot::Mutex;
use ports::Clock;
use store::records::ClockRecord;
use tokio::time::Instant;
use uuid::Uuid;

/// The service follows a jump of the wall clock after at least [`HELD_MILLIS`] and at most [`HELD_MILLIS_MAX`]
/// milliseconds. The delay varies, because the service reads the clock only once a minute.
const HELD_MILLIS: i64 = 600_000;
const HELD_MILLIS_MAX: i64 = HELD_MILLIS + 125_000;
/// The service follows the wall clock immediately if the wall clock differs from the service's time by at most this, in
/// milliseconds.
const FOLLOWED_MILLIS: i64 = 60_000;
/// If the machine was restarted while no engine ran, steady time advances by the time that has passed on the wall
/// clock, but by at most this number of milliseconds.
const STOPPED_MILLIS_MAX: i64 = 24 * 3_600_000;

/// A time that the service may use, relative to the true time. `doubts_since` is the time at which the service began to
/// doubt the wall clock.
#[derive(Clone, Copy, PartialEq)]
struct Belief {
    ahead: i64,
    doubts_since: Option<i64>,
    /// This field is set if the wall clock was much earlier than the stored time when the run started. In this case,
    /// the service uses the stored time until the wall clock jumps. The value is the wall clock minus the true time at
    /// the start of the run, in milliseconds.
    refused: Option<i64>,
}

impl Belief {
    fn sure(ahead: i64) -> Self {
        Self { ahead, doubts_since: None, refused: None }
    }
}

/// The maximum duration of a start of the service, in milliseconds.
const STARTS_MILLIS: i64 = 1_000;

/// The usual start of the simulated time: a Monday at 08:00 UTC.
const BEGIN: i64 = 1_772_438_400_000;

#[derive(Default)]
pub(crate) struct Time(Mutex<State>);

#[derive(Default)]
struct State {
    /// The milliseconds of simulated time before this run.
    before: i64,
    /// The time for which the machine was suspended in this run, in milliseconds.
    suspended: i64,
    /// The number of restarts of the machine. `booted` is the time of its last start.
    boot: u64,
    booted: i64,
    /// If this run began with the stored time because the wall clock was earlier, this field contains the stored
    /// time. Otherwise it is `i64::MIN`. The upper limit that `believed` returns is never earlier than this field.
    kept: i64,
    /// For each business, by index: the latest time up to which a list ordered by `updated_at` has returned all
    /// changes.
    listed: BTreeMap<usize, Timestamp>,
    /// True if the service may have set its time back in this run.
    was_set_back: bool,
    /// The start of this run, by the clock of its runtime.
    began: Option<Instant>,
    /// The time by which the wall clock is ahead of the true time, in milliseconds.
    ahead: i64,
    /// The times that the service may currently use. The service uses one of these times, and the test does not know
    /// which one.
    beliefs: Vec<Belief>,
    /// The value of `beliefs` before the last jump of the wall clock. If the clock jumps twice and the service does
    /// not read the clock between the two jumps, the service never notices the first jump. In this case, the test sets
    /// `beliefs` back to this value before it applies the second jump.
    before_jump: Vec<Belief>,
    /// True if the service has read the wall clock since the last jump of the wall clock.
    jump_is_seen: bool,
    /// The latest time that the service may have used. This field is updated only when a run starts or ends, when the
    /// wall clock jumps, and when a belief is removed from `beliefs`.
    latest: i64,
    /// The time by which the service's steady time is ahead of the simulated time, in milliseconds.
    counts_ahead: i64,
    /// The latest steady time that the service had in an earlier run. The service stores its steady time only once a
    /// minute, so the next run may begin with an earlier steady time.
    counted: i64,
    jumps: u32,
    /// The simulated time starts this many milliseconds later than [`BEGIN`].
    later: i64,
}

impl State {
    fn boot_id(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.boot) + 1)
    }

    fn now(&self) -> i64 {
        let elapsed = self.began.map(|began| i64::try_from(began.elapsed().as_millis()).unwrap());
        self.before + elapsed.unwrap_or_default() + self.suspended
    }

    fn wall(&self) -> i64 {
        BEGIN + self.later + self.now() + self.ahead
    }

    /// Updates the beliefs. If a belief has a doubt (`doubts_since`) that has lasted [`HELD_MILLIS`], the service may
    /// already follow the wall clock. The function then adds a belief with the time of the wall clock. If the doubt has
    /// lasted more than [`HELD_MILLIS_MAX`], the service must follow the wall clock. The function then also removes the
    /// belief with the doubt.
    fn believe(&mut self) {
        let (now, ahead) = (self.now(), self.ahead);
        let believed = Belief::sure(ahead);
        let mut beliefs = Vec::new();
        for belief in std::mem::take(&mut self.beliefs) {
            let held = belief.doubts_since.map_or(0, |since| now - since);
            if held <= HELD_MILLIS_MAX {
                beliefs.push(belief);
            } else {
                let left_at = now - held + HELD_MILLIS_MAX;
                self.latest = self.latest.max(BEGIN + self.later + left_at + belief.ahead);
            }
            if held >= HELD_MILLIS {
                self.was_set_back |= believed.ahead < belief.ahead;
                if held > HELD_MILLIS_MAX {
                    self.kept = self.kept.min(BEGIN + self.later + now + ahead);
                }
                beliefs.push(believed);
            }
        }
        beliefs.dedup();
        self.beliefs = beliefs;
    }
}

impl Time {
    pub(crate) fn now(&self) -> i64 {
        self.0.lock().now()
    }

    pub(crate) fn wall(&self) -> Timestamp {
        Timestamp::from_millis(self.0.lock().wall())
    }

    /// Returns the true time: the time of a wall clock that has never jumped.
    pub(crate) fn truth(&self) -> Timestamp {
        let later = self.0.lock().later;
        Timestamp::from_millis(BEGIN + later + self.now())
    }

    /// Returns the earliest and the latest time that the service may use now. The two can differ, for example because
    /// the test does not know exactly when the service accepts a jump of the wall clock.
    pub(crate) fn believed(&self) -> (Timestamp, Timestamp) {
        let mut state = self.0.lock();
        state.believe();
        let truth = BEGIN + state.later + state.now();
        let ahead = || state.beliefs.iter().map(|belief| belief.ahead);
        let at = |ahead: Option<i64>| truth + ahead.unwrap_or(state.ahead);
        let uses_stored = state.beliefs.iter().any(|belief| belief.refused.is_some());
        let earliest = at(ahead().min()) - if uses_stored { STARTS_MILLIS } else { 0 };
        (Timestamp::from_millis(earliest), Timestamp::from_millis(at(ahead().max()).max(state.kept)))
    }

    /// Records that a list ordered by `updated_at` was returned. `asked` is the lowest value that the service's clock
    /// can have had when the list was requested.
    pub(crate) fn listed(&self, of: usize, asked: Timestamp) {
        let mut state = self.0.lock();
        let listed = state.listed.entry(of).or_insert(asked);
        *listed = asked.max(*listed);
    }

    /// Returns the earliest timestamp that a new change to this business can get. After a list ordered by `updated_at`
    /// was returned, no new change may get a timestamp before the time of the list. There is one exception: if the
    /// service has set its time back in this run of the engine, a new change can get any timestamp. The time of the
    /// list may then be in the future. If the actor of the business is started again, it ignores such a time.
    pub(crate) fn stamped_from(&self, of: usize) -> Timestamp {
        let state = self.0.lock();
        let listed = state.listed.get(&of).filter(|_| !state.was_set_back);
        listed.copied().unwrap_or(Timestamp::MIN)
    }

    /// Suspends the machine. Its clocks continue, but the timers of the runtime stop.
    pub(crate) fn suspend(&self, millis: i64) {
        self.0.lock().suspended += millis;
    }

    /// True if the service may currently doubt the wall clock because of a jump.
    pub(crate) fn is_doubted(&self) -> bool {
        self.0.lock().beliefs.iter().any(|belief| belief.doubts_since.is_some())
    }

    /// Returns the time for which the machine was suspended in this run, in milliseconds.
    pub(crate) fn suspended(&self) -> i64 {
        self.0.lock().suspended
    }

    /// Advances the clocks while no engine runs.
    pub(crate) fn stand_still(&self, millis: i64) {
        self.0.lock().before += millis;
    }

    /// Restarts the machine while no engine runs.
    pub(crate) fn reboot(&self) {
        let mut state = self.0.lock();
        state.boot += 1;
        state.booted = state.now();
    }

    /// Returns the latest time that the service may have used so far, even if the wall clock has been set back since.
    /// A new change may need a timestamp as late as this time. The reason: a client may have read a list ordered by
    /// `updated_at` at this time, and later changes must not get earlier timestamps.
    pub(crate) fn latest_believed(&self) -> Timestamp {
        self.believed().1.max(Timestamp::from_millis(self.0.lock().latest))
    }

    /// Returns the service's steady time in milliseconds.
    pub(crate) fn count(&self) -> i64 {
        let state = self.0.lock();
        state.now() + state.counts_ahead
    }

    /// Returns the latest steady time, in milliseconds, that the service has reached in this run or an earlier run.
    pub(crate) fn latest_count(&self) -> i64 {
        self.count().max(self.0.lock().counted)
    }

    /// Makes the simulated time start `millis` milliseconds later than [`BEGIN`].
    pub(crate) fn begin_later(&self, millis: i64) {
        self.0.lock().later = millis;
    }

    pub(crate) fn jumps(&self) -> u32 {
        self.0.lock().jumps
    }

    /// Returns the time by which the wall clock is ahead of the true time, in milliseconds.
    pub(crate) fn ahead(&self) -> i64 {
        self.0.lock().ahead
    }

    /// Sets the time by which the wall clock is ahead of the true time, in milliseconds.
    pub(crate) fn set_ahead(&self, millis: i64) {
        let latest = self.latest_believed();
        let mut state = self.0.lock();
        state.latest = latest.millis();
        state.jumps += u32::from(state.ahead != millis);
        state.believe();
        if !state.jump_is_seen {
            state.beliefs = state.before_jump.clone();
        }
        state.before_jump = state.beliefs.clone();
        state.jump_is_seen = false;
        state.ahead = millis;
        let now = state.now();
        let near = |other: i64| (other - millis).abs() <= FOLLOWED_MILLIS;
        let mut was_set_back = false;
        for belief in &mut state.beliefs {
            if near(belief.ahead) || belief.refused.is_some() && millis > belief.ahead {
                was_set_back |= millis < belief.ahead;
                *belief = Belief::sure(millis);
            } else {
                belief.doubts_since = Some(now).filter(|_| !belief.refused.is_some_and(near));
            }
        }
        state.was_set_back |= was_set_back;
    }

    /// Starts a run. Call this inside the async runtime of the run. The service uses the later of the wall clock and
    /// the stored wall time, and its steady time continues from the stored steady time. `could_keep` is false if the
    /// disk may have had no room to store the steady time in the previous run. Returns true if the service uses the
    /// stored wall time.
    pub(crate) fn begin(&self, kept: Option<&ClockRecord>, could_keep: bool) -> bool {
        let mut state = self.0.lock();
        state.began = Some(Instant::now());
        let (wall, now) = (state.wall(), state.now());
        let boot = kept.and_then(|kept| kept.boot).filter(|boot| boot.id == state.boot_id());
        let passed = boot.map(|boot| now - state.booted - boot.passed);
        let count = kept.map_or(wall, |kept| {
            let stopped = || (wall - kept.wall.millis()).clamp(0, STOPPED_MILLIS_MAX);
            kept.steady.millis() + passed.unwrap_or_else(stopped)
        });
        state.counts_ahead = count - now;
        state.beliefs = vec![Belief::sure(state.ahead)];
        state.jump_is_seen = true;
        state.kept = i64::MIN;
        let Some(kept) = kept.filter(|kept| kept.newest > Timestamp::MIN) else { return false };
        let goes_on = kept.wall.millis() + passed.unwrap_or(0);
        // A list has shown all changes up to the time `listed`. New timestamps may be earlier than `listed` only if the
        // machine was restarted, if the service may have been unable to store its time, or if it may have set its time
        // back.
        for listed in state.listed.values().filter(|_| boot.is_some() && could_keep && !state.was_set_back) {
            assert!(
                listed.millis() <= goes_on,
                "a list showed all changes until {listed}, but new timestamps begin at {goes_on}"
            );
        }
        let goes_on_at = Timestamp::from_millis(goes_on);
        state.listed.values_mut().for_each(|listed| *listed = goes_on_at.min(*listed));
        state.was_set_back = false;
        state.latest = state.latest.max(goes_on);
        if wall >= kept.wall.millis() {
            return false;
        }
        state.kept = goes_on;
        let ahead = goes_on - (BEGIN + state.later + now);
        if (ahead - state.ahead).abs() > FOLLOWED_MILLIS {
            state.beliefs = vec![Belief { ahead, doubts_since: None, refused: Some(state.ahead) }];
        }
        true
    }

    /// Ends the run. Call this inside the async runtime of the run.
    pub(crate) fn end(&self) {
        let latest = self.latest_believed();
        let mut state = self.0.lock();
        (state.latest, state.kept) = (latest.millis(), i64::MIN);
        state.beliefs.clear();
        state.before = state.now();
        state.counted = state.counted.max(state.before + state.counts_ahead);
        (state.began, state.suspended) = (None, 0);
    }
}

impl Clock for Time {
    fn now(&self) -> Timestamp {
        self.0.lock().jump_is_seen = true;
        self.wall()
    }

    /// The steady time includes the time for which the machine was suspended.
    fn steady(&self) -> Duration {
        let state = self.0.lock();
        Duration::from_millis(u64::try_from(state.now() - state.booted).unwrap())
    }

    fn boot_id(&self) -> Option<Uuid> {
        Some(self.0.lock().boot_id())
    }
}

/// Formats a simulated time for the history.
pub(crate) fn shown(millis: i64) -> String {
    let (seconds, days) = (millis / 1_000, millis / 86_400_000);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{days}d {hour:02}:{minute:02}:{second:02}.{:03}", millis % 1_000)
}
