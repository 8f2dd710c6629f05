//! `special-day import`: closes a business on the days of a public-holiday calendar.
//!
//! Invariants: no day is closed unless the whole calendar is valid and fits into the limit. Existing special
//! days are not changed, so an interrupted import can be repeated.

use std::collections::HashSet;
use std::ops::Range;

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use domain::{SPECIAL_DAYS_MAX, Timestamp, day_bounds};
use hyper::Method;
use serde_json::{Value, json};
use view::AFFECTED_IDS_MAX;

use super::carry_out::Failure;
use super::client::Client;
use super::files;
use super::holidays::holidays;
use super::record::{One, Record, one_line, walk};
use super::request::Call;
use super::task::{ImportFile, Part};

const CALENDAR_BYTES_MAX: u64 = 4 << 20;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Closed {
    /// The closed dates, or with `--dry-run` the dates to close, in order.
    pub(super) made: Vec<ClosedDay>,
    /// The dates with an existing special day, with their names in the calendar.
    pub(super) there: Vec<(NaiveDate, String)>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct ClosedDay {
    pub(super) date: NaiveDate,
    pub(super) note: String,
    /// The number of appointments on this date. They are not changed.
    pub(super) affected: u64,
    /// The ids of some of these appointments.
    pub(super) ids: Vec<String>,
}

/// Imports a calendar into the business of `business`, at the path of the call.
pub(super) async fn import(
    client: &Client,
    import: &ImportFile,
    call: &Call,
    business: &Record,
    now: DateTime<Utc>,
) -> Result<Closed, Failure> {
    let octets = files::read(&import.name, CALENDAR_BYTES_MAX)
        .map_err(|error| format!("--ics: cannot read {}: {error}", one_line(&import.name)))?;
    // The service accepts valid zones only.
    let zone = business.get("timezone").and_then(Value::as_str).and_then(|zone| zone.parse().ok());
    let zone = zone.unwrap_or(Tz::UTC);
    let found = holidays(&octets, now.with_timezone(&zone).date_naive())
        .map_err(|problems| format!("--ics: {}; nothing was closed", problems.join("\n")))?;
    let days = Call { path: format!("{}/special-days", call.path), ..call.clone() };
    let known = special_days(client, &days).await?;
    let (there, new): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(date, _)| known.contains(&date.to_string()));
    if known.len() + new.len() > SPECIAL_DAYS_MAX {
        return Err(Failure::new(format!(
            "--ics: the calendar has {} new days, and the business has {} special days; the maximum is \
             {SPECIAL_DAYS_MAX}; nothing was closed",
            new.len(),
            known.len()
        )));
    }
    let mut closed = Closed { made: Vec::new(), there };
    for (date, note) in new {
        let (affected, ids) = if import.dry_run {
            booked(client, call, day_bounds(zone, date), now.into()).await?
        } else {
            close(client, &days, date, &note).await?
        };
        closed.made.push(ClosedDay { date, note, affected, ids });
    }
    Ok(closed)
}

/// Closes a date. Returns the number of appointments on it and some of their ids.
async fn close(
    client: &Client,
    days: &Call,
    date: NaiveDate,
    note: &str,
) -> Result<(u64, Vec<String>), Failure> {
    let body = json!({"closed": true, "note": note});
    let path = format!("{}/{date}", days.path);
    let answer = client.send(Method::PUT, &path, Some(&body)).await.map_err(|error| match error.refusal {
        Some(refused) => Failure::new(format!(
            "{date}: {refused}\nthe dates before it are closed; import the same calendar again to close the others"
        )),
        None => error,
    })?;
    let One::<Record> { data } = answer.read()?;
    let affected = data.get("affected.count").and_then(Value::as_u64).unwrap_or_default();
    let ids = data.get("affected.ids").and_then(Value::as_array).into_iter().flatten();
    Ok((affected, ids.filter_map(|id| id.as_str().map(str::to_owned)).collect()))
}

/// The number and some ids of the future appointments that begin on a day.
async fn booked(
    client: &Client,
    business: &Call,
    day: Range<Timestamp>,
    now: Timestamp,
) -> Result<(u64, Vec<String>), Failure> {
    let query = [("status", "pending,confirmed".to_owned()), ("from", day.start.max(now).to_string())];
    let query = query.into_iter().chain([("to", day.end.to_string())]);
    let query = query.map(|(name, value)| (name.to_owned(), value)).collect();
    let call = Call { path: format!("{}/appointments", business.path), query, ..business.clone() };
    let booked = walk(client, &call, &Part::whole()).await?.list.data;
    let id = |record: &Record| record.get("id").and_then(Value::as_str).map(str::to_owned);
    Ok((booked.len() as u64, booked.iter().take(AFFECTED_IDS_MAX).filter_map(id).collect()))
}

async fn special_days(client: &Client, days: &Call) -> Result<HashSet<String>, Failure> {
    let walked = walk(client, days, &Part::whole()).await?;
    let date = |record: &Record| record.get("date").and_then(Value::as_str).map(str::to_owned);
    Ok(walked.list.data.iter().filter_map(date).collect())
}
