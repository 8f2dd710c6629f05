//! `find_open_times`: when a service can be booked, by day.

use actors::domain::availability::{AVAILABILITY_DAYS_MAX, BOOKABLE_YEARS, Terms};
use actors::domain::{BookingMode, ServiceId, StaffId, Timestamp};
use chrono::{Datelike, Days, NaiveDate};
use schemars::JsonSchema;
use serde::Serialize;

use super::asking::{Asking, FIND_OPEN_TIMES};
use super::catalog::{Catalog, For};
use super::moment::{WallClock, hour, spoken_day, weekday};
use super::refused::Refused;
use super::values::{Named, PartOfDay};
use crate::json_object;

/// How many times a refusal proposes.
const PROPOSED_MAX: usize = 6;

json_object! {
    /// Which times are asked for.
    pub(super) struct Wanted {
        /// Name or id.
        service: Named,
        /// First day, YYYY-MM-DD.
        from: NaiveDate,
        /// Last day; at most 7 in all.
        to: Option<NaiveDate>,
        /// Name or id; anyone when left out.
        staff: Option<Named>,
        /// Before 12:00, 12:00 to 17:00, later.
        part_of_day: Option<PartOfDay>,
    }
}

/// The open times of some days.
#[derive(Serialize, JsonSchema)]
pub(super) struct OpenTimes {
    service_id: String,
    service_name: String,
    timezone: String,
    days: Vec<DayTimes>,
    /// Why there are none, where that is not for being full.
    note: Option<String>,
}

/// The open times of a day.
#[derive(Serialize, JsonSchema)]
struct DayTimes {
    date: String,
    weekday: String,
    times: Vec<String>,
}

pub(super) async fn find(asking: Asking, wanted: Wanted) -> Result<OpenTimes, Refused> {
    let catalog = Catalog::read(&asking.business).await?;
    let service = catalog.service(&asking, &wanted.service, For::Booking)?;
    let staff = wanted.staff.map(|staff| catalog.staff_member(&asking, &staff, For::Booking)).transpose()?;
    let (first, last) = (wanted.from, wanted.to.unwrap_or(wanted.from));
    check_days(first, last)?;
    let clock = catalog.clock();
    let mut slots = asking.business.availability(service, staff, (first, last), Terms::Integration).await?;
    slots.retain(|slot| wanted.part_of_day.is_none_or(|part| part.holds(hour(&clock.at(slot.starts_at)))));
    let days = first.iter_days().take_while(|day| *day <= last).map(|day| DayTimes {
        date: day.to_string(),
        weekday: weekday(day).as_str().to_owned(),
        times: slots
            .iter()
            .filter(|slot| clock.at(slot.starts_at).date_naive() == day)
            .map(|slot| clock.time(slot.starts_at))
            .collect(),
    });
    let days = days.collect();
    let is_off = catalog.business.booking_mode == BookingMode::Off;
    Ok(OpenTimes {
        service_id: service.to_string(),
        service_name: catalog.service_name(service).to_owned(),
        timezone: catalog.business.zone.name().to_owned(),
        days,
        note: is_off.then(|| "This business takes no bookings at the moment.".into()),
    })
}

fn check_days(first: NaiveDate, last: NaiveDate) -> Result<(), Refused> {
    if ![first, last].iter().all(|day| BOOKABLE_YEARS.contains(&day.year())) {
        return Err(Refused::told(format!(
            "Nothing can be booked then: from and to must lie in the years {} to {}.",
            BOOKABLE_YEARS.start(),
            BOOKABLE_YEARS.end()
        )));
    }
    let days = (last - first).num_days() + 1;
    if days < 1 {
        return Err(Refused::told(format!(
            "`to` ({last}) lies before `from` ({first}). Send the earlier day as `from`."
        )));
    }
    if days > AVAILABILITY_DAYS_MAX {
        let until = first + Days::new(AVAILABILITY_DAYS_MAX.unsigned_abs() - 1);
        return Err(Refused::told(format!(
            "That is {days} days, and one call looks at {AVAILABILITY_DAYS_MAX} at most. Ask for {first} to {until}, \
             then for the days after it."
        )));
    }
    Ok(())
}

/// The open times near one that cannot be had, in a sentence: of that day, else of the next one that has any within a
/// week. Nothing where the key may not see open times.
pub(super) async fn proposed(
    asking: &Asking,
    clock: WallClock,
    (service, staff): (ServiceId, Option<StaffId>),
    wanted: Timestamp,
) -> Result<String, Refused> {
    if !asking.may(actors::domain::Scope::AppointmentsRead) {
        return Ok("Ask for another time.".into());
    }
    let day = clock.at(wanted.max(asking.business.now())).date_naive();
    let last = day + Days::new(AVAILABILITY_DAYS_MAX.unsigned_abs() - 1);
    let slots = match asking.business.availability(service, staff, (day, last), Terms::Integration).await {
        Ok(slots) => slots,
        // What is asked for cannot be booked at all, which its refusal has said.
        Err(actors::EngineError::Refused(_)) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let date = |at: Timestamp| clock.at(at).date_naive();
    let Some(nearest) = slots.first().map(|slot| date(slot.starts_at)) else {
        return Ok(format!(
            "Nothing is free from {} to {}. `{FIND_OPEN_TIMES}` looks at other days.",
            spoken_day(day),
            spoken_day(last)
        ));
    };
    let mut free: Vec<Timestamp> =
        slots.iter().map(|slot| slot.starts_at).filter(|at| date(*at) == nearest).collect();
    free.sort_by_key(|at| ((*at - wanted).abs(), *at));
    free.truncate(PROPOSED_MAX);
    free.sort_unstable();
    let times: Vec<String> = free.into_iter().map(|at| clock.time(at)).collect();
    let on = if nearest == date(wanted) { String::new() } else { format!(" on {}", spoken_day(nearest)) };
    Ok(format!("Free{on}: {}. `{FIND_OPEN_TIMES}` has more.", times.join(", ")))
}
