//! The visits to the sample business.
//!
//! Invariant: active appointments are at times that can be booked: within the hours of their staff member, on the
//! grid, outside buffers and time off.

use chrono::{DateTime, Days, NaiveDate, TimeDelta, TimeZone, Utc};
use chrono_tz::Europe::Paris;
use domain::{IdMint, ResourceId, Timestamp};

use super::team::{CAMILLE, DOMINIQUE, Offer, SACHA, SERVICES, STAFF, windows};

const PAST_DAYS: i64 = 35;
const COMING_DAYS: i64 = 10;
/// The first and the last day of Sacha's time off, counted from today.
pub(super) const TIME_OFF_DAYS: [i64; 2] = [6, 8];
/// The minutes between two bookable times.
const GRID: i64 = 30;
/// The number of contacts at the start of the history. Each further contact is added at the contact's first visit.
pub(super) const REGULARS: usize = 130;
/// The index of the contact who has the [`EARLIER_VISITS`]. The random assignment of contacts skips this contact.
pub(super) const AWA: usize = 0;
pub(super) const JEAN: usize = 1;
/// The days of the earlier visits of [`AWA`], counted from today.
const EARLIER_VISITS: [i64; 5] = [-310, -250, -195, -140, -85];

/// A generator of pseudorandom numbers that are the same at each start (SplitMix64).
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub(super) fn minutes(&mut self, bound: usize) -> TimeDelta {
        TimeDelta::minutes(self.below(bound) as i64)
    }

    fn is_one_of(&mut self, hundred: usize) -> bool {
        self.below(100) < hundred
    }

    pub(super) fn id<I: ResourceId>(&mut self, at: Timestamp) -> I {
        IdMint::default().next(at, self.next().to_be_bytes())
    }
}

pub(super) struct Visit {
    pub(super) service: usize,
    pub(super) staff: usize,
    pub(super) contact: usize,
    pub(super) day: i64,
    pub(super) starts_at: Timestamp,
    pub(super) created_at: Timestamp,
    pub(super) updated_at: Timestamp,
    pub(super) source: &'static str,
    pub(super) status: &'static str,
    pub(super) attendance: Option<&'static str>,
}

impl Visit {
    pub(super) fn ends_at(&self) -> Timestamp {
        self.starts_at + TimeDelta::minutes(SERVICES[self.service].minutes)
    }
}

pub(super) struct Sample {
    pub(super) now: Timestamp,
    pub(super) today: NaiveDate,
    pub(super) numbers: Numbers,
}

impl Sample {
    pub(super) fn new(now: Timestamp) -> Self {
        Self { now, today: now.utc().with_timezone(&Paris).date_naive(), numbers: Numbers(7) }
    }

    fn date(&self, day: i64) -> NaiveDate {
        let days = Days::new(day.unsigned_abs());
        let date =
            if day < 0 { self.today.checked_sub_days(days) } else { self.today.checked_add_days(days) };
        date.unwrap_or(self.today)
    }

    pub(super) fn ago(&self, days: i64) -> Timestamp {
        self.now - TimeDelta::days(days)
    }

    /// A confirmed visit at this time. The attendance is `completed` if the visit has ended, and `arrived` if it has
    /// only started.
    fn visit(&mut self, day: i64, minute: i64, (staff, service): (usize, usize)) -> Visit {
        let starts_at = at(self.date(day), minute);
        // The time of the booking is random. It is at least 3 hours before the start of the visit, and at least
        // 5 minutes ago.
        let before = starts_at - TimeDelta::hours(3) - self.numbers.minutes(14 * 24 * 60);
        let created_at = before.min(self.now - TimeDelta::minutes(5) - self.numbers.minutes(3 * 24 * 60));
        let source = ["voice", "voice", "voice", "website", "website", "dashboard", "dashboard", "sms"];
        let source = source[self.numbers.below(source.len())];
        let ended = starts_at + TimeDelta::minutes(SERVICES[service].minutes) <= self.now;
        let attendance = match starts_at <= self.now {
            true if ended => Some("completed"),
            true => Some("arrived"),
            false => None,
        };
        let status = "confirmed";
        let (contact, updated_at) = (JEAN, created_at);
        Visit { service, staff, contact, day, starts_at, created_at, updated_at, source, status, attendance }
    }

