//! `backup`: has the running service copy its store, and waits until that is done.
//!
//! What always holds: in a directory of backups the list of what was taken back for good is copied whether or not the
//! backup is made, and older backups are deleted only after a new one is complete.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use actors::counting::{Difference, Differences};
use actors::store::{StoreError, copy_tombstones};
use clap::Args;
use hyper::Method;
use serde::Deserialize;
use serde_json::json;

use super::carry_out::{CommandFailure, carry_out};
use super::client::{Answer, CALL_TIMEOUT, Client, ClientError};
use super::options::{OperatorOptions, OptionsError};
use super::record::ApiError;
use super::{print, rotation};

/// How often it is asked how far the backup has come.
const ASK_EVERY: Duration = Duration::from_millis(250);
const BACKUPS: &str = "/admin/v1/backup";

/// The options of `backup`.
#[derive(Debug, Args)]
pub struct BackupArgs {
    /// The directory of the backup, on the service's machine: one that is not there or empty
    #[arg(long, value_name = "DIR", required_unless_present = "within")]
    to: Option<PathBuf>,
    /// A directory of backups instead: the backup gets a directory of its own there, named by the time in UTC, and the list
    /// of what was revoked, erased, removed and ended is copied beside it, where `restore` finds it
    #[arg(long = "in", id = "within", value_name = "DIR", conflicts_with = "to")]
    within: Option<PathBuf>,
    /// Once the backup is complete, delete the older complete ones that --in has made there, but for the newest: how many
    /// are kept, the new one included
    #[arg(long, value_name = "COUNT", requires = "within")]
    keep: Option<NonZeroUsize>,
    /// Copy that list alone, and make no backup; the service need not run
    #[arg(long, requires = "within", conflicts_with = "keep")]
    list_only: bool,
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
    #[error("the path of the backup cannot be used: {0}")]
    Path(#[source] io::Error),
    #[error(
        "--in copies a list from the data directory, so name that with --data-dir (RECEPTIONIST_DATA_DIR)"
    )]
    NoDataDir,
    #[error("the list of what was revoked, erased, removed and ended is not copied: {0}")]
    List(#[source] StoreError),
    #[error("the backup is made, but older ones cannot be deleted: {0}")]
    Rotate(#[source] io::Error),
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

impl CommandFailure for BackupError {
    fn exit_status(&self) -> u8 {
        match self {
            Self::Options(error) => error.exit_status(),
            Self::NoDataDir => 2,
            _ => 1,
        }
    }

    fn refusal(&self) -> Option<&ApiError> {
        if let Self::Client(error) = self { error.refusal() } else { None }
    }
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
    let as_json = args.options.json;
    carry_out(as_json, async { Box::pin(make(args)).await.map(|()| ExitCode::SUCCESS) })
}

async fn make(args: BackupArgs) -> Result<(), BackupError> {
    // The service has another current directory.
    let absolute = |path: &Path| std::path::absolute(path).map_err(BackupError::Path);
    let Some(within) = &args.within else {
        return one(&args.options, absolute(&args.to.clone().unwrap_or_default())?).await;
    };
    let within = absolute(within)?;
    // The backup and the list are of the same service.
    let (options, data_dir) = args.options.with_data_dir().ok_or(BackupError::NoDataDir)?;
    let to = rotation::new_in(&within, SystemTime::now().into());
    let made = if args.list_only { Ok(()) } else { one(&options, to.clone()).await };
    let listed = copy_tombstones(&data_dir, &within).map_err(BackupError::List);
    made?;
    listed?;
    if let Some(keep) = args.keep {
        let deleted = rotation::keep_newest(&to, keep.get()).map_err(BackupError::Rotate)?;
        if deleted > 0 {
            let older = print::count(deleted as u64, "older backup", "older backups");
            print::note(&format!("{older} deleted; the newest are kept, {keep} at most"));
        }
    }
    Ok(())
}

/// Makes a backup in this directory.
async fn one(options: &OperatorOptions, to: PathBuf) -> Result<(), BackupError> {
    let client = Client::new(options.access()?, CALL_TIMEOUT);
    let body = json!({ "to": to.to_string_lossy() });
    let (_, begun) = read(&client.send(Method::POST, BACKUPS, Some(&body)).await?)?;
    let path = format!("{BACKUPS}/{}", begun.id);
    loop {
        let (answer, state) = read(&client.send(Method::GET, &path, None).await?)?;
        match (state.status.as_deref(), state.manifest) {
            (Some("running"), _) => tokio::time::sleep(ASK_EVERY).await,
            (Some("incomplete"), _) => {
                if options.json {
                    print::output(&format!("{}\n", answer.trim_end())).map_err(BackupError::Output)?;
                }
                let problems = Differences { listed: state.problems, count: state.problem_count };
                return Err(BackupError::Incomplete { to, problems });
            }
            (Some("done"), Some(_)) if options.json => {
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
