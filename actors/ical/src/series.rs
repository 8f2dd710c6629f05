//! The occurrences of an event and of its overrides, as busy intervals.
//!
//! Occurrences are computed in the zone of `DTSTART`. An occurrence is identified by its original start, before
//! any override: an instant, or a date for an all-day event. A length is added to the local time of the start, so
//! a clock change does not affect the local time of the end.
//!
//! Invariant: an occurrence counts once, even if several rules contain it.

use std::collections::{HashMap, HashSet};
use std::ops::{ControlFlow, Range};

use chrono::{NaiveDate, NaiveDateTime, TimeDelta};

use crate::event::{End, Event, Status};
use crate::steps::{Steps, Stop};
use crate::values::Value;
use crate::zones::{When, Zone, Zones};

/// The maximum number of occurrences of an event in the window.
pub(crate) const OCCURRENCES_MAX: usize = 5_000;
/// The number of steps that an occurrence costs, mostly for conversions between local times and instants.
const OCCURRENCE_STEPS: u64 = 8;
/// More than the largest possible difference between a local time and its instant in UTC, even at a clock change.
const SLACK: TimeDelta = TimeDelta::days(3);

/// An interval of instants.
pub(crate) type Interval = Range<NaiveDateTime>;

pub(crate) struct Context<'a> {
    pub(crate) zones: &'a Zones,
    pub(crate) window: Interval,
    pub(crate) all_day_busy: bool,
}

/// A map from the original starts of occurrences to values.
struct Starts<T> {
    instants: HashMap<NaiveDateTime, T>,
    dates: HashMap<NaiveDate, T>,
}

impl<T> Default for Starts<T> {
    fn default() -> Self {
        Self { instants: HashMap::new(), dates: HashMap::new() }
    }
}

impl<T> Starts<T> {
    /// Adds a value for the original start of an occurrence. In an all-day event, the date of the start identifies the
    /// occurrence. In a timed event, a date without a time identifies all occurrences on this date.
    fn insert(&mut self, original: When, all_day: bool, context: &Context<'_>, value: T) {
        match original {
            When::Time(..) if !all_day => {
                self.instants.insert(context.zones.instant(original), value);
            }
            _ => {
                self.dates.insert(original.wall().date(), value);
            }
        }
    }

    fn get(&self, original: When, context: &Context<'_>) -> Option<&T> {
        if self.dates.is_empty() && self.instants.is_empty() {
            return None;
        }
        self.dates.get(&original.wall().date()).or_else(|| match original {
            When::Date(_) => None,
            When::Time(..) => self.instants.get(&context.zones.instant(original)),
        })
    }
}

/// Adds the busy intervals of the events with one UID, if they overlap the window.
pub(crate) fn expand(
    events: &[Event],
    context: &Context<'_>,
    steps: &mut Steps,
    busy: &mut Vec<Interval>,
) -> ControlFlow<Stop> {
    let (overrides, masters): (Vec<&Event>, Vec<_>) =
        events.iter().partition(|event| event.replaces.is_some());
    let all_day = masters.first().is_some_and(|master| matches!(master.start, When::Date(_)));
    let mut excepted = Starts::default();
    for except in masters.iter().flat_map(|master| &master.except) {
        excepted.insert(*except, all_day, context, ());
    }
    // If an occurrence has several overrides, the override with the highest sequence number applies. If
    // several have this number, the last of them in the file applies.
    let mut replaced = Starts::default();
    for &event in &overrides {
        let Some((original, _)) = event.replaces else { continue };
        let newest =
            replaced.get(original, context).is_none_or(|other: &&Event| other.sequence <= event.sequence);
        if newest {
            replaced.insert(original, all_day, context, event);
        }
    }
    for &event in replaced.instants.values().chain(replaced.dates.values()) {
        let Some((original, _)) = event.replaces else { continue };
        let original = if all_day { When::Date(original.wall().date()) } else { original };
        if excepted.get(original, context).is_none() {
            context.add(event, event.start, &event.end, busy);
        }
    }
    // The overrides that also apply to later occurrences, each with the original start of the first occurrence that it
    // replaces.
    let mut onwards: Vec<(NaiveDateTime, &Event)> = Vec::new();
    for &event in replaced.instants.values().chain(replaced.dates.values()) {
        if let Some((original, true)) = event.replaces {
            onwards.push((context.zones.instant(original), event));
        }
    }
    onwards.sort_by_key(|(from, _)| *from);
    let (mut longest, mut earliest) = (TimeDelta::zero(), TimeDelta::zero());
    for (from, event) in &onwards {
        let shift = context.zones.instant(event.start) - *from;
        longest = longest.max(context.length(event) + shift);
        earliest = earliest.max(-shift);
    }
    for master in masters {
        let (excepted, replaced, onwards) = (&excepted, &replaced, &onwards);
        let series = Series { master, excepted, replaced, onwards, longest, earliest, context };
        series.expand(steps, busy)?;
    }
    ControlFlow::Continue(())
}

