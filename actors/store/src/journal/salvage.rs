//! Reads the intact records of a damaged journal.

use std::fs::File;
use std::io;
use std::path::Path;

use super::{BLOCK_BYTES, Found, HEADER_BYTES, header, record};
use crate::files::found;
use crate::lenient;

/// Returns the batches in the order of their numbers.
pub(crate) fn salvage(path: &Path) -> io::Result<Vec<Found>> {
    let Some(file) = found(File::open(path))? else { return Ok(Vec::new()) };
    let mut bytes = Vec::new();
    lenient::read(&file, 0, file.metadata()?.len() as usize, &mut bytes)?;
    let told = bytes.get(..HEADER_BYTES).and_then(header).map(|(id, _)| id);
    let Some(id) = told.or_else(|| bytes.chunks(BLOCK_BYTES as usize).find_map(record::id_of)) else {
        return Ok(Vec::new());
    };
    let (mut found, mut at) = (Vec::new(), BLOCK_BYTES as usize);
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let length = record::told_bytes(&id, rest).and_then(|length| usize::try_from(length).ok());
        let whole = length.and_then(|length| Some((length, record::decode(rest.get(..length)?)?)));
        at += match whole {
            Some((length, (number, rows))) => {
                found.extend(record::decode_rows(rows).map(|rows| Found { number, rows }));
                length.next_multiple_of(BLOCK_BYTES as usize)
            }
            None => BLOCK_BYTES as usize,
        };
    }
    found.sort_by_key(|found| found.number);
    Ok(found)
}
