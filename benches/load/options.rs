//! What the command line asks for.

use std::path::PathBuf;
use std::time::Duration;

use crate::drive::Period;
use crate::error::Result;

/// What `--help` says.
pub(crate) const HELP: &str = "\
cargo bench --bench load -- [OPTIONS] [NAME…]

Only scenarios whose name holds one of the NAMEs are measured, with the floors they stand on.

  --runs N       runs, of which the median is told; the order turns around from run to run [default: 5]
  --seconds S    seconds of each measurement [default: 2]
  --quick        one short run on small data, to try it out
  --json FILE    writes every figure of every run as JSON
  --dir DIR      where the data lies; compare disks with it [default: below the target directory]
  --list         names the scenarios and ends
";

/// What is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// How many runs.
    pub(crate) runs: usize,
    /// How long each measurement is.
    pub(crate) period: Period,
    /// Whether the data are small.
    pub(crate) quick: bool,
    /// Where the JSON goes.
    pub(crate) json: Option<PathBuf>,
    /// Below which directory the data lie.
    pub(crate) dir: PathBuf,
    /// Whether only the names are asked for.
    pub(crate) list: bool,
    /// Parts of the names of what is measured; none for all.
    pub(crate) names: Vec<String>,
    /// As they were given, for processes that go on with them.
    pub(crate) given: Vec<String>,
}

impl Options {
    /// Reads the arguments; `None` when help is asked for.
    pub(crate) fn parse(arguments: Vec<String>) -> Result<Option<Self>> {
        let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let (mut runs, mut seconds) = (None, None);
        let (mut quick, mut list, mut json, mut names) = (false, false, None, Vec::new());
        let mut dir = dir;
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--bench" => {} // cargo says so
                "--runs" => runs = Some(value()?.parse::<usize>()?.max(1)),
                "--seconds" => seconds = Some(value()?.parse::<f64>()?),
                "--json" => json = Some(PathBuf::from(value()?)),
                "--dir" => dir = PathBuf::from(value()?),
                "--quick" => quick = true,
                "--list" => list = true,
                "--help" | "-h" => return Ok(None),
                flag if flag.starts_with('-') => return Err(format!("{flag} is not known\n\n{HELP}").into()),
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

    /// One number for a whole run, a smaller one for a quick one.
    pub(crate) fn sized<T>(&self, whole: T, quick: T) -> T {
        if self.quick { quick } else { whole }
    }
}
