//! Histograms that cost one atomic addition per observation.

use std::sync::atomic::{AtomicU64, Ordering};

/// A histogram of `N` buckets with upper bounds, and a last bucket without a bound.
#[derive(Debug)]
pub struct Histogram<const N: usize> {
    bounds: &'static [u64; N],
    buckets: [AtomicU64; N],
    above: AtomicU64,
    sum: AtomicU64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// The upper bound of each bucket and the number of observations in it. The numbers are not cumulative.
    pub buckets: Vec<(u64, u64)>,
    pub above: u64,
    pub sum: u64,
}

impl<const N: usize> Histogram<N> {
    pub const fn new(bounds: &'static [u64; N]) -> Self {
        Self {
            bounds,
            buckets: [const { AtomicU64::new(0) }; N],
            above: AtomicU64::new(0),
            sum: AtomicU64::new(0),
        }
    }

    pub fn observe(&self, value: u64) {
        let bucket = self.bounds.partition_point(|bound| *bound < value);
        self.buckets.get(bucket).unwrap_or(&self.above).fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(value, Ordering::Relaxed);
    }

    /// Reads the counters one by one, so an observation that arrives meanwhile may be in only some of them.
    pub fn read(&self) -> Distribution {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Distribution {
            buckets: self.bounds.iter().copied().zip(self.buckets.iter().map(get)).collect(),
            above: get(&self.above),
            sum: get(&self.sum),
        }
    }
}

impl Distribution {
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|(_, count)| count).sum::<u64>() + self.above
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_counted_in_the_first_bucket_whose_bound_it_does_not_exceed() {
        let histogram = Histogram::new(&[1, 10, 100]);
        for value in [0, 1, 2, 10, 100, 101, 5_000] {
            histogram.observe(value);
        }
        let read = histogram.read();
        assert_eq!(read.buckets, [(1, 2), (10, 2), (100, 1)]);
        assert_eq!((read.above, read.sum, read.count()), (2, 5_214, 7));
    }
}
