//! Reads the busy times in a calendar file (RFC 5545) that a calendar server or an ICS address has returned.
//!
//! [`read`] is a pure function. Invariants:
//!
//! - No input causes a panic. The work and the memory are bounded by the size of the text and by the limits below.
//! - The result contains no title, place, person or text of an event, only its UID and its times.
//! - Recurrences are expanded in the zone of `DTSTART`. Occurrences long before the window are skipped by a
//!   calculation, unless the rule has a `COUNT`.
//!
//! | Module | Purpose |
//! |---|---|
//! | `text` | lines, properties, components |
//! | `values` | dates, times, durations, offsets |
//! | `zones` | names of zones, `VTIMEZONE`, local times and instants |
//! | `rule` | recurrence rules |
//! | `event` | the properties of an event that affect busy times |
//! | `series` | the occurrences of an event and its overrides |
//! | `steps` | the bound on the work |

mod event;
mod rule;
mod series;
mod steps;
mod text;
mod values;
mod zones;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::ops::{ControlFlow, Range};

use chrono::{NaiveDateTime, TimeDelta};
use chrono_tz::Tz;
use domain::{AppointmentId, Timestamp};

use self::event::{Event, Status};
use self::series::{Context, Interval};
pub use self::steps::FILE_STEPS_MAX;
use self::steps::{Steps, Stop};
use self::zones::Zones;

pub const TEXT_BYTES_MAX: usize = 16 << 20;
/// The maximum number of `VEVENT` and `VFREEBUSY` components of a file.
pub const EVENTS_MAX: usize = 20_000;
/// The maximum number of busy intervals of a file. Intervals of the same UID that overlap or touch count once.
pub const INTERVALS_MAX: usize = 50_000;

/// Returns the range of time for which busy times are needed. Events outside the range have no effect.
pub fn window(now: Timestamp) -> Range<Timestamp> {
    now - TimeDelta::days(1)..now + TimeDelta::days(400)
}

/// The settings by which a file is read.
pub struct Reading<'a> {
    pub window: Range<Timestamp>,
    /// The zone of the business, for all-day events, floating times and unknown zones.
    pub zone: Tz,
    /// Whether all-day events are busy.
    pub all_day_busy: bool,
    /// The addresses of the staff member. An event does not make the staff member busy if one of these addresses has
    /// declined it.
    pub own_addresses: &'a [String],
    /// Whether an id belongs to an appointment of this business.
    pub is_appointment: &'a dyn Fn(AppointmentId) -> bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct BusyTimes {
    /// The events that are not appointments of this business, in the order of the file. Components with the same UID
    /// form one event. A component without a UID is an event of its own.
    pub events: Vec<BusyEvent>,
    /// The events that are copies of appointments of this business, by the id of the appointment.
    pub own: BTreeMap<AppointmentId, OwnEvent>,
    /// The number of `VEVENT` and `VFREEBUSY` components, including unreadable components and copies of
    /// appointments.
    pub components: usize,
    pub unreadable: usize,
    pub warnings: Vec<Warning>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct BusyEvent {
    pub uid: Option<String>,
    /// The busy intervals that overlap the window. An interval may extend beyond the window. The intervals are sorted
    /// and do not overlap or touch.
    pub busy: Vec<Range<Timestamp>>,
}

/// The copy of an appointment of this business in the calendar file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnEvent {
    /// The start and the end, or `None` if the event is unreadable.
    pub times: Option<(Timestamp, Timestamp)>,
    pub cancelled: bool,
    /// Whether the event has a recurrence or several components.
    pub recurs: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Warning {
    /// A time has an unknown zone, and was read in the zone of the business.
    UnknownZone,
    /// An event has too many occurrences, so some of them were omitted.
    TooManyOccurrences,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error("the text is not a complete calendar file")]
    NotACalendar,
    #[error("the calendar has too many events or busy times")]
    TooLarge,
}

/// Reads the busy times of a calendar file. `steps` limits the work for several files together: this function subtracts
/// from it the number of steps that this file takes. The limit for one file is [`FILE_STEPS_MAX`].
///
/// # Errors
/// Returns [`ReadError::NotACalendar`] if the text is not a complete calendar file, and [`ReadError::TooLarge`] if the
/// text exceeds a limit of this crate or needs more than `steps` steps.
pub fn read(text: &[u8], reading: &Reading<'_>, steps: &mut u64) -> Result<BusyTimes, ReadError> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(ReadError::TooLarge);
    }
    let text = text::unfolded(text);
    if !text::is_calendar(&text) {
        return Err(ReadError::NotACalendar);
    }
    let mut of_file = Steps::new(*steps);
    let before = of_file.left();
    let read = read_events(&text, reading, &mut of_file);
    *steps -= before - of_file.left();
    match read {
        ControlFlow::Continue(times) => Ok(times),
        ControlFlow::Break(_) => Err(ReadError::TooLarge),
    }
}

