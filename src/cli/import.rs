//! `import`: reads businesses that `export` has written, into a store that no service runs on.
//!
//! What always holds: every line is good, or nothing is imported and each problem is told with its line, up to
//! [`PROBLEMS_MAX`]; one line is in memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::ExitCode;

use actors::domain::{Problem, Timestamp};
use actors::moving::{Import, MoveError, Settled, Wrong, settle};
use actors::ports::Ports;
use actors::store::{Store, StoreError};
use clap::Args;

use super::print;
use super::stopped::{carry_out, failure, on_store};
use crate::config::variables;
use crate::moving::{LINE_BYTES_MAX, Line, read};

/// How many problems are told before the rest of a file is left unread.
const PROBLEMS_MAX: usize = 100;

/// The options of `import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The data directory of the stopped service; one that is not there is made
    #[arg(long, value_name = "DIR", env = variables::DATA_DIR, default_value = "./receptionist-data")]
    data_dir: PathBuf,
    /// The file to read [default: standard input]
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Only tell whether it can be imported, and what stands in the way
    #[arg(long)]
    dry_run: bool,
    /// Read nothing: only finish or take back an import that broke off, which every import does first
    #[arg(long, conflicts_with_all = ["from", "dry_run"])]
    settle: bool,
}

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
enum CommandError {
    #[error("{variable}: {source}", variable = variables::DATA_DIR)]
    Move {
        #[from]
        source: MoveError,
    },
    #[error("cannot read {file}: {source}")]
    Read { file: String, source: io::Error },
    #[error("SSL_CERT_FILE: {0}")]
    Ports(String),
    #[error("cannot write to standard output: {0}")]
    Output(#[source] io::Error),
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        MoveError::from(error).into()
    }
}

/// What came of an import.
enum Outcome {
    /// It was carried out, or would be; this says how much it is.
    Done(String),
    /// These stand in its way.
    Bad(Vec<Wrong>),
}

/// Imports and says how much. Exit code 1 when that cannot be done, by a service that runs among others, or by lines
/// that are not good.
pub fn import(args: ImportArgs) -> ExitCode {
    carry_out(run(args), failure)
}

async fn run(args: ImportArgs) -> Result<ExitCode, CommandError> {
    let input: Box<dyn Read> = match &args.from {
        _ if args.settle => Box::new(io::empty()),
        None => Box::new(io::stdin().lock()),
        Some(file) => Box::new(File::open(file).map_err(|source| unreadable(&args, source))?),
    };
    let ports = Ports::system().map_err(|error| CommandError::Ports(error.to_string()))?;
    let input = BufReader::new(input);
    match on_store(&args.data_dir, async |store| within(store, &ports, &args, input).await).await? {
        Outcome::Done(said) => {
            print::output(&said).map_err(CommandError::Output)?;
            Ok(ExitCode::SUCCESS)
        }
        Outcome::Bad(wrong) => {
            print::note(&told(&wrong));
            Ok(ExitCode::FAILURE)
        }
    }
}

fn unreadable(args: &ImportArgs, source: io::Error) -> CommandError {
    let file = args.from.as_ref().map_or("standard input".into(), |file| file.display().to_string());
    CommandError::Read { file, source }
}

