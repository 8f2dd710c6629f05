//! The figures of a scenario, and statistics over several runs.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The figures of one run. A figure is `None` if it does not apply to the scenario.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// The number of operations per second.
    pub(crate) rate: Option<f64>,
    /// The median duration of an operation, in milliseconds.
    pub(crate) p50: Option<f64>,
    /// The 99th percentile of the durations, in milliseconds.
    pub(crate) p99: Option<f64>,
    /// The 99.9th percentile of the durations, in milliseconds.
    pub(crate) p999: Option<f64>,
    /// The maximum duration, in milliseconds.
    pub(crate) max: Option<f64>,
    /// The CPU time of the server during the measurement, in seconds.
    pub(crate) cpu_seconds: Option<f64>,
    /// The memory of the server, in bytes. The scenario determines whether it is the peak or the present value.
    pub(crate) memory: Option<u64>,
    /// The length of the measurement, in seconds.
    pub(crate) seconds: Option<f64>,
}

impl Measured {
    /// Computes the rate and the percentiles. `times` are the durations of the operations in nanoseconds, and `within`
    /// is the length of the measurement.
    pub(crate) fn of(times: &mut [u64], within: Duration) -> Self {
        times.sort_unstable();
        let at = |part: f64| percentile(times, part);
        Self {
            rate: Some(times.len() as f64 / within.as_secs_f64()),
            p50: at(0.5),
            p99: at(0.99),
            p999: at(0.999),
            max: at(1.0),
            seconds: Some(within.as_secs_f64()),
            ..Self::default()
        }
    }

    /// Returns the average number of processor cores that the server used.
    pub(crate) fn cores(&self) -> Option<f64> {
        Some(self.cpu_seconds? / self.seconds?)
    }

    /// Returns the CPU time per operation, in microseconds.
    pub(crate) fn cpu_each(&self) -> Option<f64> {
        Some(self.cpu_seconds? * 1e6 / (self.rate? * self.seconds?))
    }
}

/// Returns a percentile of sorted durations. The durations are in nanoseconds, and the result is in milliseconds.
fn percentile(sorted: &[u64], part: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let at = (part * sorted.len() as f64).ceil() as usize;
    Some(sorted[at.saturating_sub(1).min(last)] as f64 / 1e6)
}

/// Returns the median. For an even number of values, it is the mean of the two middle values.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        len if len % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

/// Returns the median of a figure over the runs in which the figure exists.
pub(crate) fn median_of(runs: &[Measured], figure: impl Fn(&Measured) -> Option<f64>) -> Option<f64> {
    median(runs.iter().filter_map(figure).collect())
}

pub(crate) fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
