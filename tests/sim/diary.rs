//! Changes to opening hours, special days and time off.

use chrono::{Days, NaiveDate, TimeDelta};
use domain::booking::Party;
use domain::{Day, DayHours, DayWindows, LocalTime, LocalWindow, StaffHours, Timestamp, WeeklyBreaks};
use engine::business::commands::catalog::{PatchService, PatchStaff};
use engine::business::commands::diary::{
    AddTimeOff, DeleteSpecialDay, DeleteTimeOff, OffSpan, SetSpecialDay,
};
use engine::business::commands::profile::PatchBusiness;

use crate::dice::Dice;
use crate::life::Life;
use crate::ops::Op;
use crate::shop::{Shop, text};
use crate::sim::Sim;

fn window(open: u16, close: u16) -> LocalWindow {
    let time = |minutes| LocalTime::from_minutes(minutes).unwrap();
    LocalWindow { open: time(open), close: time(close) }
}

/// Returns the same opening hours for each of these days.
fn on(days: &[Day], open: u16, close: u16) -> Vec<DayHours> {
    let LocalWindow { open, close } = window(open, close);
    days.iter().map(|day| DayHours { day: *day, open, close }).collect()
}

/// Returns a date near the appointments that are booked.
fn date(dice: &Dice, now: Timestamp) -> NaiveDate {
    now.utc().date_naive() + Days::new(dice.between(0, 4))
}

impl Sim {
    /// Changes opening hours, special days or time off. Most changes are small, so that available times remain.
    pub(crate) fn some_diary(&self, life: &mut Life) {
        let number = self.dice.below(self.shops.len());
        let now = self.world.time.truth();
        let op = self.shops[number].next_of_diary(&self.dice, now);
        self.ask(life, number, op, false);
    }
}

impl Shop {
    fn next_of_diary(&self, dice: &Dice, now: Timestamp) -> Op {
        match (dice.below(16), dice.any(&self.times_off)) {
            (0..=2, _) => Self::special_day(dice, now).into(),
            (3 | 4, _) => DeleteSpecialDay { date: date(dice, now) }.into(),
            (5..=7, _) => self.time_off(dice, now).into(),
            (8 | 9, Some((staff_id, id))) => DeleteTimeOff { staff_id, id }.into(),
            (10, _) => Self::breaks(dice).into(),
            (11 | 12, _) => self.staff_hours(dice).into(),
            (13 | 14, _) => self.limits(dice).into(),
            _ => {
                let mut book = self.book(dice, now);
                book.request.party = Party::Team {
                    ignore_buffers: dice.once_in(2),
                    ignore_calendars: false,
                    any_minute: false,
                };
                book.into()
            }
        }
    }

    fn special_day(dice: &Dice, now: Timestamp) -> SetSpecialDay {
        let windows = match dice.below(4) {
            0 => vec![],
            1 => vec![window(300, 720), window(735, 1_200)],
            2 => vec![window(1_080, 240), window(0, 30), window(420, 600)],
            _ => vec![window(0, 1_440)],
        };
        let hours = DayWindows::new(windows).unwrap();
        SetSpecialDay { date: date(dice, now), hours, note: dice.maybe(2, || text("A special day")) }
    }

    fn time_off(&self, dice: &Dice, now: Timestamp) -> AddTimeOff {
        let span = if dice.once_in(3) {
            let from = date(dice, now);
            OffSpan::Dates { from, to: from + Days::new(dice.between(0, 1)) }
        } else {
            let starts_at = now + TimeDelta::minutes(i64::try_from(dice.below(3_000)).unwrap() - 500);
            let minutes = i64::try_from(dice.between(1, 300)).unwrap();
            OffSpan::Instants { starts_at, ends_at: starts_at + TimeDelta::minutes(minutes) }
        };
        AddTimeOff { staff_id: *dice.pick(&self.staff), span, note: dice.maybe(2, || text("At the dentist")) }
    }

    fn breaks(dice: &Dice) -> PatchBusiness {
        let breaks = match dice.below(3) {
            0 => vec![],
            1 => on(Day::ALL, 720, 780),
            _ => [on(&Day::ALL[..4], 1_410, 45), on(Day::ALL, 600, 615)].concat(),
        };
        PatchBusiness { breaks: Some(WeeklyBreaks::new(breaks).unwrap()), ..PatchBusiness::default() }
    }

    fn staff_hours(&self, dice: &Dice) -> PatchStaff {
        let hours = match dice.below(4) {
            0 => Some([on(Day::ALL, 360, 780), on(&Day::ALL[2..], 840, 1_260)].concat()),
            1 => Some(on(Day::ALL, 1_200, 600)),
            _ => None,
        };
        let hours = hours.map(|hours| StaffHours::new(hours).unwrap());
        PatchStaff { hours: Some(hours), ..PatchStaff::of(*dice.pick(&self.staff)) }
    }

    fn limits(&self, dice: &Dice) -> PatchService {
        const MINUTES: [u32; 5] = [0, 0, 5, 30, 240];
        PatchService {
            buffer_before_minutes: dice.maybe(2, || *dice.pick(&MINUTES)),
            buffer_after_minutes: Some(*dice.pick(&MINUTES)),
            min_notice_minutes: dice.maybe(3, || *dice.pick(&[0, 0, 60, 1_440])),
            max_advance_days: dice.maybe(3, || *dice.pick(&[None, None, Some(1), Some(3)])),
            ..PatchService::of(*dice.pick(&self.services))
        }
    }
}
