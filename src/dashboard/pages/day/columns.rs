//! Columns for items of a lane that overlap, so that each item can be seen.

use std::ops::Range;

/// The maximum number of columns. The stylesheet contains no classes for more.
pub(super) const COLUMNS_MAX: usize = 6;

/// Gives each range a column, so that ranges that overlap get different columns. The ranges must be sorted by start.
///
/// The ranges are divided into runs. If all earlier ranges have ended when a range starts, this range begins a new run.
/// Each range gets the first column of its run that is free at its start. Returns a list for each run. This list
/// contains the columns of the run's ranges, in the order of `ranges`.
pub(super) fn columns(ranges: &[Range<u32>]) -> Vec<Vec<usize>> {
    let (mut runs, mut ends): (Vec<Vec<usize>>, Vec<u32>) = (Vec::new(), Vec::new());
    for range in ranges {
        if runs.is_empty() || ends.iter().all(|end| *end <= range.start) {
            runs.push(Vec::new());
            ends.clear();
        }
        let column = ends.iter().position(|end| *end <= range.start).unwrap_or(ends.len());
        ends.resize(ends.len().max(column + 1), 0);
        ends[column] = range.end;
        runs.last_mut().expect("a run was begun").push(column);
    }
    runs
}

/// The CSS classes of a column. An item that overlaps no other item has none.
pub(super) fn class(column: usize, of: usize) -> String {
    match (column, of) {
        (_, ..=1) => String::new(),
        (0, of) => format!(" of-{of}"),
        (column, of) => format!(" of-{of} col-{column}"),
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "a day may have a single appointment")]
mod tests {
    use super::*;

    #[test]
    fn overlapping_ranges_get_different_columns() {
        for (ranges, expected) in [
            (vec![], vec![]),
            (vec![0..10], vec![vec![0]]),
            (vec![0..10, 10..20], vec![vec![0], vec![0]]),
            (vec![0..10, 5..20, 10..15, 20..30], vec![vec![0, 1, 0], vec![0]]),
            (vec![0..30, 0..10, 5..15, 10..20], vec![vec![0, 1, 2, 1]]),
        ] {
            assert_eq!(columns(&ranges), expected, "{ranges:?}");
        }
    }

    #[test]
    fn a_column_has_classes_unless_it_is_the_only_one() {
        assert_eq!(
            (class(0, 1), class(0, 3), class(2, 3)),
            ("".into(), " of-3".into(), " of-3 col-2".into())
        );
    }
}
