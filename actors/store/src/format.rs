//! The file `format` names the formats that a version of the service must know to use the store, for example:
//!
//! ```text
//! format = 13       the format of the store
//! read-by = 6       a version must know at least this format to read the store
//! written-by = 13   a version must know at least this format to write the store
//! ```
//!
//! Invariant: the file is durable before the store contains rows that an earlier version cannot read.
//!
//! If the file and the record in the store ([`super::records::MetaRecord`]) differ, the record applies.

use std::fs;
use std::io;
use std::path::Path;

use super::StoreError;
use super::files::replace;
use super::kept::FORMAT_OF_KINDS;
use super::records::STORE_FORMAT;

pub(super) const NAME: &str = "format";

/// Format 6 introduced the journal. A version that knows only earlier formats must not read the store, because it would
/// miss the rows that only the journal contains.
pub(super) const READ_BY: u16 = 6;
/// The format that added the newest kind of records. A version that knows only earlier formats must not write the
/// store, because it would not update, count or erase the records of the unknown kinds.
const WRITTEN_BY: u16 = FORMAT_OF_KINDS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Format {
    format: u16,
    read_by: u16,
    written_by: u16,
}

const PRESENT: Format = Format { format: STORE_FORMAT, read_by: READ_BY, written_by: WRITTEN_BY };

pub(super) fn check(dir: &Path) -> Result<(), StoreError> {
    match read(dir)? {
        Some(found) if found.written_by > STORE_FORMAT => {
            Err(StoreError::Format { found: found.format, known: STORE_FORMAT })
        }
        _ => Ok(()),
    }
}

pub(super) fn of(dir: &Path) -> Result<Option<u16>, StoreError> {
    Ok(read(dir)?.map(|found| found.format))
}

pub(super) fn keep(dir: &Path) -> Result<(), StoreError> {
    if read(dir)? == Some(PRESENT) {
        return Ok(());
    }
    let path = dir.join(NAME);
    let Format { format, read_by, written_by } = PRESENT;
    let text = format!("format = {format}\nread-by = {read_by}\nwritten-by = {written_by}\n");
    replace(&path, 0o666, text).map_err(StoreError::preparing("writing", &path))
}

fn read(dir: &Path) -> Result<Option<Format>, StoreError> {
    let path = dir.join(NAME);
    match fs::read_to_string(&path) {
        Ok(text) => parse(&text).map(Some).ok_or(StoreError::FormatFile(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(StoreError::FormatFile(path)),
        Err(error) => Err(StoreError::preparing("reading", path)(error)),
    }
}

/// Parses the three required lines. Ignores unknown lines, which later versions may add.
fn parse(text: &str) -> Option<Format> {
    let number = |name: &str| {
        let mut values = text.lines().filter_map(|line| {
            let (found, value) = line.split_once('=')?;
            (found.trim() == name).then(|| value.trim().parse().ok())
        });
        let value = values.next()??;
        values.next().is_none().then_some(value)
    };
    Some(Format { format: number("format")?, read_by: number("read-by")?, written_by: number("written-by")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_written_once_and_read_again() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read(dir.path()).unwrap(), None);
        check(dir.path()).unwrap();
        keep(dir.path()).unwrap();
        assert_eq!(read(dir.path()).unwrap(), Some(PRESENT));
        let written = fs::metadata(dir.path().join(NAME)).unwrap().modified().unwrap();
        keep(dir.path()).unwrap();
        assert_eq!(fs::metadata(dir.path().join(NAME)).unwrap().modified().unwrap(), written);
        check(dir.path()).unwrap();
    }

    #[test]
    fn a_later_format_is_refused_unless_it_may_be_written() {
        let dir = tempfile::tempdir().unwrap();
        let write = |text: &str| fs::write(dir.path().join(NAME), text).unwrap();
        let later = STORE_FORMAT + 1;
        write(&format!("format = {later}\nread-by = 6\nwritten-by = {later}\nmore = x\n"));
        let refused = check(dir.path());
        assert!(
            matches!(refused, Err(StoreError::Format { found, known: STORE_FORMAT }) if found == later),
            "{refused:?}"
        );
        write(&format!("format = {later}\nread-by = 6\nwritten-by = {STORE_FORMAT}\n"));
        check(dir.path()).unwrap();
    }

    #[test]
    fn a_damaged_file_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        for text in [
            "",
            "format = 3",
            "format = 3\nread-by = 3\nwritten-by = x",
            "format = 3\nread-by = 3\nwritten-by = 3\nwritten-by = 4",
        ] {
            fs::write(dir.path().join(NAME), text).unwrap();
            assert!(matches!(check(dir.path()), Err(StoreError::FormatFile(_))), "{text}");
        }
        fs::write(dir.path().join(NAME), [0xff]).unwrap();
        assert!(matches!(check(dir.path()), Err(StoreError::FormatFile(_))));
    }
}
