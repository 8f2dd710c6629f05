//! The part of a form that offers open times: the start times at which the appointment can be booked without overriding
//! a rule. It shows a strip of days, and the times of one day.

use chrono::{NaiveDate, Timelike};
use domain::Timestamp;
use domain::availability::Slot;
use domain::diary::Diary;

use super::above::weeks_on;
use super::board::{is_own, minutes_on};
use crate::dashboard::pages::prelude::*;

const AFTERNOON: u32 = 12;
const EVENING: u32 = 17;

pub(super) struct OpenTimes {
    pub(super) day: String,
    pub(super) strip: Vec<StripDay>,
    pub(super) earlier: Option<NaiveDate>,
    pub(super) later: Option<NaiveDate>,
    pub(super) parts: Vec<PartOfDay>,
}

pub(super) struct StripDay {
    pub(super) weekday: String,
    pub(super) number: String,
    pub(super) said: String,
    pub(super) date: NaiveDate,
    pub(super) has_times: bool,
    pub(super) current: bool,
}

pub(super) struct PartOfDay {
    pub(super) id: &'static str,
    pub(super) label: String,
    pub(super) slots: Vec<OneSlot>,
}

pub(super) struct OneSlot {
    pub(super) value: String,
    pub(super) label: String,
    pub(super) chosen: bool,
}

pub(super) struct Shown<'a> {
    pub(super) member: &'a Member,
    pub(super) days: &'a [NaiveDate],
    pub(super) date: NaiveDate,
    pub(super) diary: &'a Diary,
    /// The open times, in order.
    pub(super) slots: &'a [Slot],
    pub(super) has_calendar: bool,
}

/// The seven days of a strip. The strip begins on the first day of the week that contains the date. If this day is in
/// the past but the date is not, the strip begins today.
pub(super) fn strip(member: &Member, date: NaiveDate) -> Vec<NaiveDate> {
    let (begins, today) = (member.week_days(date)[0], member.today());
    let first = if date < today { begins } else { begins.max(today) };
    first.iter_days().take(7).collect()
}

impl Shown<'_> {
    pub(super) fn open_times(&self, chosen: Option<Timestamp>) -> OpenTimes {
        let first = self.days.first().copied();
        OpenTimes {
            day: self.member.heading(self.date),
            strip: self.days.iter().map(|date| self.strip_day(*date)).collect(),
            earlier: first
                .filter(|first| *first > self.member.today())
                .and_then(|first| weeks_on(first, false).map(|earlier| earlier.max(self.member.today()))),
            later: first.and_then(|first| weeks_on(first, true)),
            parts: self.parts(chosen),
        }
    }

    /// Whether the time is among the open times.
    pub(super) fn offers(&self, at: Timestamp) -> bool {
        self.slots.iter().any(|slot| slot.starts_at == at)
    }

    fn strip_day(&self, date: NaiveDate) -> StripDay {
        let count = self.on(date).count();
        let opens = || {
            minutes_on(&self.diary.open, date, self.member.profile.zone)
                .any(|open| open.start < 24 * 60 && is_own(&open))
        };
        let said = match count {
            0 if date < self.member.today() => self.member.t("book-strip-over"),
            0 if !opens() => self.member.t("book-strip-closed"),
            0 => self.member.t("book-strip-full"),
            count => self.member.count("book-strip-open", count as u64),
        };
        StripDay {
            weekday: self.member.short_weekday(date),
            number: chrono::Datelike::day(&date).to_string(),
            said,
            date,
            has_times: count > 0,
            current: date == self.date,
        }
    }

    fn on(&self, date: NaiveDate) -> impl Iterator<Item = &Slot> {
        self.slots.iter().filter(move |slot| self.member.day(slot.starts_at) == date)
    }

    fn parts(&self, chosen: Option<Timestamp>) -> Vec<PartOfDay> {
        let all: Vec<_> = self.on(self.date).map(|slot| slot.starts_at).collect();
        let local = |at: &Timestamp| at.utc().with_timezone(&self.member.profile.zone);
        let slot = |at: &Timestamp| {
            let time = self.member.clock(*at);
            let is_twice = all.iter().filter(|other| self.member.clock(**other) == time).count() > 1;
            // If a clock change repeats a local time, the labels of both times contain the offset.
            let offset = local(at).format("%:z").to_string();
            let label = if is_twice { format!("{time} {offset}") } else { time };
            OneSlot { chosen: chosen == Some(*at), label, value: at.to_string() }
        };
        let of = |id: &'static str, hours: std::ops::Range<u32>| {
            let within = all.iter().filter(|at| hours.contains(&local(at).hour()));
            PartOfDay { id, label: self.member.t(id), slots: within.map(slot).collect() }
        };
        let parts = [
            of("book-part-morning", 0..AFTERNOON),
            of("book-part-afternoon", AFTERNOON..EVENING),
            of("book-part-evening", EVENING..24),
        ];
        parts.into_iter().filter(|part| !part.slots.is_empty()).collect()
    }
}
