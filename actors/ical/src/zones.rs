//! Time zones, and the conversion of local times to instants.
//!
//! The name of a zone is looked up in this order: IANA zones (ignoring case and a vendor's prefix), Windows zones
//! (CLDR), `VTIMEZONE`s of the file. For an unknown name, the zone of the business is used, with a warning. Invariants:
//! a local time that clocks skip is moved forward by the length of the skip. A local time that occurs twice means the
//! first of its two instants.
//!
//! Instants are [`NaiveDateTime`]s in UTC.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use chrono::{NaiveDate, NaiveDateTime, Offset, TimeDelta, TimeZone};
use chrono_tz::{TZ_VARIANTS, Tz};
use windows_timezones::WindowsTimezone;

use crate::rule::Rule;
use crate::steps::{Steps, Stop};
use crate::text::{Property, components};
use crate::values::{self, Value};

/// The maximum number of offset changes in a `VTIMEZONE`. Further changes are ignored.
const ONSETS_MAX: usize = 5_000;
/// The number of offset changes in a file after which further zones are ignored. An offset change takes 48 bytes.
const FILE_ONSETS_MAX: usize = 50_000;
/// The maximum number of zones in a file. Further zones are ignored.
const FILE_ZONES_MAX: usize = 1_000;

/// The names of all IANA zones in lower case.
static NAMES: LazyLock<HashMap<String, Tz>> =
    LazyLock::new(|| TZ_VARIANTS.iter().map(|zone| (zone.name().to_ascii_lowercase(), *zone)).collect());

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Zone {
    Named(Tz),
    /// The index of a zone of the file.
    File(usize),
}

/// A date, or a local time in a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Date(NaiveDate),
    Time(NaiveDateTime, Zone),
}

impl When {
    /// The local time. For a date, it is midnight.
    pub(crate) fn wall(self) -> NaiveDateTime {
        match self {
            Self::Date(date) => date.into(),
            Self::Time(wall, _) => wall,
        }
    }
}

/// The instant of an offset change, and the offsets before and after the change.
type Onset = (NaiveDateTime, TimeDelta, TimeDelta);

pub(crate) struct Zones {
    business: Tz,
    /// The names and the sorted onsets of the zones of the file. No list of onsets is empty.
    file: Vec<(String, Vec<Onset>)>,
    resolved: HashMap<String, Option<Zone>>,
    /// Whether a time had an unknown zone name.
    pub(crate) unknown: bool,
}

impl Zones {
    /// Reads the zones of a file. The rules for offset changes are expanded up to the local time `end`.
    pub(crate) fn of(
        text: &str,
        business: Tz,
        end: NaiveDateTime,
        steps: &mut Steps,
    ) -> ControlFlow<Stop, Self> {
        let mut zones = Self { business, file: Vec::new(), resolved: HashMap::new(), unknown: false };
        let mut onsets_of_file = 0;
        for component in components(text, &["VTIMEZONE"]).filter(|component| component.whole) {
            let Some(name) = component.property("TZID") else { continue };
            // For a zone with a known name, the rules of the file are not used.
            if zones.find(name.value.trim()).is_some() {
                continue;
            }
            if zones.file.len() == FILE_ZONES_MAX || onsets_of_file >= FILE_ONSETS_MAX {
                continue;
            }
            let mut onsets = Vec::new();
            for observance in &component.parts {
                match read_observance(observance, end, steps, &mut onsets) {
                    ControlFlow::Break(Stop::File) => return ControlFlow::Break(Stop::File),
                    ControlFlow::Break(Stop::Event) | ControlFlow::Continue(_) => {}
                }
            }
            onsets.sort_unstable();
            onsets.shrink_to_fit();
            onsets_of_file += onsets.len();
            if !onsets.is_empty() {
                zones.file.push((name.value.to_owned(), onsets));
            }
            steps.next_event();
        }
        ControlFlow::Continue(zones)
    }

    pub(crate) fn business(&self) -> Zone {
        Zone::Named(self.business)
    }

    /// Resolves the name of a zone. For an unknown name, returns the zone of the business.
    fn named(&mut self, name: &str) -> Zone {
        let zone = match self.resolved.get(name) {
            Some(zone) => *zone,
            None => {
                let zone = self.find(name.trim());
                self.resolved.insert(name.to_owned(), zone);
                zone
            }
        };
        self.unknown |= zone.is_none();
        zone.unwrap_or(self.business())
    }

    fn find(&self, name: &str) -> Option<Zone> {
        let iana = |name: &str| NAMES.get(&name.to_ascii_lowercase()).copied();
        // A vendor's prefix ends with a slash, and the IANA name after it has at most three parts.
        let tails = name.rmatch_indices('/').take(3).map(|(at, _)| &name[at + 1..]);
        let mut longest_first = tails.collect::<Vec<_>>().into_iter().rev();
        let windows = || iana(name.parse::<WindowsTimezone>().ok()?.tzdb_id());
        let file = || self.file.iter().position(|(known, _)| known == name).map(Zone::File);
        let named = iana(name).or_else(|| longest_first.find_map(iana)).or_else(windows);
        named.map(Zone::Named).or_else(file)
    }

