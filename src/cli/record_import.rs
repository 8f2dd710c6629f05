//! `contact import` creates contacts from a CSV file, and `special-day import` closes a business on the days of a
//! public-holiday calendar.
//!
//! Invariants: if a part of the file is invalid, or if the days of a calendar exceed the limit on special days, nothing
//! is changed. Contacts that exist already (same phone or email) and special days that exist already are not changed. A
//! calendar is imported day by day, so an interrupted import may have closed only some of the days. A repeated import
//! closes the other days.

use std::collections::HashSet;
use std::ops::Range;

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use domain::{Locale, SPECIAL_DAYS_MAX, Timestamp, day_bounds};
use hyper::Method;
use serde_json::{Value, json};
use view::{AFFECTED_IDS_MAX, ContactsImportedView, SkippedRowView};

use super::carry_out::Failure;
use super::client::Client;
use super::record::{One, Record, one_line, walk};
use super::request::Call;
use super::run::Printed;
use super::task::{ImportFile, Part};
use super::{files, print};
use crate::english;
use crate::holidays::{CALENDAR_BYTES_MAX, holidays};
use crate::http::body::CSV;
use crate::tables::FILE_BYTES_MAX;

/// Imports a CSV file. `call` is the request without the file. Returns the output of the command.
pub(super) async fn import_contacts(
    client: &Client,
    import: &ImportFile,
    call: &Call,
    json: bool,
) -> Result<Printed, Failure> {
    let file = files::read(&import.name, FILE_BYTES_MAX as u64)
        .map_err(|error| format!("--from: cannot read {}: {error}", one_line(&import.name)))?;
    let dry_run = import.dry_run.then_some(("dry_run", "true"));
    let target = call.target(&dry_run.into_iter().collect::<Vec<_>>());
    let answer = match client.send_file(&target, file, CSV).await {
        Err(Failure { refusal: Some(refused), .. }) if !json && !refused.details.is_empty() => {
            let lines = refused
                .details
                .iter()
                .map(|it| format!("{}: {}\n", one_line(&it.path), one_line(&it.message)));
            return Err(Failure::new(format!("{}nothing was imported", lines.collect::<String>())));
        }
        answer => answer?,
    };
    if json {
        return Ok(Printed { output: answer.text(), note: None });
    }
    let One::<ContactsImportedView> { data } = answer.read()?;
    let verb = if import.dry_run { "would create" } else { "created" };
    let contacts = print::count(data.created, "contact", "contacts");
    let output = format!("{verb} {contacts}; skipped rows: {}\n", data.skipped.len());
    let line = |row: &SkippedRowView| format!("line {}: {}", row.line, english::skipped(row.reason));
    let lines: Vec<_> = data.skipped.iter().map(line).collect();
    Ok(Printed { output, note: (!lines.is_empty()).then(|| lines.join("\n")) })
}

/// A closed date, or with `--dry-run` a date to close.
struct ClosedDay {
    date: NaiveDate,
    note: String,
    /// The number of future appointments on this date. The import does not change them.
    affected: u64,
    /// The ids of these appointments, at most [`AFFECTED_IDS_MAX`].
    ids: Vec<String>,
}

/// Imports a calendar into `business`. `call` contains the path of the business. Returns the output of the command.
pub(super) async fn import_holidays(
    client: &Client,
    import: &ImportFile,
    call: &Call,
    business: &Record,
    now: DateTime<Utc>,
    json: bool,
) -> Result<Printed, Failure> {
    let octets = files::read(&import.name, CALENDAR_BYTES_MAX as u64)
        .map_err(|error| format!("--ics: cannot read {}: {error}", one_line(&import.name)))?;
    // The zone is valid, since the service accepts no other zones.
    let zone = business.get("timezone").and_then(Value::as_str).and_then(|zone| zone.parse().ok());
    let zone = zone.unwrap_or(Tz::UTC);
    let locale = business.get("locale").and_then(Value::as_str).and_then(Locale::from_word);
    let found = holidays(&octets, now.with_timezone(&zone).date_naive(), locale.unwrap_or(Locale::En))
        .map_err(|problems| {
            let problems: Vec<_> = problems.iter().map(|problem| problem.text(Locale::En)).collect();
            format!("--ics: {}; nothing was closed", problems.join("\n"))
        })?;
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
    let mut made = Vec::new();
    for (date, note) in new {
        let (affected, ids) = if import.dry_run {
            booked(client, call, day_bounds(zone, date), now.into()).await?
        } else {
            close(client, &days, date, &note).await?
        };
        made.push(ClosedDay { date, note, affected, ids });
    }
    Ok(closed(&made, &there, import.dry_run, json))
}

/// The output of the command. `there` contains the imported dates that already have a special day. Each date has
/// its name from the imported calendar.
fn closed(made: &[ClosedDay], there: &[(NaiveDate, String)], dry_run: bool, json: bool) -> Printed {
    if json {
        let named = |date: &NaiveDate, note: &str| json!({"date": date.to_string(), "note": note});
        let day = |ClosedDay { date, note, affected, ids }: &ClosedDay| {
            let mut day = named(date, note);
            day["affected"] = json!({"count": affected, "ids": ids});
            day
        };
        let (made, there): (Vec<_>, Vec<_>) =
            (made.iter().map(day).collect(), there.iter().map(|(date, note)| named(date, note)).collect());
        let said = json!({"data": {"made": made, "there": there}});
        return Printed { output: format!("{said}\n"), note: None };
    }
    let verb = if dry_run { "would close on" } else { "closed on" };
    let days = print::count(made.len() as u64, "day", "days");
    let mut output = format!("{verb} {days}; existing special days: {}\n", there.len());
    let appointments = |count| print::count(count, "appointment", "appointments");
    for ClosedDay { date, note, affected, .. } in made {
        let stay = if *affected > 0 { format!("  ({})", appointments(*affected)) } else { String::new() };
        output.push_str(&format!("{date}  {}{stay}\n", one_line(note)));
    }
    let affected: u64 = made.iter().map(|day| day.affected).sum();
    let stay = if affected == 1 { "stays" } else { "stay" };
    let note = format!(
        "{} on these days {stay} booked; list them with `receptionist appointment list` and its flags --from and --to",
        appointments(affected)
    );
    Printed { output, note: (affected > 0).then_some(note) }
}

/// Closes a date. Returns the number of appointments on this date and some of their ids.
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

/// The number of future appointments that begin on a day, and at most [`AFFECTED_IDS_MAX`] of their ids.
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
