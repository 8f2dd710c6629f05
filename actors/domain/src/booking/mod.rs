//! Changes to appointments, and the events that they announce.
//!
//! Invariants:
//!
//! - Only a pending or confirmed appointment occupies its time. A declined or cancelled appointment never becomes
//!   active again.
//! - `appointment.booked` is announced once, at the first confirmation. A move or cancellation is announced only if
//!   `appointment.booked` was announced before. A move that needs confirmation is announced when the team confirms it.
//! - Only a confirmed appointment has an attendance. Moving or cancelling the appointment removes the
//!   attendance.
//! - The booking mode and the service's minimum notice and maximum advance apply to integrations only. Bookings and
//!   moves by the team are confirmed in every mode.

#[cfg(test)]
mod tests;

use chrono::{Datelike, TimeDelta};
use chrono_tz::Tz;

use super::availability::{BOOKABLE_YEARS, Schedule, SlotRequest, Terms};
use super::wall::Wall;
use super::{
    Amendment, Appointment, AppointmentId, AppointmentStatus, Attendance, BookingMode, CalendarSyncStatus,
    Conflict, ContactId, EventType, Problem, ProblemCode, Refusal, ServiceId, Source, StaffId, Timestamp,
    day_bounds,
};

/// The author of a booking or a move. The booking mode applies to integrations only.
///
/// [`Party::Override`] means that the team overrides the rules about bookable times. The request must then
/// name the staff member, and the start must be a whole minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    Integration { allow_pending: bool },
    Team { ignore_buffers: bool, ignore_calendars: bool, any_minute: bool },
    Override,
}

impl Party {
    pub const TEAM: Self = Self::Team { ignore_buffers: false, ignore_calendars: false, any_minute: false };

    pub fn terms(self) -> Terms {
        match self {
            Self::Integration { .. } => Terms::Integration,
            Self::Team { ignore_buffers, ignore_calendars, any_minute } => {
                Terms::Team { ignore_buffers, ignore_calendars, any_minute }
            }
            Self::Override => Terms::Team { ignore_buffers: true, ignore_calendars: true, any_minute: true },
        }
    }
}

#[derive(Clone, Debug)]
pub struct BookRequest {
    pub service_id: ServiceId,
    pub starts_at: Timestamp,
    /// The requested staff member. With `None`, a free staff member is assigned.
    pub staff_id: Option<StaffId>,
    pub source: Source,
    pub party: Party,
    /// The duration. `None` means the duration of the service. Only the team may choose another duration.
    pub duration: Option<TimeDelta>,
}

#[derive(Clone, Debug)]
pub struct MoveRequest {
    pub starts_at: Timestamp,
    /// The new staff member. `None` keeps the present staff member.
    pub staff_id: Option<StaffId>,
    pub party: Party,
    /// The new duration. `None` keeps the present duration. Only the team may change the duration.
    pub duration: Option<TimeDelta>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant, reason = "one value exists at a time")]
pub enum Outcome {
    /// The request would change nothing, so nothing is written or announced.
    Unchanged,
    Changed {
        after: Appointment,
        event: Option<EventType>,
    },
}

fn initial_status(mode: BookingMode, party: Party) -> Result<AppointmentStatus, Refusal> {
    match (party, mode) {
        (Party::Team { .. } | Party::Override, _) | (Party::Integration { .. }, BookingMode::Instant) => {
            Ok(AppointmentStatus::Confirmed)
        }
        (Party::Integration { allow_pending: true }, BookingMode::Request) => Ok(AppointmentStatus::Pending),
        (Party::Integration { allow_pending: false }, BookingMode::Request) => {
            Err(Refusal::BookingRequiresConfirmation)
        }
        (Party::Integration { .. }, BookingMode::Off) => Err(Refusal::BookingDisabled),
    }
}

fn problems(starts_at: Timestamp, staff_id: Option<StaffId>, party: Party) -> Vec<Problem> {
    let mut problems = Vec::new();
    if !BOOKABLE_YEARS.contains(&starts_at.utc().year()) {
        let years = ProblemCode::Years(*BOOKABLE_YEARS.start(), *BOOKABLE_YEARS.end());
        problems.push(Problem::new("starts_at", years));
    }
    if party == Party::Override {
        if starts_at.millis() % 60_000 != 0 {
            problems.push(Problem::new("starts_at", ProblemCode::NotAWholeMinute));
        }
        if staff_id.is_none() {
            problems.push(Problem::new("staff_id", ProblemCode::RequiredWith("override")));
        }
    }
    problems
}

