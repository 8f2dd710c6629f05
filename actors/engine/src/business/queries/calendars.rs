//! Reads connected calendars, and the busy times that block bookings.

use std::ops::Range;

use chrono::TimeDelta;
use domain::{
    AppointmentId, BusinessId, CalendarId, CalendarState, CalendarSyncStatus, CalendarWrite,
    ConnectedCalendar, KeyCreator, Membership, Person, Spans, StaffId, SteadyTime, Timestamp,
};
use store::keys::kind;
use store::{Order, Record, StoreError, keys};
use view::{AppointmentView, CalendarSettingsView, CalendarView, CalendarWriteView, KeyCreatorView};

use super::{Page, PageRequest, collect};
use crate::business::BusinessHandle;
use crate::error::Result;
use crate::scans::Reader;

/// Only appointments that start within this time from now are checked for an overlap with a busy time.
const OVERLAPS_AHEAD: TimeDelta = TimeDelta::days(14);
const OVERLAPS_MAX: usize = 20;

impl BusinessHandle {
    /// Returns the calendars of the business or of one staff member, in the order of creation. If `seen_by`
    /// is set, the list contains only the calendars that this member may manage.
    pub async fn calendars(
        &self,
        staff: Option<StaffId>,
        seen_by: Option<&Membership>,
        page: &PageRequest,
    ) -> Result<Page<CalendarView>> {
        let (of, seen_by) = (self.id, seen_by.cloned());
        self.list(page, move |reader, page| {
            collect(reader, keys::of_kind(of, kind::CALENDAR), Order::Ascending, page, |_, value| {
                let calendar = ConnectedCalendar::decode(value)?;
                let is_meant = staff.is_none_or(|staff| staff == calendar.staff_id)
                    && seen_by.as_ref().is_none_or(|who| who.sees_calendars_of(Some(calendar.staff_id)));
                is_meant.then(|| shown(reader, of, &calendar)).transpose()
            })
        })
        .await
    }

    pub async fn calendar(&self, id: CalendarId) -> Result<Option<CalendarView>> {
        self.read(|store| {
            let calendar = store.get::<ConnectedCalendar>(&keys::calendar(self.id, id))?;
            calendar.map(|calendar| shown(&Reader::unbounded(store), self.id, &calendar)).transpose()
        })
        .await
    }

    /// Returns the copies of appointments in a calendar, in the order of the creation of the appointments.
    pub async fn calendar_writes(
        &self,
        id: CalendarId,
        status: Option<CalendarSyncStatus>,
        page: &PageRequest,
    ) -> Result<Page<CalendarWriteView>> {
        let (range, now) = (keys::calendar_writes(self.id, id), self.write_times());
        self.list(page, move |reader, page| {
            collect(reader, range, Order::Ascending, page, |_, value| {
                let write = CalendarWrite::decode(value)?;
                let is_meant = status.is_none_or(|status| status == write.status);
                Ok(is_meant.then(|| CalendarWriteView::new(&write, now)))
            })
        })
        .await
    }

    /// Returns the copies of an appointment, each with its calendar.
    pub async fn writes_of_appointment(
        &self,
        id: AppointmentId,
    ) -> Result<Vec<(ConnectedCalendar, CalendarWriteView)>> {
        let now = self.write_times();
        self.read(|store| {
            let mut found = Vec::new();
            for row in store.scan(&keys::calendar_writes_of(self.id, id), Order::Ascending) {
                let calendar: CalendarId = keys::id_at_end(&row?.0)?;
                let write = store.find::<CalendarWrite>(&keys::calendar_write(self.id, calendar, id))?;
                let calendar = store.find::<ConnectedCalendar>(&keys::calendar(self.id, calendar))?;
                let both = calendar.zip(write);
                found.extend(both.map(|(calendar, write)| (calendar, CalendarWriteView::new(&write, now))));
            }
            Ok(found)
        })
        .await
    }

    /// The believed time and the steady time (see [`crate::clock::Clocks`]).
    fn write_times(&self) -> (Timestamp, SteadyTime) {
        let clocks = &self.shared().clocks;
        (clocks.now(), clocks.steady())
    }

    /// Returns a calendar with its address and credentials. A change of the calendar needs them to test the connection
    /// to the server.
    pub async fn connected_calendar(&self, id: CalendarId) -> Result<Option<ConnectedCalendar>> {
        self.read(|store| store.get(&keys::calendar(self.id, id))).await
    }

    /// Returns the busy times of connected calendars that overlap `range`, each with its staff member.
    pub async fn calendar_times(&self, range: Range<Timestamp>) -> Result<Vec<(StaffId, Range<Timestamp>)>> {
        self.ask(move |state, _| {
            let mut found = Vec::new();
            for staff in state.staff.keys() {
                let busy = state.blocked.calendars_of(*staff).flat_map(Spans::iter);
                let within = busy.filter(|span| span.start < range.end && span.end > range.start);
                let merged = Spans::merge(within.cloned().collect());
                found.extend(merged.iter().map(|span| (*staff, span.clone())));
            }
            Ok(found)
        })
        .await
    }

    pub async fn has_calendar(&self) -> Result<bool> {
        self.ask(|state, _| Ok(!state.calendars.is_empty())).await
    }

    /// Returns the earliest active appointments of the next 14 days that overlap a busy time of a calendar,
    /// and their total number.
    pub async fn overlaps_of_calendars(&self) -> Result<(Vec<AppointmentView>, usize)> {
        let overlaps = self.ask(|state, now| {
            let mut found = Vec::new();
            for staff in state.staff.keys() {
                if state.blocked.calendars_of(*staff).next().is_none() {
                    continue;
                }
                let holds = state.busy.meeting(now..now + OVERLAPS_AHEAD, Some(*staff));
                let overlaps = holds.filter(|(_, hold)| {
                    state.blocked.calendars_of(*staff).any(|busy| busy.meet(hold.start, hold.end))
                });
                found.extend(overlaps.map(|(_, hold)| (hold.start, hold.id)));
            }
            found.sort_unstable();
            let first = found.iter().take(OVERLAPS_MAX).map(|(_, id)| *id);
            Ok((first.collect::<Vec<AppointmentId>>(), found.len()))
        });
        let (ids, count) = overlaps.await?;
        Ok((self.shown(&ids).await?, count))
    }
}

fn shown(
    reader: &Reader<'_>,
    of: BusinessId,
    calendar: &ConnectedCalendar,
) -> Result<CalendarView, StoreError> {
    let creator = match calendar.created_by {
        KeyCreator::Operator => None,
        KeyCreator::Person(id) => reader.find::<Person>(&keys::person(id))?,
    };
    let created_by = KeyCreatorView::new(calendar.created_by, creator.map(|person| person.name));
    let state = reader.find::<CalendarState>(&keys::calendar_state(of, calendar.id))?;
    let state = state.unwrap_or_else(|| CalendarState::new(calendar.id));
    Ok(CalendarView::new(CalendarSettingsView::new(calendar, created_by), state))
}
