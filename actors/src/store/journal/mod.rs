//! The journal: where a batch is durable before anybody is answered, on its way into the rows' home.
//!
//! It is one file of fixed length whose bytes are written over and over, never its length: syncing it moves no metadata
//! of the file system. A batch is one record of whole blocks; the blocks of records whose batches are durable at home are
//! free, and the next record begins behind the last, or at the front again. What always holds:
//!
//! - records are appended in the order of their numbers, and none before the one before it is synced: so of all records
//!   only the last can be torn, and a record that is missing with later ones behind it is damage;
//! - a block is written over only when the batch of its record is durable at home;
//! - every record bears the id of its file, drawn when that was made, and a checksum over all of it: what is left of
//!   earlier records is none, and no value that somebody stores can be taken for one.
//!
//! ```text
//! block 0      magic 8 | id 16 | length 8 | checksum 4
//! record       magic 4 | id 16 | number 8 | bytes 4 | checksum 4 | rows, and zeros up to the next block
//! row          key 1 + bytes | value 4 + bytes, or ff ff ff ff for one that is deleted
//! ```

mod blocks;
mod record;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use parking_lot::Mutex;

pub(super) use self::blocks::{BLOCK_BYTES, Blocks, MemoryBlocks};
use self::record::Id;
pub(super) use self::record::Rows;
use super::{Batch, StoreError};

/// The length of the file: many times what is under way at once, so that nobody waits for room while the disk keeps up.
pub(super) const JOURNAL_BYTES: u64 = 8 << 20;

const MAGIC: [u8; 8] = *b"rcptjnl\x01";
/// magic, id, length, checksum
const HEADER_BYTES: usize = 8 + 16 + 8 + 4;

/// A journal, open.
pub(super) struct Journal<B> {
    blocks: B,
    id: Id,
    length: u64,
    ring: Mutex<Ring>,
}

/// Which records are needed, and where the next one goes.
#[derive(Default)]
struct Ring {
    needed: VecDeque<Place>,
    /// What is written, kept for the next one.
    buffer: Vec<u8>,
}

/// A record's place in the file.
#[derive(Clone, Copy)]
struct Place {
    number: u64,
    from: u64,
    to: u64,
}

/// A batch that stands in the journal.
pub(super) struct Found {
    /// Its number.
    pub(super) number: u64,
    /// The rows that it writes.
    pub(super) rows: Rows,
}

/// Opens the journal of a data directory, and makes it if it is not there; gives what it holds behind this batch.
///
/// # Errors
/// [`StoreError::DamagedFiles`] when it is not what was written, [`StoreError::Prepare`] when it cannot be read or made.
pub(super) fn open(path: &Path, newest: u64) -> Result<(Journal<File>, Vec<Found>), StoreError> {
    let prepare = |action| move |source| StoreError::Prepare { action, path: path.to_owned(), source };
    let open = || OpenOptions::new().read(true).write(true).open(path);
    let file = match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make(path).and_then(|()| open()).map_err(prepare("making"))?
        }
        opened => opened.map_err(prepare("opening"))?,
    };
    let read = Journal::read(file, newest).map_err(prepare("reading"))?;
    read.map_err(|damage| StoreError::DamagedFiles { path: path.to_owned(), source: damage.into() })
}

/// Zeros that are really written, so that no sync has to tell the file system of a block; under its name only when it is
/// whole.
#[allow(clippy::disallowed_methods, reason = "an id that nothing is decided by; a simulation has its own")]
fn make(path: &Path) -> io::Result<()> {
    let new = path.with_extension("new");
    let file = File::create(&new)?;
    let zeros = vec![0; 1 << 20];
    for at in (0..JOURNAL_BYTES).step_by(zeros.len()) {
        file.write_at(&zeros, at)?;
    }
    let mut id = Id::default();
    getrandom::fill(&mut id).map_err(io::Error::other)?;
    format(&file, JOURNAL_BYTES, id)?;
    file.sync_all()?; // its length as well
    fs::rename(&new, path)?;
    path.parent().map_or(Ok(()), |dir| File::open(dir)?.sync_all())
}

/// Writes the beginning of an empty journal of this length, with an id that no other has.
pub(super) fn format(blocks: &impl Blocks, length: u64, id: Id) -> io::Result<()> {
    let mut header = [&MAGIC[..], &id, &length.to_be_bytes()].concat();
    header.extend(crc32fast::hash(&header).to_be_bytes());
    header.resize(BLOCK_BYTES as usize, 0);
    blocks.write_at(&header, 0)?;
    blocks.sync()
}