/// Assigns a staff member to the requested time.
///
/// # Errors
/// Returns [`Refusal::SlotUnavailable`] if the time is not available.
fn assign(schedule: &Schedule<'_>, slot: &SlotRequest, party: Party) -> Result<StaffId, Refusal> {
    let assigned = match (party, slot.staff) {
        (Party::Override, Some(staff)) => schedule.assign_overriding(slot, staff),
        _ => schedule.assign(slot),
    };
    assigned.map_err(|reason| Refusal::SlotUnavailable(slot.terms.visible_reason(reason)))
}

/// Checks the fields of a booking. `others` contains the problems that earlier checks have found.
///
/// # Errors
/// Returns [`Refusal::Invalid`] with every problem, including `others`.
pub fn check_booking(
    schedule: &Schedule<'_>,
    request: &BookRequest,
    others: Vec<Problem>,
) -> Result<(), Refusal> {
    let mut problems = problems(request.starts_at, request.staff_id, request.party);
    if let Err(Refusal::Invalid(found)) = schedule.usable(request.service_id, request.staff_id) {
        problems.extend(found);
    }
    problems.extend(others);
    Refusal::check(problems)
}

/// Books an appointment.
///
/// # Errors
/// Returns the errors of [`check_booking`] first, then the errors of the booking mode, then
/// [`Refusal::SlotUnavailable`].
pub fn book(
    schedule: &Schedule<'_>,
    request: &BookRequest,
    id: AppointmentId,
    contact_id: ContactId,
    at: Timestamp,
) -> Result<(Appointment, Option<EventType>), Refusal> {
    check_booking(schedule, request, Vec::new())?;
    let status = initial_status(schedule.business.booking_mode, request.party)?;
    let service = schedule.usable(request.service_id, request.staff_id)?;
    let (duration, buffers) = (request.duration.unwrap_or(service.duration()), service.buffers);
    let slot = SlotRequest {
        service: request.service_id,
        staff: request.staff_id,
        start: request.starts_at,
        duration,
        buffers,
        except: None,
        terms: request.party.terms(),
    };
    let staff_id = assign(schedule, &slot, request.party)?;
    let announced = status == AppointmentStatus::Confirmed;
    let appointment = Appointment {
        id,
        status,
        starts_at: request.starts_at,
        ends_at: request.starts_at + duration,
        buffers,
        service_id: request.service_id,
        staff_id,
        contact_id: Some(contact_id),
        source: request.source,
        calendar_sync_status: CalendarSyncStatus::NotConnected,
        announced,
        move_unannounced: false,
        notes: None,
        customer_note: None,
        booked_as: None,
        attendance: None,
        created_at: at,
        updated_at: at,
    };
    Ok((appointment, announced.then_some(EventType::AppointmentBooked)))
}

/// Moves an appointment or changes its duration. The new time may overlap the old time of the appointment. The
/// appointment keeps its buffers.
///
/// # Errors
///
/// - [`Refusal::Conflict`] if the appointment is cancelled, declined or over
/// - [`Refusal::Invalid`] if `starts_at` or `staff_id` is invalid
/// - the errors of the booking mode
/// - [`Refusal::SlotUnavailable`]
pub fn reschedule(
    schedule: &Schedule<'_>,
    before: &Appointment,
    request: &MoveRequest,
    at: Timestamp,
) -> Result<Outcome, Refusal> {
    Refusal::check(problems(request.starts_at, request.staff_id, request.party))?;
    if !before.is_active() {
        return Err(status_conflict(before, Amendment::Rescheduled));
    }
    let same_staff = request.staff_id.is_none_or(|staff| staff == before.staff_id);
    let duration = request.duration.unwrap_or(before.duration());
    if same_staff && (request.starts_at, duration) == (before.starts_at, before.duration()) {
        return Ok(Outcome::Unchanged);
    }
    if let Some(staff) = request.staff_id
        && !schedule.staff.get(&staff).is_some_and(|member| member.offers(before.service_id))
    {
        return Err(Refusal::invalid("staff_id", ProblemCode::NotOffering));
    }
    let may_have_ended = request.party == Party::Override && before.status == AppointmentStatus::Confirmed;
    if before.ends_at <= schedule.now && !may_have_ended {
        let now = ProblemCode::now(before.ends_at);
        return Err(Refusal::conflict(Conflict::AppointmentEnded, "ends_at", now));
    }
    let status = initial_status(schedule.business.booking_mode, request.party)?;
    let slot = SlotRequest {
        service: before.service_id,
        staff: Some(request.staff_id.unwrap_or(before.staff_id)),
        start: request.starts_at,
        duration,
        buffers: before.buffers,
        except: Some(before.id),
        terms: request.party.terms(),
    };
    let staff_id = assign(schedule, &slot, request.party)?;
    let moved = Appointment {
        starts_at: request.starts_at,
        ends_at: request.starts_at + duration,
        staff_id,
        move_unannounced: before.announced,
        attendance: None,
        ..before.clone()
    };
    Ok(apply_status(&moved, status, at))
}

