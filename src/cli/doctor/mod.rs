//! `doctor` checks whether the service can run here with these settings, and says how to fix each problem.
//!
//! Invariants: the checks change nothing and send nothing, except a DNS query for the host name of `--resolve`. Each
//! finding is one line, with its advice on the next line. The exit code is 0 if there is no problem, and 1 if there is
//! one.

mod checks;
#[cfg(test)]
mod tests;

use std::fmt;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

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

/// Runs all checks. The exit code is 1 if there is a problem.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Ok,
    /// The service runs, but the operator should act.
    Warning,
    /// The service does not start, or a part of it does not work.
    Problem,
}

#[derive(Debug, Serialize)]
struct Finding {
    what: &'static str,
    level: Level,
    said: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

/// A finding of the level `Ok`. The caller sets its field `what`.
fn ok(said: impl Into<String>) -> Finding {
    Finding { what: "", level: Level::Ok, said: said.into(), advice: None }
}

fn warning(said: impl Into<String>, advice: impl Into<String>) -> Finding {
    Finding { level: Level::Warning, advice: Some(advice.into()), ..ok(said) }
}

fn problem(said: impl Into<String>, advice: impl Into<String>) -> Finding {
    Finding { level: Level::Problem, advice: Some(advice.into()), ..ok(said) }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Ok => "ok",
            Level::Warning => "warning",
            Level::Problem => "problem",
        };
        writeln!(f, "{level:<8} {}: {}", self.what, self.said)?;
        self.advice.as_ref().map_or(Ok(()), |advice| writeln!(f, "         -> {advice}"))
    }
}
