//! `special-day import`: closes on the days of a public-holiday calendar.
//!
//! What always holds: nothing is closed unless the whole calendar is good; a date that is special already stays as it is,
//! so the same calendar can be imported again after it broke off.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use hyper::Method;
use serde_json::{Value, json};

use super::client::{Answer, Client, ClientError};
use super::holidays::{Holidays, holidays};
use super::record::{ApiError, One, Record, one_line};
use super::request::Call;
use super::task::{HolidayFile, Part};
use super::walk::{WalkError, read, walk};

/// How long a calendar may be, in bytes.
const CALENDAR_BYTES_MAX: u64 = 4 << 20;

/// Why a calendar was not imported.
#[derive(Debug, thiserror::Error)]
pub(super) enum HolidayError {
    #[error("--ics: cannot read {file}: {}", .source)]
    Read { file: String, source: io::Error },
    #[error("--ics: {}; nothing was closed", .0.join("\n"))]
    Bad(Vec<String>),
    #[error("{date}: {refused}\nthe dates before it are closed; the same calendar can be imported again")]
    Refused { date: NaiveDate, refused: ApiError },
    #[error(transparent)]
    Walk(#[from] WalkError),
}

/// What came of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Closed {
    /// The dates that were closed, or would be, with what they are called.
    pub(super) made: Vec<(NaiveDate, String)>,
    /// The dates that were special already.
    pub(super) there: Vec<(NaiveDate, String)>,
    /// How many appointments this leaves on closed days.
    pub(super) affected: u64,
}

/// Imports a calendar into the business that the record shows, at the path of the call.
pub(super) async fn import(
    client: &Client,
    import: &HolidayFile,
    call: &Call,
    business: &Record,
    now: DateTime<Utc>,
) -> Result<Closed, HolidayError> {
    let octets = calendar(&import.file)
        .map_err(|source| HolidayError::Read { file: one_line(&import.file), source })?;
    // The service knows no zone that is none.
    let zone = business.get("timezone").and_then(Value::as_str).and_then(|zone| zone.parse().ok());
    let today = now.with_timezone(&zone.unwrap_or(Tz::UTC)).date_naive();
    let found = holidays(&octets, today).map_err(HolidayError::Bad)?;
    let days = Call { path: format!("{}/special-days", call.path), ..call.clone() };
    let there = special_days(client, &days).await?;
    close(client, &days, found, &there, import.dry_run).await
}

/// Closes on the dates that are not special yet, in their order.
async fn close(
    client: &Client,
    days: &Call,
    found: Holidays,
    there: &HashSet<String>,
    dry_run: bool,
) -> Result<Closed, HolidayError> {
    let mut closed = Closed::default();
    for (date, note) in found {
        if there.contains(&date.to_string()) {
            closed.there.push((date, note));
            continue;
        }
        if !dry_run {
            let body = json!({"closed": true, "note": note});
            let path = format!("{}/{date}", days.path);
            let answer = match client.send(Method::PUT, &path, Some(&body)).await {
                Ok(answer) => answer,
                Err(ClientError::Api(refused)) => return Err(HolidayError::Refused { date, refused }),
                Err(error) => return Err(WalkError::from(error).into()),
            };
            closed.affected += affected(&answer)?;
        }
        closed.made.push((date, note));
    }
    Ok(closed)
}

/// How many appointments an answer says are affected.
fn affected(answer: &Answer) -> Result<u64, WalkError> {
    let One { data } = read(answer)?;
    Ok(data.get("affected.count").and_then(Value::as_u64).unwrap_or_default())
}

/// The dates that are special already.
async fn special_days(client: &Client, days: &Call) -> Result<HashSet<String>, WalkError> {
    let walked = walk(client, days, &Part::whole()).await?;
    let date = |record: &Record| record.get("date").and_then(Value::as_str).map(str::to_owned);
    Ok(walked.list.data.iter().filter_map(date).collect())
}

fn calendar(file: &str) -> io::Result<Vec<u8>> {
    let mut octets = Vec::new();
    let read = match file {
        "-" => io::stdin().lock().take(CALENDAR_BYTES_MAX + 1).read_to_end(&mut octets)?,
        file => File::open(file)?.take(CALENDAR_BYTES_MAX + 1).read_to_end(&mut octets)?,
    };
    let too_long = u64::try_from(read).unwrap_or(u64::MAX) > CALENDAR_BYTES_MAX;
    if too_long { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(octets) }
}