    /// Fills the working hours of each staff member with visits. Later days get fewer visits.
    pub(super) fn visits(&mut self) -> Vec<Visit> {
        let mut visits = Vec::new();
        for day in -PAST_DAYS..=COMING_DAYS {
            let busy = match day {
                0 => 95,
                day if day < 0 => 85,
                day => usize::try_from(80 - 6 * day).unwrap_or_default(),
            };
            for (staff, member) in STAFF.iter().enumerate() {
                if staff == SACHA && (TIME_OFF_DAYS[0]..=TIME_OFF_DAYS[1]).contains(&day) {
                    continue;
                }
                for (open, close) in windows(member, self.date(day)) {
                    let mut minute = open;
                    while minute < close {
                        let service = member.offers[self.numbers.below(member.offers.len())];
                        let Offer { minutes, buffer_after, .. } = SERVICES[service];
                        if !self.numbers.is_one_of(busy) || minute + minutes > close {
                            minute += GRID;
                            continue;
                        }
                        visits.push(self.visit(day, minute, (staff, service)));
                        minute += (minutes + buffer_after + GRID - 1) / GRID * GRID;
                    }
                }
            }
        }
        self.assign_contacts(&mut visits);
        self.mark(&mut visits);
        for (number, day) in EARLIER_VISITS.into_iter().enumerate() {
            let works = |day: &i64| !windows(&STAFF[CAMILLE], self.date(*day)).is_empty();
            let day = (day..day + 7).find(works).unwrap_or(day);
            let service = if number % 2 == 0 { 3 } else { 0 };
            let visit = self.visit(day, 660, (CAMILLE, service));
            visits.push(Visit { contact: AWA, ..visit });
        }
        visits.sort_by_key(|visit| visit.starts_at);
        visits
    }

    /// Assigns a contact to each visit. A contact comes at most once in ten days, and some contacts come for
    /// the first time.
    fn assign_contacts(&mut self, visits: &mut [Visit]) {
        let mut known = REGULARS;
        let mut last = vec![i64::MIN; known];
        for visit in visits {
            let is_new = visit.day > -PAST_DAYS + 7 && self.numbers.is_one_of(8);
            visit.contact = if is_new {
                last.push(visit.day);
                known += 1;
                known - 1
            } else {
                let first = 2 + self.numbers.below(known - 2);
                let mut all = (first..known).chain(2..first);
                let free = all.find(|one| last[*one].saturating_add(10) < visit.day);
                free.unwrap_or(first)
            };
            last[visit.contact] = visit.day;
        }
    }

    /// Cancels some visits, marks one as missed, makes another a request, and assigns two visits to [`AWA`].
    fn mark(&mut self, visits: &mut [Visit]) {
        for visit in visits.iter_mut().filter(|visit| visit.day != 0) {
            if self.numbers.is_one_of(5) {
                let before = (visit.starts_at - TimeDelta::hours(20)).min(self.now - TimeDelta::minutes(3));
                visit.updated_at = before.max(visit.created_at);
                (visit.status, visit.attendance) = ("cancelled", None);
            }
        }
        let is_kept = |visit: &&mut Visit| visit.status == "confirmed";
        let mut latest = visits.iter_mut().rev().filter(is_kept);
        if let Some(visit) = latest.find(|one| one.day < 0 && one.staff == DOMINIQUE) {
            (visit.contact, visit.attendance) = (JEAN, Some("no_show"));
        }
        if let Some(visit) = visits.iter_mut().filter(is_kept).find(|one| one.day > 0 && one.staff != CAMILLE)
        {
            let asked_at = self.now - TimeDelta::minutes(40);
            (visit.status, visit.source) = ("pending", "website");
            (visit.created_at, visit.updated_at) = (asked_at, asked_at);
        }
        let of_camille = |visit: &&mut Visit| is_kept(visit) && visit.staff == CAMILLE;
        for is_next in [true, false] {
            let mut found = visits.iter_mut().filter(of_camille);
            if let Some(visit) =
                found.find(|one| if is_next { one.day > 1 } else { one.day < -PAST_DAYS + 7 })
            {
                visit.contact = AWA;
            }
        }
    }
}

