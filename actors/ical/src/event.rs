//! Events and free-busy components as the file states them, before their recurrences are expanded.
//!
//! Invariant: no event is read in part. If a date, duration or rule of a component cannot be parsed, the
//! whole component is unreadable.

use chrono::TimeDelta;
use domain::AppointmentId;

use crate::rule::Rule;
use crate::text::{Component, Property};
use crate::values;
use crate::zones::{When, Zone, Zones};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    At(When),
    /// The length. It is added to the local time of the start, so a clock change does not affect the local time of the
    /// end.
    After(TimeDelta),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Busy,
    Free,
    Cancelled,
}

#[derive(Debug)]
pub(crate) struct Event {
    /// The occurrence that this event replaces, and whether the event also replaces all later occurrences.
    pub(crate) replaces: Option<(When, bool)>,
    pub(crate) sequence: i64,
    pub(crate) status: Status,
    pub(crate) start: When,
    pub(crate) end: End,
    pub(crate) rules: Vec<Rule>,
    /// The starts of further occurrences (`RDATE`), with their ends if the file states periods.
    pub(crate) also: Vec<(When, Option<End>)>,
    pub(crate) except: Vec<When>,
}

impl Event {
    pub(crate) fn read(
        component: &Component<'_>,
        zones: &mut Zones,
        own_addresses: &[String],
    ) -> Option<Self> {
        if !component.whole {
            return None;
        }
        let business = zones.business();
        let property = component.property("DTSTART")?;
        let start = zones.when(property, property.value, business)?;
        let zone = match start {
            When::Date(_) => business,
            When::Time(_, zone) => zone,
        };
        let end = match (component.property("DTEND"), component.property("DURATION"), start) {
            (Some(end), ..) => End::At(zones.when(end, end.value, zone)?),
            (None, Some(duration), _) => End::After(values::duration(duration.value)?),
            (None, None, When::Date(_)) => End::After(TimeDelta::days(1)),
            (None, None, When::Time(..)) => End::After(TimeDelta::zero()),
        };
        let replaces = match component.property("RECURRENCE-ID") {
            Some(id) => {
                let later =
                    id.param("RANGE").is_some_and(|range| range.eq_ignore_ascii_case("THISANDFUTURE"));
                Some((zones.when(id, id.value, zone)?, later))
            }
            None => None,
        };
        let rules = component.all("RRULE").map(|rule| Rule::parse(rule.value)).collect::<Option<_>>()?;
        let also = listed(component, "RDATE")
            .map(|(property, value)| match value.split_once('/') {
                Some((start, end)) => {
                    Some((zones.when(property, start, zone)?, Some(period_end(property, end, zones, zone)?)))
                }
                None => Some((zones.when(property, value, zone)?, None)),
            })
            .collect::<Option<_>>()?;
        let except = listed(component, "EXDATE")
            .map(|(property, value)| zones.when(property, value, zone))
            .collect::<Option<_>>()?;
        Some(Self {
            replaces,
            sequence: component
                .property("SEQUENCE")
                .and_then(|number| number.value.parse().ok())
                .unwrap_or(0),
            status: status(component, own_addresses),
            start,
            end,
            rules,
            also,
            except,
        })
    }

    pub(crate) fn recurs(&self) -> bool {
        !self.rules.is_empty() || !self.also.is_empty()
    }
}

/// Reads the busy periods of a `VFREEBUSY` component.
pub(crate) fn read_periods(component: &Component<'_>, zones: &mut Zones) -> Option<Vec<(When, End)>> {
    let zone = zones.business();
    let read = |(property, value): (&Property<'_>, &str)| {
        let (start, end) = value.split_once('/')?;
        let start = zones.when(property, start, zone).filter(|start| matches!(start, When::Time(..)))?;
        let end = period_end(property, end, zones, zone)?;
        let free = property.param("FBTYPE").is_some_and(|kind| kind.eq_ignore_ascii_case("FREE"));
        Some((!free).then_some((start, end)))
    };
    let periods: Option<Vec<_>> = listed(component, "FREEBUSY").map(read).collect();
    component.whole.then_some(periods?.into_iter().flatten().collect())
}

fn period_end(property: &Property<'_>, end: &str, zones: &mut Zones, zone: Zone) -> Option<End> {
    match values::duration(end) {
        Some(duration) => Some(End::After(duration)),
        None => zones.when(property, end, zone).map(End::At),
    }
}

/// Returns the values of all properties with this name. Each property contains a list of values, separated by commas.
/// Ignores empty values.
fn listed<'c>(
    component: &'c Component<'c>,
    name: &'c str,
) -> impl Iterator<Item = (&'c Property<'c>, &'c str)> {
    let properties = component.all(name);
    let values =
        properties.flat_map(|property| property.value.split(',').map(move |value| (property, value.trim())));
    values.filter(|(_, value)| !value.is_empty())
}

pub(crate) fn uid(component: &Component<'_>) -> Option<String> {
    component.property("UID").map(|uid| uid.value.to_owned()).filter(|uid| !uid.is_empty())
}

/// Returns the id of the appointment whose events have this UID.
pub(crate) fn appointment(uid: &str) -> Option<AppointmentId> {
    uid.strip_suffix("@receptionist")?.parse().ok()
}

fn status(component: &Component<'_>, own_addresses: &[String]) -> Status {
    let is =
        |name, value: &str| component.all(name).any(|property| property.value.eq_ignore_ascii_case(value));
    let declined = || {
        component.all("ATTENDEE").any(|attendee| {
            attendee.param("PARTSTAT").is_some_and(|status| status.eq_ignore_ascii_case("DECLINED"))
                && [Some(attendee.value), attendee.param("EMAIL")].into_iter().flatten().any(|address| {
                    own_addresses.iter().any(|own| bare(own).eq_ignore_ascii_case(bare(address)))
                })
        })
    };
    let microsoft = |value| is("X-MICROSOFT-CDO-BUSYSTATUS", value);
    if is("STATUS", "CANCELLED") {
        Status::Cancelled
    } else if is("TRANSP", "TRANSPARENT") || microsoft("FREE") || microsoft("WORKINGELSEWHERE") || declined()
    {
        Status::Free
    } else {
        Status::Busy
    }
}

/// Returns an address without `mailto:`.
fn bare(address: &str) -> &str {
    let address = address.trim();
    match address.split_at_checked(7) {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("mailto:") => rest.trim(),
        _ => address,
    }
}
