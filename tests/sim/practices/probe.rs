//! Checks that a time is listed if and only if it can be booked.

use chrono::{NaiveDate, TimeDelta};
use domain::availability::{Slot, Terms};
use domain::booking::Party;
use domain::{Refusal, StaffId, Timestamp};
use engine::EngineError;

use super::client::Client;
use super::{DAYS, HALF_HOUR};

/// The terms of a list that calendars do not change.
const IGNORING: Terms = Terms::Team { ignore_buffers: false, ignore_calendars: true };

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

    /// Returns the times from tomorrow on, with and without the effect of the calendars.
    pub(super) async fn listed_both(
        &self,
        staff: Option<StaffId>,
        terms: Terms,
    ) -> Option<(Vec<Slot>, Vec<Slot>)> {
        let tomorrow = self.handle.now().utc().date_naive() + TimeDelta::days(1);
        let days = (tomorrow, tomorrow + TimeDelta::days(i64::try_from(DAYS).unwrap() - 1));
        Some((self.listed(staff, days, terms).await?, self.listed(staff, days, IGNORING).await?))
    }

    /// The marks of the reads. If they are equal before and after a check, no read has changed a busy time.
    async fn marks(&self) -> Option<Vec<(domain::CalendarId, Option<Timestamp>)>> {
        let calendars = self.calendars().await?;
        Some(calendars.iter().map(|it| (it.settings.id, it.last_read_at)).collect())
    }

    /// Books a listed time and a time that only the calendars block. The caller makes sure that no other client
    /// changes the practice.
    pub(super) async fn probe(&self) {
        let staff = self.practice(|practice| self.dice.maybe(2, || *self.dice.pick(&practice.staff)));
        let party = match self.dice.once_in(2) {
            true => Party::TEAM,
            false => Party::Integration { allow_pending: true },
        };
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
        let is_inside = listed.iter().all(|slot| all.contains(slot));
        if self.marks().await != Some(before) {
            return;
        }
        if !is_inside {
            self.world.wrong(format_args!("practice {}: the calendars make times bookable", self.at));
        }
        // The first booking may take a time of the second one, so an unlisted time cannot become free.
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
