//! Unnamed files for saved rows that do not fit into memory. The system deletes a file when its reader is
//! dropped.
//!
//! Invariant: a file contains its keys in order, each once, and is read once from start to end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::iter::Peekable;
use std::path::Path;

use super::Key;
use super::tap::Saved;

/// The name of a file between its creation and its unlinking.
const NAME: &str = "side";
/// Replaces the length for a row that did not exist.
const NONE: u32 = u32::MAX;
const READ_BYTES: usize = 64 << 10;

type Row = io::Result<(Key, Option<Vec<u8>>)>;

#[derive(Default)]
pub(super) struct Spill {
    runs: Vec<Peekable<Run>>,
}

impl Spill {
    pub(super) fn write(&mut self, dir: &Path, saved: &Saved) -> io::Result<()> {
        let path = dir.join(NAME);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        fs::remove_file(&path)?;
        let mut writer = BufWriter::new(file);
        for (key, value) in saved {
            let length = value.as_ref().map_or(NONE, |value| u32::try_from(value.len()).unwrap_or(NONE));
            // The length of a key fits into a byte.
            writer.write_all(&[u8::try_from(key.len()).unwrap_or(u8::MAX)])?;
            writer.write_all(key)?;
            writer.write_all(&length.to_be_bytes())?;
            writer.write_all(value.as_deref().unwrap_or_default())?;
        }
        let mut file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        self.runs.push(Run(BufReader::with_capacity(READ_BYTES, file)).peekable());
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Adds the rows before `end`. A row that was saved later under the same key is replaced.
    pub(super) fn pass(&mut self, end: Key, passed: &mut Saved) -> io::Result<()> {
        for run in self.runs.iter_mut().rev() {
            while let Some(row) = run.next_if(|row| row.as_ref().map_or(true, |(at, _)| *at < end)) {
                let (at, value) = row?;
                passed.insert(at, value);
            }
        }
        Ok(())
    }
}

struct Run(BufReader<File>);

impl Run {
    fn read(&mut self) -> io::Result<Option<(Key, Option<Vec<u8>>)>> {
        let mut length = [0];
        if self.0.read(&mut length)? == 0 {
            return Ok(None);
        }
        let (mut key, mut bytes) = (vec![0; usize::from(length[0])], [0; 4]);
        self.0.read_exact(&mut key)?;
        self.0.read_exact(&mut bytes)?;
        let value = match u32::from_be_bytes(bytes) {
            NONE => None,
            length => {
                let mut value = vec![0; length as usize];
                self.0.read_exact(&mut value)?;
                Some(value)
            }
        };
        Ok(Some((Key::new(&key), value)))
    }
}

impl Iterator for Run {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        self.read().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_saved_first_counts_and_comes_in_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let key = |byte: u8| Key::new(&[byte]);
        let row = |byte: u8, value: Option<&[u8]>| (key(byte), value.map(<[u8]>::to_vec));
        let mut spill = Spill::default();
        spill.write(dir.path(), &Saved::from([row(1, Some(b"first")), row(3, None)])).unwrap();
        spill
            .write(dir.path(), &Saved::from([row(1, Some(b"later")), row(2, Some(b"")), row(4, Some(b"x"))]))
            .unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        let mut passed = Saved::from([row(2, Some(b"latest")), row(3, Some(b"latest"))]);
        spill.pass(key(4), &mut passed).unwrap();
        assert_eq!(passed, Saved::from([row(1, Some(b"first")), row(2, Some(b"")), row(3, None)]));
        let mut passed = Saved::new();
        spill.pass(key(9), &mut passed).unwrap();
        assert_eq!(passed, Saved::from([row(4, Some(b"x"))]));
    }
}
