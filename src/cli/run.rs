//! Executes a command: resolves its texts, sends the requests and prints the response.

use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;
use std::time::SystemTime;

use super::arguments::Irreversible;
use super::carry_out::Failure;
use super::client::{Answer, CALL_TIMEOUT, Client};
use super::files::WholeFile;
use super::options::OperatorOptions;
use super::own::about_link;
use super::problems::{Flags, Hint, error_text, hints};
use super::record::{One, Page, Record, Walked, one_line, walk};
use super::record_import::{import_contacts, import_holidays};
use super::request::{Call, Path};
use super::resolve::resolve;
use super::shown::Look;
use super::task::{Show, Task};
use super::{OperatorCommand, print, record};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Printed {
    pub(super) output: String,
    pub(super) note: Option<String>,
}

/// Executes a command. The exit status is 1 if the request failed, and 2 if the command or a setting is invalid.
pub fn operate(command: OperatorCommand, flags: &Flags) -> ExitCode {
    let OperatorCommand { task, options } = command;
    match super::carry_out::run(Box::pin(carry_out(task, &options, flags))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.exit(options.json),
    }
}

async fn carry_out(mut task: Task, options: &OperatorOptions, flags: &Flags) -> Result<(), Failure> {
    let access = options.access()?;
    let origin = access.origin.clone();
    let client = Client::admitted(access, CALL_TIMEOUT).await;
    let printed = match tried(&client, &mut task, options.json).await {
        Ok(printed) => printed,
        Err(failure) if options.json => return Err(failure),
        Err(Failure { refusal: Some(refused), .. }) if refused.code == "unauthorized" => {
            return Err(Failure::new(format!(
                "the service refuses the operator's token of {origin}; set the service's data directory with --data-dir, or its token with --admin-token"
            )));
        }
        Err(failure) => return Err(explained(&client, failure, &task.request.call(), flags).await),
    };
    print::written(&printed.output)?;
    if let Some(note) = printed.note {
        print::note(&note);
    }
    Ok(())
}

/// Asks for confirmation. The person types the name of the business before it is deleted, and `yes` before an erasure
/// or a merge.
async fn confirm(client: &Client, what: Irreversible, path: &Path) -> Result<(), Failure> {
    // The confirmation of a merge shows no record, since the path of a merge is not the path of a record.
    let record = if what == Irreversible::Merge { None } else { Some(record::one(client, path).await?) };
    let name = record.as_ref().and_then(|record| record.get("name")?.as_str()).map(one_line);
    if !io::stdin().is_terminal() {
        return Err(Failure::usage(
            "this cannot be undone, and there is no terminal for the confirmation: add --yes to confirm",
        ));
    }
    let name = name.unwrap_or_else(|| "this contact".to_owned());
    let (question, expected) = match what {
        Irreversible::Erase => (format!("erase {name} permanently? yes or no: "), "yes"),
        Irreversible::Merge => ("merge the two contacts permanently? yes or no: ".to_owned(), "yes"),
        Irreversible::Delete => {
            (format!("type the name of the business ({name}) to delete it permanently: "), name.as_str())
        }
    };
    let line = ask(&question).map_err(|error| format!("cannot ask: {error}"))?;
    if line.trim() == expected { Ok(()) } else { Err(Failure::new("not confirmed; nothing was changed")) }
}

fn ask(question: &str) -> io::Result<String> {
    let mut stderr = io::stderr().lock();
    stderr.write_all(question.as_bytes())?;
    stderr.flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line)
}

/// Resolves the texts, prints the notes about them, and sends the request.
async fn tried(client: &Client, task: &mut Task, json: bool) -> Result<Printed, Failure> {
    let notes = resolve(client, task, SystemTime::now().into()).await?;
    // With --json, standard error contains errors only.
    if !json {
        notes.iter().for_each(|note| print::note(note));
    }
    if let Some(what) = task.confirms {
        confirm(client, what, &task.request.path).await?;
    }
    perform(client, task, json, print::look()).await
}

