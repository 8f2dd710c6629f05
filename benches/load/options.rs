//! The command line of the harness.

use std::path::PathBuf;
use std::time::Duration;

use crate::drive::Period;
use crate::error::Result;

pub(crate) const HELP: &str = "\
cargo bench --bench load -- [OPTIONS] [NAME…]

Measures only scenarios whose name contains one of the NAMEs, and the floors for comparison.

  --runs N       number of runs; the table shows the medians, and every second run has the reverse order [default: 5]
  --seconds S    seconds of each measurement [default: 2]
  --quick        one short run with little data, to test the harness
  --json FILE    write every figure of every run as JSON
  --dir DIR      directory of the data, for comparing disks [default: in the target directory]
  --list         print the names of the scenarios
";

#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) runs: usize,
    /// The length of each measurement.
    pub(crate) period: Period,
    /// Whether small amounts of data are used.
    pub(crate) quick: bool,
    /// The file to which the results are written as JSON.
    pub(crate) json: Option<PathBuf>,
    /// The directory in which the data directories are created.
    pub(crate) dir: PathBuf,
    /// Whether only the names of the rows are printed.
    pub(crate) list: bool,
    /// Parts of row names. A row is measured if its name contains one of them. If the list is empty, all rows are
    /// measured.
    pub(crate) names: Vec<String>,
    /// The original arguments, which are passed on to child processes.
    pub(crate) given: Vec<String>,
}

impl Options {
    /// Parses the arguments. Returns `None` if they ask for the help text.
    pub(crate) fn parse(arguments: Vec<String>) -> Result<Option<Self>> {
        let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let (mut runs, mut seconds) = (None, None);
        let (mut quick, mut list, mut json, mut names) = (false, false, None, Vec::new());
        let mut dir = dir;
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--bench" => {} // cargo adds this argument
                "--runs" => runs = Some(value()?.parse::<usize>()?.max(1)),
                "--seconds" => seconds = Some(value()?.parse::<f64>()?),
                "--json" => json = Some(PathBuf::from(value()?)),
                "--dir" => dir = PathBuf::from(value()?),
                "--quick" => quick = true,
                "--list" => list = true,
                "--help" | "-h" => return Ok(None),
                flag if flag.starts_with('-') => return Err(format!("{flag} is unknown\n\n{HELP}").into()),
                name => names.push(name.to_owned()),
            }
        }
        let measured = Duration::try_from_secs_f64(seconds.unwrap_or(if quick { 0.5 } else { 2.0 }))?;
        let warm_up = if quick { measured / 2 } else { (measured / 2).max(Duration::from_secs(1)) };
        Ok(Some(Self {
            runs: runs.unwrap_or(if quick { 1 } else { 5 }),
            period: Period { warm_up, measured },
            quick,
            json,
            dir,
            list,
            names,
            given: arguments,
        }))
    }

    /// Returns `whole` for a full run, and `quick` for a quick run.
    pub(crate) fn sized<T>(&self, whole: T, quick: T) -> T {
        if self.quick { quick } else { whole }
    }
}
