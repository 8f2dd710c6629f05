//! `doctor`: whether the service could run here with these settings, and what to do where it could not.
//!
//! What always holds: nothing is changed and nothing is sent, but for the look-up of a name that was given; each finding
//! is one line, with what to do on a line of its own; exit code 0 when nothing stands in the way, 1 when something does.

mod checks;
mod finding;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

use clap::Args;

use self::finding::{Finding, Level};
use super::print;
use crate::config::{ServeArgs, Settings};

/// The options of `doctor`: the settings of `serve`, given as they are to it, and how to tell.
#[derive(Args)]
pub struct DoctorArgs {
    /// A public name to look up, as is done for webhooks; without one nothing is asked of a name server
    #[arg(long, value_name = "HOST")]
    resolve: Option<String>,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: ServeArgs,
}

/// Looks at everything. Exit code 0 when nothing stands in the way of a start.
pub fn doctor(args: DoctorArgs) -> ExitCode {
    let DoctorArgs { resolve, json, settings } = args;
    let findings = match Settings::try_from(settings) {
        Ok(settings) => {
            let mut findings = vec![Finding::ok("settings", "all of them can be used")];
            findings.extend(checks::all(&settings, resolve.as_deref()));
            findings
        }
        Err(error) => vec![Finding::problem(
            "settings",
            error.to_string(),
            "set it right, or unset it to have its default; the rest is looked at then",
        )],
    };
    let text = if json {
        serde_json::to_string_pretty(&findings).expect("a finding has string keys") + "\n"
    } else {
        findings.iter().map(Finding::to_string).collect()
    };
    let worst = findings.iter().map(|finding| finding.level).max();
    if let Err(error) = print::output(&text) {
        print::note(&format!("cannot write to standard output: {error}"));
        return ExitCode::FAILURE;
    }
    if worst == Some(Level::Problem) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