/// Sends the request, or one request for each page of a list, and builds the output.
pub(super) async fn perform(
    client: &Client,
    task: &Task,
    json: bool,
    look: Look,
) -> Result<Printed, Failure> {
    let call = task.request.call();
    if matches!(task.show, Show::List(_) | Show::Times | Show::TimeOff) {
        let walked = walk(client, &call, &task.part).await?;
        return if json { whole(&walked) } else { Ok(rows_of(walked.list, task, look)) };
    }
    if task.show == Show::Contacts {
        return import_contacts(client, &task.import, &call, json).await;
    }
    if task.show == Show::File {
        // A file can be too long for the client to hold as a whole, so it is written in parts.
        let mut output = WholeFile::begin(None)?;
        client.lines(&call.target(&[]), |part| Ok(output.write(part)?)).await?;
        output.finish()?;
        return Ok(Printed { output: String::new(), note: None });
    }
    let answer = client.send(call.method.clone(), &call.target(&[]), call.body.as_ref()).await?;
    match task.show {
        Show::Holidays => {
            let now = SystemTime::now().into();
            let printed = import_holidays(client, &task.import, &call, &one(&answer)?, now, json).await;
            // The error of an import already names the flag or the date, so it is not explained again.
            return printed.map_err(|failure| Failure { refusal: None, ..failure });
        }
        _ if json => return Ok(Printed { output: raw(&answer)?, note: None }),
        Show::Found(columns) => {
            let found: One<Vec<Record>> = answer.read()?;
            return Ok(Printed { output: look.table(&split(columns), &found.data), note: None });
        }
        Show::Within(field, columns) => {
            let rows = one(&answer)?.0.swap_remove(field).unwrap_or_default();
            let rows: Vec<Record> = serde_json::from_value(rows).unwrap_or_default();
            return Ok(Printed { output: look.table(&split(columns), &rows), note: None });
        }
        Show::Done(done) => return Ok(Printed { output: String::new(), note: Some(done.to_owned()) }),
        _ => {}
    }
    let record = one(&answer)?;
    let output = match task.show {
        Show::ByField(columns) => look.by_field(&split(columns), &record),
        _ => look.record(&record),
    };
    let note = match task.show {
        Show::RecordWithNote(note) => Some(note.to_owned()),
        Show::RecordWithLink => Some(about_link(&record).to_owned()),
        _ => None,
    };
    Ok(Printed { output, note })
}

/// A list as JSON. A single page is printed unchanged; several pages are merged into one.
fn whole(walked: &Walked) -> Result<Printed, Failure> {
    let output = match serde_json::to_string(&walked.list) {
        Ok(text) if walked.pages > 1 => format!("{text}\n"),
        _ => raw(&walked.first)?,
    };
    Ok(Printed { output, note: None })
}

fn rows_of(list: Page, task: &Task, look: Look) -> Printed {
    let more = list.next_cursor.map(|cursor| format!("there is more: --cursor {}", one_line(&cursor)));
    let zone = task.zone;
    match task.show {
        Show::Times => {
            let none = if list.data.is_empty() { "no open times" } else { "open times" };
            let said = format!("{none} in {zone}; --json shows instants");
            Printed { output: look.times(zone, &list.data), note: Some(more.unwrap_or(said)) }
        }
        Show::List(columns) => Printed { output: look.table(&split(columns), &list.data), note: more },
        _ => Printed { output: look.time_off(zone, list.data), note: more },
    }
}

fn split(columns: &str) -> Vec<&str> {
    columns.split(' ').collect()
}

/// If the service refused the request, names the flags of the command in the error, and appends hints.
pub(super) async fn explained(client: &Client, failure: Failure, call: &Call, flags: &Flags) -> Failure {
    let Some(refused) = &failure.refusal else { return failure };
    let mut text = error_text(refused, call, flags);
    for hint in hints(refused, call, flags) {
        let said = match hint {
            Hint::Said(said) => Some(said),
            Hint::PhoneRegion => phone_region(client, call).await,
        };
        if let Some(said) = said {
            text.push_str(&format!("\nhint: {said}"));
        }
    }
    Failure::new(text)
}

/// Returns a hint for the user: the region by whose rules the service reads national phone numbers, and how to change
/// it. Returns `None` if the service does not return the region.
async fn phone_region(client: &Client, call: &Call) -> Option<String> {
    let id = call.path.strip_prefix("/admin/v1/businesses/")?.split('/').next()?;
    let business = record::one(client, &Path::businesses().then(id)).await.ok()?;
    let region = business.get("phone_region")?.as_str().map(one_line)?;
    Some(format!(
        "the service reads national phone numbers of this business as numbers in {region}; to change the region, run \
         `receptionist business update {id} --phone-region REGION`, or write the number as +COUNTRY NUMBER"
    ))
}

fn one(answer: &Answer) -> Result<Record, Failure> {
    answer.read().map(|one: One| one.data)
}

/// The unchanged body, which must be JSON or empty.
fn raw(answer: &Answer) -> Result<String, Failure> {
    if answer.body.is_empty() {
        return Ok(String::new());
    }
    let _: serde::de::IgnoredAny = answer.read()?;
    Ok(answer.text())
}
