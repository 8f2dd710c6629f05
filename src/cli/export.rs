//! `export`: writes businesses of the running service as lines.
//!
//! Invariant: the output file exists only if the export is complete ([`WholeFile`]).

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use clap::Args;
use engine::counting::Differences;

use super::carry_out::{Failure, carry_out};
use super::client::{CALL_TIMEOUT, Client};
use super::files::WholeFile;
use super::options::OperatorOptions;
use super::print;
use super::request;
use super::resolve::resolve;
use super::task::Task;
use super::typed::{Kind, Typed};
use crate::moving;

#[derive(Args)]
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

/// Exports, and reports the omitted records. Exit code 1 when that cannot be done, 2 when a setting is bad.
pub fn export(args: ExportArgs) -> ExitCode {
    let as_json = args.options.json;
    carry_out(as_json, Box::pin(run(args)))
}

async fn run(args: ExportArgs) -> Result<(), Failure> {
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
            // A name or a text of a customer contains no quotation mark that is not escaped.
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
