//! Figures about a business by week or month.

use axum::body::Body;
use chrono::{Datelike, Months, NaiveDate};
use domain::availability::BOOKABLE_YEARS;
use domain::{INSIGHTS_MONTHS_MAX, InsightPeriod, ProblemCode};
use view::{InsightsView, PeriodView};

use crate::query_object;
use crate::rest::prelude::*;
use crate::tables;

query_object! {
    /// The first and the last date of the figures, and the length of their periods.
    pub(crate) struct InsightsQuery {
        /// The first date, in the business's time zone.
        from: NaiveDate,
        /// The last date, in the business's time zone. It is at most 24 months after `from`.
        to: NaiveDate,
        /// The length of the periods; weeks begin on Monday.
        by: InsightPeriod,
    }
}

impl InsightsQuery {
    /// Refuses dates that are out of order or too far apart.
    pub(crate) fn check(self) -> Result<Self, ApiError> {
        for (name, date) in [("from", self.from), ("to", self.to)] {
            if !BOOKABLE_YEARS.contains(&date.year()) {
                let years = ProblemCode::Years(*BOOKABLE_YEARS.start(), *BOOKABLE_YEARS.end());
                return Err(ApiError::invalid(name, years));
            }
        }
        let end = self.from + Months::new(INSIGHTS_MONTHS_MAX);
        if self.to < self.from {
            Err(ApiError::invalid("to", ProblemCode::Before("from")))
        } else if self.to >= end {
            Err(ApiError::invalid("to", ProblemCode::DaysFrom("from", (end - self.from).num_days())))
        } else {
            Ok(self)
        }
    }
}

async fn read(query: InsightsQuery, business: &Business) -> Result<InsightsView, ApiError> {
    let query = query.check()?;
    Ok(business.insights(query.from..=query.to, query.by).await?)
}

pub(super) async fn show(
    _: Context,
    Query(query): Query<InsightsQuery>,
    business: Business,
) -> Result<Plain<InsightsView>, ApiError> {
    Ok(Plain::of(read(query, &business).await?))
}

pub(super) async fn table(
    _: Context,
    Query(query): Query<InsightsQuery>,
    business: Business,
) -> Result<Table, ApiError> {
    Ok(Table { name: "insights.csv", body: Body::from(file(&read(query, &business).await?)) })
}

const COLUMNS: [&str; 12] = [
    "from",
    "to",
    "bookings",
    "cancellations",
    "no_shows",
    "new_customers",
    "returning_customers",
    "unknown_customers",
    "lead_time_minutes",
    "calls",
    "calls_answered",
    "calls_converted",
];

/// The figures as a CSV file: a row for each period, and two columns for each staff member. If several staff members
/// have the same name, the heads of their columns end with numbers.
pub(crate) fn file(insights: &InsightsView) -> Vec<u8> {
    let mut staff: Vec<_> = insights.periods.iter().flat_map(|period| &period.staff).collect();
    staff.sort_by_key(|member| member.staff_id);
    staff.dedup_by_key(|member| member.staff_id);
    let columns = staff.iter().enumerate().flat_map(|(at, member)| {
        let earlier = staff[..at].iter().filter(|other| other.staff_name == member.staff_name).count();
        let number = if earlier > 0 { format!(" {}", earlier + 1) } else { String::new() };
        ["booked_minutes", "utilisation"].map(|name| format!("{name} {}{number}", member.staff_name))
    });
    let head = tables::head(COLUMNS.map(str::to_owned).into_iter().chain(columns));
    let row = |period: &PeriodView| {
        let numbers = [
            period.bookings,
            period.cancellations,
            period.no_shows,
            period.new_customers,
            period.returning_customers,
            period.unknown_customers,
        ];
        let calls = [period.calls, period.calls_answered, period.calls_converted];
        let text = |number: Option<i64>| number.map(|number| number.to_string()).unwrap_or_default();
        let mut row = vec![period.from.clone(), period.to.clone()];
        row.extend(numbers.map(|number| number.to_string()));
        row.push(text(period.lead_time_minutes));
        row.extend(calls.map(|number| number.to_string()));
        for member in &staff {
            let own = period.staff.iter().find(|own| own.staff_id == member.staff_id);
            row.push(text(own.map(|own| own.booked_minutes)));
            row.push(text(own.and_then(|own| own.utilisation)));
        }
        row
    };
    [&head[..], &tables::written(insights.periods.iter().map(row))].concat()
}
