//! CSV files for spreadsheets. They are in UTF-8 with a byte order mark, have a header row, and follow RFC
//! 4180.
//!
//! Invariant: an export reads its records and sends its file in parts, so the memory use does not depend on the length
//! of the file.

pub(crate) mod appointments;
pub(crate) mod contacts;

use std::borrow::Cow;
use std::future::ready;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use csv::{Terminator, WriterBuilder};
use domain::{Actor, AuditAction, BusinessId, ContactRow, ResourceId, Timestamp};
use engine::business::commands::contacts::NoteExport;
use engine::business::{AppointmentFilter, PageRequest, Request};
use engine::{BusinessHandle, EngineError};
use futures_util::stream::{StreamExt, once, try_unfold};
use tokio::sync::{Semaphore, SemaphorePermit};

use self::contacts::FileProblem;
use crate::http::reading::Reading;
use crate::rest::error::ApiError;

/// The maximum length of a file to import, in bytes.
pub(crate) const FILE_BYTES_MAX: usize = 10 << 20;

/// The maximum number of files in memory. Further requests wait for at most [`WAIT_MAX`].
static FILES: Semaphore = Semaphore::const_new(4);
/// These semaphores prevent one business from using all permits of [`FILES`]. The last byte of the business id selects
/// the semaphore. This byte is random, so only few businesses share each semaphore.
static FILES_OF_BUSINESS: [Semaphore; 256] = [const { Semaphore::const_new(2) }; 256];
const WAIT_MAX: Duration = Duration::from_secs(10);

/// A permit for a file in memory. It must be kept as long as the file, or the rows that were read from it.
pub(crate) struct FilePermit {
    _of_business: SemaphorePermit<'static>,
    _of_all: SemaphorePermit<'static>,
}

pub(crate) async fn permit(business: BusinessId) -> Result<FilePermit, ApiError> {
    let [.., last] = *business.uuid().as_bytes();
    let both = async {
        let of_business = FILES_OF_BUSINESS[usize::from(last)].acquire().await.ok()?;
        Some(FilePermit { _of_business: of_business, _of_all: FILES.acquire().await.ok()? })
    };
    tokio::time::timeout(WAIT_MAX, both).await.ok().flatten().ok_or(ApiError::Unavailable)
}

/// The number of records that an export reads at a time.
const READ: usize = 100;

pub(crate) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// If a cell begins with one of these characters, an export adds an apostrophe. Otherwise a spreadsheet would read the
/// cell as a formula, or would hide the cell's own apostrophe.
const GUARDED: [char; 7] = ['=', '+', '-', '@', '\'', '\t', '\r'];

/// Adds an apostrophe before a cell that begins with one of the [`GUARDED`] characters.
pub(crate) fn guarded(cell: &str) -> Cow<'_, str> {
    if cell.starts_with(GUARDED) { format!("'{cell}").into() } else { cell.into() }
}

/// Removes the apostrophe that [`guarded`] may have added.
pub(crate) fn unguarded(cell: &str) -> Cow<'_, str> {
    cell.strip_prefix('\'').unwrap_or(cell).into()
}

/// Decodes a file as UTF-8. If the file is not valid UTF-8, decodes it as Windows-1252, in which every byte is a
/// character. But a file with both a multi-byte character of UTF-8 and an invalid byte is probably damaged UTF-8, so it
/// is refused. The error is the number of the first line with an invalid byte.
pub(crate) fn decoded(file: &[u8]) -> Result<Cow<'_, str>, u64> {
    /// The characters of the bytes 0x80 to 0x9F. The other bytes have the same numbers as their Unicode
    /// characters.
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    let error = match std::str::from_utf8(file) {
        Ok(text) => return Ok(text.into()),
        Err(error) => error,
    };
    if file.utf8_chunks().any(|chunk| !chunk.valid().is_ascii()) {
        let before = file[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        return Err(before as u64 + 1);
    }
    let character = |byte: &u8| match byte {
        0x80..=0x9f => HIGH[usize::from(*byte) - 0x80],
        byte => char::from(*byte),
    };
    Ok(file.iter().map(character).collect::<String>().into())
}

/// Reads the rows of a file of contacts on a thread that may block, because a long file takes a second.
pub(crate) async fn contact_rows(
    file: Bytes,
    reading: Reading,
) -> Result<Result<Vec<ContactRow>, Vec<FileProblem>>, ApiError> {
    let read = tokio::task::spawn_blocking(move || contacts::read(&file, &reading));
    read.await.map_err(ApiError::internal)
}

