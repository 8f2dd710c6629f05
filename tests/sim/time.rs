//! Time: how much of it has passed in a seed, and what the wall clock shows.
//!
//! Each life of the engine has a tokio runtime of its own, whose clock stands still while anything can run. What has
//! passed in the lives before is added up here, so that simulated time goes on through crashes and restarts.

use actors::domain::Timestamp;
use actors::ports::Clock;
use parking_lot::Mutex;
use tokio::time::Instant;

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
    /// The latest that the wall clock ever showed.
    latest: i64,
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

    fn wall(&mut self) -> i64 {
        let wall = BEGIN + self.later + self.now() + self.ahead;
        self.latest = self.latest.max(wall);
        wall
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

    /// The latest that the wall clock ever showed.
    pub(crate) fn latest(&self) -> Timestamp {
        let mut state = self.0.lock();
        state.wall();
        Timestamp::from_millis(state.latest)
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
        let mut state = self.0.lock();
        state.jumps += u32::from(state.ahead != millis);
        state.ahead = millis;
        state.wall();
    }

    /// A life begins, in the runtime that this is called in.
    pub(crate) fn begin(&self) {
        self.0.lock().began = Some(Instant::now());
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
}

/// Simulated time as people read it.
pub(crate) fn shown(millis: i64) -> String {
    let (seconds, days) = (millis / 1_000, millis / 86_400_000);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{days}d {hour:02}:{minute:02}:{second:02}.{:03}", millis % 1_000)
}
