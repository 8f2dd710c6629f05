//! What the diary of a business shows of some dates beside its appointments: when it is open, when there are breaks, and
//! when each staff member is there.
//!
//! What always holds: the stretches are those by which times are offered, for they are laid by the same [`Calendar`].

use std::ops::{Range, RangeInclusive};

use chrono::{NaiveDate, TimeDelta};

use super::availability::Schedule;
use super::{BlockedKey, Calendar, Service, SpecialDay, StaffMember, Timestamp};

/// What the diary shows of some dates. Its stretches are in order, and may reach beyond the dates.
#[derive(Clone, Debug)]
pub struct Diary {
    /// From the first instant of the first date to the end of the last one, or to where what opens on it closes.
    pub during: Range<Timestamp>,
    /// When it is open.
    pub open: Vec<Range<Timestamp>>,
    /// When there are breaks, open or not.
    pub breaks: Vec<Range<Timestamp>>,
    /// The dates that have other hours than those of the week.
    pub special: Vec<SpecialDay>,
    /// Every staff member.
    pub staff: Vec<Presence>,
    /// Every service.
    pub services: Vec<Service>,
}

/// When a staff member is there.
#[derive(Clone, Debug)]
pub struct Presence {
    /// Who.
    pub member: StaffMember,
    /// Their own hours; `None` for whenever it is open.
    pub hours: Option<Vec<Range<Timestamp>>>,
    /// When they are away, by when that starts: each with its end.
    pub away: Vec<(BlockedKey, Timestamp)>,
}

impl Schedule<'_> {
    /// The diary of these dates, both included.
    pub fn diary(&self, dates: RangeInclusive<NaiveDate>) -> Diary {
        let calendar = Calendar::new(self.business, self.special);
        let reach = calendar.day_bounds(*dates.start()).start..calendar.reach_of(*dates.end()).end;
        let laid = calendar.lay(dates.clone(), TimeDelta::zero());
        let within = |stretch: &Range<Timestamp>| stretch.start < reach.end && stretch.end > reach.start;
        let presence = |member: &StaffMember| {
            let hours = member.hours.as_ref().map(|hours| laid.staff_hours(hours));
            let away = self.blocked.of_staff(member.id);
            Presence {
                member: member.clone(),
                hours: hours.map(|hours| hours.iter().filter(|span| within(span)).cloned().collect()),
                away: away.filter(|(key, end)| within(&(key.starts_at..*end))).collect(),
            }
        };
        Diary {
            during: reach.clone(),
            open: laid.open().iter().filter(|span| within(span)).cloned().collect(),
            breaks: laid.breaks().iter().filter(|span| within(span)).cloned().collect(),
            special: self.special.range(dates).map(|(_, day)| day.clone()).collect(),
            staff: self.staff.values().map(Box::as_ref).map(presence).collect(),
            services: self.services.values().map(Box::as_ref).cloned().collect(),
        }
    }
}