/// The instant of a local date and time at the salon.
pub(super) fn at(date: NaiveDate, minute: i64) -> Timestamp {
    let local = date.and_time(chrono::NaiveTime::MIN) + TimeDelta::minutes(minute);
    let instant: Option<DateTime<Utc>> = Paris.from_local_datetime(&local).earliest().map(|at| at.to_utc());
    instant.unwrap_or(local.and_utc()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times at which the test runs: one on each day of a week, and one near each of the two clock changes.
    const INSTANTS: [&str; 9] = [
        "2026-11-23T08:30:00Z",
        "2026-11-24T11:00:00Z",
        "2026-11-25T16:45:00Z",
        "2026-11-26T03:00:00Z",
        "2026-11-27T13:00:00Z",
        "2026-11-28T22:30:00Z",
        "2026-11-29T09:59:00Z",
        "2027-03-27T12:00:00Z",
        "2026-10-25T00:30:00Z",
    ];

    #[test]
    fn active_visits_are_at_bookable_times_and_today_is_busy() {
        for now in INSTANTS {
            let mut sample = Sample::new(Timestamp::parse(now).unwrap());
            let visits = sample.visits();
            let active = |visit: &&Visit| visit.status != "cancelled";
            for (staff, member) in STAFF.iter().enumerate() {
                let theirs: Vec<_> = visits.iter().filter(active).filter(|one| one.staff == staff).collect();
                for visit in &theirs {
                    let offer = &SERVICES[visit.service];
                    assert!(member.offers.contains(&visit.service), "{now}: {}", offer.name);
                    let local = visit.starts_at.utc().with_timezone(&Paris);
                    let minute = i64::from(chrono::Timelike::num_seconds_from_midnight(&local) / 60);
                    let is_within = |(open, close): &(i64, i64)| {
                        *open <= minute && minute + offer.minutes <= *close && minute % GRID == 0
                    };
                    assert!(windows(member, local.date_naive()).iter().any(is_within), "{now}: {local}");
                    assert!(visit.created_at < visit.starts_at.min(sample.now), "{now}: {local}");
                    assert!(visit.updated_at <= sample.now && visit.updated_at >= visit.created_at);
                    let is_off = (TIME_OFF_DAYS[0]..=TIME_OFF_DAYS[1]).contains(&visit.day);
                    assert!(staff != SACHA || !is_off, "{now}: {local}");
                }
                for pair in theirs.windows(2) {
                    let buffer = TimeDelta::minutes(SERVICES[pair[0].service].buffer_after);
                    assert!(pair[0].ends_at() + buffer <= pair[1].starts_at, "{now}");
                }
            }
            let count = |test: fn(&Visit) -> bool| visits.iter().filter(|visit| test(visit)).count();
            assert!(count(|visit| visit.day == 0) >= 8, "{now}");
            assert_eq!(count(|visit| visit.status == "pending"), 1, "{now}");
            assert_eq!(count(|visit| visit.attendance == Some("no_show")), 1, "{now}");
            assert!(count(|visit| visit.status == "cancelled") > 5, "{now}");
            assert!(count(|visit| visit.contact == AWA) > EARLIER_VISITS.len(), "{now}");
            for visit in &visits {
                let may_attend = visit.status == "confirmed" && visit.starts_at <= sample.now;
                assert_eq!(visit.attendance.is_some(), may_attend, "{now}");
            }
        }
    }
}
