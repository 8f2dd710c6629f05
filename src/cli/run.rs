//! Executes a command: resolves its texts, sends the requests and prints the response.

use std::process::ExitCode;
use std::time::SystemTime;

use chrono::NaiveDate;

use super::carry_out::{CommandFailure, failure_json};
use super::client::{Answer, CALL_TIMEOUT, Client, ClientError};
use super::confirm::{ConfirmError, confirm};
use super::contact_import::{ImportError, import};
use super::holiday_import::{self, Closed, ClosedDay, HolidayError};
use super::options::{OperatorOptions, OptionsError};
use super::person::about_link;
use super::problems::{Flags, Hint, hints, told};
use super::record::{ApiError, One, Page, Record, one_line};
use super::request::{Call, Path};
use super::resolve::{ResolveError, resolve};
use super::shown::Look;
use super::task::{ContactTable, Rows, Show, Task};
use super::walk::{WalkError, Walked, read, walk};
use super::{OperatorCommand, print, walk};

#[derive(Debug, thiserror::Error)]
pub(super) enum RunError {
    #[error(transparent)]
    Options(#[from] OptionsError),
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Walk(#[from] WalkError),
    #[error(transparent)]
    Import(#[from] ImportError),
    #[error(transparent)]
    Holidays(#[from] HolidayError),
    /// An error response, with the names of the command's flags.
    #[error("{0}")]
    Refused(String),
    #[error(
        "the service refuses the operator's token of {origin}; set the service's data directory with --data-dir, or its token with --admin-token"
    )]
    TokenRefused { origin: String },
    #[error(transparent)]
    Confirm(#[from] ConfirmError),
    #[error("cannot write to standard output: {0}")]
    Output(#[source] std::io::Error),
    #[error("cannot start the runtime: {0}")]
    Runtime(#[source] std::io::Error),
}

impl CommandFailure for RunError {
    fn exit_status(&self) -> u8 {
        match self {
            Self::Options(error) => error.exit_status(),
            Self::Confirm(ConfirmError::NoTerminal) => 2,
            Self::Resolve(error) if error.is_of_the_command() => 2,
            _ => 1,
        }
    }

    fn refusal(&self) -> Option<&ApiError> {
        match self {
            Self::Client(error)
            | Self::Confirm(ConfirmError::Client(error))
            | Self::Walk(WalkError::Client(error)) => error.refusal(),
            Self::Resolve(error) => error.refusal(),
            _ => None,
        }
    }
}

impl RunError {
    /// Whether the service refused the operator's token.
    fn is_for_the_token(&self) -> bool {
        self.refusal().is_some_and(|refused| refused.code == "unauthorized")
    }
}

/// The output of a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Printed {
    /// For standard output.
    pub(super) output: String,
    /// For standard error.
    pub(super) note: Option<String>,
}

/// Executes a command and prints its output. Exit status 1 for a failed request, 2 for an invalid command or
/// setting.
pub fn operate(command: OperatorCommand, flags: &Flags) -> ExitCode {
    let (task, options) = command.into_parts();
    let json = options.json;
    let carried_out = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(RunError::Runtime)
        .and_then(|runtime| runtime.block_on(Box::pin(carry_out(task, options, flags))));
    match carried_out {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if json {
                print::note(&failure_json(&error).to_string());
            } else {
                print::error(&error.to_string());
            }
            ExitCode::from(error.exit_status())
        }
    }
}

async fn carry_out(mut task: Task, options: OperatorOptions, flags: &Flags) -> Result<(), RunError> {
    let access = options.access()?;
    let origin = access.origin.clone();
    let client = Client::admitted(access, CALL_TIMEOUT).await;
    let printed = match tried(&client, &mut task, options.json).await {
        Ok(printed) => printed,
        Err(error) if options.json => return Err(error),
        Err(error) if error.is_for_the_token() => return Err(RunError::TokenRefused { origin }),
        Err(error) => return Err(explained(&client, error, &task.request.call(), flags).await),
    };
    print::output(&printed.output).map_err(RunError::Output)?;
    if let Some(note) = printed.note {
        print::note(&note);
    }
    Ok(())
}

/// Resolves the texts, prints the notes about them, and sends the request.
async fn tried(client: &Client, task: &mut Task, json: bool) -> Result<Printed, RunError> {
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

/// Sends the request, or one for each page of a list, and builds the output.
pub(super) async fn perform(
    client: &Client,
    task: &Task,
    json: bool,
    look: Look,
) -> Result<Printed, RunError> {
    let call = task.request.call();
    if let Show::List { rows, part } = &task.show {
        let walked = walk(client, &call, part).await?;
        return if json { whole(&walked) } else { Ok(rows_of(walked.list, rows, look)) };
    }
    let answer = client.send(call.method.clone(), &call.target(&[]), call.body.as_ref()).await?;
    if let Show::Contacts(table) = &task.show {
        return contacts(client, table, &call, &one(&answer)?, json).await;
    }
    if let Show::Holidays(file) = &task.show {
        let now = SystemTime::now().into();
        let closed = holiday_import::import(client, file, &call, &one(&answer)?, now).await?;
        return Ok(holidays(&closed, file.dry_run, json));
    }
    let (output, note) = match &task.show {
        Show::Done(_) if json => (raw(&answer)?, None),
        Show::Done(done) => (String::new(), Some((*done).to_owned())),
        _ if json => (raw(&answer)?, None),
        Show::ByField(columns) => (look.by_field(columns, &one(&answer)?), None),
        Show::RecordWithNote(note) => (look.record(&one(&answer)?), Some((*note).to_owned())),
        Show::RecordWithLink => {
            let record = one(&answer)?;
            (look.record(&record), Some(about_link(&record).to_owned()))
        }
        Show::Record | Show::List { .. } | Show::Contacts(_) | Show::Holidays(_) => {
            (look.record(&one(&answer)?), None)
        }
    };
    Ok(Printed { output, note })
}

/// The output of an import of contacts.
async fn contacts(
    client: &Client,
    table: &ContactTable,
    call: &Call,
    business: &Record,
    json: bool,
) -> Result<Printed, RunError> {
    let imported = import(client, table, call, business).await?;
    let (made, there) = (imported.made, imported.there_count());
    let output = if json {
        format!("{}\n", serde_json::json!({"data": {"made": made, "there": there}}))
    } else {
        let verb = if table.dry_run { "would create" } else { "created" };
        let contacts = print::count(made, "contact", "contacts");
        format!("{verb} {contacts}; existing contacts: {there}\n")
    };
    Ok(Printed { output, note: imported.note() })
}

/// The output of an import of holidays.
fn holidays(closed: &Closed, dry_run: bool, json: bool) -> Printed {
    let Closed { made, there } = closed;
    if json {
        let named =
            |date: &NaiveDate, note: &str| serde_json::json!({"date": date.to_string(), "note": note});
        let day = |ClosedDay { date, note, affected, ids }: &ClosedDay| {
            let mut day = named(date, note);
            day["affected"] = serde_json::json!({"count": affected, "ids": ids});
            day
        };
        let (made, there): (Vec<_>, Vec<_>) =
            (made.iter().map(day).collect(), there.iter().map(|(date, note)| named(date, note)).collect());
        let said = serde_json::json!({"data": {"made": made, "there": there}});
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

/// A list as JSON: a single page unchanged, several pages as one.
fn whole(walked: &Walked) -> Result<Printed, RunError> {
    let output = match serde_json::to_string(&walked.list) {
        Ok(text) if walked.pages > 1 => format!("{text}\n"),
        _ => raw(&walked.first)?,
    };
    Ok(Printed { output, note: None })
}

fn rows_of(list: Page, rows: &Rows, look: Look) -> Printed {
    let more = list.next_cursor.map(|cursor| format!("there is more: --cursor {}", one_line(&cursor)));
    match rows {
        Rows::Table(columns) => Printed { output: look.table(columns, &list.data), note: more },
        Rows::TimeOff(zone) => Printed { output: look.time_off(*zone, list.data), note: more },
        Rows::Times(zone) => {
            let none = if list.data.is_empty() { "no open times" } else { "open times" };
            let said = format!("{none} in {zone}; --json shows instants");
            Printed { output: look.times(*zone, &list.data), note: Some(more.unwrap_or(said)) }
        }
    }
}

/// The error with the names of the command's flags and with hints.
pub(super) async fn explained(client: &Client, error: RunError, call: &Call, flags: &Flags) -> RunError {
    let Some(refused) = error.refusal() else { return error };
    let mut text = told(refused, call, flags);
    let mut helps: Vec<String> = Vec::new();
    for hint in hints(refused, call, flags) {
        let said = match hint {
            Hint::Said(said) => Some(said),
            Hint::PhoneRegion => phone_region(client, call).await,
        };
        helps.extend(said);
    }
    for hint in helps {
        text.push_str(&format!("\nhint: {hint}"));
    }
    RunError::Refused(text)
}

/// A hint about the region of national phone numbers. `None` if the service does not return it.
async fn phone_region(client: &Client, call: &Call) -> Option<String> {
    let id = call.path.strip_prefix("/admin/v1/businesses/")?.split('/').next()?;
    let business = walk::one(client, &Path::businesses().then(id)).await.ok()?;
    let region = business.get("phone_region")?.as_str().map(one_line)?;
    Some(format!(
        "national numbers of this business are read as in {region}; \
         `receptionist business update {id} --phone-region REGION` changes that, or write +COUNTRY NUMBER"
    ))
}

fn one(answer: &Answer) -> Result<Record, ClientError> {
    read(answer).map(|one: One| one.data)
}

/// The unchanged body, which must be JSON or empty, with a line feed at the end.
fn raw(answer: &Answer) -> Result<String, ClientError> {
    if answer.body.is_empty() {
        return Ok(String::new());
    }
    let _: serde::de::IgnoredAny = read(answer)?;
    let text = String::from_utf8_lossy(&answer.body);
    Ok(format!("{}\n", text.trim_end()))
}
