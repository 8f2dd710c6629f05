//! Bookings and moves by the team at times that need not be bookable.

use chrono::TimeDelta;
use domain::availability::OVERRIDE_PAST;
use domain::booking::{BookRequest, MoveRequest, Party};
use domain::{AppointmentId, Timestamp};
use engine::business::AppointmentFilter;
use engine::business::commands::appointments::Reschedule;

use crate::dice::Dice;
use crate::ledger::Came;
use crate::life::Life;
use crate::looks::{all, has_room};
use crate::ops::Op;
use crate::shop::Shop;
use crate::sim::Sim;

/// Chooses a random whole minute within three days before or after `now`. In one of eight cases, subtracts 29 days from
/// this minute.
fn any_time(dice: &Dice, now: Timestamp) -> Timestamp {
    let minute = now.millis() / 60_000 + i64::try_from(dice.below(6 * 1_440)).unwrap() - 3 * 1_440;
    let days = if dice.once_in(8) { 29 } else { 0 };
    Timestamp::from_millis(minute * 60_000) - TimeDelta::days(days)
}

impl Shop {
    /// Returns a booking that overrides the rules, or a move of this appointment.
    pub(crate) fn override_rules(&self, dice: &Dice, now: Timestamp, id: AppointmentId) -> Op {
        let party = Party::Override;
        let (starts_at, duration) = (any_time(dice, now), Self::duration(dice, party));
        let staff_id = (!dice.once_in(20)).then(|| *dice.pick(&self.staff));
        if dice.once_in(2) {
            let request = MoveRequest { starts_at, staff_id, party, duration };
            return Reschedule { id, request }.into();
        }
        let mut book = self.book(dice, now);
        book.request = BookRequest { starts_at, staff_id, party, duration, ..book.request };
        book.into()
    }
}

impl Sim {
    /// Books with an override. The booking may be refused only if the service is inactive, the staff member
    /// does not offer it, the staff member has another appointment at that time, or the time is too long ago.
    /// The model checks that no accepted booking overlaps another one.
    pub(crate) async fn probe_override(&mut self, life: &mut Life) {
        life.quiet().await;
        let shop = self.dice.below(self.shops.len());
        self.rested(life, shop).await;
        let service = *self.dice.pick(&self.shops[shop].services);
        let staff = *self.dice.pick(&self.shops[shop].staff);
        let handle = life.engine.business(self.shops[shop].id);
        let starts_at = any_time(&self.dice, handle.now());
        let filter = AppointmentFilter { staff_id: Some(staff), ..AppointmentFilter::default() };
        let appointments = all(50, async |page| handle.appointments(&filter, &page).await).await;
        let (booked, member) = (handle.service(service).await, handle.staff_member(staff).await);
        let (Ok(appointments), Ok(booked), Ok(member)) = (appointments, booked, member) else {
            assert!(self.world.failed(), "the appointments of {shop} could not be read");
            return;
        };
        let room = has_room(&handle).await;
        let came = self.probe_time(life, (shop, service, Some(staff)), starts_at, Party::Override).await;
        let Some(booked) = booked.filter(|service| service.active) else {
            assert!(!matches!(came, Came::Done(_)), "{service} is inactive, and was booked");
            return;
        };
        let ends_at = starts_at + booked.duration();
        let is_free = appointments
            .iter()
            .filter(|other| other.status.is_active())
            .all(|other| other.ends_at <= starts_at || ends_at <= other.starts_at);
        let may = is_free && member.is_some_and(|member| member.offers(service));
        let is_recent = starts_at >= handle.now() - OVERRIDE_PAST;
        self.world.say(format_args!("an override at {starts_at}: {may}, recent: {is_recent}"));
        assert!(may || !matches!(came, Came::Done(_)), "{starts_at} of {staff} is not free, and was booked");
        // An appointment that cannot be decoded blocks all staff members, but is not in the list. So a
        // booking may be refused although the time seems to be free.
        let must = may && is_recent && room && self.planted.is_empty();
        assert!(!must || came != Came::Refused, "{starts_at} of {staff} is free, but was refused");
    }
}
