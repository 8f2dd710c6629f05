//! The tool `find_open_times`.

use chrono::{Datelike, Days, NaiveDate, Timelike};
use domain::availability::{AVAILABILITY_DAYS_MAX, BOOKABLE_YEARS, Slot, Terms};
use domain::{AppointmentId, BookingMode, Scope, Service, ServiceId, StaffId, Timestamp};
use engine::EngineError;
use engine::business::PageRequest;
use schemars::JsonSchema;
use serde::Serialize;
use view::SpecialDayView;

use super::bounds::quoted_name;
use super::catalog::{Catalog, For};
use super::moment::{WallClock, capital, weekday};
use super::refused::Refused;
use super::tool_call::{FIND_OPEN_TIMES, ToolCall};
use super::values::{Date, Named, PartOfDay, id};
use crate::json_object;
use crate::rest::values::RecordId;

const PROPOSED_MAX: usize = 6;

json_object! {
    pub(super) struct OpenTimesArgs {
        /// The name or id of the service.
        service: Named,
        /// The first day, YYYY-MM-DD.
        from: Date,
        /// The last day, at most 6 days after `from`. Without it, the range is the day `from`.
        to: Option<Date>,
        /// The name or id of the staff member. The default is any staff member.
        staff: Option<Named>,
        /// Morning is before 12:00, afternoon is 12:00 to 17:00, evening is from 17:00.
        part_of_day: Option<PartOfDay>,
        /// The id of an appointment to move. Its staff member is used unless staff is sent.
        appointment_id: Option<String>,
    }
}

#[derive(Clone, Copy)]
pub(super) struct Sought {
    pub(super) service: ServiceId,
    pub(super) staff: Option<StaffId>,
    /// The appointment to move. The time that it occupies counts as free.
    pub(super) moved: Option<AppointmentId>,
}

