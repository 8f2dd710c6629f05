//! Time: how much of it has passed in a seed, what the wall clock shows, and what of that may be believed.
//!
//! Each life of the engine has a tokio runtime of its own, whose clock stands still while anything can run. What has
//! passed in the lives before is added up here, so that simulated time goes on through crashes and restarts.

use std::time::Duration;

use actors::domain::Timestamp;
use actors::ports::Clock;
use actors::store::records::ClockRecord;
use parking_lot::Mutex;
use tokio::time::Instant;

/// A jump of the wall clock is believed when it has held for so long, or by then at the latest, in milliseconds:
/// somebody asks what time it is once a minute.
const HELD_MILLIS: i64 = 600_000;
const HELD_MILLIS_MAX: i64 = HELD_MILLIS + 125_000;
/// What is no further away is followed at once, in milliseconds.
const FOLLOWED_MILLIS: i64 = 60_000;
/// So much of the time for which nothing ran counts, at most.
const STOPPED_MILLIS_MAX: i64 = 24 * 3_600_000;

/// What the service may believe: how far its time is ahead of the truth, and since when it doubts the wall clock.
#[derive(Clone, Copy, PartialEq)]
struct Belief {
    ahead: i64,
    doubts_since: Option<i64>,
}

/// When every seed begins: a Monday at 08:00 UTC.
const BEGIN: i64 = 1_772_438_400_000;

/// The simulated time and the wall clock.
#[derive(Default)]
pub(crate) struct Time(Mutex<State>);

#[derive(Default)]
struct State {
    /// Milliseconds that had passed when this life began.
    before: i64,
    /// When this life began, on its own clock.
    began: Option<Instant>,
    /// How far the wall clock is ahead of the truth.
    ahead: i64,
    /// What may be believed.
    beliefs: Vec<Belief>,
    /// The latest that the service may ever have believed it to be, as of the last jump or whenever it gave a belief
    /// up.
    latest: i64,
    /// How far the count that the service keeps of steady time is ahead of the simulated time.
    counts_ahead: i64,
    /// How often the wall clock has jumped.
    jumps: u32,
    /// How much later than usual the seed begins.
    later: i64,
}

impl State {
    fn now(&self) -> i64 {
        let elapsed = self.began.map(|began| i64::try_from(began.elapsed().as_millis()).unwrap());
        self.before + elapsed.unwrap_or_default()
    }

    fn wall(&self) -> i64 {
        BEGIN + self.later + self.now() + self.ahead
    }

    /// Lets what is doubted be believed that has held for long enough.
    fn believe(&mut self) {
        let (now, ahead) = (self.now(), self.ahead);
        let believed = Belief { ahead, doubts_since: None };
        let mut beliefs = Vec::new();
        for belief in self.beliefs.drain(..) {
            let held = belief.doubts_since.map_or(0, |since| now - since);
            if held <= HELD_MILLIS_MAX {
                beliefs.push(belief);
            } else {
                let left_at = now - held + HELD_MILLIS_MAX;
                self.latest = self.latest.max(BEGIN + self.later + left_at + belief.ahead);
            }
            if held >= HELD_MILLIS {
                beliefs.push(believed);
            }
        }
        beliefs.dedup();
        self.beliefs = beliefs;
    }
}

impl Time {
    /// Milliseconds since the seed began.
    pub(crate) fn now(&self) -> i64 {
        self.0.lock().now()
    }

    /// What the wall clock shows.
    pub(crate) fn wall(&self) -> Timestamp {
        Timestamp::from_millis(self.0.lock().wall())
    }

    /// What a wall clock would show that never jumped.
    pub(crate) fn truth(&self) -> Timestamp {
        let later = self.0.lock().later;
        Timestamp::from_millis(BEGIN + later + self.now())
    }

    /// The earliest and the latest that the service may believe it to be.
    pub(crate) fn believed(&self) -> (Timestamp, Timestamp) {
        let mut state = self.0.lock();
        state.believe();
        let truth = BEGIN + state.later + state.now();
        let ahead = || state.beliefs.iter().map(|belief| belief.ahead);
        let at = |ahead: Option<i64>| Timestamp::from_millis(truth + ahead.unwrap_or(state.ahead));
        (at(ahead().min()), at(ahead().max()))
    }

    /// The latest that the service may have believed it to be so far. A stamp may bear it though the wall clock has
    /// gone back since, for whoever asked for a list by change then: no change to come shares an instant that was
    /// shown.
    pub(crate) fn latest_believed(&self) -> Timestamp {
        self.believed().1.max(Timestamp::from_millis(self.0.lock().latest))
    }

    /// The count that the service keeps of steady time, in milliseconds.
    pub(crate) fn count(&self) -> i64 {
        let state = self.0.lock();
        state.now() + state.counts_ahead
    }

    /// Has the seed begin so many milliseconds later than usual.
    pub(crate) fn begin_later(&self, millis: i64) {
        self.0.lock().later = millis;
    }

    /// How often the wall clock has jumped.
    pub(crate) fn jumps(&self) -> u32 {
        self.0.lock().jumps
    }

    /// How far the wall clock is ahead of the truth, in milliseconds.
    pub(crate) fn ahead(&self) -> i64 {
        self.0.lock().ahead
    }

    /// Makes the wall clock be so far ahead of the truth.
    pub(crate) fn set_ahead(&self, millis: i64) {
        let latest = self.latest_believed();
        let mut state = self.0.lock();
        state.latest = latest.millis();
        state.jumps += u32::from(state.ahead != millis);
        state.believe();
        state.ahead = millis;
        let now = state.now();
        for belief in &mut state.beliefs {
            if (belief.ahead - millis).abs() <= FOLLOWED_MILLIS {
                *belief = Belief { ahead: millis, doubts_since: None };
            } else {
                belief.doubts_since = Some(now);
            }
        }
    }

    /// A life begins, in the runtime that this is called in: what the wall clock shows is believed, and the count goes
    /// on from what was kept of it.
    pub(crate) fn begin(&self, kept: Option<&ClockRecord>) {
        let latest = self.latest_believed();
        let mut state = self.0.lock();
        state.latest = latest.millis();
        state.began = Some(Instant::now());
        state.beliefs = vec![Belief { ahead: state.ahead, doubts_since: None }];
        let wall = state.wall();
        let count = kept.map_or(wall, |kept| {
            kept.steady.millis() + (wall - kept.wall.millis()).clamp(0, STOPPED_MILLIS_MAX)
        });
        state.counts_ahead = count - state.now();
    }

    /// The life ends; to be called in the same runtime.
    pub(crate) fn end(&self) {
        let mut state = self.0.lock();
        state.before = state.now();
        state.began = None;
    }
}

impl Clock for Time {
    fn now(&self) -> Timestamp {
        self.wall()
    }

    /// Each life has a count of its own, like a machine that was started anew.
    fn steady(&self) -> Duration {
        let state = self.0.lock();
        state.began.map(|began| began.elapsed()).unwrap_or_default()
    }
}

/// Simulated time as people read it.
pub(crate) fn shown(millis: i64) -> String {
    let (seconds, days) = (millis / 1_000, millis / 86_400_000);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{days}d {hour:02}:{minute:02}:{second:02}.{:03}", millis % 1_000)
}
