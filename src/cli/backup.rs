//! `backup`: has the running service copy its store, and waits until that is done.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use actors::counting::{Difference, Differences};
use clap::Args;
use hyper::Method;
use serde::Deserialize;
use serde_json::json;

use super::client::{Answer, CALL_TIMEOUT, Client, ClientError};
use super::options::{OperatorOptions, OptionsError};
use super::print;
use super::stopped::carry_out;

/// How often it is asked how far the backup has come.
const ASK_EVERY: Duration = Duration::from_millis(250);
const BACKUPS: &str = "/admin/v1/backup";

/// The options of `backup`.
#[derive(Debug, Args)]
pub struct BackupArgs {
    /// The directory of the backup, on the service's machine: one that is not there or empty
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    #[command(flatten)]
    options: OperatorOptions,
}

/// Why there is no backup.
#[derive(Debug, thiserror::Error)]
enum BackupError {
    #[error(transparent)]
    Options(#[from] OptionsError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("--to: {0}")]
    Path(#[source] std::io::Error),
    #[error(
        "the backup in {} is incomplete: {problems}; `receptionist restore` takes it only with --accept-incomplete",
        .to.display()
    )]
    Incomplete { to: PathBuf, problems: Differences },
    #[error("the backup failed: {0}")]
    Failed(String),
    #[error("cannot write to standard output: {0}")]
    Output(#[source] std::io::Error),
}

/// What is answered of a backup.
#[derive(Deserialize)]
struct One {
    data: State,
}

#[derive(Deserialize)]
struct State {
    id: String,
    status: Option<String>,
    error: Option<String>,
    manifest: Option<Manifest>,
    #[serde(default)]
    problems: Vec<Difference>,
    #[serde(default)]
    problem_count: u64,
}

#[derive(Deserialize)]
struct Manifest {
    sequence: u64,
    taken_at: String,
    rows: u64,
    bytes: u64,
}

/// Makes a backup. Exit code 0 once it is whole and on the disk, 1 when it is not or lacks recorded rows, 2 when a setting
/// is bad.
pub fn backup(args: BackupArgs) -> ExitCode {
    let made = async { Box::pin(make(args)).await.map(|()| ExitCode::SUCCESS) };
    carry_out(made, |error| match error {
        BackupError::Options(error) => error.exit_status(),
        _ => 1,
    })
}

async fn make(args: BackupArgs) -> Result<(), BackupError> {
    // The service has another current directory.
    let to = std::path::absolute(&args.to).map_err(BackupError::Path)?;
    let client = Client::new(args.options.access()?, CALL_TIMEOUT);
    let body = json!({ "to": to.to_string_lossy() });
    let (_, begun) = read(&client.send(Method::POST, BACKUPS, Some(&body)).await?)?;
    let path = format!("{BACKUPS}/{}", begun.id);
    loop {
        let (answer, state) = read(&client.send(Method::GET, &path, None).await?)?;
        match (state.status.as_deref(), state.manifest) {
            (Some("running"), _) => tokio::time::sleep(ASK_EVERY).await,
            (Some("incomplete"), _) => {
                if args.options.json {
                    print::output(&format!("{}\n", answer.trim_end())).map_err(BackupError::Output)?;
                }
                let problems = Differences { listed: state.problems, count: state.problem_count };
                return Err(BackupError::Incomplete { to, problems });
            }
            (Some("done"), Some(_)) if args.options.json => {
                return print::output(&format!("{}\n", answer.trim_end())).map_err(BackupError::Output);
            }
            (Some("done"), Some(Manifest { sequence, taken_at, rows, bytes })) => {
                let told = format!(
                    "the store as of {taken_at} (commit {sequence}) is in {}: {rows} rows, {bytes} bytes\n",
                    to.display()
                );
                return print::output(&told).map_err(BackupError::Output);
            }
            _ => return Err(BackupError::Failed(state.error.unwrap_or_default())),
        }
    }
}

fn read(answer: &Answer) -> Result<(String, State), ClientError> {
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    match serde_json::from_str::<One>(&text) {
        Ok(One { data }) => Ok((text, data)),
        Err(_) => Err(ClientError::NotOfTheForm { status: answer.status }),
    }
}
