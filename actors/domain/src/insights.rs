//! Figures about appointments and calls by week or month, and about the appointments of a contact.
//!
//! Invariant: the figures depend on the records alone. A record is counted in the period in which it starts.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use chrono::{Datelike, Days, Months, NaiveDate};
use chrono_tz::Tz;

use super::diary::Diary;
use super::words::words;
use super::{
    Appointment, AppointmentStatus, Attendance, CallOutcome, CallStatus, ContactId, ServiceId, Spans,
    StaffId, Timestamp, day_bounds,
};

/// The maximum number of months between the first and the last date.
pub const INSIGHTS_MONTHS_MAX: u32 = 24;

words! {
    InsightPeriod {
        /// A week from Monday to Sunday.
        Week = "week",
        Month = "month",
    }
}

impl InsightPeriod {
    fn begin_of_next(self, date: NaiveDate) -> Option<NaiveDate> {
        match self {
            Self::Week => {
                date.checked_add_days(Days::new(7 - u64::from(date.weekday().num_days_from_monday())))
            }
            Self::Month => date.with_day(1)?.checked_add_months(Months::new(1)),
        }
    }

    /// Splits a range of dates into periods. The first and the last period may be shorter, because they
    /// contain only dates of the range.
    pub fn split(self, dates: &RangeInclusive<NaiveDate>) -> Vec<RangeInclusive<NaiveDate>> {
        let (mut periods, mut from) = (Vec::new(), Some(*dates.start()));
        while let Some(first) = from.filter(|first| first <= dates.end()) {
            let next = self.begin_of_next(first);
            let last = next.and_then(|next| next.pred_opt()).unwrap_or(NaiveDate::MAX);
            periods.push(first..=last.min(*dates.end()));
            from = next;
        }
        periods
    }
}

/// The figures of a period.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// The number of confirmed appointments.
    pub bookings: u32,
    pub cancellations: u32,
    pub no_shows: u32,
    /// The number of contacts whose first confirmed appointment is in the period.
    pub new_customers: u32,
    /// The number of contacts who have a confirmed appointment in the period and had one before the period.
    pub returning_customers: u32,
    /// The number of confirmed appointments whose contact was erased.
    pub unknown_customers: u32,
    /// The median time from the booking to the start, in whole minutes.
    pub lead_time_minutes: Option<i64>,
    pub calls: u32,
    pub calls_answered: u32,
    pub calls_converted: u32,
    /// The duration of the confirmed appointments of each staff member, in minutes.
    pub booked_minutes: BTreeMap<StaffId, i64>,
}

/// The fields of an appointment that the figures depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    pub status: AppointmentStatus,
    pub attendance: Option<Attendance>,
    pub starts_at: Timestamp,
    pub ends_at: Timestamp,
    pub created_at: Timestamp,
    pub service_id: ServiceId,
    pub staff_id: StaffId,
    pub contact_id: Option<ContactId>,
}

impl From<&Appointment> for Counted {
    fn from(it: &Appointment) -> Self {
        Self {
            status: it.status,
            attendance: it.attendance,
            starts_at: it.starts_at,
            ends_at: it.ends_at,
            created_at: it.created_at,
            service_id: it.service_id,
            staff_id: it.staff_id,
            contact_id: it.contact_id,
        }
    }
}

/// Counts records in consecutive periods.
#[derive(Debug)]
pub struct Insights {
    /// The first instant of each period, and then the end of the last period.
    bounds: Vec<Timestamp>,
    figures: Vec<Figures>,
    leads: Vec<Vec<i64>>,
    /// The contact and the period of each confirmed appointment. The period is `None` if the appointment starts before
    /// the first period.
    customers: Vec<(Option<ContactId>, Option<usize>)>,
}

impl Insights {
    pub fn new(zone: Tz, periods: &[RangeInclusive<NaiveDate>]) -> Self {
        let mut bounds: Vec<_> = periods.iter().map(|dates| day_bounds(zone, *dates.start()).start).collect();
        bounds.extend(periods.last().map(|dates| day_bounds(zone, *dates.end()).end));
        let figures = vec![Figures::default(); periods.len()];
        Self { bounds, figures, leads: vec![Vec::new(); periods.len()], customers: Vec::new() }
    }

    /// Returns the time from the start of the first period to the end of the last period.
    pub fn during(&self) -> Range<Timestamp> {
        let [first, .., end] = self.bounds[..] else { return Timestamp::MIN..Timestamp::MIN };
        first..end
    }

    fn period_of(&self, at: Timestamp) -> Option<usize> {
        let period = self.bounds.partition_point(|bound| *bound <= at).checked_sub(1)?;
        (period < self.figures.len()).then_some(period)
    }

