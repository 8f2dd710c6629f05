//! What is read for the pages of a day: its appointments, who is there, and what they are away for.

use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};

use chrono::{Datelike, NaiveDate, TimeDelta};
use domain::availability::BOOKABLE_YEARS;
use domain::diary::{Diary, Presence};
use domain::{AppointmentStatus, BlockedTimeId, StaffId, Timestamp};
use engine::business::{AppointmentFilter, PageRequest};
use view::AppointmentView;

use crate::dashboard::pages::prelude::*;

/// No service lasts longer, so no appointment under way began earlier.
const LASTS_MAX: TimeDelta = TimeDelta::days(1);

/// The statuses that hold their time.
pub(super) const ACTIVE: [AppointmentStatus; 2] = [AppointmentStatus::Pending, AppointmentStatus::Confirmed];

/// What some dates hold.
pub(super) struct Dates {
    pub(super) diary: Diary,
    /// What times off are for.
    pub(super) notes: HashMap<BlockedTimeId, String>,
    /// The appointments that hold time on them, by their starts.
    pub(super) visits: Vec<AppointmentView>,
    /// Whether there are more appointments than are shown.
    pub(super) more: bool,
}

impl Dates {
    /// What these dates hold, both included; of appointments at most so many, of this staff member alone where one is
    /// named.
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

    /// The staff members who are shown: those who take appointments, and whoever has one all the same.
    pub(super) fn staff(&self) -> impl Iterator<Item = &Presence> {
        self.diary.staff.iter().filter(|one| {
            one.member.active || self.visits.iter().any(|visit| visit.staff_id == one.member.id)
        })
    }

    /// The appointments of a staff member.
    pub(super) fn visits_of(&self, staff: StaffId) -> impl Iterator<Item = &AppointmentView> {
        self.visits.iter().filter(move |visit| visit.staff_id == staff)
    }
}

/// The appointments that hold any of this time, by their starts, and whether there are more than so many.
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

impl Member {
    /// Today, on the clocks of the business.
    pub(super) fn today(&self) -> NaiveDate {
        days::day(self.business.now(), self.profile.zone)
    }

    /// A day that the address names, if it is one on which something can be booked.
    pub(super) fn asked_day(&self, name: &str) -> Option<NaiveDate> {
        let day: NaiveDate = self.query.get(name).parse().ok()?;
        BOOKABLE_YEARS.contains(&day.year()).then_some(day)
    }

    /// The path of a page about one thing, if the table has such a page: `contacts`, say.
    pub(super) fn way_to(&self, list: &str, id: impl std::fmt::Display) -> Option<String> {
        let is_of = |page: &str| {
            let rest = page.strip_prefix(list).and_then(|rest| rest.strip_prefix("/{"));
            rest.is_some_and(|rest| !rest.contains('/'))
        };
        let known = self.desk.pages.iter().any(|page| is_of(page));
        known.then(|| self.path_to(&format!("{list}/{id}")))
    }

    /// The path of a place of the business, if the table has it.
    pub(super) fn place(&self, place: &str) -> Option<String> {
        self.desk.pages.contains(place).then(|| self.path_to(place))
    }
}
