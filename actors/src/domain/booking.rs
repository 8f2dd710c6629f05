//! What may be done with an appointment, and what it announces (spec §3, §6; contract of the appointments).
//!
//! - Only a pending or confirmed appointment holds its time; a declined or cancelled one never comes back.
//! - `appointment.booked` is announced once, when the appointment first becomes confirmed. Moves and cancellations are
//!   announced only of an announced one; a move that leaves it pending is announced when the team confirms it.
//! - The booking mode, and how early a service has to be booked, bind integrations. The team's own bookings, moves and
//!   confirmations are confirmed in every mode.

#[cfg(test)]
mod tests;

use chrono::Datelike;

use super::availability::{BOOKABLE_YEARS, Schedule, SlotRequest, Terms};
use super::{
    Amendment, Appointment, AppointmentId, AppointmentStatus, BookingMode, CalendarSyncStatus, Conflict,
    ContactId, EventType, Problem, ProblemCode, Refusal, ServiceId, Source, StaffId, Timestamp,
};

/// Who asks, which decides whether the booking mode binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    /// An integration, through the public API.
    Integration {
        /// Whether it accepts that the team has yet to confirm.
        allow_pending: bool,
    },
    /// The team, through the operator API.
    Team {
        /// Whether it books into what appointments keep free around them.
        ignore_buffers: bool,
    },
}

impl Party {
    /// The team, which keeps free what appointments keep free.
    pub const TEAM: Self = Self::Team { ignore_buffers: false };

    /// What binds it.
    pub fn terms(self) -> Terms {
        match self {
            Self::Integration { .. } => Terms::Integration,
            Self::Team { ignore_buffers } => Terms::Team { ignore_buffers },
        }
    }
}

/// A booking that is asked for.
#[derive(Clone, Debug)]
pub struct BookRequest {
    /// What.
    pub service_id: ServiceId,
    /// When.
    pub starts_at: Timestamp,
    /// With whom; without it whoever is free and has least to do that day.
    pub staff_id: Option<StaffId>,
    /// Where the request came from.
    pub source: Source,
    /// Who asks.
    pub party: Party,
}

/// A move that is asked for.
#[derive(Clone, Debug)]
pub struct MoveRequest {
    /// To when.
    pub starts_at: Timestamp,
    /// To whom; without it the staff member stays.
    pub staff_id: Option<StaffId>,
    /// Who asks.
    pub party: Party,
}

/// What became of an appointment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was so already; nothing is written and nothing announced.
    Unchanged,
    /// It changed.
    Changed {
        /// The appointment as it shall be.
        after: Appointment,
        /// What is announced.
        event: Option<EventType>,
    },
}

/// The status that a booking gets, by the mode and who asks.
fn admitted(mode: BookingMode, party: Party) -> Result<AppointmentStatus, Refusal> {
    match (party, mode) {
        (Party::Team { .. }, _) | (Party::Integration { .. }, BookingMode::Instant) => {
            Ok(AppointmentStatus::Confirmed)
        }
        (Party::Integration { allow_pending: true }, BookingMode::Request) => Ok(AppointmentStatus::Pending),
        (Party::Integration { allow_pending: false }, BookingMode::Request) => {
            Err(Refusal::BookingRequiresConfirmation)
        }
        (Party::Integration { .. }, BookingMode::Off) => Err(Refusal::BookingDisabled),
    }
}

/// The problems of a request's start time that no state could mend.
fn start_problems(starts_at: Timestamp) -> Option<Problem> {
    let years = ProblemCode::Years(*BOOKABLE_YEARS.start(), *BOOKABLE_YEARS.end());
    (!BOOKABLE_YEARS.contains(&starts_at.utc().year())).then(|| Problem::new("starts_at", years))
}

/// Everything that is malformed or names nothing usable in a booking, or nothing.
///
/// # Errors
/// [`Refusal::Invalid`] with every problem, `others` (those the caller found) included.
pub fn check_booking(
    schedule: &Schedule<'_>,
    request: &BookRequest,
    others: Vec<Problem>,
) -> Result<(), Refusal> {
    let mut problems: Vec<Problem> = start_problems(request.starts_at).into_iter().collect();
    if let Err(Refusal::Invalid(found)) = schedule.usable(request.service_id, request.staff_id) {
        problems.extend(found);
    }
    problems.extend(others);
    if problems.is_empty() { Ok(()) } else { Err(Refusal::Invalid(problems)) }
}

