//! The load harness: `cargo bench --bench load`. `-- --help` lists the options.
//!
//! It starts the release binary in a child process with a new data directory, sends requests over keep-alive
//! connections on loopback, and prints one table.
//!
//! Invariants:
//!
//! - Every response is checked, and a wrong response ends the harness.
//! - A scenario and its baseline are measured in the same run, on the same disk, with the same client.
//! - The server has its default settings, including its log. Only its rate limit is raised.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its results and errors")]

mod bookings;
mod calendars;
mod child;
mod client;
mod drive;
mod error;
mod floors;
mod group;
mod machine;
mod measure;
mod namespace;
mod neighbours;
mod one_slot;
mod options;
mod postgres;
mod process;
mod reads;
mod scripts;
mod shape;
mod shop;
mod sizes;
mod table;
mod webhooks;

use std::process::ExitCode;

use crate::bookings::Booked;
use crate::calendars::Calendars;
use crate::error::Result;
use crate::group::{Context, Group};
use crate::neighbours::{Delivering, Neighbours};
use crate::one_slot::OneSlot;
use crate::options::{HELP, Options};
use crate::reads::Reads;
use crate::sizes::Sizes;
use crate::table::Report;
use crate::webhooks::Webhooks;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(Into::into)
        .and_then(|runtime| runtime.block_on(run(arguments)));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\n{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Vec<String>) -> Result<()> {
    if let Some(("--child", rest)) = arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return child::run(rest).await;
    }
    let Some(options) = Options::parse(arguments)? else {
        print!("{HELP}");
        return Ok(());
    };
    // The harness opens thousands of connections, so it needs a high limit on open files.
    rlimit::increase_nofile_limit(u64::MAX)?;
    let work = tempfile::Builder::new().prefix("load-").tempdir_in(&options.dir)?;
    // PostgreSQL refuses to run as root, so it runs as another user, who must be able to enter the
    // directory.
    std::fs::set_permissions(work.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    let context = Context::new(options, work.path().to_owned());
    if context.options.list {
        for row in context.wanted(all_rows(&context)) {
            println!("{}", row.name);
        }
        println!("{}", neighbours::ELSEWHERE);
        return Ok(());
    }
    let mut report = Report::default();
    group::run::<Reads>(&context, &mut report).await?;
    group::run::<Booked>(&context, &mut report).await?;
    group::run::<OneSlot>(&context, &mut report).await?;
    namespace::measure_outside::<Webhooks>(&context, &mut report).await?;
    group::run::<Sizes>(&context, &mut report).await?;
    group::run::<Neighbours>(&context, &mut report).await?;
    namespace::measure_outside::<Delivering>(&context, &mut report).await?;
    namespace::measure_outside::<Calendars>(&context, &mut report).await?;
    print_results(&context, &report)
}

fn all_rows(context: &Context) -> Vec<table::Row> {
    [
        Reads::rows(context),
        Booked::rows(context),
        OneSlot::rows(context),
        Webhooks::rows(context),
        Sizes::rows(context),
        Neighbours::rows(context),
        Delivering::rows(context),
        Calendars::rows(context),
    ]
    .concat()
}

/// Prints the table, and writes the JSON file.
fn print_results(context: &Context, report: &Report) -> Result<()> {
    context.progress("done");
    let mut machine = machine::describe(&context.directory);
    machine.push(("server", process::binary().display().to_string()));
    println!("\n");
    for (name, value) in &machine {
        println!("{name}: {value}");
    }
    let (runs, period) = (context.options.runs, context.options.period);
    println!(
        "medians of {runs} runs of {:?} each after a warm-up of {:?}; the server has its default settings except for \
         the rate limit, and writes its log to a file; client and server run on the same machine\n",
        period.measured, period.warm_up
    );
    if context.options.quick {
        println!(
            "quick run: all sizes are 1 % of those in the row names, so the results are not meaningful\n"
        );
    }
    print!("{}", report.text());
    for note in &report.notes {
        println!("{note}");
    }
    if let Some(path) = &context.options.json {
        std::fs::write(path, serde_json::to_vec_pretty(&report.json(&machine))?)?;
    }
    Ok(())
}
