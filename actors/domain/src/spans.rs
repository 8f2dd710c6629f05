//! Sets of time ranges.

use std::ops::Range;

use super::Timestamp;

/// A sorted list of non-empty ranges `[start, end)`. They do not overlap or touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans(Vec<Range<Timestamp>>);

impl Spans {
    pub fn merge(mut stretches: Vec<Range<Timestamp>>) -> Self {
        stretches.retain(|stretch| !stretch.is_empty());
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

    pub fn cover(&self, start: Timestamp, end: Timestamp) -> bool {
        self.cursor().cover(start, end).is_ok()
    }

    pub fn meet(&self, start: Timestamp, end: Timestamp) -> bool {
        self.cursor().meet(start, end).is_some()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Range<Timestamp>> {
        self.0.iter()
    }

    pub fn cursor(&self) -> SpansCursor<'_> {
        SpansCursor { spans: &self.0, at: 0 }
    }
}

/// Answers queries about the ranges. Queries in ascending order are fast. A query for an earlier time than the previous
/// query is slower, because it needs a search.
#[derive(Clone, Copy, Debug)]
pub struct SpansCursor<'a> {
    spans: &'a [Range<Timestamp>],
    at: usize,
}

impl<'a> SpansCursor<'a> {
    /// Checks that the ranges cover the period from `start` to `end`.
    ///
    /// # Errors
    /// If the ranges do not cover the period, returns an instant `next` after `start`. A period of the same length that
    /// starts after `start` and before `next` is not covered either.
    pub fn cover(&mut self, start: Timestamp, end: Timestamp) -> Result<(), Timestamp> {
        match self.ending_after(start) {
            Some(span) if start < span.start => Err(span.start),
            Some(span) if span.end < end => Err(span.end),
            Some(_) => Ok(()),
            None => Err(Timestamp::MAX),
        }
    }

    pub fn meet(&mut self, start: Timestamp, end: Timestamp) -> Option<&'a Range<Timestamp>> {
        self.ending_after(start).filter(|span| span.start < end)
    }

    fn ending_after(&mut self, instant: Timestamp) -> Option<&'a Range<Timestamp>> {
        let ends_after = |at: usize| self.spans.get(at).is_none_or(|span| span.end > instant);
        let is_first = |at: usize| ends_after(at) && !at.checked_sub(1).is_some_and(ends_after);
        let near = [self.at, self.at + 1].into_iter().find(|at| is_first(*at));
        self.at = near.unwrap_or_else(|| self.spans.partition_point(|span| span.end <= instant));
        self.spans.get(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_millis(minutes * 60_000)
    }

    #[test]
    fn touching_ranges_are_merged() {
        let spans =
            Spans::merge([(30, 40), (0, 10), (10, 20), (15, 18), (25, 25)].map(|(a, b)| at(a)..at(b)).into());
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

    #[test]
    fn results_do_not_depend_on_earlier_queries() {
        let spans = Spans::merge((0..20).map(|nth| at(nth * 10)..at(nth * 10 + 4)).collect());
        let mut cursor = spans.cursor();
        // The queries are in ascending, descending and mixed order. Some are before the first span or after the last.
        for minute in (-15..215).chain((-15..215).rev()).chain((0..230).map(|nth| nth * 97 % 230 - 15)) {
            for lasts in [1, 3, 12] {
                let (start, end) = (at(minute), at(minute + lasts));
                let covered = spans.0.iter().any(|span| span.start <= start && end <= span.end);
                let met = spans.0.iter().any(|span| span.start < end && start < span.end);
                assert_eq!(
                    (cursor.cover(start, end).is_ok(), cursor.meet(start, end).is_some()),
                    (covered, met),
                    "{minute}"
                );
            }
        }
    }
}
