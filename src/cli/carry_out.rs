//! Common code of commands that run to completion.
//!
//! Invariant: a command that fails in [`carry_out`] prints one line on standard error.

use std::fmt::Display;
use std::path::PathBuf;
use std::process::{ExitCode, Termination};

use serde_json::json;

use super::print;
use super::record::ApiError;
use crate::config::ConfigError;

#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(super) struct Failure {
    pub(super) message: String,
    /// The exit status: 1 if the command failed, 2 if an invalid argument or setting prevented it.
    pub(super) exit_status: u8,
    /// The error response of the service.
    pub(super) refusal: Option<Box<ApiError>>,
    /// The data directory, if the command failed because no service runs on it. It is `None` after any other failure.
    pub(super) unused_dir: Option<PathBuf>,
}

impl Failure {
    pub(super) fn new(message: impl Display) -> Self {
        Self { message: message.to_string(), exit_status: 1, refusal: None, unused_dir: None }
    }

    pub(super) fn usage(message: impl Display) -> Self {
        Self { exit_status: 2, ..Self::new(message) }
    }

    /// Prints the failure. As JSON, an error from the service is printed unchanged, and any other failure
    /// gets the code `command_failed`.
    pub(super) fn exit(&self, as_json: bool) -> ExitCode {
        if as_json {
            let error = match &self.refusal {
                Some(refused) => json!(refused),
                None => json!({"code": "command_failed", "message": self.message}),
            };
            print::note(&json!({ "error": error }).to_string());
        } else {
            print::error(&self.message);
        }
        ExitCode::from(self.exit_status)
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::new(message)
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::usage(error)
    }
}

impl From<ApiError> for Failure {
    fn from(refused: ApiError) -> Self {
        Self { refusal: Some(Box::new(refused.clone())), ..Self::new(refused) }
    }
}

pub(super) fn run<T>(act: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Failure::new(format!("cannot start the runtime: {error}")))?.block_on(act)
}

/// Runs a command and prints a failure on one line, as JSON if requested.
pub(super) fn carry_out<T: Termination>(
    as_json: bool,
    act: impl Future<Output = Result<T, Failure>>,
) -> ExitCode {
    match run(act) {
        Ok(done) => done.report(),
        Err(mut failure) => {
            if !as_json {
                failure.message = failure.message.replace('\n', " ");
            }
            failure.exit(as_json)
        }
    }
}