async fn within(
    store: &Store,
    ports: &Ports,
    args: &ImportArgs,
    input: impl BufRead,
) -> Result<Outcome, CommandError> {
    let settled = match settle(store).await? {
        Settled::Nothing => None,
        Settled::TakenBack(count) => {
            let businesses = print::count(count, "business", "businesses");
            Some(format!("took back {businesses} of an import that broke off"))
        }
        Settled::Finished(count) => {
            let businesses = print::count(count, "business", "businesses");
            Some(format!("finished an import that broke off: opened {businesses}"))
        }
    };
    if args.settle {
        let said = settled.unwrap_or("no import has broken off".into());
        return Ok(Outcome::Done(format!("{said}\n")));
    }
    settled.iter().for_each(|said| print::note(said));
    let mut import = Import::begin(store, ports).await?;
    let (wrong, exported_at) = match take(&mut import, input).await {
        Ok(taken) => taken,
        Err(error) => {
            import.take_back().await?;
            return Err(match error {
                TakeError::Move(error) => error.into(),
                TakeError::Read(source) => unreadable(args, source),
            });
        }
    };
    if !wrong.is_empty() {
        import.take_back().await?;
        return Ok(Outcome::Bad(wrong));
    }
    let (businesses, records) = import.count();
    let of = exported_at.map(|at| format!(", as they were on {at}")).unwrap_or_default();
    let businesses = print::count(businesses, "business", "businesses");
    let count = format!("{businesses}, {}{of}", print::count(records, "record", "records"));
    if args.dry_run {
        import.take_back().await?;
        return Ok(Outcome::Done(format!("could import {count}; nothing was changed\n")));
    }
    let opened = import.finish().await?;
    assert!(opened, "an import without a problem is good");
    Ok(Outcome::Done(format!("imported {count}\n")))
}

/// Why the lines were not taken to the end.
enum TakeError {
    Move(MoveError),
    Read(io::Error),
}

/// Takes line after line; gives back what is wrong, and when the lines were written.
async fn take(
    import: &mut Import,
    mut input: impl BufRead,
) -> Result<(Vec<Wrong>, Option<Timestamp>), TakeError> {
    let mut written_at = None;
    let (mut wrong, mut bytes, mut ended) = (Vec::new(), Vec::new(), false);
    for line in 1.. {
        bytes.clear();
        let most = LINE_BYTES_MAX as u64 + 1;
        input.by_ref().take(most).read_until(b'\n', &mut bytes).map_err(TakeError::Read)?;
        let clean = wrong.is_empty();
        let mut bad = |problem| wrong.push(Wrong { line, problem });
        if bytes.is_empty() {
            if !ended {
                bad(Problem::new("", "the file ends too early: its last line is missing"));
            }
            break;
        }
        if bytes.len() > LINE_BYTES_MAX {
            bad(Problem::new("", format!("is longer than {LINE_BYTES_MAX} bytes")));
            break;
        }
        if ended {
            bad(Problem::new("", "stands behind the last line"));
            break;
        }
        match read(bytes.strip_suffix(b"\n").unwrap_or(&bytes)) {
            Ok(Line::Head { exported_at }) if line == 1 => written_at = Some(exported_at),
            Ok(Line::Head { .. }) => bad(Problem::new("format", "stands on the first line only")),
            Ok(_) if line == 1 => {
                bad(Problem::new("", "must be the head of an export, with its format and version"));
                break;
            }
            Ok(Line::End { businesses }) => {
                ended = true;
                if import.is_good() && businesses != import.count().0 {
                    let count = import.count().0;
                    bad(Problem::new("businesses", format!("must be {count}: lines are missing")));
                } else if !import.is_good() && clean {
                    bad(Problem::new("kind", "the end of the business must stand before it"));
                }
            }
            Ok(Line::Record(moved)) => {
                let found = import.take(line, moved).await.map_err(TakeError::Move)?;
                wrong.extend(found);
            }
            Err(unread) => {
                import.not_a_record(unread.is_business);
                unread.problems.into_iter().for_each(bad);
                // Of a file that is something else not every line is told.
                if line == 1 {
                    break;
                }
            }
        }
        if wrong.len() >= PROBLEMS_MAX {
            break;
        }
    }
    Ok((wrong, written_at))
}

/// What is said of the lines that are not good.
fn told(wrong: &[Wrong]) -> String {
    let mut said = String::new();
    for Wrong { line, problem } in wrong.iter().take(PROBLEMS_MAX) {
        let place = if problem.path.is_empty() { String::new() } else { format!("{}: ", problem.path) };
        said.push_str(&format!("line {line}: {place}{}\n", problem.message));
    }
    if wrong.len() >= PROBLEMS_MAX {
        said.push_str("there may be more: the lines after that were not read\n");
    }
    said.push_str("nothing was imported");
    said
}
