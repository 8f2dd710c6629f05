//! `backup`: asks the running service to copy its store, and waits for the result.
//!
//! Invariants: with `--in`, the list of permanent revocations is copied even if the backup fails. Older
//! backups are deleted only after a new one is complete.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use clap::Args;
use engine::counting::{Difference, Differences};
use hyper::Method;
use serde::Deserialize;
use serde_json::json;
use store::{StoreError, copy_tombstones};

use super::carry_out::{CommandFailure, carry_out};
use super::client::{Answer, CALL_TIMEOUT, Client, ClientError};
use super::options::{OperatorOptions, OptionsError};
use super::record::ApiError;
use super::{print, rotation};

/// The interval at which the command asks for the progress.
const ASK_EVERY: Duration = Duration::from_millis(250);
const BACKUPS: &str = "/admin/v1/backup";

#[derive(Debug, Args)]
pub struct BackupArgs {
    /// The directory of the backup on the service's machine; it must not exist or be empty
    #[arg(long, value_name = "DIR", required_unless_present = "within")]
    to: Option<PathBuf>,
    /// A directory for several backups; the backup gets a subdirectory named by the time in UTC. The list of
    /// revoked keys, erased contacts, removed people and deleted businesses is copied next to it, where
    /// `restore` finds it
    #[arg(long = "in", id = "within", value_name = "DIR", conflicts_with = "to")]
    within: Option<PathBuf>,
    /// The number of complete backups to keep in --in, including the new one; after a complete backup, older
    /// ones are deleted
    #[arg(long, value_name = "COUNT", requires = "within")]
    keep: Option<NonZeroUsize>,
    /// Copy only that list, without a backup; the service need not run
    #[arg(long, requires = "within", conflicts_with = "keep")]
    list_only: bool,
    #[command(flatten)]
    options: OperatorOptions,
}

#[derive(Debug, thiserror::Error)]
enum BackupError {
    #[error(transparent)]
    Options(#[from] OptionsError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("cannot resolve the path of the backup: {0}")]
    Path(#[source] io::Error),
    #[error("--in copies a list from the data directory: set it with --data-dir (RECEPTIONIST_DATA_DIR)")]
    NoDataDir,
    #[error(
        "cannot copy the list of revoked keys, erased contacts, removed people and deleted businesses: {0}"
    )]
    List(#[source] StoreError),
    #[error("the backup is complete, but older ones cannot be deleted: {0}")]
    Rotate(#[source] io::Error),
    #[error(
        "the backup in {} is incomplete: {problems}; `receptionist restore` accepts it only with --accept-incomplete",
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

/// The response with the state of a backup.
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

/// Makes a backup. Exit code 0 when it is complete and on disk, 1 on failure or if recorded rows are missing,
/// 2 for an invalid setting.
pub fn backup(args: BackupArgs) -> ExitCode {
    let as_json = args.options.json;
    carry_out(as_json, async { Box::pin(make(args)).await.map(|()| ExitCode::SUCCESS) })
}

async fn make(args: BackupArgs) -> Result<(), BackupError> {
    // The service has another working directory, so the path must be absolute.
    let absolute = |path: &Path| std::path::absolute(path).map_err(BackupError::Path);
    let Some(within) = &args.within else {
        return one(&args.options, absolute(&args.to.clone().unwrap_or_default())?).await;
    };
    let within = absolute(within)?;
    // The backup and the list must come from the same service.
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
            print::note(&format!("{older} deleted; the newest are kept (at most {keep})"));
        }
    }
    Ok(())
}

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
