//! Time for schedules: it starts as the wall clock's and runs evenly from there, so that a wall clock that jumps
//! neither fires all timers nor freezes them.

use chrono::TimeDelta;
use tokio::time::Instant;

use crate::domain::Timestamp;

/// An even clock, set to the wall clock once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SteadyClock {
    set_to: Timestamp,
    set_at: Instant,
}

impl SteadyClock {
    /// A clock that now shows this instant.
    pub(crate) fn set(to: Timestamp) -> Self {
        Self { set_to: to, set_at: Instant::now() }
    }

    /// What it shows.
    pub(crate) fn now(&self) -> Timestamp {
        self.set_to + TimeDelta::from_std(self.set_at.elapsed()).unwrap_or(TimeDelta::MAX)
    }
}