    /// Reads a date or time of a property. A floating time is in the zone `floating`.
    pub(crate) fn when(&mut self, property: &Property<'_>, value: &str, floating: Zone) -> Option<When> {
        let local = match property.param("TZID") {
            Some(name) if !name.is_empty() => Some(name),
            _ => None,
        };
        Some(match Value::parse(value)? {
            Value::Date(date) => When::Date(date),
            Value::Utc(time) => When::Time(time, Zone::Named(Tz::UTC)),
            Value::Local(time)
                if property.param("VALUE").is_some_and(|kind| kind.eq_ignore_ascii_case("DATE")) =>
            {
                When::Date(time.date())
            }
            Value::Local(time) => When::Time(time, local.map_or(floating, |name| self.named(name))),
        })
    }

    /// Returns the instant of a local time. For a date, returns the instant of its midnight
    /// in the zone of the business.
    pub(crate) fn instant(&self, when: When) -> NaiveDateTime {
        match when {
            When::Date(date) => self.instant_of(date.into(), self.business()),
            When::Time(wall, zone) => self.instant_of(wall, zone),
        }
    }

    fn instant_of(&self, wall: NaiveDateTime, zone: Zone) -> NaiveDateTime {
        let (before, after) =
            (self.offset(wall - TimeDelta::days(1), zone), self.offset(wall + TimeDelta::days(1), zone));
        if before == after {
            return wall - before;
        }
        let shows = |offset: &TimeDelta| self.offset(wall - *offset, zone) == *offset;
        // If the local time occurs twice, the larger offset is used, because it gives the earlier instant. If clocks
        // skip the local time, neither offset is valid for it. The offset before the skip is then used, which gives an
        // instant after the skip.
        let offsets = [before.max(after), before.min(after)];
        wall - offsets.into_iter().find(shows).unwrap_or(before)
    }

    /// Returns the local time at an instant.
    pub(crate) fn wall(&self, instant: NaiveDateTime, zone: Zone) -> NaiveDateTime {
        instant + self.offset(instant, zone)
    }

    fn offset(&self, instant: NaiveDateTime, zone: Zone) -> TimeDelta {
        match zone {
            Zone::Named(Tz::UTC) => TimeDelta::zero(),
            Zone::Named(zone) => {
                let offset = zone.offset_from_utc_datetime(&instant).fix();
                TimeDelta::seconds(offset.local_minus_utc().into())
            }
            Zone::File(at) => {
                let onsets = &self.file[at].1;
                match onsets.partition_point(|(begin, ..)| *begin <= instant).checked_sub(1) {
                    Some(at) => onsets[at].2,
                    None => onsets[0].1,
                }
            }
        }
    }
}

/// Adds the onsets of a part of a `VTIMEZONE`. Ignores a part that is unreadable.
fn read_observance(
    properties: &[Property<'_>],
    end: NaiveDateTime,
    steps: &mut Steps,
    onsets: &mut Vec<Onset>,
) -> ControlFlow<Stop> {
    let of = |name: &'static str| properties.iter().filter(move |property| property.is(name));
    let offset = |name| values::offset(of(name).next()?.value).map(TimeDelta::seconds);
    let start = of("DTSTART").next().and_then(|property| Value::parse(property.value));
    let (Some(from), Some(to), Some(Value::Local(start))) =
        (offset("TZOFFSETFROM"), offset("TZOFFSETTO"), start)
    else {
        return ControlFlow::Continue(());
    };
    let mut add = |wall: NaiveDateTime| {
        if onsets.len() < ONSETS_MAX {
            onsets.push((wall - from, from, to));
        }
    };
    add(start);
    for dates in of("RDATE") {
        for date in dates.value.split(',') {
            steps.take(1)?;
            match Value::parse(date) {
                Some(Value::Local(wall)) => add(wall),
                Some(Value::Utc(instant)) => add(instant + from),
                _ => {}
            }
        }
    }
    for rule in of("RRULE").filter_map(|property| Rule::parse(property.value)) {
        let last = match rule.until {
            Some(Value::Utc(instant)) => instant + from,
            Some(Value::Local(wall)) => wall,
            Some(Value::Date(date)) => NaiveDateTime::from(date) + TimeDelta::days(1),
            None => end,
        };
        let last = last.min(end);
        rule.expand(start, &(start..last + TimeDelta::seconds(1)), steps, &mut |wall, _| {
            add(wall);
            ControlFlow::Continue(())
        })?;
    }
    ControlFlow::Continue(())
}
