//! `mail test` asks the running service to send a test mail, and prints the relay's response.

use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};
use hyper::Method;
use serde::Deserialize;
use serde_json::json;

use super::carry_out::{Failure, carry_out};
use super::client::Client;
use super::options::OperatorOptions;
use super::print;
use super::record::{One, one_line};

/// The time limit for the service's response. It is longer than the service's time limit for the relay, so
/// the service can report that the relay did not respond.
const TEST_TIMEOUT: Duration = Duration::from_secs(90);
const TEST: &str = "/admin/v1/mail/test";

#[derive(Subcommand)]
pub enum MailCommand {
    /// Send a test mail and print the relay's response
    Test(TestArgs),
}

#[derive(Args)]
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

#[derive(Deserialize)]
struct Tested {
    answer: Option<String>,
    error: Option<String>,
    duration_ms: u64,
}

/// Runs a command. The exit code is 0 if the relay accepted the mail, 1 if it did not, and 2 if a setting is
/// invalid.
pub fn mail(command: MailCommand) -> ExitCode {
    let MailCommand::Test(args) = command;
    let as_json = args.options.json;
    carry_out(as_json, Box::pin(test(args)))
}

async fn test(args: TestArgs) -> Result<(), Failure> {
    let client = Client::new(args.options.access()?, TEST_TIMEOUT);
    let mut body = json!({ "to": args.to });
    if let Some(locale) = &args.locale {
        body["locale"] = json!(locale);
    }
    let answer = client.send(Method::POST, TEST, Some(&body)).await?;
    let One { data: Tested { answer: said, error, duration_ms } } = answer.read()?;
    if args.options.json {
        print::written(&answer.text())?;
    }
    let Some(said) = said else {
        let reason = one_line(&error.unwrap_or_default());
        return Err(Failure::new(format!("the mail was not sent, after {duration_ms} ms: {reason}")));
    };
    if !args.options.json {
        let said = one_line(&said);
        print::written(&format!("the relay accepted the mail after {duration_ms} ms: {said}\n"))?;
    }
    Ok(())
}
