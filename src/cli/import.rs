//! `import`: reads businesses that `export` has written, into the store of a stopped service, or by the running one.
//!
//! What always holds: every line is good, or nothing is imported and each problem is told with its line, up to
//! [`PROBLEMS_MAX`]; one piece of the file is in memory.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::ExitCode;

use actors::moving::{Import, ImportOptions, MoveError, Settled, settle};
use actors::ports::Ports;
use actors::store::{Store, StoreError};
use clap::Args;
use serde::Deserialize;

use super::client::{CALL_TIMEOUT, Client, ClientError};
use super::options::{OperatorOptions, OptionsError};
use super::print;
use super::record::ApiError;
use super::stopped::{CommandFailure, carry_out, on_store};
use crate::config::variables;
use crate::english;
use crate::moving::{Lines, PROBLEMS_MAX, Taking, place};

/// How much is read at once.
const PIECE_BYTES: usize = 64 << 10;

/// The options of `import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The file to read [default: standard input]
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Only tell whether it can be imported, and what stands in the way
    #[arg(long)]
    dry_run: bool,
    /// Erase contacts again who were erased here, and leave out what tells of them; without it they are refused
    #[arg(long)]
    erase_again: bool,
    /// Read nothing: only finish or take back an import that broke off, which every import and every start of the service
    /// does first
    #[arg(long, conflicts_with_all = ["from", "dry_run", "erase_again"])]
    settle: bool,
    #[command(flatten)]
    options: OperatorOptions,
}

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
enum CommandError {
    #[error("{variable}: {source}", variable = variables::DATA_DIR)]
    Move {
        #[from]
        source: MoveError,
    },
    #[error("--settle: the service settles by itself when it starts; stop it, or leave that to it")]
    Running,
    #[error(transparent)]
    Options(#[from] OptionsError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("cannot read {file}: {source}")]
    Read { file: String, source: io::Error },
    #[error("SSL_CERT_FILE: {0}")]
    Ports(String),
    #[error("cannot write to standard output: {0}")]
    Output(#[source] io::Error),
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        MoveError::from(error).into()
    }
}

/// What came of an import.
enum Outcome {
    /// It was carried out, or would be; this says how much it is.
    Done(String),
    /// These stand in its way, each with its place.
    Bad(Vec<String>),
}

/// What the lines come from.
type Input = Box<dyn Read + Send>;

impl CommandFailure for CommandError {
    fn exit_status(&self) -> u8 {
        if let Self::Options(error) = self { error.exit_status() } else { 1 }
    }

