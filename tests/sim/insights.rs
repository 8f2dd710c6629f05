//! Compares the figures of a business, and the figures of its contacts, with figures that are computed from a list of
//! all records.

use std::collections::BTreeSet;

use chrono::{Datelike, Days, NaiveDate};
use domain::{AppointmentStatus, Attendance, CallOutcome, CallStatus, ContactId, InsightPeriod};
use engine::business::CallFilter;
use engine::{BusinessHandle, EngineError};
use view::{AppointmentView, CallView, PeriodView};

use crate::looks::all;

/// Checks the figures of periods around today. `appointments` must contain all appointments of the business, and no
/// change may be in progress.
pub(crate) async fn check(
    handle: &BusinessHandle,
    appointments: &[AppointmentView],
    erased: &BTreeSet<ContactId>,
) -> Result<(), EngineError> {
    let zone = handle.business().await?.zone;
    let day = |at: domain::Timestamp| at.utc().with_timezone(&zone).date_naive();
    let filter = CallFilter::default();
    let calls = all(50, async |page| handle.calls(&filter, &page).await).await?;
    let days =
        appointments.iter().map(|it| day(it.starts_at)).chain(calls.iter().map(|it| day(it.started_at)));
    let (mut first, mut last) = (day(handle.now()), day(handle.now()));
    for day in days {
        (first, last) = (first.min(day), last.max(day));
    }
    // The range begins after the first record and does not extend beyond the last one, so some records are outside.
    let from = first + Days::new(1);
    let to = last.min(from + Days::new(700)).max(from);
    for by in InsightPeriod::ALL {
        let found = handle.insights(from..=to, *by).await?;
        let mut next = from;
        for period in &found.periods {
            let (begins, ends) = (date(&period.from), date(&period.to));
            assert_eq!(begins, next, "the periods must be consecutive");
            next = ends + Days::new(1);
            let is_whole = match by {
                InsightPeriod::Week => next.weekday().num_days_from_monday() == 0,
                InsightPeriod::Month => next.day() == 1,
            };
            assert!(is_whole || ends == to, "{by} {begins} {ends}");
            let expected = walked((begins, ends), appointments, &calls, erased, day);
            assert_eq!(summary(period), expected, "{by} {begins} {ends}");
        }
        assert_eq!(next, to + Days::new(1));
    }
    let contacts: BTreeSet<_> = appointments.iter().filter_map(|it| it.contact_id).collect();
    for contact in contacts.into_iter().filter(|contact| !erased.contains(contact)).take(5) {
        let visits = handle.visits(contact).await?;
        let theirs: Vec<_> = appointments.iter().filter(|it| it.contact_id == Some(contact)).collect();
        let count = |is: &dyn Fn(&AppointmentView) -> bool| theirs.iter().filter(|it| is(it)).count();
        assert_eq!(visits.confirmed as usize, count(&|it| it.status == AppointmentStatus::Confirmed));
        assert_eq!(visits.cancelled as usize, count(&|it| it.status == AppointmentStatus::Cancelled));
        assert_eq!(visits.no_show as usize, count(&|it| it.attendance == Some(Attendance::NoShow)));
        let usual = visits.usual_staff_id.map(|id| count(&|it| is_booking(it) && it.staff_id == id));
        let most = theirs.iter().map(|of| count(&|it| is_booking(it) && it.staff_id == of.staff_id)).max();
        assert_eq!(usual, most.filter(|most| *most > 0));
    }
    Ok(())
}

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn is_booking(it: &AppointmentView) -> bool {
    it.status == AppointmentStatus::Confirmed
}

/// The figures of a period: numbers of appointments, numbers of customers, lead time, numbers of calls, and booked
/// minutes.
type Summary = ([usize; 3], [usize; 3], Option<i64>, [usize; 3], i64);

fn summary(period: &PeriodView) -> Summary {
    let counts = [period.bookings, period.cancellations, period.no_shows].map(|it| it as usize);
    let customers =
        [period.new_customers, period.returning_customers, period.unknown_customers].map(|it| it as usize);
    let calls = [period.calls, period.calls_answered, period.calls_converted].map(|it| it as usize);
    let minutes = period.staff.iter().map(|own| own.booked_minutes).sum();
    (counts, customers, period.lead_time_minutes, calls, minutes)
}

fn walked(
    (begins, ends): (NaiveDate, NaiveDate),
    appointments: &[AppointmentView],
    calls: &[CallView],
    erased: &BTreeSet<ContactId>,
    day: impl Fn(domain::Timestamp) -> NaiveDate,
) -> Summary {
    let is_within = |at| (begins..=ends).contains(&day(at));
    let within: Vec<_> = appointments.iter().filter(|it| is_within(it.starts_at)).collect();
    let count = |is: &dyn Fn(&AppointmentView) -> bool| within.iter().filter(|it| is(it)).count();
    let counts = [
        count(&is_booking),
        count(&|it| it.status == AppointmentStatus::Cancelled),
        count(&|it| is_booking(it) && it.attendance == Some(Attendance::NoShow)),
    ];
    let of_whom = |it: &AppointmentView| it.contact_id.filter(|id| is_booking(it) && !erased.contains(id));
    let customers: BTreeSet<_> = within.iter().filter_map(|it| of_whom(it)).collect();
    let came_before = |id: &&ContactId| {
        appointments.iter().any(|it| of_whom(it) == Some(**id) && day(it.starts_at) < begins)
    };
    let returning = customers.iter().filter(came_before).count();
    let unknown = count(&|it| is_booking(it) && of_whom(it).is_none());
    let leads = within.iter().filter(|it| is_booking(it));
    let mut leads: Vec<_> = leads.map(|it| (it.starts_at - it.created_at).num_milliseconds()).collect();
    leads.sort_unstable();
    let middle = (!leads.is_empty()).then(|| leads[(leads.len() - 1) / 2] + leads[leads.len() / 2]);
    let lead = middle.map(|sum| sum.div_euclid(2).div_euclid(60_000));
    let calls: Vec<_> = calls.iter().filter(|call| is_within(call.started_at)).collect();
    let count_calls = |is: &dyn Fn(&CallView) -> bool| calls.iter().filter(|call| is(call)).count();
    let calls = [
        calls.len(),
        count_calls(&|call| call.status == CallStatus::Completed),
        count_calls(&|call| call.outcome == CallOutcome::AppointmentBooked),
    ];
    let minutes =
        within.iter().filter(|it| is_booking(it)).map(|it| (it.ends_at - it.starts_at).num_minutes());
    (counts, [customers.len() - returning, returning, unknown], lead, calls, minutes.sum())
}