    /// Counts an appointment. The caller must pass every appointment that starts before the end of the last period.
    pub fn count(&mut self, it: &Counted) {
        let period = self.period_of(it.starts_at);
        if it.status == AppointmentStatus::Confirmed {
            self.customers.push((it.contact_id, period));
        }
        let Some(period) = period else { return };
        let figures = &mut self.figures[period];
        match it.status {
            AppointmentStatus::Confirmed => {
                figures.bookings += 1;
                figures.no_shows += u32::from(it.attendance == Some(Attendance::NoShow));
                let minutes = (it.ends_at - it.starts_at).num_minutes();
                *figures.booked_minutes.entry(it.staff_id).or_default() += minutes;
                self.leads[period].push((it.starts_at - it.created_at).num_milliseconds());
            }
            AppointmentStatus::Cancelled => figures.cancellations += 1,
            AppointmentStatus::Pending | AppointmentStatus::Declined => {}
        }
    }

    pub fn count_call(&mut self, started_at: Timestamp, status: CallStatus, outcome: CallOutcome) {
        let Some(period) = self.period_of(started_at) else { return };
        let figures = &mut self.figures[period];
        figures.calls += 1;
        figures.calls_answered += u32::from(status == CallStatus::Completed);
        figures.calls_converted += u32::from(outcome == CallOutcome::AppointmentBooked);
    }

    /// Returns the figures. The function `known` returns the contact to which an id now refers (after
    /// merges), or `None` if the contact was erased.
    pub fn finish(mut self, known: impl Fn(ContactId) -> Option<ContactId>) -> Vec<Figures> {
        for (contact, period) in &mut self.customers {
            *contact = contact.and_then(&known);
            if let (None, Some(period)) = (&contact, *period) {
                self.figures[period].unknown_customers += 1;
            }
        }
        self.customers.retain(|(contact, _)| contact.is_some());
        self.customers.sort_unstable();
        self.customers.dedup();
        let mut before = None;
        for (contact, period) in self.customers {
            if let Some(period) = period {
                let figures = &mut self.figures[period];
                let is_new = before != contact;
                figures.new_customers += u32::from(is_new);
                figures.returning_customers += u32::from(!is_new);
            }
            before = contact;
        }
        for (figures, leads) in self.figures.iter_mut().zip(&mut self.leads) {
            figures.lead_time_minutes = median(leads).map(|millis| millis.div_euclid(60_000));
        }
        self.figures
    }
}

/// Returns the median. For an even number of values, it is the mean of the two middle values, rounded down.
fn median(values: &mut [i64]) -> Option<i64> {
    values.sort_unstable();
    let upper = *values.get(values.len() / 2)?;
    let lower = values[(values.len() - 1) / 2];
    Some((lower + upper).div_euclid(2))
}

impl Diary {
    /// Returns how many minutes each staff member works in `during`. These are the minutes of the opening hours in
    /// which the staff member is present, without breaks and absences.
    pub fn working_minutes(&self, during: &Range<Timestamp>) -> BTreeMap<StaffId, i64> {
        let closed = || self.breaks.iter().cloned();
        self.staff
            .iter()
            .map(|presence| {
                let away = presence.away.iter().map(|(key, end)| key.starts_at..*end);
                let absent = Spans::merge(closed().chain(away).collect());
                let present = Spans::merge(self.open.clone());
                let present = match &presence.hours {
                    Some(hours) => common(&present, &Spans::merge(hours.clone())),
                    None => present,
                };
                let present = common(&present, &Spans::merge(vec![during.clone()]));
                (presence.member.id, (length(&present) - length(&common(&present, &absent))) / 60_000)
            })
            .collect()
    }
}

fn common(a: &Spans, b: &Spans) -> Spans {
    let mut cursor = b.cursor();
    let mut ranges = Vec::new();
    for span in a.iter() {
        let mut from = span.start;
        while let Some(met) = cursor.meet(from, span.end) {
            ranges.push(met.start.max(span.start)..met.end.min(span.end));
            from = met.end.min(span.end);
            if from == span.end {
                break;
            }
        }
    }
    Spans::merge(ranges)
}

fn length(spans: &Spans) -> i64 {
    spans.iter().map(|span| (span.end - span.start).num_milliseconds()).sum()
}

/// Figures about the appointments of one contact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Visits {
    /// The start of the next pending or confirmed appointment.
    pub next_at: Option<Timestamp>,
    /// The start of the last confirmed appointment that has begun and is not marked as a no-show.
    pub last_at: Option<Timestamp>,
    pub confirmed: u32,
    pub cancelled: u32,
    pub no_show: u32,
    /// The service with the most confirmed appointments. If several services have equally many, this is the one with
    /// the latest confirmed appointment. The same rule applies to `usual_staff_id`.
    pub usual_service_id: Option<ServiceId>,
    pub usual_staff_id: Option<StaffId>,
}

