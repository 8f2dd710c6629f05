//! Reads from a file or standard input. Writes to standard output, or to a file that appears under its name only
//! when it is complete and on disk.
//!
//! Invariants: only the owner of an output file can read it. An incomplete output file has a temporary name.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Opens a file, or standard input for `-`.
pub(super) fn open(file: &str) -> io::Result<Box<dyn Read>> {
    match file {
        "-" => Ok(Box::new(io::stdin())),
        file => Ok(Box::new(File::open(file)?)),
    }
}

/// Reads a file of at most `bytes_max` bytes, or standard input for `-`.
pub(super) fn read(file: &str, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open(file)?.take(bytes_max + 1).read_to_end(&mut content)?;
    let too_large = content.len() as u64 > bytes_max;
    if too_large { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(content) }
}

pub(super) struct WholeFile {
    /// The path of the output file, or `None` for standard output.
    to: Option<PathBuf>,
    file: BufWriter<File>,
}

impl WholeFile {
    /// Creates a file that must not exist yet. If no name is given, the output is standard output.
    pub(super) fn begin(to: Option<&Path>) -> Result<Self, String> {
        let file = match to {
            None => io::stdout().as_fd().try_clone_to_owned().map(File::from),
            Some(to) if to.exists() => return Err(format!("--to: {} exists already", to.display())),
            Some(to) => {
                let _ = fs::remove_file(part_of(to));
                File::options().write(true).create_new(true).mode(0o600).open(part_of(to))
            }
        };
        let file = file.map_err(|error| write_error(to, &error))?;
        Ok(Self { to: to.map(Path::to_owned), file: BufWriter::new(file) })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.file.write_all(bytes).map_err(|error| write_error(self.to.as_deref(), &error))
    }

    /// Makes the data durable and gives the file its final name.
    pub(super) fn finish(self) -> Result<(), String> {
        let Self { to, file } = self;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error);
        let finished = file.and_then(|file| match &to {
            None => Ok(()),
            Some(to) => file.sync_all().and_then(|()| fs::rename(part_of(to), to)),
        });
        finished.map_err(|error| write_error(to.as_deref(), &error))
    }
}

/// The name of an incomplete file.
fn part_of(to: &Path) -> PathBuf {
    let mut name = to.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    to.with_file_name(name)
}

fn write_error(name: Option<&Path>, error: &io::Error) -> String {
    let file = name.map_or("standard output".into(), |name| name.display().to_string());
    format!("cannot write to {file}: {error}")
}