struct Series<'a> {
    master: &'a Event,
    excepted: &'a Starts<()>,
    replaced: &'a Starts<&'a Event>,
    onwards: &'a [(NaiveDateTime, &'a Event)],
    /// An override in `onwards` gives an occurrence a new start and a new end. This is the maximum time from the
    /// original start to the new end.
    longest: TimeDelta,
    /// The maximum time by which an override in `onwards` moves an occurrence to an earlier time.
    earliest: TimeDelta,
    context: &'a Context<'a>,
}

impl Series<'_> {
    fn expand(&self, steps: &mut Steps, busy: &mut Vec<Interval>) -> ControlFlow<Stop> {
        let Self { master, context, .. } = *self;
        if !master.recurs() && self.onwards.is_empty() {
            if self.stands(master.start) {
                context.add(master, master.start, &master.end, busy);
            }
            return ControlFlow::Continue(());
        }
        let (mut seen, mut count) = (HashSet::new(), 0);
        let mut accept = |original: When, end: Option<&End>, steps: &mut Steps| -> ControlFlow<Stop> {
            steps.take(OCCURRENCE_STEPS)?;
            if !seen.insert(original.wall()) || !self.stands(original) {
                return ControlFlow::Continue(());
            }
            if self.occur(original, end, busy) {
                count += 1;
            }
            if count > OCCURRENCES_MAX {
                busy.pop();
                return ControlFlow::Break(Stop::Event);
            }
            ControlFlow::Continue(())
        };
        // Some programs delete a series by ending it before its start. The start of such a series is not an occurrence.
        let ended = |until: Option<Value>| until.is_some_and(|until| !self.reaches(until, master.start));
        if master.rules.is_empty() || !master.rules.iter().all(|rule| ended(rule.until)) {
            accept(master.start, None, steps)?;
        }
        for (original, end) in &master.also {
            accept(self.as_start(*original), end.as_ref(), steps)?;
        }
        // If an occurrence overlaps the window, its original start is within this range of local times.
        let before = context.length(master).max(self.longest);
        let needed = context.window.start - before - SLACK..context.window.end + self.earliest + SLACK;
        for rule in &master.rules {
            let mut found = |wall: NaiveDateTime, steps: &mut Steps| {
                let original = self.at(wall);
                if rule.until.is_some_and(|until| !self.reaches(until, original)) {
                    return ControlFlow::Continue(());
                }
                accept(original, None, steps)
            };
            let last = rule.until.map_or(needed.end, |until| needed.end.min(wall(until) + SLACK));
            rule.expand(master.start.wall(), &(needed.start..last), steps, &mut found)?;
        }
        ControlFlow::Continue(())
    }

    /// Returns the original start of the occurrence at this local time.
    fn at(&self, wall: NaiveDateTime) -> When {
        match self.master.start {
            When::Date(_) => When::Date(wall.date()),
            When::Time(_, zone) => When::Time(wall, zone),
        }
    }

    /// Converts the start of a further occurrence to the form of the master's start: a date, or a time in the same
    /// zone.
    fn as_start(&self, when: When) -> When {
        match (self.master.start, when) {
            (When::Time(_, zone), When::Time(_, other)) if zone != other => {
                When::Time(self.context.zones.wall(self.context.zones.instant(when), zone), zone)
            }
            _ => self.at(when.wall()),
        }
    }

    /// True if an occurrence is at or before `until`, the last date or instant of a rule.
    fn reaches(&self, until: Value, original: When) -> bool {
        match (until, original) {
            (Value::Utc(until), When::Time(..)) => self.context.zones.instant(original) <= until,
            (_, When::Date(date)) => date <= wall(until).date(),
            _ => original.wall() <= wall(until),
        }
    }

    /// True if no `EXDATE` excludes the occurrence and no override replaces it.
    fn stands(&self, original: When) -> bool {
        self.excepted.get(original, self.context).is_none()
            && self.replaced.get(original, self.context).is_none()
    }

    /// Adds the interval of an occurrence. Returns false if the occurrence is not busy or does not overlap the window.
    fn occur(&self, original: When, end: Option<&End>, busy: &mut Vec<Interval>) -> bool {
        let context = self.context;
        let at = context.zones.instant(original);
        let Some((_, event)) = self.onwards[..self.onwards.partition_point(|(from, _)| *from < at)].last()
        else {
            let end = end.copied().unwrap_or(End::After(context.length(self.master)));
            return context.add(self.master, original, &end, busy);
        };
        let Some((replaced, _)) = event.replaces else { return false };
        let start = match event.start {
            When::Date(date) => When::Date(date + (original.wall().date() - replaced.wall().date())),
            When::Time(wall, zone) => {
                let shift = wall - context.wall(replaced, zone);
                When::Time(context.wall(original, zone) + shift, zone)
            }
        };
        let end = end.copied().unwrap_or(End::After(context.length(event)));
        context.add(event, start, &end, busy)
    }
}

