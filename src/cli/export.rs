//! `export`: writes businesses as lines, of the running service where one uses the data directory, else of its store.
//!
//! What always holds: what is written is whole or not there ([`WholeFile`]); of what is written one step of records is in
//! memory.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use actors::counting::Differences;
use actors::domain::Business;
use actors::moving::{Leaving, LeftOut, Moved, Which, meant};
use actors::ports::system_clock;
use actors::store::{Store, StoreError};
use clap::Args;

use super::client::{CALL_TIMEOUT, Client, ClientError};
use super::options::{OperatorOptions, OptionsError};
use super::print;
use super::record::ApiError;
use super::request;
use super::resolve::{ResolveError, resolve};
use super::stopped::{CommandFailure, carry_out, on_store};
use super::task::Task;
use super::typed::{Kind, Typed};
use super::whole_file::{WholeFile, WriteError};
use crate::config::variables;
use crate::moving;

/// The options of `export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Only this business, by its id or its whole name [default: all]
    #[arg(long, value_name = "BUSINESS")]
    business: Option<String>,
    /// A file that is not there yet [default: standard output]
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Webhook endpoints too, with the secrets that their deliveries are signed with
    #[arg(long)]
    with_secrets: bool,
    #[command(flatten)]
    options: OperatorOptions,
}

/// Why nothing was exported.
#[derive(Debug, thiserror::Error)]
enum CommandError {
    #[error("{variable}: {source}", variable = variables::DATA_DIR)]
    Store {
        #[from]
        source: StoreError,
    },
    #[error(
        "{variable}: there is no store in {}; a service elsewhere is told by --admin-url or --admin-listen, with its token",
        .dir.display(), variable = variables::DATA_DIR
    )]
    NoStore { dir: PathBuf },
    #[error("--business: {0}")]
    Business(String),
    #[error(
        "the export is incomplete: {0}; it has no last line, so no import takes it (`receptionist verify` names all that is \
         wrong with a stopped store)"
    )]
    Incomplete(Differences),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Options(#[from] OptionsError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Resolve(#[from] ResolveError),
}

impl CommandFailure for CommandError {
    fn exit_status(&self) -> u8 {
        if let Self::Options(error) = self { error.exit_status() } else { 1 }
    }

    fn refusal(&self) -> Option<&ApiError> {
        match self {
            Self::Client(error) => error.refusal(),
            Self::Resolve(error) => error.refusal(),
            _ => None,
        }
    }
}

/// Exports, and notes what stays behind. Exit code 1 when that cannot be done, 2 when a setting is bad.
pub fn export(args: ExportArgs) -> ExitCode {
    let as_json = args.options.json;
    carry_out(as_json, Box::pin(run(args)))
}

async fn run(args: ExportArgs) -> Result<ExitCode, CommandError> {
    let mut to = WholeFile::begin(args.to.as_deref())?;
    let note = match args.options.stopped_data_dir() {
        None => of_service(&args, &mut to).await?,
        // Opening would make one.
        Some(dir) if !dir.is_dir() => return Err(CommandError::NoStore { dir }),
        Some(dir) => match on_store(&dir, async |store| of_store(store, &args, &mut to)).await {
            Err(CommandError::Store { source: StoreError::InUse(_) }) => of_service(&args, &mut to).await?,
            exported => exported?,
        },
    };
    to.finish()?;
    print::note(&note);
    Ok(ExitCode::SUCCESS)
}

