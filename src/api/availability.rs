//! `/availability` lists the times at which a service can be booked.

use chrono::{Datelike, NaiveDate};
use domain::availability::{AVAILABILITY_DAYS_MAX, BOOKABLE_YEARS, Slot, Terms};
use domain::{Problem, ProblemCode, Refusal, ServiceId, StaffId, Timestamp};
use engine::business::Page;
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::numbers::Limit;
use crate::list_query;
use crate::rest::prelude::*;

list_query! {
    /// The filters of a list of bookable times.
    pub(crate) struct AvailabilityQuery {
        /// The service to book.
        service_id: ServiceId,
        /// The first day, in the business's time zone.
        start_date: NaiveDate,
        /// The last day, in the business's time zone. The default is the first day. The range has at most 7
        /// days.
        end_date: Option<NaiveDate>,
        /// Only times when this active staff member is free.
        staff_id: Option<StaffId>,
    }
    /// The maximum number of start times in the response.
    limit: Limit<500, 500>,
    normalize with_last_day
}

/// If the request omits the last day, sets it to the first day. A cursor is bound to the last day. After this step, a
/// request that omits the last day equals a request that states it, so each can use the other's cursor.
fn with_last_day(query: AvailabilityQuery) -> Result<AvailabilityQuery, ApiError> {
    let last = query.end_date.unwrap_or(query.start_date);
    check_days(query.start_date, last)?;
    Ok(AvailabilityQuery { end_date: Some(last), ..query })
}

/// A time that can be booked.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Slot")]
pub(crate) struct SlotView {
    /// The start time.
    starts_at: Timestamp,
    /// The end time.
    ends_at: Timestamp,
}

impl From<Slot> for SlotView {
    fn from(slot: Slot) -> Self {
        Self { starts_at: slot.starts_at, ends_at: slot.ends_at }
    }
}

pub(crate) async fn list(
    context: Context,
    Query(query): Query<AvailabilityQuery>,
    business: Business,
) -> Result<Listed<SlotView>, ApiError> {
    let asked = query.open(&context, business.list("availability"))?;
    let query = &asked.filter;
    let days = (query.start_date, query.end_date.unwrap_or(query.start_date));
    let slots = business.availability(query.service_id, query.staff_id, days, Terms::Integration).await?;
    Ok(asked.listed_as(part(slots, asked.page.limit, asked.page.after.as_deref())?, SlotView::from))
}

/// Refuses a range that is empty or too long.
pub(crate) fn check_days(first: NaiveDate, last: NaiveDate) -> Result<(), ApiError> {
    let mut problems = Vec::new();
    for (name, day) in [("start_date", first), ("end_date", last)] {
        if !BOOKABLE_YEARS.contains(&day.year()) && (name == "start_date" || last != first) {
            let years = ProblemCode::Years(*BOOKABLE_YEARS.start(), *BOOKABLE_YEARS.end());
            problems.push(Problem::new(name, years));
        }
    }
    let days = (last - first).num_days() + 1;
    if days < 1 {
        problems.push(Problem::new("end_date", ProblemCode::Before("start_date")));
    } else if days > AVAILABILITY_DAYS_MAX {
        problems.push(Problem::new("end_date", ProblemCode::DaysFrom("start_date", AVAILABILITY_DAYS_MAX)));
    }
    if problems.is_empty() { Ok(()) } else { Err(Refusal::Invalid(problems).into()) }
}

/// A page of at most `limit` slots. `after` is the start time of the previous page's last slot.
pub(crate) fn part(slots: Vec<Slot>, limit: usize, after: Option<&[u8]>) -> Result<Page<Slot>, ApiError> {
    let after = after
        .map(<[u8; 8]>::try_from)
        .transpose()
        .map_err(|_| ApiError::invalid("cursor", ProblemCode::MalformedCursor))?;
    let after = after.map(|bytes| Timestamp::from_millis(i64::from_be_bytes(bytes)));
    let mut items: Vec<Slot> = slots
        .into_iter()
        .filter(|slot| after.is_none_or(|after| slot.starts_at > after))
        .take(limit + 1)
        .collect();
    let more = items.len() > limit;
    items.truncate(limit);
    let next = items.last().filter(|_| more).map(|slot| slot.starts_at.millis().to_be_bytes().to_vec());
    Ok(Page { items, next })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::cursor::Binding;
    use crate::http::query::parse;
    use crate::http::reading::Reading;

    #[test]
    fn cursors_are_tied_to_the_service_both_days_and_the_staff_member() {
        const SERVICE: &str = "01900000-0000-7000-8000-000000000001";
        const STAFF: &str = "01900000-0000-7000-8000-000000000002";
        let tied = |rest: &str| {
            let query = format!("start_date=2026-03-02&service_id={SERVICE}{rest}");
            let query: AvailabilityQuery = parse(Some(&query), Reading::PLAIN).unwrap();
            query.normalized().unwrap().bind(Binding::list("availability"))
        };
        let expected = |last: &str, staff: Option<&str>| {
            let days =
                Binding::list("availability").with_filter(Some(SERVICE)).with_filter(Some("2026-03-02"));
            days.with_filter(Some(last)).with_filter(staff)
        };
        assert_eq!(tied(""), expected("2026-03-02", None));
        assert_eq!(tied("&end_date=2026-03-02&limit=7"), expected("2026-03-02", None));
        assert_eq!(
            tied(&format!("&end_date=2026-03-04&staff_id={STAFF}")),
            expected("2026-03-04", Some(STAFF))
        );
    }
}