    fn refusal(&self) -> Option<&ApiError> {
        if let Self::Client(error) = self { error.refusal() } else { None }
    }
}

/// Imports and says how much. Exit code 1 when that cannot be done, by lines that are not good among others, 2 when a
/// setting is bad.
pub fn import(args: ImportArgs) -> ExitCode {
    let as_json = args.options.json;
    carry_out(as_json, Box::pin(run(args)))
}

async fn run(args: ImportArgs) -> Result<ExitCode, CommandError> {
    let input: Input = match &args.from {
        _ if args.settle => Box::new(io::empty()),
        None => Box::new(io::stdin()),
        Some(file) => Box::new(File::open(file).map_err(|source| unreadable(&args, source))?),
    };
    match imported(&args, input).await? {
        Outcome::Done(said) => {
            print::output(&said).map_err(CommandError::Output)?;
            Ok(ExitCode::SUCCESS)
        }
        Outcome::Bad(wrong) => {
            print::note(&told(&wrong));
            Ok(ExitCode::FAILURE)
        }
    }
}

async fn imported(args: &ImportArgs, mut input: Input) -> Result<Outcome, CommandError> {
    if let Some(dir) = args.options.stopped_data_dir() {
        let ports = Ports::system().map_err(|error| CommandError::Ports(error.to_string()))?;
        match on_store(&dir, async |store| within(store, &ports, args, &mut input).await).await {
            Err(CommandError::Move { source: MoveError::Store(StoreError::InUse(_)) }) => {}
            imported => return imported,
        }
    }
    if args.settle { Err(CommandError::Running) } else { by_service(args, input).await }
}

fn unreadable(args: &ImportArgs, source: io::Error) -> CommandError {
    let file = args.from.as_ref().map_or("standard input".into(), |file| file.display().to_string());
    CommandError::Read { file, source }
}

async fn within(
    store: &Store,
    ports: &Ports,
    args: &ImportArgs,
    input: impl Read,
) -> Result<Outcome, CommandError> {
    let settled = match settle(store).await? {
        Settled::Nothing => None,
        Settled::TakenBack(count) => {
            let businesses = print::count(count, "business", "businesses");
            Some(format!("took back {businesses} of an import that broke off"))
        }
        Settled::Finished(count) => {
            let businesses = print::count(count, "business", "businesses");
            Some(format!("finished an import that broke off: opened {businesses}"))
        }
    };
    if args.settle {
        let said = settled.unwrap_or("no import has broken off".into());
        return Ok(Outcome::Done(format!("{said}\n")));
    }
    settled.iter().for_each(|said| print::note(said));
    let options = ImportOptions { erase_again: args.erase_again };
    let mut import = Import::begin(store, ports, options).await?;
    let taking = match take(&mut import, input).await {
        Ok(taking) => taking,
        Err(error) => {
            import.take_back().await?;
            return Err(match error {
                TakeError::Move(error) => error.into(),
                TakeError::Read(source) => unreadable(args, source),
            });
        }
    };
    let wrong = taking.wrong();
    if !wrong.is_empty() {
        import.take_back().await?;
        let told =
            wrong.iter().map(|wrong| format!("{}: {}", place(wrong), english::problem(&wrong.problem.code)));
        return Ok(Outcome::Bad(told.collect()));
    }
    let exported_at = taking.exported_at().map(|at| at.to_string());
    let (businesses, records) = import.count();
    let said = said(businesses, records, exported_at.as_deref(), args.dry_run);
    if args.dry_run {
        import.take_back().await?;
    } else {
        let opened = import.finish().await?;
        assert!(opened, "an import without a problem is good");
    }
    Ok(Outcome::Done(said))
}

/// Why the lines were not taken to the end.
enum TakeError {
    Move(MoveError),
    Read(io::Error),
}

/// Takes line after line.
async fn take(import: &mut Import, mut input: impl Read) -> Result<Taking, TakeError> {
    let (mut taking, mut lines, mut bytes) = (Taking::default(), Lines::default(), vec![0; PIECE_BYTES]);
    loop {
        let read = match input.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map_err(TakeError::Read)?,
        };
        if read == 0 {
            break;
        }
        lines.push(&bytes[..read]);
        while let Some(line) = lines.next() {
            if !taking.line(import, &line).await.map_err(TakeError::Move)? {
                return Ok(taking);
            }
        }
    }
    if let Some(line) = lines.rest()
        && !taking.line(import, &line).await.map_err(TakeError::Move)?
    {
        return Ok(taking);
    }
    taking.end();
    Ok(taking)
}

/// Has the running service import.
async fn by_service(args: &ImportArgs, input: Input) -> Result<Outcome, CommandError> {
    let client = Client::admitted(args.options.access()?, CALL_TIMEOUT).await;
    let mut target = "/admin/v1/import".to_owned();
    for (at, name) in [(args.dry_run, "dry_run"), (args.erase_again, "erase_again")]
        .into_iter()
        .filter_map(|(asked, name)| asked.then_some(name))
        .enumerate()
    {
        target.push_str(&format!("{}{name}=true", if at == 0 { '?' } else { '&' }));
    }
    let answer = match client.send_lines(&target, input).await {
        Err(ClientError::Api(refused))
            if !refused.details.is_empty() && refused.code == "invalid_request" =>
        {
            let places = refused.details.iter().map(|detail| format!("{}: {}", detail.path, detail.message));
            return Ok(Outcome::Bad(places.collect()));
        }
        answer => answer?,
    };
    if args.options.json {
        return Ok(Outcome::Done(format!("{}\n", String::from_utf8_lossy(&answer.body))));
    }
    let Ok(Imported { data }) = serde_json::from_slice(&answer.body) else {
        return Err(ClientError::NotOfTheForm { status: answer.status }.into());
    };
    Ok(Outcome::Done(said(data.businesses, data.records, Some(&data.exported_at), args.dry_run)))
}

/// What the service answers.
#[derive(Deserialize)]
struct Imported {
    data: ImportedData,
}

#[derive(Deserialize)]
struct ImportedData {
    businesses: u64,
    records: u64,
    exported_at: String,
}

/// What is said of what was imported, or would be.
fn said(businesses: u64, records: u64, exported_at: Option<&str>, dry_run: bool) -> String {
    let businesses = print::count(businesses, "business", "businesses");
    let of = exported_at.map(|at| format!(", as they were on {at}")).unwrap_or_default();
    let count = format!("{businesses}, {}{of}", print::count(records, "record", "records"));
    if dry_run {
        format!("could import {count}; nothing was changed\n")
    } else {
        format!("imported {count}\n")
    }
}

/// What is said of the lines that are not good.
fn told(wrong: &[String]) -> String {
    let mut said: String = wrong.iter().map(|wrong| format!("{wrong}\n")).collect();
    if wrong.len() >= PROBLEMS_MAX {
        said.push_str("there may be more: the lines after that were not read\n");
    }
    said.push_str("nothing was imported");
    said
}
