//! `doctor`: checks whether the service can run here with these settings, and how to fix each problem.
//!
//! Invariants: the checks change nothing and send nothing, except the lookup of a given name. Each finding is
//! one line, with its advice on the next line. Exit code 0 without problems, 1 with problems.

mod checks;
mod finding;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

use clap::Args;

use self::finding::{Finding, Level, ok, problem};
use super::print;
use crate::config::{ServeArgs, Settings};

#[derive(Args)]
pub struct DoctorArgs {
    /// A public host name to resolve, as for a webhook [default: contact no name server]
    #[arg(long, value_name = "HOST")]
    resolve: Option<String>,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: ServeArgs,
}

/// Runs all checks. Exit code 1 if there is a problem.
pub fn doctor(args: DoctorArgs) -> ExitCode {
    let DoctorArgs { resolve, json, settings } = args;
    let (settings, checked) = match Settings::try_from(settings) {
        Ok(settings) => (ok("all settings are valid"), checks::all(&settings, resolve.as_deref())),
        Err(error) => {
            let advice = "correct the setting, or unset it to use its default; then run `receptionist doctor` again \
                          for the other checks";
            (problem(error.to_string(), advice), Vec::new())
        }
    };
    let settings = Finding { what: "settings", ..settings };
    let findings: Vec<Finding> = std::iter::once(settings).chain(checked).collect();
    let text = if json {
        serde_json::to_string_pretty(&findings).expect("a finding has string keys") + "\n"
    } else {
        findings.iter().map(Finding::to_string).collect()
    };
    let worst = findings.iter().map(|finding| finding.level).max();
    if let Err(failure) = print::written(&text) {
        return failure.exit(false);
    }
    if worst == Some(Level::Problem) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
