//! `import`: has the running service read businesses that `export` has written.
//!
//! What always holds: every line is good, or nothing is imported and each problem is told with its line, up to
//! [`PROBLEMS_MAX`].

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Deserialize;

use super::carry_out::{CommandFailure, carry_out};
use super::client::{CALL_TIMEOUT, Client, ClientError};
use super::options::{OperatorOptions, OptionsError};
use super::print;
use super::record::ApiError;
use crate::moving::PROBLEMS_MAX;

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
    /// Not supported any more: the service finishes or takes back an interrupted import when it starts
    #[arg(long, hide = true)]
    settle: bool,
    #[command(flatten)]
    options: OperatorOptions,
}

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
enum CommandError {
    #[error(
        "--settle is not supported any more: the service finishes or takes back an interrupted import when it starts; start \
         `receptionist serve`"
    )]
    Settle,
    #[error(transparent)]
    Options(#[from] OptionsError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("cannot read {}: {source}", .file.display())]
    Read { file: PathBuf, source: io::Error },
    #[error("cannot write to standard output: {0}")]
    Output(#[source] io::Error),
}

/// What came of an import.
enum Outcome {
    /// It was carried out, or would be; this says how much it is.
    Done(String),
    /// These stand in its way, each with its place.
    Bad(Vec<String>),
}

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
    match imported(&args).await? {
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

/// Has the running service import.
async fn imported(args: &ImportArgs) -> Result<Outcome, CommandError> {
    if args.settle {
        return Err(CommandError::Settle);
    }
    let input: Box<dyn Read + Send> = match &args.from {
        None => Box::new(io::stdin()),
        Some(file) => {
            let open = File::open(file);
            Box::new(open.map_err(|source| CommandError::Read { file: file.clone(), source })?)
        }
    };
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
    Ok(Outcome::Done(said(&data, args.dry_run)))
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
fn said(data: &ImportedData, dry_run: bool) -> String {
    let businesses = print::count(data.businesses, "business", "businesses");
    let records = print::count(data.records, "record", "records");
    let count = format!("{businesses}, {records}, as they were on {}", data.exported_at);
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
