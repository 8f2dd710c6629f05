//! What must hold of a record by itself, and of records that follow each other.
//!
//! What always holds: a record that passed could have come about in this service, and the engine takes it for one of
//! its own; what is wrong is told by the property of the record's line.

use std::collections::{HashMap, HashSet};

use chrono::TimeDelta;

use super::settle::can_be;
use crate::domain::{
    Appointment, AppointmentId, BusinessId, Problem, ResourceId, SERVICE_MINUTES, ServiceId, StaffId,
    Timestamp,
};

/// How far behind the clock of this machine that of another may be.
const AHEAD_MAX: TimeDelta = TimeDelta::hours(24);

/// What of the records so far the next one is held against.
#[derive(Default)]
pub(super) struct Known {
    pub(super) services: HashSet<ServiceId>,
    pub(super) staff: HashSet<StaffId>,
    /// Until when each staff member is booked, and by what.
    booked: HashMap<StaffId, (Timestamp, AppointmentId)>,
    /// The kind of the newest record, and its place among those of its kind.
    newest: Option<(usize, Vec<u8>)>,
}

impl Known {
    /// Finds what does not stand in its place: kinds have an order, and so have the records of one kind.
    pub(super) fn in_order(&self, kind: usize, place: &[u8], problems: &mut Vec<Problem>) {
        let Some((newest_kind, newest)) = &self.newest else { return };
        if kind < *newest_kind {
            let later = KINDS[*newest_kind];
            problems.push(Problem::new("kind", format!("must not stand behind one of kind {later}")));
        } else if KINDS[kind] == "retention" {
            problems.push(Problem::new("kind", "must stand once at most, behind that of the business"));
        } else if kind == *newest_kind && place <= newest.as_slice() {
            let order = if KINDS[kind] == "appointment" { "starts_at and id" } else { "id" };
            let message = format!("must be greater than that of the line before: lines go by {order}");
            problems.push(Problem::new("id", message));
        }
    }

    /// Notes the newest record that was good.
    pub(super) fn came(&mut self, kind: usize, place: Vec<u8>) {
        self.newest = Some((kind, place));
    }

    /// Finds what an appointment refers to and is not there, and what it overlaps.
    pub(super) fn of_appointment(&self, appointment: &Appointment, problems: &mut Vec<Problem>) {
        if !self.services.contains(&appointment.service_id) {
            problems.push(Problem::new("service_id", "is not a service of the business"));
        }
        if !self.staff.contains(&appointment.staff_id) {
            problems.push(Problem::new("staff_id", "is not a staff member of the business"));
        }
        let length = appointment.duration();
        let longest = TimeDelta::minutes(i64::from(*SERVICE_MINUTES.end()));
        if length <= TimeDelta::zero() || length > longest {
            problems.push(Problem::new("ends_at", "must be later than starts_at, by a day at most"));
        }
        let booked = self.booked.get(&appointment.staff_id).filter(|_| appointment.is_active());
        if let Some((until, by)) = booked.filter(|(until, _)| appointment.starts_at < *until) {
            let message = format!("overlaps appointment {by} of the same staff member, until {until}");
            problems.push(Problem::new("starts_at", message));
        }
        if appointment.id.minted_at() < appointment.created_at {
            problems.push(Problem::new("created_at", "must not be later than the instant in the id"));
        }
    }

    /// Notes an appointment that was good.
    pub(super) fn booked(&mut self, appointment: &Appointment) {
        if appointment.is_active() {
            self.booked.insert(appointment.staff_id, (appointment.ends_at, appointment.id));
        }
    }
}

/// The kinds of records in their order, as lines name them.
pub(super) const KINDS: [&str; 9] =
    ["retention", "service", "staff", "contact", "appointment", "call", "message", "knowledge", "webhook"];

/// Finds what is wrong with an id and the stamps beside it.
pub(super) fn stamps(
    id: impl ResourceId,
    (created_at, updated_at): (Timestamp, Timestamp),
    now: Timestamp,
    problems: &mut Vec<Problem>,
) {
    let latest = now + AHEAD_MAX;
    if !can_be(BusinessId::from(id.uuid())) {
        problems.push(Problem::new("id", "must be a UUID of version 7"));
    } else if id.minted_at() > latest {
        problems.push(Problem::new("id", "must not be of the future: is this machine's clock right?"));
    }
    if updated_at < created_at {
        problems.push(Problem::new("updated_at", "must not be before created_at"));
    }
    if created_at.max(updated_at) > latest {
        problems
            .push(Problem::new("updated_at", "must not lie in the future: is this machine's clock right?"));
    }
}