/// What the running service gives.
async fn of_service(args: &ExportArgs, to: &mut WholeFile) -> Result<String, CommandError> {
    let client = Client::admitted(args.options.access()?, CALL_TIMEOUT).await;
    let mut target = match &args.business {
        None => "/admin/v1/export".to_owned(),
        Some(text) => {
            let business = Typed::new("--business", Kind::Business, text.clone());
            let mut task = Task::get(request::Path::business(business, &["export"]));
            for note in resolve(&client, &mut task, SystemTime::now().into()).await? {
                print::note(&note);
            }
            task.request.call().target(&[])
        }
    };
    if args.with_secrets {
        target.push_str("?with_secrets=true");
    }
    let (mut lines, mut pieces, mut problems) = (0_u64, moving::Lines::default(), Differences::default());
    let taken = client.lines(&target, |bytes| {
        pieces.push(bytes);
        while let Some(line) = pieces.next() {
            lines += 1;
            // A name or a text of a customer contains no quotation mark that is not escaped.
            if line.starts_with(b"{\"kind\":\"problem\"")
                && let Some(problem) = moving::problem_in(&line)
            {
                problems.add(problem);
            }
        }
        to.write(bytes).map_err(CommandError::from)
    });
    let taken = taken.await;
    if !problems.is_empty() {
        return Err(CommandError::Incomplete(problems));
    }
    taken?;
    let lines = print::count(lines, "line", "lines");
    let mut note = format!("exported {lines} of the running service");
    note.push_str("\nleft out API keys: make new ones where the businesses go");
    if !args.with_secrets {
        note.push_str("\nleft out webhook endpoints: --with-secrets takes them along");
    }
    Ok(note)
}

/// What lies in a store that no service runs on.
fn of_store(store: &Store, args: &ExportArgs, to: &mut WholeFile) -> Result<String, CommandError> {
    let businesses = chosen(store, args.business.as_deref())?;
    let (mut records, mut left_out, mut problems) = (0_u64, LeftOut::default(), Differences::default());
    to.write(moving::head(system_clock().now()).as_bytes())?;
    for business in &businesses {
        let mut leaving = Leaving::of(business.clone(), args.with_secrets);
        loop {
            let moved = leaving.next(store, store.rows())?;
            if moved.is_empty() {
                break;
            }
            for moved in moved {
                records += u64::from(!matches!(moved, Moved::End { .. }));
                to.write(moving::line(&moved).as_bytes())?;
            }
        }
        let left = leaving.left_out();
        left_out.keys += left.keys;
        left_out.endpoints += left.endpoints;
        leaving.differences().into_iter().for_each(|difference| problems.add(difference));
    }
    if !problems.is_empty() {
        for problem in &problems.listed {
            to.write(moving::problem(problem).as_bytes())?;
        }
        return Err(CommandError::Incomplete(problems));
    }
    let count = businesses.len() as u64;
    to.write(moving::end(count).as_bytes())?;
    let businesses = print::count(count, "business", "businesses");
    let mut note = format!("exported {businesses}, {}", print::count(records, "record", "records"));
    if left_out.keys > 0 {
        let keys = print::count(left_out.keys, "API key", "API keys");
        note.push_str(&format!("\nleft out {keys}: make new ones where the businesses go"));
    }
    let unreadable = store.rows_set_aside() as u64;
    if unreadable > 0 {
        let rows = print::count(unreadable, "row", "rows");
        note.push_str(&format!("\nleft out {rows} that do not decode: `receptionist verify` names them"));
    }
    if args.business.is_none() {
        for (business, reason) in store.businesses_set_aside() {
            note.push_str(&format!("\nleft out business {business}, which is set aside: {reason}"));
        }
    }
    if left_out.endpoints > 0 {
        let endpoints = print::count(left_out.endpoints, "webhook endpoint", "webhook endpoints");
        note.push_str(&format!("\nleft out {endpoints}: --with-secrets takes them along"));
    }
    Ok(note)
}

/// The businesses that are meant, one at least where one was named.
fn chosen(store: &Store, text: Option<&str>) -> Result<Vec<Business>, CommandError> {
    let which = match text {
        None => Which::All,
        Some(text) => text.parse().map_or_else(|_| Which::Named(text.to_owned()), Which::Id),
    };
    let businesses = meant(store, &which)?;
    match (text, &businesses[..]) {
        (Some(text), []) => Err(CommandError::Business(format!("there is no business {text:?}"))),
        (Some(text), several @ [_, _, ..]) => {
            let ids: Vec<String> = several.iter().map(|business| business.id.to_string()).collect();
            Err(CommandError::Business(format!("several are called {text:?}: {}", ids.join(", "))))
        }
        _ => Ok(businesses),
    }
}
