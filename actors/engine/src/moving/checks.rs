//! Checks of one record, and of the order of records.
//!
//! Invariants:
//!
//! - A valid record could have been created by this service.
//! - A problem names the invalid property in the line of the record.

use std::collections::{HashMap, HashSet};

use chrono::{Datelike, NaiveDate, TimeDelta};
use domain::availability::BOOKABLE_YEARS;
use domain::{
    Appointment, AppointmentId, AppointmentStatus, BLOCKED_MAX, BLOCKED_PER_STAFF_MAX, BlockedTime,
    ImportProblem, Named, Problem, ProblemCode, ResourceId, SERVICE_MINUTES, SPECIAL_DAYS_MAX, ServiceId,
    StaffId, Timestamp,
};

use super::record::MovedKind;

/// The maximum time by which a stamp may be in the future. The clock of the machine that wrote the stamp may have been
/// ahead.
const AHEAD_MAX: TimeDelta = TimeDelta::hours(24);

pub(super) fn check(
    problems: &mut Vec<Problem>,
    is_valid: bool,
    path: impl Into<String>,
    code: impl Into<ProblemCode>,
) {
    if !is_valid {
        problems.push(Problem::new(path, code));
    }
}

#[derive(Default)]
pub(super) struct ImportedRecords {
    pub(super) services: HashSet<ServiceId>,
    pub(super) staff: HashSet<StaffId>,
    /// The number of special days so far. `times_off` contains the number of records of time off for each staff member.
    special_days: usize,
    times_off: HashMap<StaffId, usize>,
    booked: HashMap<StaffId, (Timestamp, AppointmentId)>,
    /// The kind of the previous record, and its key.
    newest: Option<(MovedKind, Vec<u8>)>,
}

impl ImportedRecords {
    /// Reports a record that is out of order. Records are ordered by kind, and within a kind by key.
    pub(super) fn in_order(&self, kind: MovedKind, place: &[u8], problems: &mut Vec<Problem>) {
        let Some((newest_kind, newest)) = &self.newest else { return };
        if kind < *newest_kind {
            problems.push(Problem::new("kind", ImportProblem::NotBefore(newest_kind.word())));
        } else if kind == *newest_kind && kind.is_single() {
            problems.push(Problem::new("kind", ImportProblem::OncePerBusiness));
        } else if kind == *newest_kind && place <= newest.as_slice() {
            let (path, order) = match kind {
                MovedKind::Appointment => ("id", "starts_at and id"),
                MovedKind::TimeOff => ("id", "staff_id, starts_at and id"),
                kind if !kind.has_id() => ("date", "date"),
                _ => ("id", "id"),
            };
            problems.push(Problem::new(path, ImportProblem::NotSorted(order)));
        }
    }

    pub(super) fn came(&mut self, kind: MovedKind, place: Vec<u8>) {
        self.newest = Some((kind, place));
    }

    pub(super) fn special_day(&mut self, date: NaiveDate, problems: &mut Vec<Problem>) {
        check(problems, BOOKABLE_YEARS.contains(&date.year()), "date", YEARS);
        self.special_days += 1;
        let too_many = ImportProblem::SpecialDaysMax(SPECIAL_DAYS_MAX);
        check(problems, self.special_days <= SPECIAL_DAYS_MAX, "date", too_many);
    }

    pub(super) fn time_off(&mut self, time: &BlockedTime, problems: &mut Vec<Problem>) {
        self.is_staff(time.staff_id, problems);
        let theirs = self.times_off.entry(time.staff_id).or_default();
        *theirs += 1;
        let (theirs, all) = (*theirs, self.times_off.values().sum::<usize>());
        let too_many = ImportProblem::TimesOffMax { per_staff: BLOCKED_PER_STAFF_MAX, all: BLOCKED_MAX };
        check(problems, theirs <= BLOCKED_PER_STAFF_MAX && all <= BLOCKED_MAX, "id", too_many);
        for (path, at) in [("starts_at", time.starts_at), ("ends_at", time.ends_at)] {
            // The local date may be one day before or after the UTC date. So a time is valid if the day before or the
            // day after its UTC date is in a permitted year.
            let dates = [-1, 1].map(|days| (at.utc() + TimeDelta::days(days)).year());
            check(problems, dates.iter().any(|year| BOOKABLE_YEARS.contains(year)), path, YEARS);
        }
        check(problems, time.ends_at > time.starts_at, "ends_at", ProblemCode::NotLaterThan("starts_at"));
    }

