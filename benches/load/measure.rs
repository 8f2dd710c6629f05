//! What is measured of a scenario, and how numbers are made of it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What one run of a scenario gave; what does not apply is absent.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// How many a second.
    pub(crate) rate: Option<f64>,
    /// The times that one took, in milliseconds: of half of them at most this.
    pub(crate) p50: Option<f64>,
    /// Of 99 in a hundred.
    pub(crate) p99: Option<f64>,
    /// Of 999 in a thousand.
    pub(crate) p999: Option<f64>,
    /// The longest.
    pub(crate) max: Option<f64>,
    /// Seconds of CPU that the server took while it was measured.
    pub(crate) cpu_seconds: Option<f64>,
    /// Memory of the server in bytes.
    pub(crate) memory: Option<u64>,
    /// For how many seconds it was measured.
    pub(crate) seconds: Option<f64>,
}

impl Measured {
    /// A rate and its times from what was done within a stretch of time.
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

    /// How many cores it took all the while.
    pub(crate) fn cores(&self) -> Option<f64> {
        Some(self.cpu_seconds? / self.seconds?)
    }

    /// CPU for each one, in microseconds.
    pub(crate) fn cpu_each(&self) -> Option<f64> {
        Some(self.cpu_seconds? * 1e6 / (self.rate? * self.seconds?))
    }
}

/// Milliseconds that this part of the sorted nanoseconds does not exceed.
fn percentile(sorted: &[u64], part: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let at = (part * sorted.len() as f64).ceil() as usize;
    Some(sorted[at.saturating_sub(1).min(last)] as f64 / 1e6)
}

/// The middle one of these; of an even number, the mean of the two in the middle.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        len if len % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

/// The median of one figure over the runs that have it.
pub(crate) fn median_of(runs: &[Measured], figure: impl Fn(&Measured) -> Option<f64>) -> Option<f64> {
    median(runs.iter().filter_map(figure).collect())
}

/// Nanoseconds.
pub(crate) fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
