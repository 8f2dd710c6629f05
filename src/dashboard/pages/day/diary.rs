//! The data for the pages about days: appointments, working times, and time off.

use std::collections::{HashMap, HashSet};
use std::ops::{Range, RangeInclusive};

use chrono::{NaiveDate, TimeDelta};
use domain::diary::{Diary, Presence};
use domain::{AppointmentId, AppointmentStatus, BlockedTimeId, COLORS, ContactId, StaffId, Timestamp};
use engine::business::{AppointmentFilter, PageRequest};
use view::{AppointmentView, OperatorAppointmentView};

use crate::dashboard::pages::prelude::*;

/// The maximum duration of an appointment. An appointment in progress began at most this long ago.
const LASTS_MAX: TimeDelta = TimeDelta::days(1);

pub(super) const ACTIVE: [AppointmentStatus; 2] = [AppointmentStatus::Pending, AppointmentStatus::Confirmed];

pub(super) struct Dates {
    /// Staff members and services are in the order of their positions.
    pub(super) diary: Diary,
    pub(super) notes: HashMap<BlockedTimeId, String>,
    pub(super) visits: Vec<AppointmentView>,
    /// The appointments with a note of the team or of the customer.
    pub(super) noted: HashSet<AppointmentId>,
    pub(super) more: bool,
}

impl Dates {
    /// Reads the data of these dates. If `staff` names a staff member, reads only the appointments of this staff
    /// member.
    pub(super) async fn read(
        member: &Member,
        dates: RangeInclusive<NaiveDate>,
        staff: Option<StaffId>,
        visits_max: usize,
    ) -> Result<Self, Refused> {
        let mut diary = member.business.diary(dates).await?;
        diary.staff.sort_by_key(|one| one.member.position);
        diary.services.sort_by_key(|service| service.position);
        let (seen, more) = visits(member, diary.during.clone(), staff, visits_max).await?;
        let away: Vec<_> = diary.staff.iter().flat_map(|one| one.away.iter().map(|(key, _)| *key)).collect();
        let notes = if away.is_empty() { HashMap::new() } else { member.business.notes_of(&away).await? };
        let is_noted = |seen: &OperatorAppointmentView| {
            seen.notes.get().is_some() || seen.customer_note.as_ref().is_some_and(Option::is_some)
        };
        let noted = seen.iter().filter(|seen| is_noted(seen)).map(|seen| seen.appointment.id).collect();
        let visits = seen.into_iter().map(|seen| seen.appointment).collect();
        Ok(Self { diary, notes, visits, noted, more })
    }

    /// The alerts of the contacts of these appointments.
    pub(super) async fn alerts(&self, member: &Member) -> Result<HashMap<ContactId, String>, Refused> {
        let contacts: HashSet<_> = self.visits.iter().filter_map(|visit| visit.contact_id).collect();
        let contacts: Vec<_> = contacts.into_iter().collect();
        Ok(member.business.alerts_of(&contacts).await?)
    }

    /// The CSS class of a staff member's colour. If no colour was chosen for the staff member, the class depends on the
    /// order of the staff.
    pub(super) fn color(&self, staff: StaffId) -> String {
        let mut all = self.diary.staff.iter().zip(COLORS.cycle());
        let of = all.find(|(one, _)| one.member.id == staff);
        of.map(|(one, by_order)| format!("tint-{}", one.member.color.unwrap_or(by_order))).unwrap_or_default()
    }

    pub(super) fn presence(&self, staff: StaffId) -> Option<&Presence> {
        self.diary.staff.iter().find(|one| one.member.id == staff)
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

/// The first `limit` appointments that overlap a range of time, in the order of their starts. The flag is true if there
/// are more.
async fn visits(
    member: &Member,
    during: Range<Timestamp>,
    staff_id: Option<StaffId>,
    limit: usize,
) -> Result<(Vec<OperatorAppointmentView>, bool), Refused> {
    let filter = AppointmentFilter {
        status: ACTIVE.to_vec(),
        from: Some(during.start - LASTS_MAX),
        to: Some(during.end),
        staff_id,
        ..AppointmentFilter::default()
    };
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let found = member.business.appointments_as(&filter, &PageRequest { limit, after }).await?;
        let seen = found.items.into_iter();
        all.extend(seen.filter(|seen: &OperatorAppointmentView| seen.appointment.ends_at > during.start));
        after = found.next;
        if after.is_none() || all.len() >= limit {
            let more = after.is_some() || all.len() > limit;
            all.truncate(limit);
            return Ok((all, more));
        }
    }
}
