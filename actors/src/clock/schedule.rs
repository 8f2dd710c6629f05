//! Time for schedules: it starts as the wall clock's and runs evenly from there, so that a wall clock that jumps
//! neither fires all timers nor freezes them. It goes on while the machine is suspended.
//!
//! The runtime's own timers stand still meanwhile. So what waits for a time of a schedule sleeps for [`LOOK_EVERY`] at
//! most, and then looks at this clock again.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;

use crate::domain::Timestamp;
use crate::ports::Clock;

/// How long a timer sleeps at most before it looks whether its time has come.
pub(crate) const LOOK_EVERY: Duration = Duration::from_secs(30);

/// An even clock, set to the wall clock once.
#[derive(Clone)]
pub(crate) struct SteadyClock {
    set_to: Timestamp,
    set_at: Duration,
    port: Arc<dyn Clock>,
}

impl SteadyClock {
    /// A clock that now shows this instant.
    pub(crate) fn set(to: Timestamp, port: &Arc<dyn Clock>) -> Self {
        Self { set_to: to, set_at: port.steady(), port: Arc::clone(port) }
    }

    /// What it shows.
    pub(crate) fn now(&self) -> Timestamp {
        self.set_to + TimeDelta::from_std(self.passed()).unwrap_or(TimeDelta::MAX)
    }

    /// The time since it was set.
    pub(crate) fn passed(&self) -> Duration {
        self.port.steady().saturating_sub(self.set_at)
    }
}
