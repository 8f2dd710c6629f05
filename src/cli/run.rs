//! Carrying a command out: the request or requests, and what is printed of the answer.

use std::process::ExitCode;

use super::client::{Answer, CALL_TIMEOUT, Client, ClientError};
use super::options::OptionsError;
use super::record::{One, Page, Record, one_line};
use super::task::{Part, Request, Show, Task};
use super::{OperatorCommand, print};

/// The most pages that a command gathers, to the end of a list when it is not told a limit, else to the first row.
pub(super) const WALK_PAGES_MAX: usize = 1000;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum RunError {
    #[error(transparent)]
    Options(#[from] OptionsError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("the list has more than {WALK_PAGES_MAX} pages; narrow it, or walk it with --limit and --cursor")]
    ListTooLong,
    #[error("cannot write to standard output: {0}")]
    Output(#[source] std::io::Error),
    #[error("cannot start the runtime: {0}")]
    Runtime(#[source] std::io::Error),
}

impl RunError {
    /// 2 where the command was not even tried, 1 where it failed.
    pub(super) fn exit_status(&self) -> u8 {
        match self {
            Self::Options(_) => 2,
            Self::Client(_) | Self::ListTooLong | Self::Output(_) | Self::Runtime(_) => 1,
        }
    }
}

/// What a command prints.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Printed {
    /// For standard output.
    pub(super) output: String,
    /// For standard error.
    pub(super) note: Option<String>,
}

/// Carries a command out and prints what came of it. Exit status 1 if the request failed, 2 if a setting is bad.
pub fn operate(command: OperatorCommand) -> ExitCode {
    let carried_out = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(RunError::Runtime)
        .and_then(|runtime| runtime.block_on(Box::pin(carry_out(command))));
    match carried_out {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print::note(&error.to_string());
            ExitCode::from(error.exit_status())
        }
    }
}

async fn carry_out(command: OperatorCommand) -> Result<(), RunError> {
    let (task, options) = command.into_parts();
    let client = Client::new(options.access()?, CALL_TIMEOUT);
    let printed = perform(&client, &task, options.json).await?;
    print::output(&printed.output).map_err(RunError::Output)?;
    if let Some(note) = printed.note {
        print::note(&note);
    }
    Ok(())
}

/// Makes the request, or one for each page of a list, and says what is to be printed.
pub(super) async fn perform(client: &Client, task: &Task, json: bool) -> Result<Printed, RunError> {
    let Request { method, path, body } = &task.request;
    if let Show::Table { columns, part } = &task.show {
        return list(client, path, columns, part, json).await;
    }
    let answer = client.send(method.clone(), path, body.as_ref()).await?;
    let (output, note) = match &task.show {
        Show::Done(_) if json => (raw(&answer)?, None),
        Show::Done(done) => (String::new(), Some((*done).to_owned())),
        _ if json => (raw(&answer)?, None),
        Show::ByField(columns) => (print::by_field(columns, &one(&answer)?), None),
        Show::RecordWithNote(note) => (print::record(&one(&answer)?), Some((*note).to_owned())),
        Show::Record | Show::Table { .. } => (print::record(&one(&answer)?), None),
    };
    Ok(Printed { output, note })
}

async fn list(
    client: &Client,
    path: &str,
    columns: &[&str],
    part: &Part,
    json: bool,
) -> Result<Printed, RunError> {
    let page = |cursor: Option<String>| async move {
        client.send(hyper::Method::GET, &part.target(path, cursor.as_deref()), None).await
    };
    let first = page(None).await?;
    let mut list: Page = read(&first)?;
    let mut pages = 1;
    // A page may be empty though there is more behind it.
    while list.has_more && (part.is_whole() || list.data.is_empty()) {
        if pages == WALK_PAGES_MAX {
            return Err(RunError::ListTooLong);
        }
        let Some(cursor) = list.next_cursor.take() else {
            return Err(ClientError::NotOfTheForm { status: first.status }.into());
        };
        let page: Page = read(&page(Some(cursor)).await?)?;
        list.data.extend(page.data);
        (list.next_cursor, list.has_more) = (page.next_cursor, page.has_more);
        pages += 1;
    }
    if json {
        // One page as the service wrote it; of several, the one that has all their rows.
        let output = match serde_json::to_string(&list) {
            Ok(text) if pages > 1 => format!("{text}\n"),
            _ => raw(&first)?,
        };
        return Ok(Printed { output, note: None });
    }
    let note = list.next_cursor.map(|cursor| format!("there is more: --cursor {}", one_line(&cursor)));
    Ok(Printed { output: print::table(columns, &list.data), note })
}

fn one(answer: &Answer) -> Result<Record, ClientError> {
    read(answer).map(|one: One| one.data)
}

fn read<T: serde::de::DeserializeOwned>(answer: &Answer) -> Result<T, ClientError> {
    serde_json::from_slice(&answer.body).map_err(|_| ClientError::NotOfTheForm { status: answer.status })
}

/// The body as it came, which must be JSON or nothing, ended by a line feed.
fn raw(answer: &Answer) -> Result<String, ClientError> {
    if answer.body.is_empty() {
        return Ok(String::new());
    }
    let _: serde::de::IgnoredAny = read(answer)?;
    let text = String::from_utf8_lossy(&answer.body);
    Ok(format!("{}\n", text.trim_end()))
}
