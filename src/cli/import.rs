//! `import`: sends the businesses in a file of `export` to the running service, which imports them.
//!
//! Invariant: either every line is valid, or nothing is imported and each problem is printed with its line,
//! up to [`PROBLEMS_MAX`].

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Deserialize;

use super::carry_out::{Failure, carry_out};
use super::client::{CALL_TIMEOUT, Client};
use super::options::OperatorOptions;
use super::print;
use super::record::{Detail, One};
use crate::moving::PROBLEMS_MAX;

#[derive(Args)]
pub struct ImportArgs {
    /// The file to read [default: standard input]
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Only check whether the file can be imported, and print the problems
    #[arg(long)]
    dry_run: bool,
    /// Skip contacts that were erased here, and leave out their data in other records; without it they are
    /// refused
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
}

/// Exit code 1 on failure, for example because of an invalid line, and 2 for an invalid setting.
pub fn import(args: ImportArgs) -> ExitCode {
    let as_json = args.options.json;
    carry_out(as_json, Box::pin(run(args)))
}

async fn run(args: ImportArgs) -> Result<ExitCode, Failure> {
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
    if dry_run {
        format!("could import {count}; nothing was changed\n")
    } else {
        format!("imported {count}\n")
    }
}

fn invalid_lines(wrong: &[Detail]) -> String {
    let mut said: String = wrong.iter().map(|wrong| format!("{}: {}\n", wrong.path, wrong.message)).collect();
    if wrong.len() >= PROBLEMS_MAX {
        said.push_str("there may be more problems: the lines after the last one were not read\n");
    }
    said.push_str("nothing was imported");
    said
}
