//! The diary of a business for a range of dates: opening hours, breaks and the presence of staff members, without
//! appointments.
//!
//! Invariant: the ranges come from the same [`Calendar`] as the bookable times.

use std::ops::{Range, RangeInclusive};

use chrono::{NaiveDate, TimeDelta};

use super::availability::Schedule;
use super::{BlockedKey, Calendar, Service, Spans, SpecialDay, StaffMember, Timestamp};

/// The opening hours, breaks and presence of staff members. The ranges are sorted and may extend beyond the dates.
#[derive(Clone, Debug)]
pub struct Diary {
    /// The time from the start of the first date to the end of the last date. If an opening window of the last date
    /// ends after midnight, `during` ends with this window.
    pub during: Range<Timestamp>,
    pub open: Vec<Range<Timestamp>>,
    pub breaks: Vec<Range<Timestamp>>,
    pub special: Vec<SpecialDay>,
    pub staff: Vec<Presence>,
    pub services: Vec<Service>,
}

#[derive(Clone, Debug)]
pub struct Presence {
    pub member: StaffMember,
    /// The hours. `None` means that the staff member is present during all opening hours.
    pub hours: Option<Vec<Range<Timestamp>>>,
    /// The absences with their ends, sorted by start.
    pub away: Vec<(BlockedKey, Timestamp)>,
    /// The merged busy times of connected calendars.
    pub busy: Vec<Range<Timestamp>>,
}

impl Schedule<'_> {
    pub fn diary(&self, dates: RangeInclusive<NaiveDate>) -> Diary {
        let calendar = Calendar::new(self.business, self.special);
        let reach = calendar.day_bounds(*dates.start()).start..calendar.reach_of(*dates.end()).end;
        let timeline = calendar.timeline(dates.clone(), TimeDelta::zero());
        let within = |stretch: &Range<Timestamp>| stretch.start < reach.end && stretch.end > reach.start;
        let presence = |member: &StaffMember| {
            let hours = member.hours.as_ref().map(|hours| timeline.staff_hours(hours));
            let away = self.blocked.of_staff(member.id);
            let busy = self.blocked.calendars_of(member.id).flat_map(Spans::iter);
            let busy = Spans::merge(busy.filter(|span| within(span)).cloned().collect());
            Presence {
                member: member.clone(),
                hours: hours.map(|hours| hours.iter().filter(|span| within(span)).cloned().collect()),
                away: away.filter(|(key, end)| within(&(key.starts_at..*end))).collect(),
                busy: busy.iter().cloned().collect(),
            }
        };
        Diary {
            during: reach.clone(),
            open: timeline.open.iter().filter(|span| within(span)).cloned().collect(),
            breaks: timeline.breaks.iter().filter(|span| within(span)).cloned().collect(),
            special: self.special.range(dates).map(|(_, day)| day.clone()).collect(),
            staff: self.staff.values().map(Box::as_ref).map(presence).collect(),
            services: self.services.values().map(Box::as_ref).cloned().collect(),
        }
    }
}
