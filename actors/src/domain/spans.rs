//! Stretches of real time, and what they cover.

use std::ops::Range;

use super::Timestamp;

/// Stretches `[start, end)` in order, none of which is empty or touches another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans(Vec<Range<Timestamp>>);

impl Spans {
    /// The time that any of these covers; they may come in any order, overlap, touch and be empty.
    pub fn of(mut stretches: Vec<Range<Timestamp>>) -> Self {
        stretches.retain(|stretch| !stretch.is_empty());
        // Mostly they are in order already, which makes this one look at each.
        stretches.sort_by_key(|stretch| stretch.start);
        let mut merged: Vec<Range<Timestamp>> = Vec::with_capacity(stretches.len());
        for stretch in stretches {
            match merged.last_mut() {
                Some(last) if stretch.start <= last.end => last.end = last.end.max(stretch.end),
                _ => merged.push(stretch),
            }
        }
        Self(merged)
    }

    /// Whether all of `[start, end)` is covered.
    pub fn cover(&self, start: Timestamp, end: Timestamp) -> bool {
        self.ending_after(start).is_some_and(|span| span.start <= start && end <= span.end)
    }

    /// Whether any of `[start, end)` is covered.
    pub fn meet(&self, start: Timestamp, end: Timestamp) -> bool {
        self.ending_after(start).is_some_and(|span| span.start < end)
    }

    /// The first stretch that ends after the instant.
    fn ending_after(&self, at: Timestamp) -> Option<&Range<Timestamp>> {
        self.0.get(self.0.partition_point(|span| span.end <= at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_millis(minutes * 60_000)
    }

    #[test]
    fn what_touches_is_one_stretch_and_what_does_not_is_two() {
        let spans =
            Spans::of([(30, 40), (0, 10), (10, 20), (15, 18), (25, 25)].map(|(a, b)| at(a)..at(b)).into());
        assert_eq!(spans.0, [at(0)..at(20), at(30)..at(40)]);
        for (start, end, covered, met) in [
            (0, 20, true, true),
            (5, 15, true, true),
            (0, 21, false, true),
            (-1, 5, false, true),
            (20, 30, false, false),
            (19, 20, true, true),
            (29, 31, false, true),
            (40, 50, false, false),
            (-5, 0, false, false),
            (10, 35, false, true),
        ] {
            assert_eq!(spans.cover(at(start), at(end)), covered, "{start} to {end}");
            assert_eq!(spans.meet(at(start), at(end)), met, "{start} to {end}");
        }
        assert!(!Spans::default().cover(at(0), at(1)) && !Spans::default().meet(at(0), at(1)));
    }
}
