//! `contact import`: creates contacts from a CSV file.
//!
//! Invariants: no contact is created unless the whole file is valid. Existing contacts, found by phone or
//! email, are not changed, so an interrupted import can be repeated.

use futures_util::{StreamExt, stream};
use hyper::Method;
use serde_json::json;

use super::carry_out::Failure;
use super::client::Client;
use super::record::{Page, Record, one_line};
use super::request::Call;
use super::run::Printed;
use super::task::ImportFile;
use super::{files, print};
use crate::english;
use crate::moving::{Row, TableProblem, table};

const AT_ONCE: usize = 16;

/// A row whose contact exists, with the service's message about it.
struct Known {
    line: u64,
    column: String,
    message: String,
}

/// Imports a file into the business of `business`, at the path of the call, and returns the output.
pub(super) async fn import(
    client: &Client,
    import: &ImportFile,
    call: &Call,
    business: &Record,
    json: bool,
) -> Result<Printed, Failure> {
    let region = business.get("phone_region").and_then(|region| region.as_str()).unwrap_or_default();
    let found = files::open(&import.name).and_then(|input| table(input, region));
    let file = one_line(&import.name);
    let found = found.map_err(|error| format!("--from: cannot read {file}: {error}"))?;
    if !found.problems.is_empty() {
        return Err(Failure::new(format!("{}nothing was imported", listed(&found.problems))));
    }
    let path = format!("{}/contacts", call.path);
    let asked = stream::iter(&found.rows).map(|row| {
        let path = path.as_str();
        async move {
            let done =
                if import.dry_run { look(client, path, row).await } else { make(client, path, row).await };
            (row.line, done)
        }
    });
    let mut asked = std::pin::pin!(asked.buffered(AT_ONCE));
    // With `--dry-run`, the number of contacts to create.
    let mut made = 0_u64;
    // The lines whose contact existed already.
    let mut there: Vec<Known> = Vec::new();
    while let Some((line, done)) = asked.next().await {
        match done {
            Ok(found) if found.is_empty() => made += 1,
            Ok(found) => there.extend(found),
            Err(Failure { refusal: Some(refused), .. }) => {
                return Err(Failure::new(format!(
                    "{}line {line}: {refused}\nthe lines before it are imported; correct the file and import it again",
                    lines(&there)
                )));
            }
            Err(error) => {
                return Err(Failure::new(format!(
                    "{error}\nthe lines before {line} are imported; import the same file again"
                )));
            }
        }
    }
    let count = there.chunk_by(|one, next| one.line == next.line).count();
    let output = if json {
        format!("{}\n", json!({"data": {"made": made, "there": count}}))
    } else {
        let verb = if import.dry_run { "would create" } else { "created" };
        let contacts = print::count(made, "contact", "contacts");
        format!("{verb} {contacts}; existing contacts: {count}\n")
    };
    let note = (!there.is_empty()).then(|| lines(&there).trim_end().to_owned());
    Ok(Printed { output, note })
}

/// Creates a contact. Returns the conflicts if it exists already.
async fn make(client: &Client, path: &str, row: &Row) -> Result<Vec<Known>, Failure> {
    match client.send(Method::POST, path, Some(&row.body)).await {
        Ok(_) => Ok(Vec::new()),
        Err(Failure { refusal: Some(refused), .. }) if refused.code == "conflict" => {
            let taken = refused.details.iter().filter(|one| ["phone", "email"].contains(&one.path.as_str()));
            let there: Vec<_> = taken.map(|one| known(row.line, &one.path, &one.message)).collect();
            // A full budget is a conflict too, without an existing contact.
            if there.is_empty() { Err((*refused).into()) } else { Ok(there) }
        }
        Err(error) => Err(error),
    }
}

/// Finds existing contacts with the same phone or email.
async fn look(client: &Client, path: &str, row: &Row) -> Result<Vec<Known>, Failure> {
    let mut there = Vec::new();
    for (column, value) in [("phone", &row.phone), ("email", &row.email)] {
        let Some(value) = value else { continue };
        let value: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
        let page: Page = client.send(Method::GET, &format!("{path}?{column}={value}"), None).await?.read()?;
        for contact in &page.data {
            let id = contact.get("id").and_then(|id| id.as_str()).unwrap_or_default();
            there.push(known(row.line, column, &format!("is already used by contact {id}")));
        }
    }
    Ok(there)
}

fn known(line: u64, column: &str, message: &str) -> Known {
    Known { line, column: column.to_owned(), message: one_line(message) }
}

fn lines(known: &[Known]) -> String {
    known.iter().map(|known| line(known.line, &known.column, &known.message)).collect()
}

fn listed(problems: &[TableProblem]) -> String {
    let problems = problems.iter();
    problems.map(|problem| line(problem.line, &problem.column, &english::flaw(&problem.flaw))).collect()
}

fn line(line: u64, column: &str, message: &str) -> String {
    let column = if column.is_empty() { String::new() } else { format!("{column}: ") };
    format!("line {line}: {column}{message}\n")
}
