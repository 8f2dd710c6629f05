//! Common code of commands that run to completion.
//!
//! Invariants: a failure is one line on standard error.

use std::fmt::Display;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::print;
use super::record::{ApiError, Detail};

pub(super) trait CommandFailure: Display {
    /// 1 if the command failed, 2 if it was not started.
    fn exit_status(&self) -> u8 {
        1
    }

    fn refusal(&self) -> Option<&ApiError> {
        None
    }
}

impl CommandFailure for String {}

/// A failure as JSON: the service's error unchanged, or an error of the command.
pub(super) fn failure_json(failure: &impl CommandFailure) -> Value {
    match failure.refusal() {
        Some(ApiError { code, message, details }) => {
            let detail = |detail: &Detail| json!({"path": detail.path, "message": detail.message});
            let details: Vec<Value> = details.iter().map(detail).collect();
            json!({"error": {"code": code, "message": message, "details": details}})
        }
        None => json!({"error": {"code": "command_failed", "message": failure.to_string()}}),
    }
}

/// Runs a command on its own runtime and prints a failure, as JSON if requested.
pub(super) fn carry_out<E: CommandFailure>(
    as_json: bool,
    act: impl Future<Output = Result<ExitCode, E>>,
) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            print::note(&format!("cannot start the runtime: {error}"));
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(act) {
        Ok(code) => code,
        Err(error) => {
            if as_json {
                print::note(&failure_json(&error).to_string());
            } else {
                print::error(&error.to_string().replace('\n', " "));
            }
            ExitCode::from(error.exit_status())
        }
    }
}