    pub(super) fn of_appointment(&self, appointment: &Appointment, problems: &mut Vec<Problem>) {
        let of_service = ProblemCode::NotOfTheBusiness(Named::Service);
        check(problems, self.services.contains(&appointment.service_id), "service_id", of_service);
        self.is_staff(appointment.staff_id, problems);
        let length = appointment.duration();
        let longest = TimeDelta::minutes(i64::from(*SERVICE_MINUTES.end()));
        let is_within_a_day = length > TimeDelta::zero() && length <= longest;
        check(problems, is_within_a_day, "ends_at", ImportProblem::NotWithinADay);
        let booked = self.booked.get(&appointment.staff_id).filter(|_| appointment.is_active());
        if let Some(&(until, by)) = booked.filter(|(until, _)| appointment.starts_at < *until) {
            problems.push(Problem::new("starts_at", ImportProblem::Overlaps { by, until }));
        }
        let may_attend = appointment.status == AppointmentStatus::Confirmed;
        let is_attendance_fit = may_attend || appointment.attendance.is_none();
        check(problems, is_attendance_fit, "attendance", ImportProblem::NullUnlessConfirmed);
        let is_before_id = appointment.id.minted_at() >= appointment.created_at;
        check(problems, is_before_id, "created_at", ImportProblem::LaterThanId);
    }

    pub(super) fn is_staff(&self, id: StaffId, problems: &mut Vec<Problem>) {
        let code = ProblemCode::NotOfTheBusiness(Named::Staff);
        check(problems, self.staff.contains(&id), "staff_id", code);
    }

    pub(super) fn booked(&mut self, appointment: &Appointment) {
        if appointment.is_active() {
            self.booked.insert(appointment.staff_id, (appointment.ends_at, appointment.id));
        }
    }
}

const YEARS: ProblemCode = ProblemCode::Years(*BOOKABLE_YEARS.start(), *BOOKABLE_YEARS.end());

pub(super) fn stamps(
    id: impl ResourceId,
    (created_at, updated_at): (Timestamp, Timestamp),
    now: Timestamp,
    problems: &mut Vec<Problem>,
) {
    stamped((created_at, updated_at), now, problems);
    let latest = now + AHEAD_MAX;
    let is_uuid7 = id.uuid().get_version_num() == 7;
    check(problems, is_uuid7, "id", ImportProblem::NotAUuid7);
    check(problems, !is_uuid7 || id.minted_at() <= latest, "id", ImportProblem::Future);
}

pub(super) fn stamped(
    (created_at, updated_at): (Timestamp, Timestamp),
    now: Timestamp,
    problems: &mut Vec<Problem>,
) {
    let latest = now + AHEAD_MAX;
    check(problems, updated_at >= created_at, "updated_at", ProblemCode::Before("created_at"));
    check(problems, created_at.max(updated_at) <= latest, "updated_at", ImportProblem::Future);
}

#[cfg(test)]
mod tests {
    use domain::BlockedSource;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn special_days_and_time_off_are_in_bookable_years() {
        let paths = |date: &str| {
            let mut problems = Vec::new();
            ImportedRecords::default().special_day(date.parse().unwrap(), &mut problems);
            problems.into_iter().map(|problem| problem.path).collect::<Vec<_>>()
        };
        for date in ["1970-01-01", "2199-12-31"] {
            assert!(paths(date).is_empty(), "{date}");
        }
        for date in ["1969-12-31", "2200-01-01"] {
            assert_eq!(paths(date), ["date"], "{date}");
        }
        let staff_id = StaffId::from(Uuid::from_u128(1));
        let off = |starts: &str, ends: &str| {
            let [starts_at, ends_at] = [starts, ends].map(|at| Timestamp::parse(at).unwrap());
            let (id, source) = (Uuid::from_u128(2).into(), BlockedSource::TimeOff);
            let time =
                BlockedTime { id, staff_id, starts_at, ends_at, source, note: None, created_at: starts_at };
            let mut problems = Vec::new();
            let mut known = ImportedRecords::default();
            known.staff.insert(staff_id);
            known.time_off(&time, &mut problems);
            problems.into_iter().map(|problem| problem.path).collect::<Vec<_>>()
        };
        // These times are the start of the first permitted day in Kiritimati and the end of the last permitted day in
        // Niue, so both are valid.
        assert!(off("1969-12-31T10:00:00Z", "2200-01-01T11:00:00Z").is_empty());
        assert_eq!(off("1600-01-01T00:00:00Z", "9999-01-01T00:00:00Z"), ["starts_at", "ends_at"]);
        assert_eq!(off("1969-12-30T23:00:00Z", "2200-01-02T00:00:00Z"), ["starts_at", "ends_at"]);
    }
}
