//! `doctor`: whether the service could run here with these settings, and what to do where it could not.
//!
//! What always holds: nothing is changed and nothing is sent, but for the look-up of a name that was given; each finding
//! is one line, with what to do on a line of its own; exit code 0 when nothing stands in the way, 1 when something does.

mod checks;
#[cfg(test)]
mod tests;

use std::fmt;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

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

/// How a finding stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Ok,
    /// The service runs, and something is not as it should be.
    Warning,
    /// The service does not start, or does not do what it is for.
    Problem,
}

/// What was found.
#[derive(Debug, Serialize)]
struct Finding {
    /// What was looked at.
    what: &'static str,
    level: Level,
    /// What is there.
    said: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

impl Finding {
    fn ok(what: &'static str, said: impl Into<String>) -> Self {
        Self { what, level: Level::Ok, said: said.into(), advice: None }
    }

    fn warning(what: &'static str, said: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { what, level: Level::Warning, said: said.into(), advice: Some(advice.into()) }
    }

    fn problem(what: &'static str, said: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { what, level: Level::Problem, said: said.into(), advice: Some(advice.into()) }
    }
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