impl Sought {
    async fn slots(self, asking: &ToolCall, days: (NaiveDate, NaiveDate)) -> Result<Vec<Slot>, EngineError> {
        let (business, terms) = (&asking.business, Terms::Integration);
        match (self.moved, self.staff) {
            (Some(moved), Some(staff)) => {
                business.availability_to_move((moved, staff), days, terms, None).await
            }
            _ => business.availability(self.service, self.staff, days, terms).await,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct OpenTimes {
    service_id: String,
    service_name: String,
    timezone: String,
    days: Vec<DayTimes>,
    /// The reason, if the service cannot be booked at all.
    note: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct DayTimes {
    date: String,
    weekday: String,
    times: Vec<String>,
    note: Option<String>,
}

pub(super) async fn find(asking: ToolCall, wanted: OpenTimesArgs) -> Result<OpenTimes, Refused> {
    let catalog = Catalog::read(&asking).await?;
    let service = catalog.service(&wanted.service, For::Booking)?;
    let staff = wanted.staff.map(|staff| catalog.staff_member(&staff, For::Booking)).transpose()?;
    let (first, last) = (wanted.from.0, wanted.to.unwrap_or(wanted.from).0);
    check_days(first, last)?;
    let mut sought = Sought { service, staff, moved: None };
    if let Some(text) = wanted.appointment_id {
        sought = to_move(&catalog, sought, id(&text)?).await?;
    }
    let slots = match sought.slots(&asking, (first, last)).await {
        Ok(slots) => slots,
        Err(error) => return Err(catalog.mended(error.into(), service, sought.staff)),
    };
    let clock = catalog.clock();
    let service = catalog.service_of(service).ok_or(ServiceId::NOT_FOUND)?;
    let note = nothing_at_all(&catalog, service);
    let page = PageRequest { limit: (last - first).num_days().unsigned_abs() as usize + 1, after: None };
    let special = asking.business.special_days((Some(first), Some(last)), &page).await?.items;
    let days = first.iter_days().take_while(|day| *day <= last).map(|day| {
        let of_day: Vec<_> = slots.iter().filter(|slot| clock.date(slot.starts_at) == day).collect();
        let in_part =
            |slot: &&&Slot| wanted.part_of_day.is_none_or(|part| part.holds(clock.at(slot.starts_at).hour()));
        let times: Vec<String> =
            of_day.iter().filter(in_part).map(|slot| clock.time(slot.starts_at)).collect();
        let why = || match why_none(&catalog, service, &special, day) {
            Some(why) => why,
            None if of_day.is_empty() => "nothing is free".into(),
            None => "nothing is free in that part of the day, but other times are free".into(),
        };
        let note = (times.is_empty() && note.is_none()).then(why);
        DayTimes { date: day.to_string(), weekday: weekday(day).as_str().to_owned(), times, note }
    });
    Ok(OpenTimes {
        service_id: service.id.to_string(),
        service_name: service.name.clone(),
        timezone: catalog.business.zone.name().to_owned(),
        days: days.collect(),
        note,
    })
}

/// The parameters of the search for times to which an appointment can be moved. The default staff member is the
/// staff member of the appointment.
async fn to_move(catalog: &Catalog<'_>, sought: Sought, id: AppointmentId) -> Result<Sought, Refused> {
    let moved = catalog.asking.business.appointment(id).await?.ok_or(AppointmentId::NOT_FOUND)?;
    if !moved.status.is_active() {
        return Err(Refused::with_text(format!(
            "That appointment is {} and cannot be moved. To find times for a new appointment, leave appointment_id out.",
            moved.status
        )));
    }
    if moved.service_id != sought.service {
        let service = catalog.service_of(moved.service_id).map(|service| quoted_name(&service.name));
        return Err(Refused::with_text(format!(
            "That appointment is for another service, which a move cannot change. Send {} as `service`, or leave \
             appointment_id out.",
            service.unwrap_or_else(|| "that service".into())
        )));
    }
    Ok(Sought { staff: Some(sought.staff.unwrap_or(moved.staff_id)), moved: Some(id), ..sought })
}

fn nothing_at_all(catalog: &Catalog<'_>, service: &Service) -> Option<String> {
    if catalog.business.booking_mode == BookingMode::Off {
        return Some("This business takes no bookings at the moment.".into());
    }
    let is_offered = catalog.offering(service.id).next().is_some();
    (!is_offered).then(|| "No active staff member offers this service.".into())
}

fn check_days(first: NaiveDate, last: NaiveDate) -> Result<(), Refused> {
    if ![first, last].iter().all(|day| BOOKABLE_YEARS.contains(&day.year())) {
        return Err(Refused::with_text(format!(
            "The days `from` and `to` must be in the years {} to {}. Choose other days.",
            BOOKABLE_YEARS.start(),
            BOOKABLE_YEARS.end()
        )));
    }
    let days = (last - first).num_days() + 1;
    if days < 1 {
        return Err(Refused::with_text(format!(
            "`to` ({last}) is earlier than `from` ({first}). Send the earlier day as `from`."
        )));
    }
    if days > AVAILABILITY_DAYS_MAX {
        let until = first + Days::new(AVAILABILITY_DAYS_MAX.unsigned_abs() - 1);
        return Err(Refused::with_text(format!(
            "That is {days} days, but one call covers at most {AVAILABILITY_DAYS_MAX}. Ask for {first} to {until}, \
             then for the later days."
        )));
    }
    Ok(())
}

/// Returns a sentence with open times of the wanted day. If this day has none, the sentence contains the open times
/// of the next day with open times. The search ends after a week.
pub(super) async fn proposed(
    asking: &ToolCall,
    clock: WallClock,
    sought: Sought,
    wanted: Timestamp,
) -> Result<String, Refused> {
    if !asking.may(Scope::AppointmentsRead) {
        return Ok("Ask for another time.".into());
    }
    let now = asking.business.now();
    let day = clock.date(wanted.max(now));
    let last = day + Days::new(AVAILABILITY_DAYS_MAX.unsigned_abs() - 1);
    let slots = match sought.slots(asking, (day, last)).await {
        Ok(slots) => slots,
        // The refusal of the booking already contains the reason.
        Err(EngineError::Refused(_)) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let Some(nearest) = slots.first().map(|slot| clock.date(slot.starts_at)) else {
        return Ok(format!(
            "Nothing is free from {} to {}. `{FIND_OPEN_TIMES}` searches other days.",
            clock.spoken_date(day, now),
            clock.spoken_date(last, now)
        ));
    };
    let mut free: Vec<Timestamp> =
        slots.iter().map(|slot| slot.starts_at).filter(|at| clock.date(*at) == nearest).collect();
    free.sort_by_key(|at| ((*at - wanted).abs(), *at));
    free.truncate(PROPOSED_MAX);
    free.sort_unstable();
    let times: Vec<String> = free.into_iter().map(|at| clock.time(at)).collect();
    let on = if nearest == clock.date(wanted) {
        String::new()
    } else {
        format!(" on {}", clock.spoken_date(nearest, now))
    };
    Ok(format!("Free{on}: {}. `{FIND_OPEN_TIMES}` has more.", times.join(", ")))
}

/// Returns the reason why a day has no open times, or `None` if the day is fully booked.
fn why_none(
    catalog: &Catalog<'_>,
    service: &Service,
    special: &[SpecialDayView],
    day: NaiveDate,
) -> Option<String> {
    let (clock, now) = (catalog.clock(), catalog.asking.business.now());
    let today = clock.date(now);
    if day < today {
        return Some("in the past".into());
    }
    let of_week = weekday(day);
    match special.iter().find(|special| special.date == day.to_string()) {
        Some(special) if special.closed => return Some("closed on this date".into()),
        None if catalog.business.hours.on(of_week).next().is_none() => {
            return Some(format!("closed on {}s", capital(of_week.as_str())));
        }
        _ => {}
    }
    if day < clock.date(now + service.min_notice()) {
        return Some("too soon: this service must be booked further in advance".into());
    }
    let days = service.max_advance_days?;
    let last = today.checked_add_days(Days::new(u64::from(days)))?;
    (day > last).then(|| format!("too far ahead: this service can be booked {days} days ahead"))
}
