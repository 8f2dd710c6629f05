//! `mail test`: asks the running service to send a test mail, and prints the relay's response.

use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};
use hyper::Method;
use serde::Deserialize;
use serde_json::json;

use super::carry_out::{CommandFailure, carry_out};
use super::client::{Client, ClientError};
use super::options::{OperatorOptions, OptionsError};
use super::print;
use super::record::ApiError;
use super::record::one_line;

/// The time limit for the service, which is longer than its own time limit for the relay.
const TEST_TIMEOUT: Duration = Duration::from_secs(90);
const TEST: &str = "/admin/v1/mail/test";

#[derive(Debug, Subcommand)]
pub enum MailCommand {
    /// Send a test mail and print the relay's response
    Test(TestArgs),
}

#[derive(Debug, Args)]
pub struct TestArgs {
    /// The address of the recipient
    #[arg(long, value_name = "ADDRESS")]
    to: String,
    /// The language of the mail: en or fr [default: en]
    #[arg(long)]
    locale: Option<String>,
    #[command(flatten)]
    options: OperatorOptions,
}

#[derive(Debug, thiserror::Error)]
enum MailError {
    #[error(transparent)]
    Options(#[from] OptionsError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("the mail was not sent, after {after} ms: {reason}")]
    NotSent { reason: String, after: u64 },
    #[error("cannot write to standard output: {0}")]
    Output(#[source] std::io::Error),
}

/// The response with the result.
#[derive(Deserialize)]
struct One {
    data: Tested,
}

#[derive(Deserialize)]
struct Tested {
    answer: Option<String>,
    error: Option<String>,
    duration_ms: u64,
}

/// Runs a command. Exit code 0 if the relay accepted the mail, 1 if not, 2 for an invalid setting.
pub fn mail(command: MailCommand) -> ExitCode {
    let MailCommand::Test(args) = command;
    let as_json = args.options.json;
    carry_out(as_json, async { Box::pin(test(args)).await.map(|()| ExitCode::SUCCESS) })
}

impl CommandFailure for MailError {
    fn exit_status(&self) -> u8 {
        if let Self::Options(error) = self { error.exit_status() } else { 1 }
    }

    fn refusal(&self) -> Option<&ApiError> {
        if let Self::Client(error) = self { error.refusal() } else { None }
    }
}

async fn test(args: TestArgs) -> Result<(), MailError> {
    let client = Client::new(args.options.access()?, TEST_TIMEOUT);
    let mut body = json!({ "to": args.to });
    if let Some(locale) = &args.locale {
        body["locale"] = json!(locale);
    }
    let answer = client.send(Method::POST, TEST, Some(&body)).await?;
    let form = |_| ClientError::NotOfTheForm { status: answer.status };
    let One { data } = serde_json::from_slice(&answer.body).map_err(form)?;
    if args.options.json {
        let text = String::from_utf8_lossy(&answer.body);
        print::output(&format!("{}\n", text.trim_end())).map_err(MailError::Output)?;
    }
    match (data.answer, data.error) {
        (Some(_), _) if args.options.json => Ok(()),
        (Some(said), _) => {
            let told =
                format!("the relay accepted the mail after {} ms: {}\n", data.duration_ms, one_line(&said));
            print::output(&told).map_err(MailError::Output)
        }
        (None, error) => {
            let reason = one_line(&error.unwrap_or_default());
            Err(MailError::NotSent { reason, after: data.duration_ms })
        }
    }
}
