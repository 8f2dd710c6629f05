//! Atomic output: a file that is complete and on disk or does not exist, or standard output.
//!
//! Invariants: only its owner can read the file. While it is incomplete, it has another name.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

pub(super) enum WholeFile {
    File { to: PathBuf, part: PathBuf, file: BufWriter<File> },
    Output(BufWriter<io::Stdout>),
}

impl WholeFile {
    /// Creates a file that must not exist yet. Without a name, the output is standard output.
    pub(super) fn begin(to: Option<&Path>) -> Result<Self, String> {
        let Some(to) = to else { return Ok(Self::Output(BufWriter::new(io::stdout()))) };
        if to.exists() {
            return Err(format!("--to: {} exists already", to.display()));
        }
        let mut name = to.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let part = to.with_file_name(name);
        let _ = fs::remove_file(&part);
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&part).map_err(|error| write_error(Some(to), &error))?;
        Ok(Self::File { to: to.to_owned(), part, file: BufWriter::new(file) })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), String> {
        let written = match self {
            Self::File { file, .. } => file.write_all(bytes),
            Self::Output(output) => output.write_all(bytes),
        };
        written.map_err(|error| write_error(self.name(), &error))
    }

    /// Writes the data to disk and gives the file its name.
    pub(super) fn finish(self) -> Result<(), String> {
        let name = self.name().map(Path::to_owned);
        let finished = match self {
            Self::Output(mut output) => output.flush(),
            Self::File { to, part, file } => {
                let file = file.into_inner().map_err(io::IntoInnerError::into_error);
                file.and_then(|file| file.sync_all()).and_then(|()| fs::rename(part, to))
            }
        };
        finished.map_err(|error| write_error(name.as_deref(), &error))
    }

    fn name(&self) -> Option<&Path> {
        match self {
            Self::File { to, .. } => Some(to),
            Self::Output(_) => None,
        }
    }
}

fn write_error(name: Option<&Path>, error: &io::Error) -> String {
    let file = name.map_or("standard output".into(), |name| name.display().to_string());
    format!("cannot write to {file}: {error}")
}