fn wall(value: Value) -> NaiveDateTime {
    match value {
        Value::Date(date) => date.into(),
        Value::Local(time) | Value::Utc(time) => time,
    }
}

impl Context<'_> {
    /// Returns the local time in this zone. For a date, returns its midnight.
    fn wall(&self, when: When, zone: Zone) -> NaiveDateTime {
        match when {
            When::Time(_, other) if other != zone => self.zones.wall(self.zones.instant(when), zone),
            _ => when.wall(),
        }
    }

    /// Returns the length of an event: the difference of the local times, or of the instants if the zones differ.
    fn length(&self, event: &Event) -> TimeDelta {
        match (event.start, event.end) {
            (_, End::After(length)) => length,
            (When::Date(start), End::At(end)) => days(end.wall() - NaiveDateTime::from(start)),
            (When::Time(start, zone), End::At(When::Time(end, other))) if zone == other => end - start,
            (When::Time(start, _), End::At(When::Date(end))) => NaiveDateTime::from(end) - start,
            (start, End::At(end)) => self.zones.instant(end) - self.zones.instant(start),
        }
    }

    /// Returns the instants from `start` to `end`.
    pub(crate) fn interval(&self, start: When, end: &End) -> Interval {
        let from = self.zones.instant(start);
        let (to, length) = match (start, *end) {
            (When::Date(date), end) => {
                let length = match end {
                    End::After(length) => length,
                    End::At(end) => end.wall() - start.wall(),
                };
                let length = days(length).max(TimeDelta::days(1));
                (self.zones.instant(When::Date(date + length)), length)
            }
            (When::Time(wall, zone), End::After(length)) => {
                (self.zones.instant(When::Time(wall + length, zone)), length)
            }
            (When::Time(_, zone), End::At(When::Date(date))) => {
                (self.zones.instant(When::Time(date.into(), zone)), TimeDelta::zero())
            }
            (When::Time(wall, zone), End::At(end)) => {
                let length = if end.wall() > wall && matches!(end, When::Time(_, other) if other == zone) {
                    end.wall() - wall
                } else {
                    TimeDelta::zero()
                };
                (self.zones.instant(end), length)
            }
        };
        // If a clock change skips the local start time, the start moves forward. If the new start is not before the
        // end, the end moves too, so that the event keeps its length.
        from..if to <= from { from + length.max(TimeDelta::zero()) } else { to }
    }

    /// If the event is busy and the interval overlaps the window, adds the interval and returns true.
    fn add(&self, event: &Event, start: When, end: &End, busy: &mut Vec<Interval>) -> bool {
        let counts = event.status == Status::Busy && (self.all_day_busy || matches!(start, When::Time(..)));
        if !counts {
            return false;
        }
        let interval = self.interval(start, end);
        let overlaps =
            !interval.is_empty() && interval.start < self.window.end && interval.end > self.window.start;
        if overlaps {
            busy.push(interval);
        }
        overlaps
    }
}

/// Rounds a length up to whole days.
fn days(length: TimeDelta) -> TimeDelta {
    let day = TimeDelta::days(1).num_seconds();
    TimeDelta::days((length.num_seconds() + day - 1).div_euclid(day))
}
