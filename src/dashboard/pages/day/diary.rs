//! The data for the pages of a day: appointments, working times, and time off.

use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};

use chrono::{NaiveDate, TimeDelta};
use domain::diary::{Diary, Presence};
use domain::{AppointmentStatus, BlockedTimeId, StaffId, Timestamp};
use engine::business::{AppointmentFilter, PageRequest};
use view::AppointmentView;

use crate::dashboard::pages::prelude::*;

/// The maximum duration of an appointment. An appointment in progress began at most this long ago.
const LASTS_MAX: TimeDelta = TimeDelta::days(1);

pub(super) const ACTIVE: [AppointmentStatus; 2] = [AppointmentStatus::Pending, AppointmentStatus::Confirmed];

pub(super) struct Dates {
    pub(super) diary: Diary,
    pub(super) notes: HashMap<BlockedTimeId, String>,
    pub(super) visits: Vec<AppointmentView>,
    pub(super) more: bool,
}

impl Dates {
    /// Reads the dates from first to last, both included. With a staff member, it reads only that person's
    /// appointments.
    pub(super) async fn read(
        member: &Member,
        dates: RangeInclusive<NaiveDate>,
        staff: Option<StaffId>,
        visits_max: usize,
    ) -> Result<Self, Refused> {
        let diary = member.business.diary(dates).await?;
        let (visits, more) = visits(member, diary.during.clone(), staff, visits_max).await?;
        let away: Vec<_> = diary.staff.iter().flat_map(|one| one.away.iter().map(|(key, _)| *key)).collect();
        let notes = if away.is_empty() { HashMap::new() } else { member.business.notes_of(&away).await? };
        Ok(Self { diary, notes, visits, more })
    }

    /// The staff members to show: active ones, and those with an appointment on these dates.
    pub(super) fn staff(&self) -> impl Iterator<Item = &Presence> {
        self.diary.staff.iter().filter(|one| {
            one.member.active || self.visits.iter().any(|visit| visit.staff_id == one.member.id)
        })
    }

    pub(super) fn visits_of(&self, staff: StaffId) -> impl Iterator<Item = &AppointmentView> {
        self.visits.iter().filter(move |visit| visit.staff_id == staff)
    }
}

/// The appointments that overlap a range of time, by start time. The flag is true if there are too many.
async fn visits(
    member: &Member,
    during: Range<Timestamp>,
    staff_id: Option<StaffId>,
    limit: usize,
) -> Result<(Vec<AppointmentView>, bool), Refused> {
    let filter = AppointmentFilter {
        status: ACTIVE.to_vec(),
        from: Some(during.start - LASTS_MAX),
        to: Some(during.end),
        staff_id,
        ..AppointmentFilter::default()
    };
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let found = member.business.appointments(&filter, &PageRequest { limit, after }).await?;
        all.extend(found.items.into_iter().filter(|visit| visit.ends_at > during.start));
        after = found.next;
        if after.is_none() || all.len() >= limit {
            let more = after.is_some() || all.len() > limit;
            all.truncate(limit);
            return Ok((all, more));
        }
    }
}
