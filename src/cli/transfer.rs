//! `export` writes businesses of the running service as lines, and `import` sends such lines to the
//! service.
//!
//! Invariants: the output file of an export exists only if the export is complete ([`WholeFile`]). If a
//! line of an import is invalid, nothing is imported, and up to [`moving::PROBLEMS_MAX`] problems are printed with the
//! numbers of their lines.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use clap::Args;
use engine::counting::Differences;
use serde::Deserialize;

use super::carry_out::{Failure, carry_out};
use super::client::{CALL_TIMEOUT, Client};
use super::files::WholeFile;
use super::options::OperatorOptions;
use super::print;
use super::record::{Detail, One};
use super::request;
use super::resolve::resolve;
use super::task::Task;
use super::typed::{Kind, Typed};
use crate::moving;

#[derive(Args)]
pub struct ExportArgs {
    /// Export only this business, by its id or full name [default: all businesses]
    #[arg(long, value_name = "BUSINESS")]
    business: Option<String>,
    /// The file to create; it must not exist [default: standard output]
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Also export webhook endpoints, with the secrets that sign their deliveries
    #[arg(long)]
    with_secrets: bool,
    #[command(flatten)]
    options: OperatorOptions,
}

/// Exports, and reports the omitted records. The exit code is 1 if the export fails, and 2 if a setting is invalid.
pub fn export(args: ExportArgs) -> ExitCode {
    let as_json = args.options.json;
    carry_out(as_json, Box::pin(run_export(args)))
}

async fn run_export(args: ExportArgs) -> Result<(), Failure> {
    let mut to = WholeFile::begin(args.to.as_deref())?;
    let access = args.options.access().map_err(|error| match &error.unused_dir {
        Some(dir) => Failure::new(format!(
            "{error}. If the service does not start on the store, `receptionist salvage --data-dir {} --to NEW` writes \
             the readable rows into a new one: start the service there and export again",
            dir.display()
        )),
        None => error,
    })?;
    let client = Client::admitted(access, CALL_TIMEOUT).await;
    let mut target = match &args.business {
        None => "/admin/v1/export".to_owned(),
        Some(text) => {
            let business = Typed::new("--business", Kind::Business, text.clone());
            let mut task = Task::get(request::Path::business(business, &["export"]));
            let notes = resolve(&client, &mut task, SystemTime::now().into()).await;
            let notes = notes.map_err(|failure| Failure { exit_status: 1, ..failure })?;
            notes.iter().for_each(|note| print::note(note));
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
            // Only a line that begins like this can report a problem, so other lines are not parsed.
            if line.starts_with(b"{\"kind\":\"problem\"")
                && let Some(problem) = moving::problem_in(&line)
            {
                problems.add(problem);
            }
        }
        Ok(to.write(bytes)?)
    });
    let taken = taken.await;
    if !problems.is_empty() {
        return Err(Failure::new(format!(
            "the export is incomplete: {problems}; it has no last line, so it cannot be imported (`receptionist \
             verify` lists all damage of a stopped store)"
        )));
    }
    taken?;
    to.finish()?;
    let lines = print::count(lines, "line", "lines");
    let mut note = format!("exported {lines} of the running service");
    note.push_str("\nAPI keys are not included: create new ones in the other service");
    if !args.with_secrets {
        note.push_str("\nwebhook endpoints are not included: use --with-secrets to include them");
    }
    print::note(&note);
    Ok(())
}

#[derive(Args)]
pub struct ImportArgs {
    /// The file to read [default: standard input]
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Only check whether the file can be imported, and print the problems
    #[arg(long)]
    dry_run: bool,
    /// Skip contacts that were erased in this service, and leave out their data in other records; without
    /// this flag, the import is refused if it contains such contacts
    #[arg(long)]
    erase_again: bool,
    /// Not supported any more: the service finishes or rolls back an interrupted import when it starts
    #[arg(long, hide = true)]
    settle: bool,
    #[command(flatten)]
    options: OperatorOptions,
}

#[derive(Deserialize)]
struct Imported {
    businesses: u64,
    records: u64,
    exported_at: String,
    #[serde(default)]
    lost_slugs: Vec<String>,
}

/// Imports a file. The exit code is 1 if the import fails, for example because of an invalid line, and 2 if a setting
/// is invalid.
pub fn import(args: ImportArgs) -> ExitCode {
    let as_json = args.options.json;
    carry_out(as_json, Box::pin(run_import(args)))
}

async fn run_import(args: ImportArgs) -> Result<ExitCode, Failure> {
    if args.settle {
        return Err(Failure::new(
            "--settle is not supported any more: the service finishes or rolls back an interrupted import when it \
             starts; start `receptionist serve`",
        ));
    }
    let input: Box<dyn Read + Send> = match &args.from {
        None => Box::new(io::stdin()),
        Some(file) => {
            let open = File::open(file);
            Box::new(open.map_err(|error| format!("cannot read {}: {error}", file.display()))?)
        }
    };
    let client = Client::admitted(args.options.access()?, CALL_TIMEOUT).await;
    let ImportArgs { dry_run, erase_again, .. } = &args;
    let target = format!("/admin/v1/import?dry_run={dry_run}&erase_again={erase_again}");
    let answer = match client.send_lines(&target, input).await {
        Err(Failure { refusal: Some(refused), .. })
            if !refused.details.is_empty() && refused.code == "invalid_request" =>
        {
            print::note(&invalid_lines(&refused.details));
            return Ok(ExitCode::FAILURE);
        }
        answer => answer?,
    };
    if args.options.json {
        print::written(&answer.text())?;
    } else {
        let One { data } = answer.read()?;
        print::written(&said(&data, *dry_run))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn said(data: &Imported, dry_run: bool) -> String {
    let businesses = print::count(data.businesses, "business", "businesses");
    let records = print::count(data.records, "record", "records");
    let count = format!("{businesses}, {records}, as they were on {}", data.exported_at);
    let mut said = if dry_run {
        format!("could import {count}; nothing was changed\n")
    } else {
        format!("imported {count}\n")
    };
    if !data.lost_slugs.is_empty() {
        let slugs = data.lost_slugs.join(", ");
        said.push_str(&format!(
            "booking pages imported as disabled, since other businesses have their slugs; set new ones: {slugs}\n"
        ));
    }
    said
}

fn invalid_lines(wrong: &[Detail]) -> String {
    let mut said: String = wrong.iter().map(|wrong| format!("{}: {}\n", wrong.path, wrong.message)).collect();
    if wrong.len() >= moving::PROBLEMS_MAX {
        said.push_str("there may be more problems: the lines after the last one were not read\n");
    }
    said.push_str("nothing was imported");
    said
}
