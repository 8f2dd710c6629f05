//! The axis of a day on a board: which hours it shows, and where on them something stands, as classes of the stylesheet.
//!
//! What always holds: a place is made of steps of five minutes, lies within the hours that are shown, and is never empty.

use std::ops::Range;

use chrono::{NaiveDate, Timelike};
use chrono_tz::Tz;
use domain::Timestamp;

use crate::dashboard::days::local;

/// The minutes of one step of a board.
pub(super) const STEP_MINUTES: u32 = 5;
/// A board shows at most so many hours; the stylesheet knows no more.
const HOURS_MAX: u32 = 24;
/// Below so many minutes a visit would be lower than the 24 CSS pixels that a finger needs (WCAG 2.2, 2.5.8), unless the
/// steps of its board are higher; with the class that makes them so. As short as five minutes is too rare to stretch a
/// day for, and has room around it.
const FINE: [(u32, &str); 2] = [(15, " finest"), (20, " fine")];
/// What a board shows of a day on which nothing happens.
const QUIET: Range<u32> = 9 * 60..18 * 60;

/// The hours that a board shows, of one day or of each of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    /// The hour it begins at.
    pub(super) from: u32,
    /// How many hours it shows.
    pub(super) hours: u32,
}

/// The minute of a day at which its clocks show an instant; what lies before the day is its beginning, and what lies on
/// the next one goes on from 24 hours.
pub(super) fn minute(at: Timestamp, date: NaiveDate, zone: Tz) -> u32 {
    let local = local(at, zone);
    let days = (local.date_naive() - date).num_days();
    let minute = days * 24 * 60 + i64::from(local.hour() * 60 + local.minute());
    u32::try_from(minute.clamp(0, 48 * 60)).unwrap_or(0)
}

impl Axis {
    /// An axis that shows all of these minutes of a day, and an hour before and after where there is room.
    pub(super) fn around(shown: impl IntoIterator<Item = Range<u32>>) -> Self {
        let shown = shown.into_iter().reduce(|all, one| all.start.min(one.start)..all.end.max(one.end));
        let shown = shown.unwrap_or(QUIET);
        let from = (shown.start / 60).saturating_sub(1);
        let to = shown.end.div_ceil(60) + 1;
        // What begins before the day has ended is shown to its end, as far as a board goes.
        let to = if shown.end > 24 * 60 { to } else { to.min(24) };
        Self { from, hours: (to - from).min(HOURS_MAX) }
    }

    /// The minutes of the day that it shows.
    pub(super) fn minutes(self) -> Range<u32> {
        self.from * 60..(self.from + self.hours) * 60
    }

    /// The hours it shows, each with its place.
    pub(super) fn labels(self) -> impl Iterator<Item = (u32, String)> {
        (self.from..self.from + self.hours).map(|hour| (hour, place(hour * 60..(hour + 1) * 60)))
    }

    /// The classes of a board; one with a visit that is this short has higher steps, so that it can be hit.
    pub(super) fn class(self, shortest: Option<u32>) -> String {
        let from = if self.from > 0 { format!("from-{} ", self.from) } else { String::new() };
        let fine = FINE.iter().find(|(minutes, _)| shortest.is_some_and(|shortest| shortest < *minutes));
        let fine = fine.map_or("", |(_, class)| class);
        format!("{from}hours-{}{fine}", self.hours)
    }

    /// What it shows of these minutes, in whole steps, if anything.
    pub(super) fn clip(self, minutes: Range<u32>) -> Option<Range<u32>> {
        let all = self.minutes();
        let start = (minutes.start / STEP_MINUTES * STEP_MINUTES).clamp(all.start, all.end);
        let end = (minutes.end.div_ceil(STEP_MINUTES) * STEP_MINUTES).clamp(all.start, all.end);
        (start < end).then_some(start..end)
    }

    /// The place of an instant, of one step.
    pub(super) fn moment(self, minute: u32) -> Option<String> {
        self.clip(minute..minute + 1).map(place)
    }
}

/// The classes of a place: whole steps of a day.
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

/// A minute of a day as its clocks show it: `09:05`.
pub(super) fn shown(minute: u32) -> String {
    format!("{:02}:{:02}", minute / 60 % 24, minute % 60)
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "a day may have one span alone")]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_by_hours_and_steps_of_five_minutes() {
        assert_eq!(place(570..615), "at h9 m30 for-45");
        assert_eq!(place(0..60), "at for-1h");
        assert_eq!(place(5..95), "at m5 for-1h for-30");
        assert_eq!(place(1440..1560), "at h24 for-2h");
    }

    #[test]
    fn a_board_shows_an_hour_around_the_day_and_24_hours_at_most() {
        for (shown, expected) in [
            (vec![540..1140], (8, 12)),
            (vec![540..600, 1000..1139], (8, 12)),
            (vec![0..1440], (0, 24)),
            (vec![1080..1560], (17, 10)),
            (vec![10..2000], (0, 24)),
            (vec![], (8, 11)),
        ] {
            let axis = Axis::around(shown.clone());
            assert_eq!((axis.from, axis.hours), expected, "{shown:?}");
        }
    }

    #[test]
    fn what_is_shown_is_cut_to_the_board_in_whole_steps() {
        let axis = Axis { from: 8, hours: 2 };
        assert_eq!(axis.clip(482..497), Some(480..500));
        assert_eq!(axis.clip(0..485), Some(480..485));
        assert_eq!(axis.clip(595..700), Some(595..600));
        assert_eq!((axis.clip(0..480), axis.clip(600..700), axis.clip(500..500)), (None, None, None));
        assert_eq!((axis.moment(481).unwrap().as_str(), axis.moment(600)), ("at h8 for-5", None));
        assert_eq!(
            (axis.class(None), axis.class(Some(20))),
            ("from-8 hours-2".into(), "from-8 hours-2".into())
        );
        assert_eq!(Axis { from: 0, ..axis }.class(Some(15)), "hours-2 fine");
        assert_eq!(Axis { from: 0, ..axis }.class(Some(10)), "hours-2 finest");
    }

    #[test]
    fn minutes_are_those_of_the_clocks() {
        let zone: Tz = "Europe/Paris".parse().unwrap();
        let date = "2026-03-29".parse().unwrap();
        for (at, expected) in [
            ("2026-03-28T22:30:00Z", 0),
            ("2026-03-28T23:30:00Z", 30),
            // The clocks go from 02:00 to 03:00.
            ("2026-03-29T01:00:00Z", 180),
            ("2026-03-29T23:00:00Z", 25 * 60),
        ] {
            assert_eq!(minute(Timestamp::parse(at).unwrap(), date, zone), expected, "{at}");
        }
    }
}
