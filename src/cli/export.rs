//! `export`: writes businesses as lines, from a store that no service runs on.
//!
//! What always holds: a file of the name that was given is whole and on the disk, or not there; nobody but its owner
//! reads it; of what is written one line is in memory.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use actors::domain::Business;
use actors::moving::{Leaving, LeftOut, Moved, Which, meant};
use actors::ports::system_clock;
use actors::store::{Store, StoreError};
use clap::Args;

use super::print;
use super::stopped::{carry_out, failure, on_store};
use crate::config::variables;
use crate::moving;

/// The options of `export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The data directory of the stopped service
    #[arg(long, value_name = "DIR", env = variables::DATA_DIR, default_value = "./receptionist-data")]
    data_dir: PathBuf,
    /// Only this business, by its id or its whole name [default: all]
    #[arg(long, value_name = "BUSINESS")]
    business: Option<String>,
    /// A file that is not there yet [default: standard output]
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Webhook endpoints too, with the secrets that their deliveries are signed with
    #[arg(long)]
    with_secrets: bool,
}

/// Why nothing was exported.
#[derive(Debug, thiserror::Error)]
enum CommandError {
    #[error("{variable}: {source}", variable = variables::DATA_DIR)]
    Store {
        #[from]
        source: StoreError,
    },
    #[error("{variable}: there is no store in {}", .dir.display(), variable = variables::DATA_DIR)]
    NoStore { dir: PathBuf },
    #[error("--business: {0}")]
    Business(String),
    #[error("--to: {} is there already", .0.display())]
    IsThere(PathBuf),
    #[error("cannot write to {file}: {source}")]
    Write { file: String, source: io::Error },
}

/// Exports, and notes what stays behind. Exit code 1 when that cannot be done, by a service that runs among others.
pub fn export(args: ExportArgs) -> ExitCode {
    carry_out(run(args), failure)
}

async fn run(args: ExportArgs) -> Result<ExitCode, CommandError> {
    // Opening would make one.
    if !args.data_dir.is_dir() {
        return Err(CommandError::NoStore { dir: args.data_dir });
    }
    if let Some(to) = args.to.as_ref().filter(|to| to.exists()) {
        return Err(CommandError::IsThere(to.clone()));
    }
    let note = on_store(&args.data_dir, async |store| write(store, &args)).await?;
    print::note(&note);
    Ok(ExitCode::SUCCESS)
}

fn write(store: &Store, args: &ExportArgs) -> Result<String, CommandError> {
    let businesses = chosen(store, args.business.as_deref())?;
    let Some(to) = &args.to else {
        let told = |source| CommandError::Write { file: "standard output".into(), source };
        let stdout = BufWriter::new(io::stdout().lock());
        return lines(store, &businesses, args.with_secrets, stdout, &told).map(|(_, note)| note);
    };
    let told = |source| CommandError::Write { file: to.display().to_string(), source };
    let part = part_of(to);
    let file = private(&part).map_err(told)?;
    let (file, note) = lines(store, &businesses, args.with_secrets, BufWriter::new(file), &told)?;
    let file = file.into_inner().map_err(|error| told(error.into_error()))?;
    file.sync_all().and_then(|()| fs::rename(&part, to)).map_err(told)?;
    Ok(note)
}

/// The businesses that are meant, one at least where one was named.
fn chosen(store: &Store, text: Option<&str>) -> Result<Vec<Business>, CommandError> {
    let which = match text {
        None => Which::All,
        Some(text) => text.parse().map_or_else(|_| Which::Named(text.to_owned()), Which::Id),
    };
    let businesses = meant(store, &which)?;
    match (text, &businesses[..]) {
        (Some(text), []) => Err(CommandError::Business(format!("there is no business {text:?}"))),
        (Some(text), several @ [_, _, ..]) => {
            let ids: Vec<String> = several.iter().map(|business| business.id.to_string()).collect();
            Err(CommandError::Business(format!("several are called {text:?}: {}", ids.join(", "))))
        }
        _ => Ok(businesses),
    }
}

/// Writes every line, and says what was written and what stays behind.
fn lines<W: Write>(
    store: &Store,
    businesses: &[Business],
    with_secrets: bool,
    mut to: W,
    told: &impl Fn(io::Error) -> CommandError,
) -> Result<(W, String), CommandError> {
    let (mut records, mut left_out) = (0_u64, LeftOut::default());
    to.write_all(moving::head(system_clock().now()).as_bytes()).map_err(told)?;
    for business in businesses {
        let mut leaving = Leaving::of(business.clone(), with_secrets);
        loop {
            let moved = leaving.next(store.rows())?;
            if moved.is_empty() {
                break;
            }
            for moved in moved {
                records += u64::from(!matches!(moved, Moved::End { .. }));
                to.write_all(moving::line(&moved).as_bytes()).map_err(told)?;
            }
        }
        let left = leaving.left_out();
        left_out.keys += left.keys;
        left_out.endpoints += left.endpoints;
    }
    let count = businesses.len() as u64;
    to.write_all(moving::end(count).as_bytes()).and_then(|()| to.flush()).map_err(told)?;
    let businesses = print::count(count, "business", "businesses");
    let mut note = format!("exported {businesses}, {}", print::count(records, "record", "records"));
    if left_out.keys > 0 {
        let keys = print::count(left_out.keys, "API key", "API keys");
        note.push_str(&format!("\nleft out {keys}: make new ones where the businesses go"));
    }
    if left_out.endpoints > 0 {
        let endpoints = print::count(left_out.endpoints, "webhook endpoint", "webhook endpoints");
        note.push_str(&format!("\nleft out {endpoints}: --with-secrets takes them along"));
    }
    Ok((to, note))
}

/// Where a file is written until it is whole.
fn part_of(to: &Path) -> PathBuf {
    let mut name = to.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    to.with_file_name(name)
}

/// An empty file that only its owner reads.
fn private(path: &Path) -> io::Result<File> {
    let _ = fs::remove_file(path);
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