impl Visits {
    pub fn of(appointments: &[Counted], now: Timestamp) -> Self {
        let confirmed = || appointments.iter().filter(|it| it.status == AppointmentStatus::Confirmed);
        let count = |is: &dyn Fn(&Counted) -> bool| {
            u32::try_from(appointments.iter().filter(|it| is(it)).count()).unwrap_or(u32::MAX)
        };
        let came = |it: &&Counted| it.starts_at <= now && it.attendance != Some(Attendance::NoShow);
        let to_come = appointments.iter().filter(|it| it.status.is_active() && it.starts_at > now);
        Self {
            next_at: to_come.map(|it| it.starts_at).min(),
            last_at: confirmed().filter(came).map(|it| it.starts_at).max(),
            confirmed: count(&|it| it.status == AppointmentStatus::Confirmed),
            cancelled: count(&|it| it.status == AppointmentStatus::Cancelled),
            no_show: count(&|it| it.attendance == Some(Attendance::NoShow)),
            usual_service_id: usual(confirmed().map(|it| (it.service_id, it.starts_at))),
            usual_staff_id: usual(confirmed().map(|it| (it.staff_id, it.starts_at))),
        }
    }
}

/// Returns the id that occurs most often. If several ids occur equally often, returns the one with the latest instant.
fn usual<I: Copy + Ord>(found: impl Iterator<Item = (I, Timestamp)>) -> Option<I> {
    let mut counts: BTreeMap<I, (u32, Timestamp)> = BTreeMap::new();
    for (id, at) in found {
        let (count, latest) = counts.entry(id).or_insert((0, at));
        (*count, *latest) = (*count + 1, at.max(*latest));
    }
    counts.into_iter().max_by_key(|(_, rank)| *rank).map(|(id, _)| id)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn visit(starts_at: &str, contact: u128) -> Counted {
        let starts_at = at(starts_at);
        Counted {
            status: AppointmentStatus::Confirmed,
            attendance: None,
            starts_at,
            ends_at: starts_at + chrono::TimeDelta::minutes(45),
            created_at: starts_at - chrono::TimeDelta::days(2),
            service_id: Uuid::from_u128(1).into(),
            staff_id: Uuid::from_u128(2).into(),
            contact_id: (contact > 0).then(|| Uuid::from_u128(contact).into()),
        }
    }

    #[test]
    fn weeks_begin_on_monday_and_months_on_the_first() {
        let split = |by: InsightPeriod, from: &str, to: &str| {
            let periods = by.split(&(date(from)..=date(to)));
            periods.iter().map(|it| format!("{} {}", it.start(), it.end())).collect::<Vec<_>>()
        };
        assert_eq!(
            split(InsightPeriod::Week, "2026-02-25", "2026-03-09"),
            ["2026-02-25 2026-03-01", "2026-03-02 2026-03-08", "2026-03-09 2026-03-09"]
        );
        assert_eq!(
            split(InsightPeriod::Month, "2025-12-31", "2026-02-10"),
            ["2025-12-31 2025-12-31", "2026-01-01 2026-01-31", "2026-02-01 2026-02-10"]
        );
        assert_eq!(split(InsightPeriod::Week, "2026-03-02", "2026-03-02"), ["2026-03-02 2026-03-02"]);
    }

    #[test]
    fn a_contact_is_new_once_and_returns_once_a_period() {
        let periods = InsightPeriod::Week.split(&(date("2026-03-02")..=date("2026-03-15")));
        // The weeks begin at midnight in Paris, which is 23:00 UTC.
        let mut insights = Insights::new(Tz::Europe__Paris, &periods);
        assert_eq!(insights.during(), at("2026-03-01T23:00:00Z")..at("2026-03-15T23:00:00Z"));
        let cancelled = Counted { status: AppointmentStatus::Cancelled, ..visit("2026-02-03T09:00:00Z", 4) };
        let missed = Counted { attendance: Some(Attendance::NoShow), ..visit("2026-03-10T09:00:00Z", 0) };
        let late = Counted { created_at: at("2026-03-09T22:00:00Z"), ..visit("2026-03-09T23:00:00Z", 3) };
        for it in [
            cancelled,
            visit("2026-03-01T22:59:00Z", 1),
            visit("2026-03-01T23:00:00Z", 1),
            visit("2026-03-02T09:00:00Z", 2),
            visit("2026-03-03T09:00:00Z", 2),
            visit("2026-03-09T09:00:00Z", 2),
            late,
            missed,
            Counted { status: AppointmentStatus::Pending, ..visit("2026-03-11T09:00:00Z", 4) },
            Counted { status: AppointmentStatus::Cancelled, ..visit("2026-03-12T09:00:00Z", 4) },
            visit("2026-03-13T09:00:00Z", 4),
            visit("2026-03-15T23:00:00Z", 5),
        ] {
            insights.count(&it);
        }
        let staff: StaffId = Uuid::from_u128(2).into();
        let [first, second] = &insights.finish(Some)[..] else { panic!() };
        assert_eq!(
            *first,
            Figures {
                bookings: 3,
                new_customers: 1,
                returning_customers: 1,
                lead_time_minutes: Some(2_880),
                booked_minutes: BTreeMap::from([(staff, 135)]),
                ..Figures::default()
            }
        );
        assert_eq!(
            *second,
            Figures {
                bookings: 4,
                cancellations: 1,
                no_shows: 1,
                new_customers: 2,
                returning_customers: 1,
                unknown_customers: 1,
                lead_time_minutes: Some(2_880),
                booked_minutes: BTreeMap::from([(staff, 180)]),
                ..Figures::default()
            }
        );
    }

    #[test]
    fn a_merged_contact_counts_as_its_survivor_and_an_erased_one_as_unknown() {
        let periods = InsightPeriod::Week.split(&(date("2026-03-02")..=date("2026-03-15")));
        let mut insights = Insights::new(Tz::UTC, &periods);
        // Contact 1 was merged into contact 2, but an appointment still has the id of contact 1. Contact 3 was erased.
        for (starts_at, contact) in [
            ("2026-03-10T09:00:00Z", 2),
            ("2026-03-03T09:00:00Z", 1),
            ("2026-03-04T09:00:00Z", 2),
            ("2026-03-05T09:00:00Z", 3),
        ] {
            insights.count(&visit(starts_at, contact));
        }
        let [one, two, three]: [ContactId; 3] = [1, 2, 3].map(|id| Uuid::from_u128(id).into());
        let known = |id| if id == three { None } else { Some(if id == one { two } else { id }) };
        let counted: Vec<_> = insights
            .finish(known)
            .iter()
            .map(|it| [it.new_customers, it.returning_customers, it.unknown_customers])
            .collect();
        assert_eq!(counted, [[1, 0, 1], [0, 1, 0]]);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        for (mut values, expected) in
            [(vec![], None), (vec![7], Some(7)), (vec![9, 1, 4], Some(4)), (vec![4, 1, -9, 2], Some(1))]
        {
            assert_eq!(median(&mut values), expected);
        }
    }

    #[test]
    fn the_common_time_of_ranges_is_exact() {
        let spans = |all: &[(i64, i64)]| {
            let stamp = |minute: i64| Timestamp::from_millis(minute * 60_000);
            Spans::merge(all.iter().map(|(from, to)| stamp(*from)..stamp(*to)).collect())
        };
        let (a, b) = (spans(&[(0, 10), (20, 30), (40, 60)]), spans(&[(5, 25), (27, 28), (29, 45), (50, 70)]));
        let expected = spans(&[(5, 10), (20, 25), (27, 28), (29, 30), (40, 45), (50, 60)]);
        assert_eq!((common(&a, &b), common(&b, &a)), (expected.clone(), expected));
        assert_eq!(length(&common(&a, &Spans::default())), 0);
    }

    #[test]
    fn visits_count_states_and_name_the_usual_service() {
        let (a, b): (ServiceId, ServiceId) = (Uuid::from_u128(8).into(), Uuid::from_u128(9).into());
        let now = at("2026-03-10T09:00:00Z");
        let visits = Visits::of(
            &[
                Counted { service_id: a, ..visit("2026-02-01T09:00:00Z", 1) },
                Counted { service_id: a, ..visit("2026-03-10T09:00:00Z", 1) },
                Counted {
                    attendance: Some(Attendance::NoShow),
                    service_id: b,
                    ..visit("2026-03-10T08:00:00Z", 1)
                },
                Counted {
                    status: AppointmentStatus::Cancelled,
                    service_id: b,
                    ..visit("2026-03-11T09:00:00Z", 1)
                },
                Counted {
                    status: AppointmentStatus::Pending,
                    service_id: b,
                    ..visit("2026-03-12T09:00:00Z", 1)
                },
                Counted { service_id: b, ..visit("2026-03-13T09:00:00Z", 1) },
            ],
            now,
        );
        assert_eq!(
            visits,
            Visits {
                next_at: Some(at("2026-03-12T09:00:00Z")),
                last_at: Some(now),
                confirmed: 4,
                cancelled: 1,
                no_show: 1,
                usual_service_id: Some(b),
                usual_staff_id: Some(Uuid::from_u128(2).into()),
            }
        );
        assert_eq!(Visits::of(&[], now), Visits::default());
    }
}
