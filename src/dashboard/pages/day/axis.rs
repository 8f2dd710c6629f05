//! The time axis of the calendar's board: the hours that it shows, and the position of an item as CSS
//! classes.
//!
//! Invariants: a position consists of steps of five minutes, is within the shown hours, and is never empty.

use std::ops::Range;

use chrono::{NaiveDate, Timelike};
use chrono_tz::Tz;
use domain::Timestamp;

pub(super) const STEP_MINUTES: u32 = 5;
/// The maximum number of minutes of a board. The stylesheet contains no classes for more.
const MINUTES_MAX: u32 = 24 * 60;
/// A board begins and ends at a multiple of this number of minutes.
const HALF_HOUR: u32 = 30;
/// The CSS classes for boards with short appointments, each with a limit in minutes. A board gets the first class whose
/// limit is greater than the duration of the board's shortest appointment. The class makes the steps of the board
/// higher. An appointment of at least ten minutes is then at least 24 CSS pixels high, as WCAG 2.2 (2.5.8) requires.
/// Shorter appointments are rare, so there is no class for them.
const FINE: [(u32, &str); 2] = [(15, " finest"), (20, " fine")];
const QUIET: Range<u32> = 9 * 60..18 * 60;

/// The minutes of the day that a board shows, for one day or for each of several days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    start: u32,
    end: u32,
}

/// The local time of an instant, in minutes since the start of the date: 0 for an instant before the date, and at least
/// 1,440 for an instant on the next day.
pub(super) fn minute(at: Timestamp, date: NaiveDate, zone: Tz) -> u32 {
    let local = at.utc().with_timezone(&zone);
    let days = (local.date_naive() - date).num_days();
    let minute = days * 24 * 60 + i64::from(local.hour() * 60 + local.minute());
    u32::try_from(minute.clamp(0, 48 * 60)).unwrap_or(0)
}

impl Axis {
    /// An axis that contains all of these minutes, and half an hour before and after them if possible.
    pub(super) fn around(shown: impl IntoIterator<Item = Range<u32>>) -> Self {
        let shown = shown.into_iter().reduce(|all, one| all.start.min(one.start)..all.end.max(one.end));
        let shown = shown.unwrap_or(QUIET);
        let start = shown.start.saturating_sub(HALF_HOUR) / HALF_HOUR * HALF_HOUR;
        let end = (shown.end + HALF_HOUR).next_multiple_of(HALF_HOUR);
        // If a range continues on the next day, the board shows the whole range, up to `MINUTES_MAX`.
        let end = if shown.end > 24 * 60 { end } else { end.min(24 * 60) };
        Self { start, end: end.min(start + MINUTES_MAX) }
    }

    pub(super) fn minutes(self) -> Range<u32> {
        self.start..self.end
    }

    pub(super) fn labels(self) -> impl Iterator<Item = (u32, String)> {
        let hours = self.start.div_ceil(60)..self.end.div_ceil(60);
        hours.map(move |hour| (hour, place(hour * 60..self.end.min((hour + 1) * 60))))
    }

    /// The CSS classes of a board. `shortest` is the duration of the shortest appointment, in minutes; see [`FINE`].
    pub(super) fn class(self, shortest: Option<u32>) -> String {
        let length = self.end - self.start;
        let half = |minutes: u32, class| if minutes.is_multiple_of(60) { "" } else { class };
        let from = if self.start >= 60 { format!("from-{} ", self.start / 60) } else { String::new() };
        let fine = FINE.iter().find(|(minutes, _)| shortest.is_some_and(|shortest| shortest < *minutes));
        let fine = fine.map_or("", |(_, class)| class);
        let (from_half, half) = (half(self.start, "from-half "), half(length, " hours-half"));
        format!("{from}{from_half}hours-{}{half}{fine}", length / 60)
    }

    /// The part of these minutes that the board shows, extended to whole steps. Returns `None` if the board shows none
    /// of them.
    pub(super) fn clip(self, minutes: Range<u32>) -> Option<Range<u32>> {
        let all = self.minutes();
        let start = (minutes.start / STEP_MINUTES * STEP_MINUTES).clamp(all.start, all.end);
        let end = (minutes.end.div_ceil(STEP_MINUTES) * STEP_MINUTES).clamp(all.start, all.end);
        (start < end).then_some(start..end)
    }