/// Confirms a pending appointment. If the appointment is already confirmed, nothing changes.
pub fn confirm(before: &Appointment, at: Timestamp) -> Result<Outcome, Refusal> {
    match before.status {
        AppointmentStatus::Confirmed => Ok(Outcome::Unchanged),
        AppointmentStatus::Pending => Ok(apply_status(before, AppointmentStatus::Confirmed, at)),
        _ => Err(status_conflict(before, Amendment::Confirmed)),
    }
}

/// Declines a pending appointment. If the appointment is already declined, nothing changes.
pub fn decline(before: &Appointment, at: Timestamp) -> Result<Outcome, Refusal> {
    match before.status {
        AppointmentStatus::Declined => Ok(Outcome::Unchanged),
        AppointmentStatus::Pending => Ok(end(before, AppointmentStatus::Declined, at)),
        _ => Err(status_conflict(before, Amendment::Declined)),
    }
}

/// Cancels an appointment, even a past one. If the appointment is already cancelled or declined, nothing changes.
pub fn cancel(before: &Appointment, at: Timestamp) -> Outcome {
    if before.is_active() { end(before, AppointmentStatus::Cancelled, at) } else { Outcome::Unchanged }
}

/// Returns the instant from which this attendance can be set for an appointment with this start.
pub fn attendance_from(attendance: Attendance, starts_at: Timestamp, zone: Tz) -> Timestamp {
    match attendance {
        Attendance::Arrived => day_bounds(zone, Wall::new(zone).local(starts_at).date()).start,
        Attendance::Completed | Attendance::NoShow => starts_at,
    }
}

/// Checks that an appointment can get this attendance.
///
/// # Errors
/// Returns [`Refusal::Conflict`] if the appointment is not confirmed, or if the request comes too early. The
/// value `arrived` can be set from the beginning of the local day on which the appointment starts. The other
/// values can be set from the start of the appointment.
pub fn check_attendance(
    schedule: &Schedule<'_>,
    before: &Appointment,
    attendance: Attendance,
) -> Result<(), Refusal> {
    if before.status != AppointmentStatus::Confirmed {
        let now = ProblemCode::now(before.status);
        return Err(Refusal::conflict(Conflict::NotConfirmed, "status", now));
    }
    let from = attendance_from(attendance, before.starts_at, schedule.business.zone);
    if schedule.now < from {
        let now = ProblemCode::now(before.starts_at);
        return Err(Refusal::conflict(Conflict::AttendanceTooEarly(from), "starts_at", now));
    }
    Ok(())
}

fn apply_status(appointment: &Appointment, status: AppointmentStatus, at: Timestamp) -> Outcome {
    let mut after = Appointment { status, updated_at: at, ..appointment.clone() };
    let mut event = None;
    if status == AppointmentStatus::Confirmed {
        event = match (after.announced, after.move_unannounced) {
            (false, _) => Some(EventType::AppointmentBooked),
            (true, true) => Some(EventType::AppointmentRescheduled),
            (true, false) => None,
        };
        (after.announced, after.move_unannounced) = (true, false);
    }
    Outcome::Changed { after, event }
}

fn end(before: &Appointment, status: AppointmentStatus, at: Timestamp) -> Outcome {
    let (move_unannounced, attendance) = (false, None);
    let after = Appointment { status, move_unannounced, attendance, updated_at: at, ..before.clone() };
    Outcome::Changed { after, event: before.announced.then_some(EventType::AppointmentCancelled) }
}

fn status_conflict(appointment: &Appointment, amendment: Amendment) -> Refusal {
    let conflict = Conflict::AppointmentStatus(appointment.status, amendment);
    Refusal::conflict(conflict, "status", ProblemCode::now(appointment.status))
}