/// The records of an exported file.
pub(crate) enum Exported {
    /// All contacts, in the order of their creation.
    Contacts,
    /// The appointments that start in a period, in the order of their start.
    Appointments { from: Option<Timestamp>, to: Option<Timestamp> },
}

/// Exports records. The audit log records the export before the file begins.
pub(crate) async fn export(business: &BusinessHandle, by: Actor, of: Exported) -> Result<Body, EngineError> {
    let (action, head) = match of {
        Exported::Contacts => (AuditAction::ContactsExported, contacts::head()),
        Exported::Appointments { .. } => (AuditAction::AppointmentsExported, appointments::head()),
    };
    business.change(Request::by(by), NoteExport(action)).await?;
    let sending = Sending { business: business.clone(), of, after: None, ended: false };
    let parts = try_unfold(sending, |mut sending| async move {
        let part = sending.part().await.inspect_err(|error| {
            tracing::warn!(
                error = error as &dyn std::error::Error,
                "an export of a CSV file was interrupted"
            );
        })?;
        Ok::<_, EngineError>(part.map(|part| (part, sending)))
    });
    Ok(Body::from_stream(once(ready(Ok(head))).chain(parts)))
}

struct Sending {
    business: BusinessHandle,
    of: Exported,
    after: Option<Vec<u8>>,
    ended: bool,
}

impl Sending {
    async fn part(&mut self) -> Result<Option<Bytes>, EngineError> {
        if self.ended {
            return Ok(None);
        }
        let page = PageRequest { limit: READ, after: self.after.take() };
        let (rows, next) = match self.of {
            Exported::Contacts => {
                let found = self.business.contacts_by_creation(&page).await?;
                (contacts::rows(&found.items), found.next)
            }
            Exported::Appointments { from, to } => {
                let filter = AppointmentFilter { from, to, ..AppointmentFilter::default() };
                let found = self.business.appointments_as(&filter, &page).await?;
                (appointments::rows(&found.items), found.next)
            }
        };
        self.ended = next.is_none();
        self.after = next;
        Ok(Some(rows.into()))
    }
}

/// Writes rows. A row has a text for each column.
pub(crate) fn written<R>(rows: impl IntoIterator<Item = R>) -> Vec<u8>
where
    R: IntoIterator<Item: AsRef<str>>,
{
    let mut writer = WriterBuilder::new().flexible(true).terminator(Terminator::CRLF).from_writer(Vec::new());
    for row in rows {
        let cells: Vec<_> = row.into_iter().map(|cell| guarded(cell.as_ref()).into_owned()).collect();
        writer.write_record(&cells).expect("writing to memory does not fail");
    }
    writer.into_inner().expect("writing to memory does not fail")
}

/// The beginning of a file: the byte order mark and the header row.
pub(crate) fn head<T: AsRef<str>>(columns: impl IntoIterator<Item = T>) -> Bytes {
    [BYTE_ORDER_MARK.as_bytes(), &written([columns])].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_never_a_formula_and_keeps_its_text() {
        for (cell, expected) in [
            ("", ""),
            ("Zoé", "Zoé"),
            ("=1+1", "'=1+1"),
            ("+33612345678", "'+33612345678"),
            ("-1", "'-1"),
            ("@SUM", "'@SUM"),
            ("'", "''"),
            ("''a", "'''a"),
            ("\tx", "'\tx"),
            ("\rx", "'\rx"),
            ("a=b", "a=b"),
        ] {
            assert_eq!(guarded(cell), expected);
            assert_eq!(unguarded(expected), cell);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_business_cannot_take_all_permits() {
        let business = |number: u128| BusinessId::from(uuid::Uuid::from_u128(number));
        let own = (permit(business(1)).await.unwrap(), permit(business(1)).await.unwrap());
        assert!(permit(business(1)).await.is_err(), "a business has two permits");
        let other = permit(business(2)).await.unwrap();
        drop(own.0);
        let again = permit(business(1)).await.unwrap();
        let last = permit(business(3)).await.unwrap();
        assert!(permit(business(4)).await.is_err(), "there are four permits");
        drop((own.1, other, again, last));
        assert!(permit(business(4)).await.is_ok());
    }

    #[test]
    fn rows_have_the_form_of_rfc_4180() {
        let written = written([vec!["a", "say \"x\"", "b,c"], vec!["", "two\nlines", "=x"]]);
        let text = String::from_utf8(written).unwrap();
        assert_eq!(text, "a,\"say \"\"x\"\"\",\"b,c\"\r\n,\"two\nlines\",'=x\r\n");
        assert_eq!(head(["name"]), "\u{feff}name\r\n".as_bytes());
    }
}