    /// The CSS classes of the step that contains this minute. Returns `None` if the board does not show the minute.
    pub(super) fn moment(self, minute: u32) -> Option<String> {
        self.clip(minute..minute + 1).map(place)
    }
}

/// The CSS classes of a position. The minutes must be whole steps.
pub(super) fn place(minutes: Range<u32>) -> String {
    let (start, length) = (minutes.start, minutes.end - minutes.start);
    let mut classes = String::from("at");
    let parts = [
        (" h", start / 60, ""),
        (" m", start % 60, ""),
        (" for-", length / 60, "h"),
        (" for-", length % 60, ""),
    ];
    for (before, number, after) in parts {
        if number > 0 {
            classes.push_str(&format!("{before}{number}{after}"));
        }
    }
    classes
}

/// A minute of the day, as `09:05`.
pub(super) fn shown(minute: u32) -> String {
    format!("{:02}:{:02}", minute / 60 % 24, minute % 60)
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "a day may have a single range")]
mod tests {
    use super::*;

    #[test]
    fn the_classes_of_a_position_have_hours_and_steps_of_five_minutes() {
        assert_eq!(place(570..615), "at h9 m30 for-45");
        assert_eq!(place(0..60), "at for-1h");
        assert_eq!(place(5..95), "at m5 for-1h for-30");
        assert_eq!(place(1440..1560), "at h24 for-2h");
    }

    #[test]
    fn a_board_shows_half_an_hour_around_the_day_and_24_hours_at_most() {
        for (shown, expected) in [
            (vec![540..1140], (510, 1170)),
            (vec![540..600, 1000..1139], (510, 1170)),
            (vec![525..600], (480, 630)),
            (vec![0..1440], (0, 1440)),
            (vec![1080..1560], (1050, 1590)),
            (vec![10..2000], (0, 1440)),
            (vec![], (510, 1110)),
        ] {
            let axis = Axis::around(shown.clone());
            assert_eq!((axis.start, axis.end), expected, "{shown:?}");
        }
    }

    #[test]
    fn items_are_cut_to_the_board_in_whole_steps() {
        let axis = Axis { start: 480, end: 600 };
        assert_eq!(axis.clip(482..497), Some(480..500));
        assert_eq!(axis.clip(0..485), Some(480..485));
        assert_eq!(axis.clip(595..700), Some(595..600));
        assert_eq!((axis.clip(0..480), axis.clip(600..700), axis.clip(500..500)), (None, None, None));
        assert_eq!((axis.moment(481).unwrap().as_str(), axis.moment(600)), ("at h8 for-5", None));
    }

    #[test]
    fn the_classes_of_a_board_have_its_first_hour_and_its_length() {
        for (start, end, shortest, expected) in [
            (480, 600, None, "from-8 hours-2"),
            (480, 600, Some(20), "from-8 hours-2"),
            (510, 600, Some(15), "from-8 from-half hours-1 hours-half fine"),
            (30, 150, Some(10), "from-half hours-2 finest"),
        ] {
            assert_eq!(Axis { start, end }.class(shortest), expected, "{start} to {end}");
        }
        let labels: Vec<_> = Axis { start: 510, end: 630 }.labels().collect();
        assert_eq!(labels, [(9, "at h9 for-1h".to_owned()), (10, "at h10 for-30".to_owned())]);
    }

    #[test]
    fn minutes_are_local_times() {
        let zone: Tz = "Europe/Paris".parse().unwrap();
        let date = "2026-03-29".parse().unwrap();
        for (at, expected) in [
            ("2026-03-28T22:30:00Z", 0),
            ("2026-03-28T23:30:00Z", 30),
            // A clock change skips the time from 02:00 to 03:00.
            ("2026-03-29T01:00:00Z", 180),
            ("2026-03-29T23:00:00Z", 25 * 60),
        ] {
            assert_eq!(minute(Timestamp::parse(at).unwrap(), date, zone), expected, "{at}");
        }
    }
}
