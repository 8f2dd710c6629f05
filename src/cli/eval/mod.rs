//! `eval` plays scripted callers against the receptionist, and judges each run by the records that it leaves.
//!
//! Invariants: each run has its own service with a store in memory. The clock of the service begins at the time of
//! the scenario. Nothing is sent, except the requests to the chat model if the settings name one.

#[cfg(test)]
mod faults;
mod judge;
mod play;
mod post;
mod scenario;
#[cfg(test)]
mod tests;

use std::num::NonZeroU32;
use std::process::ExitCode;

use clap::Args;

use self::play::Model;
use self::scenario::{Scenario, read};
use super::carry_out::{Failure, carry_out};
use super::print;
use crate::config::{ServeArgs, Settings};
use crate::rest::values::phone::load_numbering_plans;

#[derive(Args)]
pub struct EvalArgs {
    /// The YAML file with the scenarios, or - for standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// The number of runs of each scenario
    #[arg(long, value_name = "COUNT", default_value = "4")]
    runs: NonZeroU32,
    /// Play only the scenario with this name
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    #[command(flatten)]
    settings: ServeArgs,
}

/// Plays the scenarios. The exit code is 1 if a run failed, and 2 if the file or a setting is invalid.
pub fn eval(args: EvalArgs) -> ExitCode {
    carry_out(false, Box::pin(evaluated(args)))
}

async fn evaluated(args: EvalArgs) -> Result<ExitCode, Failure> {
    let EvalArgs { file, runs, only, settings } = args;
    let settings = Settings::try_from(settings)?;
    let model = settings.model.as_ref().map(Model::of).transpose()?;
    let scenarios = read(&file).map_err(Failure::usage)?;
    let wanted = |it: &&Scenario| only.as_ref().is_none_or(|only| it.name == *only);
    let wanted: Vec<&Scenario> = scenarios.iter().filter(wanted).collect();
    if wanted.is_empty() {
        let named = only.map_or_else(String::new, |only| format!(" with the name {only}"));
        return Err(Failure::usage(format!("the file has no scenario{named}")));
    }
    load_numbering_plans();
    let mut failed = 0;
    for scenario in &wanted {
        failed += evaluate(scenario, model.as_ref(), runs.get()).await?;
    }
    let all = wanted.len() as u64 * u64::from(runs.get());
    let said = print::count(wanted.len() as u64, "scenario", "scenarios");
    print::written(&format!(
        "{said}, {} passed, {failed} failed\n",
        print::count(all - failed, "run", "runs")
    ))?;
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Plays a scenario and prints the result. Returns the number of failed runs.
async fn evaluate(scenario: &Scenario, model: Option<&Model>, runs: u32) -> Result<u64, Failure> {
    let (mut failed, mut reasons) = (0, Vec::new());
    for _ in 0..runs {
        let found = match play::play(scenario, model).await {
            Ok(played) => judge::judge(&scenario.expect, &played),
            Err(error) => vec![error],
        };
        failed += u64::from(!found.is_empty());
        for reason in found {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
    }
    let (word, passed) = (if failed == 0 { "ok  " } else { "FAIL" }, u64::from(runs) - failed);
    let mut text = format!("{word}  {} ({passed} of {runs})\n", scenario.name);
    for reason in reasons {
        text.push_str(&format!("      {}\n", reason.replace('\n', "\n      ")));
    }
    print::written(&text)?;
    Ok(failed)
}
