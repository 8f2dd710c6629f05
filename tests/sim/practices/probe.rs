//! Checks that a time is listed if and only if it can be booked.

use std::ops::Range;

use chrono::{NaiveDate, TimeDelta};
use domain::availability::{Slot, Terms};
use domain::booking::Party;
use domain::{CalendarStatus, Refusal, StaffId, Timestamp};
use engine::EngineError;

use super::client::Client;
use super::{DAYS, HALF_HOUR};

/// The maximum time from the first request of a calendar read to the `last_read_at` that this read records.
const READ_MAX: TimeDelta = TimeDelta::minutes(6);
pub(super) const IGNORING_NOTHING: Terms =
    Terms::Team { ignore_buffers: false, ignore_calendars: false, any_minute: false };
/// Terms for a list of times that ignores the busy times of calendars.
const IGNORING: Terms = Terms::Team { ignore_buffers: false, ignore_calendars: true, any_minute: false };

impl Client {
    /// Lists the times of some days.
    async fn listed(
        &self,
        staff: Option<StaffId>,
        days: (NaiveDate, NaiveDate),
        terms: Terms,
    ) -> Option<Vec<Slot>> {
        let service = self.practice(|practice| practice.service);
        self.read(self.handle.availability(service, staff, days, terms).await)
    }

    /// Returns two lists of times from tomorrow on. The first list is for `terms`. The second list ignores the busy
    /// times of calendars.
    pub(super) async fn listed_both(
        &self,
        staff: Option<StaffId>,
        terms: Terms,
    ) -> Option<(Vec<Slot>, Vec<Slot>)> {
        let tomorrow = self.handle.now().utc().date_naive() + TimeDelta::days(1);
        let days = (tomorrow, tomorrow + TimeDelta::days(i64::try_from(DAYS).unwrap() - 1));
        Some((self.listed(staff, days, terms).await?, self.listed(staff, days, IGNORING).await?))
    }

    /// The time of the last read of each calendar. If these times are equal before and after a check, no read has
    /// changed a busy time.
    async fn marks(&self) -> Option<Vec<(domain::CalendarId, Option<Timestamp>)>> {
        let calendars = self.calendars().await?;
        Some(calendars.iter().map(|it| (it.settings.id, it.last_read_at)).collect())
    }

    /// Returns the busy times that the last successful reads of a staff member's calendars have certainly found. Later
    /// failures must not change these busy times.
    async fn kept_busy_times(&self, staff: Option<StaffId>) -> Option<Vec<Range<Timestamp>>> {
        let (staff, now) = (staff?, self.world.time.truth());
        let mut kept = Vec::new();
        for it in self.calendars().await? {
            let (host, settings) = (self.host(&it), &it.settings);
            let Some(read_at) = it.last_read_at.filter(|at| *at <= now) else { continue };
            let began = read_at - READ_MAX;
            let is_read = it.status != CalendarStatus::Disconnecting && host.state().set_at < began;
            if settings.staff_id == staff && settings.busy && is_read {
                let state = host.state();
                let known = state.foreign.values().filter(|foreign| foreign.since < began);
                kept.extend(known.flat_map(|foreign| foreign.busy.iter().cloned()));
            }
        }
        Some(kept)
    }

    /// Checks that failed reads have not changed the busy times.
    pub(super) async fn check_kept_busy_times(&self) {
        for staff in self.practice(|practice| practice.staff.clone()) {
            let before = self.marks().await;
            let listed = self.listed_both(Some(staff), IGNORING_NOTHING).await;
            let kept = self.kept_busy_times(Some(staff)).await;
            if let (Some((listed, _)), Some(kept)) = (listed, kept)
                && self.marks().await == before
            {
                self.check_blocked(staff, &listed, &kept);
            }
        }
    }

    fn check_blocked(&self, staff: StaffId, listed: &[Slot], kept: &[Range<Timestamp>]) {
        let meets = |slot: &&Slot| kept.iter().any(|it| it.start < slot.ends_at && it.end > slot.starts_at);
        if let Some(slot) = listed.iter().find(meets) {
            self.world.wrong(format_args!("practice {}: {slot:?} of {staff} is listed, but busy", self.at));
        }
    }

    /// Requests a listed time, which must be booked, and then a time that only the calendars block, which must be
    /// refused. The caller makes sure that no other client changes the practice.
    pub(super) async fn probe(&self) {
        let staff = self.practice(|practice| self.dice.maybe(2, || *self.dice.pick(&practice.staff)));
        let party = match self.dice.once_in(2) {
            true => Party::TEAM,
            false => Party::Integration { allow_pending: true },
        };
        let began = self.handle.now();
        let Some(before) = self.marks().await else { return };
        let Some((listed, all)) = self.listed_both(staff, party.terms()).await else { return };
        let blocked: Vec<Slot> = all.iter().filter(|slot| !listed.contains(slot)).copied().collect();
        let mut outcomes = Vec::new();
        for (slots, is_listed) in [(&listed, true), (&blocked, false)] {
            let Some(slot) = self.dice.any(slots) else { continue };
            let (number, book) = self.booking(slot.starts_at, staff, party);
            self.world.say(format_args!("practice {}: {slot:?} is listed: {is_listed}", self.at));
            match self.handle.change(engine::business::Request::by(domain::Actor::Operator), book).await {
                Ok(booked) => {
                    self.learn(number, &booked.value);
                    outcomes.push((slot, is_listed, true));
                }
                Err(EngineError::Refused(Refusal::SlotUnavailable(_))) => {
                    outcomes.push((slot, is_listed, false));
                }
                Err(error) => _ = self.read::<()>(Err(error)),
            }
        }
        let kept = self.kept_busy_times(staff).await.unwrap_or_default();
        let is_inside = listed.iter().all(|slot| all.contains(slot));
        // After a jump of the service's time, the lists and the bookings cannot be compared.
        let has_jumped = (self.handle.now() - began).abs() > HALF_HOUR;
        if has_jumped || self.marks().await != Some(before) {
            return;
        }
        if !is_inside {
            self.world.wrong(format_args!("practice {}: the calendars make times bookable", self.at));
        }
        if let Some(staff) = staff {
            self.check_blocked(staff, &listed, &kept);
        }
        // The listed time was requested first, and this request must succeed. The blocked time was requested second,
        // and this request must be refused: the first booking cannot make the blocked time available.
        for (slot, is_listed, is_booked) in outcomes {
            let is_past = slot.starts_at <= self.handle.now() + HALF_HOUR;
            if is_listed != is_booked && !is_past {
                self.world.wrong(format_args!(
                    "practice {}: {slot:?} of {staff:?} is listed: {is_listed}, booked: {is_booked}",
                    self.at
                ));
            }
        }
    }
}