/// Books a time for a contact, under the id given, stamped `at`.
///
/// # Errors
/// [`Refusal::Invalid`] as [`check_booking`]; then the mode's refusals; then [`Refusal::SlotUnavailable`].
pub fn book(
    schedule: &Schedule<'_>,
    request: &BookRequest,
    id: AppointmentId,
    contact_id: ContactId,
    at: Timestamp,
) -> Result<(Appointment, Option<EventType>), Refusal> {
    check_booking(schedule, request, Vec::new())?;
    let status = admitted(schedule.business.booking_mode, request.party)?;
    let service = schedule.usable(request.service_id, request.staff_id)?;
    let (duration, buffers) = (service.duration(), service.buffers);
    let slot = SlotRequest {
        service: request.service_id,
        staff: request.staff_id,
        start: request.starts_at,
        duration,
        buffers,
        except: None,
        terms: request.party.terms(),
    };
    let staff_id =
        schedule.assign(&slot).map_err(|reason| Refusal::SlotUnavailable(slot.terms.told(reason)))?;
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
        created_at: at,
        updated_at: at,
    };
    Ok((appointment, announced.then_some(EventType::AppointmentBooked)))
}

/// Moves an appointment; its own time does not stand in its way, and its duration and buffers stay as they were booked.
///
/// # Errors
/// [`Refusal::Conflict`] when it is cancelled, declined or already ended; [`Refusal::Invalid`] with the paths
/// `starts_at` and `staff_id`; the mode's refusals; [`Refusal::SlotUnavailable`].
pub fn reschedule(
    schedule: &Schedule<'_>,
    before: &Appointment,
    request: &MoveRequest,
    at: Timestamp,
) -> Result<Outcome, Refusal> {
    if let Some(problem) = start_problems(request.starts_at) {
        return Err(Refusal::Invalid(vec![problem]));
    }
    if !before.is_active() {
        return Err(status_conflict(before, Amendment::Rescheduled));
    }
    let same_staff = request.staff_id.is_none_or(|staff| staff == before.staff_id);
    if same_staff && request.starts_at == before.starts_at {
        return Ok(Outcome::Unchanged);
    }
    if let Some(staff) = request.staff_id
        && !schedule.staff.get(&staff).is_some_and(|member| member.offers(before.service_id))
    {
        return Err(Refusal::invalid("staff_id", ProblemCode::NotOffering));
    }
    if before.ends_at <= schedule.now {
        let now = ProblemCode::Now(before.ends_at.to_string());
        return Err(Refusal::conflict(Conflict::AppointmentEnded, "ends_at", now));
    }
    let status = admitted(schedule.business.booking_mode, request.party)?;
    let slot = SlotRequest {
        service: before.service_id,
        staff: Some(request.staff_id.unwrap_or(before.staff_id)),
        start: request.starts_at,
        duration: before.duration(),
        buffers: before.buffers,
        except: Some(before.id),
        terms: request.party.terms(),
    };
    let staff_id =
        schedule.assign(&slot).map_err(|reason| Refusal::SlotUnavailable(slot.terms.told(reason)))?;
    let moved = Appointment {
        starts_at: request.starts_at,
        ends_at: request.starts_at + before.duration(),
        staff_id,
        move_unannounced: before.announced,
        ..before.clone()
    };
    Ok(settle(&moved, status, at))
}

/// Confirms a pending appointment for the team; a confirmed one stays as it is.
///
/// # Errors
/// [`Refusal::Conflict`] when it is cancelled or declined.
pub fn confirm(before: &Appointment, at: Timestamp) -> Result<Outcome, Refusal> {
    match before.status {
        AppointmentStatus::Confirmed => Ok(Outcome::Unchanged),
        AppointmentStatus::Pending => Ok(settle(before, AppointmentStatus::Confirmed, at)),
        _ => Err(status_conflict(before, Amendment::Confirmed)),
    }
}

/// Declines a pending appointment for the team; a declined one stays as it is.
///
/// # Errors
/// [`Refusal::Conflict`] when it is confirmed or cancelled.
pub fn decline(before: &Appointment, at: Timestamp) -> Result<Outcome, Refusal> {
    match before.status {
        AppointmentStatus::Declined => Ok(Outcome::Unchanged),
        AppointmentStatus::Pending => Ok(end(before, AppointmentStatus::Declined, at)),
        _ => Err(status_conflict(before, Amendment::Declined)),
    }
}

/// Cancels an appointment, past ones too; one that is cancelled or declined stays as it is.
pub fn cancel(before: &Appointment, at: Timestamp) -> Outcome {
    if before.is_active() { end(before, AppointmentStatus::Cancelled, at) } else { Outcome::Unchanged }
}

/// Gives an appointment the status it has been admitted with, and announces what is due.
fn settle(appointment: &Appointment, status: AppointmentStatus, at: Timestamp) -> Outcome {
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

/// Ends an appointment, which frees its time.
fn end(before: &Appointment, status: AppointmentStatus, at: Timestamp) -> Outcome {
    let after = Appointment { status, move_unannounced: false, updated_at: at, ..before.clone() };
    Outcome::Changed { after, event: before.announced.then_some(EventType::AppointmentCancelled) }
}

/// The refusal of something that the appointment's status does not allow.
fn status_conflict(appointment: &Appointment, amendment: Amendment) -> Refusal {
    let conflict = Conflict::AppointmentStatus(appointment.status, amendment);
    Refusal::conflict(conflict, "status", ProblemCode::Now(appointment.status.to_string()))
}
