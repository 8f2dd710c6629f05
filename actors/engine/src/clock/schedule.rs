//! The time of schedules. It starts at the wall clock's time and runs evenly, also during suspension of the
//! machine, so a jump of the wall clock neither fires all timers nor stops them.
//!
//! The runtime's timers stop during a suspension. So a task that waits for a scheduled time sleeps for at
//! most [`LOOK_EVERY`] and then reads this clock again.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use domain::Timestamp;
use ports::Clock;

pub(crate) const LOOK_EVERY: Duration = Duration::from_secs(30);

#[derive(Clone)]
pub(crate) struct SteadyClock {
    set_to: Timestamp,
    set_at: Duration,
    port: Arc<dyn Clock>,
}

impl SteadyClock {
    pub(crate) fn set(to: Timestamp, port: &Arc<dyn Clock>) -> Self {
        Self { set_to: to, set_at: port.steady(), port: Arc::clone(port) }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.set_to + TimeDelta::from_std(self.passed()).unwrap_or(TimeDelta::MAX)
    }

    pub(crate) fn passed(&self) -> Duration {
        self.port.steady().saturating_sub(self.set_at)
    }
}