/// The components with one UID.
#[derive(Default)]
struct Group {
    uid: Option<String>,
    events: Vec<Event>,
    periods: Vec<Interval>,
}

fn read_events(text: &str, reading: &Reading<'_>, steps: &mut Steps) -> ControlFlow<Stop, BusyTimes> {
    let window = reading.window.start.utc().naive_utc()..reading.window.end.utc().naive_utc();
    let mut zones = Zones::of(text, reading.zone, window.end + TimeDelta::days(400), steps)?;
    let mut times = BusyTimes::default();
    let (mut groups, mut by_uid) = (Vec::<Group>::new(), HashMap::<String, usize>::new());
    for component in text::components(text, &["VEVENT", "VFREEBUSY"]) {
        times.components += 1;
        if times.components > EVENTS_MAX {
            return ControlFlow::Break(Stop::File);
        }
        let uid = event::uid(&component);
        let own = uid.as_deref().and_then(event::appointment).filter(|id| (reading.is_appointment)(*id));
        let mut read = Group { uid, ..Group::default() };
        let readable = if component.kind == "VEVENT" {
            read.events.extend(Event::read(&component, &mut zones, reading.own_addresses));
            !read.events.is_empty()
        } else {
            match event::read_periods(&component, &mut zones) {
                Some(periods) => {
                    let context = Context { zones: &zones, window: window.clone(), all_day_busy: true };
                    let periods = periods.iter().map(|(start, end)| context.interval(*start, end));
                    let overlaps = |period: &Interval| period.start < window.end && period.end > window.start;
                    read.periods = merged(periods.filter(overlaps).collect());
                    true
                }
                None => false,
            }
        };
        times.unreadable += usize::from(!readable);
        if let Some(id) = own {
            let context = Context { zones: &zones, window: window.clone(), all_day_busy: true };
            let read = own_event(read.events.first(), &context);
            times.own.entry(id).and_modify(|event| event.recurs = true).or_insert(read);
            continue;
        }
        let at = read.uid.as_ref().and_then(|uid| by_uid.get(uid)).copied();
        match at {
            Some(at) => {
                groups[at].events.append(&mut read.events);
                groups[at].periods.append(&mut read.periods);
            }
            None if readable => {
                by_uid.extend(read.uid.clone().map(|uid| (uid, groups.len())));
                groups.push(read);
            }
            None => {}
        }
    }
    let context = Context { zones: &zones, window, all_day_busy: reading.all_day_busy };
    let (mut intervals, mut cut) = (0, false);
    for Group { uid, events, mut periods } in groups {
        steps.next_event();
        match series::expand(&events, &context, steps, &mut periods) {
            ControlFlow::Break(Stop::File) => return ControlFlow::Break(Stop::File),
            ControlFlow::Break(Stop::Event) => cut = true,
            ControlFlow::Continue(()) => {}
        }
        let busy: Vec<_> = merged(periods).into_iter().map(stamps).collect();
        intervals += busy.len();
        if intervals > INTERVALS_MAX {
            return ControlFlow::Break(Stop::File);
        }
        times.events.push(BusyEvent { uid, busy });
    }
    let warnings = [(zones.unknown, Warning::UnknownZone), (cut, Warning::TooManyOccurrences)];
    times.warnings.extend(warnings.into_iter().filter_map(|(given, warning)| given.then_some(warning)));
    ControlFlow::Continue(times)
}

fn own_event(event: Option<&Event>, context: &Context<'_>) -> OwnEvent {
    let Some(event) = event else { return OwnEvent { times: None, cancelled: false, recurs: false } };
    let Range { start, end } = stamps(context.interval(event.start, &event.end));
    OwnEvent {
        times: Some((start, end)),
        cancelled: event.status == Status::Cancelled,
        recurs: event.recurs() || event.replaces.is_some(),
    }
}

/// Sorts intervals and merges those that overlap or touch.
fn merged(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals.retain(|interval| !interval.is_empty());
    intervals.sort_unstable_by_key(|interval| interval.start);
    let mut merged: Vec<Interval> = Vec::new();
    for interval in intervals {
        match merged.last_mut() {
            Some(last) if interval.start <= last.end => last.end = last.end.max(interval.end),
            _ => merged.push(interval),
        }
    }
    merged
}

fn stamps(interval: Interval) -> Range<Timestamp> {
    let stamp = |at: NaiveDateTime| Timestamp::from_millis(at.and_utc().timestamp_millis());
    stamp(interval.start)..stamp(interval.end)
}
