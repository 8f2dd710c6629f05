//! Open times to choose from: a strip of days, and the times of one day.

use chrono::{NaiveDate, Timelike};
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
    /// Whether the days are submit buttons of the surrounding form. If false, they are links.
    pub(super) sends: bool,
    pub(super) earlier: Option<String>,
    pub(super) later: Option<String>,
    pub(super) parts: Vec<PartOfDay>,
    pub(super) problem: String,
    /// Whether `problem` is the only reason for the refusal. No message above the form then repeats it.
    pub(super) first: bool,
}

pub(super) struct StripDay {
    pub(super) weekday: String,
    pub(super) number: String,
    pub(super) said: String,
    /// The link of the day or the value of its button; empty if the day has no open times.
    pub(super) way: String,
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
    pub(super) sends: bool,
}

impl Shown<'_> {
    /// Builds the strip of days and the times for a form. The form's chosen time is an instant or a local
    /// time. `way` returns the link of a day or the value of its button. `is_taken` is true if the engine
    /// refused the submitted time.
    pub(super) fn open_times(
        &self,
        filled: &mut Filled,
        is_taken: bool,
        way: impl Fn(NaiveDate) -> String,
    ) -> OpenTimes {
        let (first, today) = (self.days.first().copied(), self.member.today());
        let earlier = first.filter(|first| *first > today).and_then(|first| weeks_on(first, false));
        let later = first.and_then(|first| weeks_on(first, true));
        let chosen = [filled.get("starts_at"), filled.get("time")].into_iter().find(|one| !one.is_empty());
        let chosen = chosen.unwrap_or_default().to_owned();
        let parts = self.parts(&chosen);
        let is_offered = parts.iter().flat_map(|part| &part.slots).any(|slot| slot.chosen);
        let problem = if is_taken {
            // The reason of the refusal moves from the message above the form to the times.
            format!("{} {}", std::mem::take(&mut filled.notice), self.member.t("book-times-now"))
        } else if !filled.get("time").is_empty() && filled.get("starts_at").is_empty() && !is_offered {
            self.member.with("book-times-not-open", "time", &chosen)
        } else {
            filled.problem(&self.member.view, "starts_at")
        };
        OpenTimes {
            day: self.member.heading(self.date),
            sends: self.sends,
            strip: self.days.iter().map(|date| self.strip_day(*date, &way)).collect(),
            earlier: earlier.map(|day| way(day.max(today))),
            later: later.map(&way),
            parts,
            problem,
            first: is_taken,
        }
    }

    fn strip_day(&self, date: NaiveDate, way: &impl Fn(NaiveDate) -> String) -> StripDay {
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
            way: if count == 0 { String::new() } else { way(date) },
            current: date == self.date,
        }
    }

    fn on(&self, date: NaiveDate) -> impl Iterator<Item = &Slot> {
        self.slots.iter().filter(move |slot| self.member.day(slot.starts_at) == date)
    }

    fn parts(&self, chosen: &str) -> Vec<PartOfDay> {
        let all: Vec<_> = self.on(self.date).map(|slot| slot.starts_at).collect();
        let local = |at: &domain::Timestamp| at.utc().with_timezone(&self.member.profile.zone);
        let slot = |at: &domain::Timestamp| {
            let time = self.member.clock(*at);
            let is_twice = all.iter().filter(|other| self.member.clock(**other) == time).count() > 1;
            // If a clock change repeats a local time, its label contains the offset.
            let offset = local(at).format("%:z").to_string();
            let value = at.to_string();
            OneSlot {
                chosen: chosen == value || chosen == time,
                label: if is_twice { format!("{time} {offset}") } else { time },
                value,
            }
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