impl<B: Blocks> Journal<B> {
    /// Reads a journal; gives what it holds behind the batch of this number, or what is wrong with it.
    pub(super) fn read(blocks: B, newest: u64) -> io::Result<Result<(Self, Vec<Found>), &'static str>> {
        let mut bytes = vec![0; HEADER_BYTES];
        match blocks.read_at(&mut bytes, 0) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Ok(Err("it has no beginning"));
            }
            read => read?,
        }
        let Some((id, length)) = header(&bytes) else {
            return Ok(Err("its beginning is not what was written"));
        };
        bytes.resize(usize::try_from(length).map_err(io::Error::other)?, 0);
        match blocks.read_at(&mut bytes, 0) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Ok(Err("it is shorter than it was made"));
            }
            read => read?,
        }
        let mut found = Vec::new();
        let mut at = BLOCK_BYTES as usize;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            match record::decode(&id, rest) {
                Some((number, rows, bytes)) => {
                    if number > newest {
                        let Some(rows) = record::decode_rows(rows) else {
                            return Ok(Err("a record of it holds no rows"));
                        };
                        found.push(Found { number, rows });
                    }
                    at += bytes.next_multiple_of(BLOCK_BYTES as usize);
                }
                None => at += BLOCK_BYTES as usize,
            }
        }
        found.sort_unstable_by_key(|found| found.number);
        // What is missing was there: the one behind it is written only when it is synced.
        if found.iter().zip(newest + 1..).any(|(found, number)| found.number != number) {
            return Ok(Err("a batch is missing in it that others follow"));
        }
        Ok(Ok((Self { blocks, id, length, ring: Mutex::default() }, found)))
    }

    /// Whether there is room for the batch now. There is while no record is needed: no batch is longer than a file has
    /// room for.
    pub(super) fn has_room(&self, batch: &Batch) -> bool {
        self.ring.lock().place(record::bytes_of(batch), self.length).is_some()
    }

    /// Writes the batch, which has this number; not yet durable. The one before it is durable by then.
    ///
    /// # Errors
    /// When there is no room, or writing fails; nothing may be appended any more then.
    pub(super) fn append(&self, number: u64, batch: &Batch) -> io::Result<()> {
        let ring = &mut *self.ring.lock();
        let (from, to) = ring
            .place(record::bytes_of(batch), self.length)
            .ok_or_else(|| io::Error::other("the journal has no room"))?;
        record::encode(&self.id, number, batch, &mut ring.buffer);
        ring.buffer.resize((to - from) as usize, 0);
        self.blocks.write_at(&ring.buffer, from)?;
        ring.needed.push_back(Place { number, from, to });
        Ok(())
    }

    /// What was appended is durable once this has returned.
    ///
    /// # Errors
    /// When syncing fails; nothing may be appended any more then.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.blocks.sync()
    }

    /// The batches up to this one are durable at home: their records are needed no more.
    pub(super) fn retire(&self, through: u64) {
        let mut ring = self.ring.lock();
        while ring.needed.front().is_some_and(|place| place.number <= through) {
            ring.needed.pop_front();
        }
    }

    /// How much of it is needed, in bytes: all between the first and the last record that are.
    pub(super) fn needed_bytes(&self) -> u64 {
        let ring = self.ring.lock();
        match (ring.needed.front(), ring.needed.back()) {
            (Some(first), Some(last)) if last.to > first.from => last.to - first.from,
            (Some(first), Some(last)) => self.length - first.from + last.to - BLOCK_BYTES,
            _ => 0,
        }
    }
}

impl Ring {
    /// Where a record of this length goes, and where it ends; `None` while there is no room.
    fn place(&self, bytes: usize, length: u64) -> Option<(u64, u64)> {
        let bytes = (bytes as u64).next_multiple_of(BLOCK_BYTES);
        let (Some(first), Some(last)) = (self.needed.front(), self.needed.back()) else {
            return (BLOCK_BYTES + bytes <= length).then_some((BLOCK_BYTES, BLOCK_BYTES + bytes));
        };
        if last.to > first.from {
            // Free are what is behind the last and what is before the first.
            match last.to + bytes <= length {
                true => Some((last.to, last.to + bytes)),
                false => (BLOCK_BYTES + bytes <= first.from).then_some((BLOCK_BYTES, BLOCK_BYTES + bytes)),
            }
        } else {
            (last.to + bytes <= first.from).then_some((last.to, last.to + bytes))
        }
    }
}

fn header(bytes: &[u8]) -> Option<(Id, u64)> {
    let (told, checksum) = bytes.split_last_chunk::<4>()?;
    let told = (crc32fast::hash(told).to_be_bytes() == *checksum).then_some(told)?;
    let (magic, rest) = told.split_first_chunk::<8>()?;
    let (id, length) = rest.split_first_chunk::<16>()?;
    (*magic == MAGIC).then_some((*id, u64::from_be_bytes(length.try_into().ok()?)))
}
