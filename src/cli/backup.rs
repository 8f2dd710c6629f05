//! `backup` asks the running service to copy its store, and waits for the result.
//!
//! Invariants: with `--in`, the list of revoked keys, erased contacts, removed people and deleted
//! businesses (tombstones) is copied even if the backup fails. Older backups are deleted only after the new
//! backup is complete. A directory is deleted only if it has the name of a backup, a valid manifest and no
//! other content. It is renamed first, so that the next run can finish an interrupted deletion.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, NaiveDateTime, Utc};
use clap::Args;
use engine::backup::{Backup, MANIFEST_FILE, ROWS_FILE};
use engine::counting::{Difference, Differences};
use hyper::Method;
use serde::Deserialize;
use serde_json::json;
use store::copy_tombstones;

use super::carry_out::{Failure, carry_out};
use super::client::{CALL_TIMEOUT, Client};
use super::options::OperatorOptions;
use super::print;
use super::record::One;

const ASK_EVERY: Duration = Duration::from_millis(250);
const BACKUPS: &str = "/admin/v1/backup";

#[derive(Args)]
pub struct BackupArgs {
    /// The directory of the backup on the service's machine; if it exists, it must be empty
    #[arg(long, value_name = "DIR", required_unless_present = "within")]
    to: Option<PathBuf>,
    /// A directory for several backups; the backup gets a subdirectory named by the time in UTC. The list
    /// of revoked keys, erased contacts, removed people and deleted businesses is copied into DIR, where
    /// `restore` finds it
    #[arg(long = "in", id = "within", value_name = "DIR", conflicts_with = "to")]
    within: Option<PathBuf>,
    /// The number of complete backups to keep in --in, including the new one; after a complete backup, the
    /// oldest backups are deleted
    #[arg(long, value_name = "COUNT", requires = "within")]
    keep: Option<NonZeroUsize>,
    /// Copy only the list of revocations, erasures, removals and deletions (see --in), and make no backup; the
    /// service does not have to run
    #[arg(long, requires = "within", conflicts_with = "keep")]
    list_only: bool,
    #[command(flatten)]
    options: OperatorOptions,
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

/// Makes a backup. The exit code is 0 if the backup is complete, 1 if the command failed or recorded rows are missing,
/// and 2 if a setting is invalid.
pub fn backup(args: BackupArgs) -> ExitCode {
    let as_json = args.options.json;
    carry_out(as_json, Box::pin(make(args)))
}

async fn make(args: BackupArgs) -> Result<(), Failure> {
    // The working directory of the service may differ from that of this process, so the path must be absolute.
    let absolute = |path: &Path| {
        std::path::absolute(path).map_err(|error| format!("cannot resolve the path of the backup: {error}"))
    };
    let Some(within) = &args.within else {
        return one(&args.options, absolute(args.to.as_deref().unwrap_or(Path::new("")))?).await;
    };
    let within = absolute(within)?;
    // The list of tombstones is copied from the data directory of the service that makes the backup. So the command
    // must know this directory.
    let (options, data_dir) = args.options.with_data_dir().ok_or_else(|| {
        Failure::usage(
            "--in copies a list from the data directory: set it with --data-dir (RECEPTIONIST_DATA_DIR)",
        )
    })?;
    let to = within.join(DateTime::<Utc>::from(SystemTime::now()).format(NAME).to_string());
    let made = if args.list_only { Ok(()) } else { one(&options, to.clone()).await };
    let listed = copy_tombstones(&data_dir, &within);
    made?;
    listed.map_err(|error| {
        format!(
            "cannot copy the list of revoked keys, erased contacts, removed people and deleted businesses: {error}"
        )
    })?;
    if let Some(keep) = args.keep {
        let deleted = keep_newest(&to, keep.get())
            .map_err(|error| format!("the backup is complete, but older ones cannot be deleted: {error}"))?;
        if deleted > 0 {
            let older = print::count(deleted as u64, "older backup", "older backups");
            print::note(&format!("{older} deleted; the newest are kept (at most {keep})"));
        }
    }
    Ok(())
}

async fn one(options: &OperatorOptions, to: PathBuf) -> Result<(), Failure> {
    let client = Client::new(options.access()?, CALL_TIMEOUT);
    let body = json!({ "to": to.to_string_lossy() });
    let One::<State> { data: begun } = client.send(Method::POST, BACKUPS, Some(&body)).await?.read()?;
    let path = format!("{BACKUPS}/{}", begun.id);
    loop {
        let answer = client.send(Method::GET, &path, None).await?;
        let One::<State> { data: state } = answer.read()?;
        match (state.status.as_deref(), state.manifest) {
            (Some("running"), _) => tokio::time::sleep(ASK_EVERY).await,
            (Some("incomplete"), _) => {
                if options.json {
                    print::written(&answer.text())?;
                }
                let problems = Differences { listed: state.problems, count: state.problem_count };
                return Err(Failure::new(format!(
                    "the backup in {} is incomplete: {problems}; `receptionist restore` accepts it only with --accept-incomplete",
                    to.display()
                )));
            }
            (Some("done"), Some(_)) if options.json => return print::written(&answer.text()),
            (Some("done"), Some(Manifest { sequence, taken_at, rows, bytes })) => {
                return print::written(&format!(
                    "the store as of {taken_at} (commit {sequence}) is in {}: {rows} rows, {bytes} bytes\n",
                    to.display()
                ));
            }
            _ => {
                let reason = state.error.unwrap_or_default();
                return Err(Failure::new(format!("the backup failed: {reason}")));
            }
        }
    }
}

/// The format of the name of a backup's directory.
const NAME: &str = "backup-%Y-%m-%dT%H-%M-%S%.3fZ";
/// The prefix of a directory that is being deleted.
const DELETED: &str = "deleted-";

/// Deletes the oldest complete backups next to `made`, so that `keep` backups remain, including `made`.
fn keep_newest(made: &Path, keep: usize) -> io::Result<usize> {
    let Some(dir) = made.parent() else { return Ok(0) };
    let mut others = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.strip_prefix(DELETED).is_some_and(is_name) {
            delete(&entry.path())?;
        } else if entry.path() != made && entry.file_type()?.is_dir() && is_complete(&entry.path())? {
            others.push(entry.path());
        }
    }
    others.sort();
    others.truncate((others.len() + 1).saturating_sub(keep));
    for old in &others {
        let name = old.file_name().unwrap_or_default().to_string_lossy();
        let deleted = dir.join(format!("{DELETED}{name}"));
        fs::rename(old, &deleted)?;
        delete(&deleted)?;
    }
    Ok(others.len())
}

/// Deletes the directory of a backup and its files, some of which may be missing.
fn delete(dir: &Path) -> io::Result<()> {
    for file in [MANIFEST_FILE, ROWS_FILE] {
        match fs::remove_file(dir.join(file)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::remove_dir(dir)
}

fn is_name(name: &str) -> bool {
    NaiveDateTime::parse_from_str(name, NAME).is_ok()
}

/// Whether the directory is a complete backup without other files.
fn is_complete(dir: &Path) -> io::Result<bool> {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    if !is_name(&name) {
        return Ok(false);
    }
    let there: BTreeSet<OsString> =
        fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>()?;
    let is_alone = there == BTreeSet::from([MANIFEST_FILE.into(), ROWS_FILE.into()]);
    Ok(is_alone && Backup::open(dir).is_ok_and(|backup| backup.manifest().is_complete()))
}
