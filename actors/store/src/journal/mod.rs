//! The journal: a file in which a batch becomes durable before it is acknowledged.
//!
//! The file has a fixed length, so a sync updates no metadata of the file system. A batch is one record of whole
//! blocks. A record that does not fit at the end of the file is written at the beginning of the file. In the layout
//! below, the number after a field is the length of the field in bytes. Invariants:
//!
//! - Records are written in the order of their numbers, each after the sync of its predecessor. So only the last record
//!   can be torn. If a number is missing before a later number, the journal is damaged.
//! - A block is overwritten only when the batch of its record is durable in the tree.
//! - Every record contains the random id of its file and a checksum over the whole record. So a partly overwritten
//!   record or a stored value is never read as a record.
//!
//! ```text
//! block 0      magic 8 | id 16 | length 8 | checksum 4
//! record       magic 4 | id 16 | number 8 | bytes 4 | checksum 4 | rows, and zeros up to the next block
//! row          key 1 + bytes | value 4 + bytes, or ff ff ff ff for a deleted row
//! ```

#[cfg(any(test, feature = "simulation"))]
mod memory;
mod record;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::Range;
use std::path::Path;

use parking_lot::Mutex;

#[cfg(any(test, feature = "simulation"))]
pub(super) use self::memory::MemoryBlocks;
use self::record::Id;
pub(super) use self::record::Rows;
use super::files::{found, read_damaged};
use super::{Batch, StoreError};

/// The length of the journal file. It is so long that a batch waits for free blocks only if a checkpoint is slow.
pub(super) const JOURNAL_BYTES: u64 = 8 << 20;

/// The unit of writes, which disks and file systems write atomically.
pub(super) const BLOCK_BYTES: u64 = 4096;

/// While the journal is read, at most this number of its bytes is in memory. Only a longer record takes more memory,
/// because each record is read as a whole.
const WINDOW_BYTES: u64 = 256 << 10;

const MAGIC: [u8; 8] = *b"rcptjnl\x01";
const HEADER_BYTES: usize = 8 + 16 + 8 + 4;

/// The storage of a journal's blocks: a file or, in simulations, memory. A power cut may lose any of the
/// unsynced blocks.
pub(super) trait Blocks: Send + Sync + 'static {
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()>;

    /// Fills `bytes` from offset `at`.
    ///
    /// # Errors
    /// Returns [`io::ErrorKind::UnexpectedEof`] if the blocks end before `bytes` is full.
    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()>;

    /// Makes all written blocks durable. After an error the content is unknown.
    fn sync(&self) -> io::Result<()>;
}

impl Blocks for File {
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(self, bytes, at)
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, bytes, at)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}

pub(super) struct Journal<B> {
    blocks: B,
    id: Id,
    length: u64,
    ring: Mutex<Ring>,
}

/// The positions of the records that are still needed. `buffer` contains the record that will be written next.
struct Ring {
    needed: VecDeque<Extent>,
    end: u64,
    number: u64,
    buffer: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Extent {
    number: u64,
    from: u64,
    to: u64,
}

pub(super) struct Found {
    pub(super) number: u64,
    pub(super) rows: Rows,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum Unreadable {
    #[error(transparent)]
    Failed(#[from] io::Error),
    #[error("{0}")]
    Damaged(&'static str),
}

impl Unreadable {
    fn of(self, path: &Path) -> StoreError {
        match self {
            Self::Failed(source) => StoreError::preparing("reading", path)(source),
            Self::Damaged(how) => StoreError::DamagedFiles { path: path.to_owned(), source: how.into() },
        }
    }
}

/// Opens the journal of a data directory, or creates it. Returns the batches with numbers above `newest`.
///
/// # Errors
/// Returns [`StoreError::DamagedFiles`] if the journal is damaged, and [`StoreError::Prepare`] if an access fails.
pub(super) fn open(path: &Path, newest: u64) -> Result<(Journal<File>, Vec<Found>), StoreError> {
    let prepare = |action| StoreError::preparing(action, path);
    let open = || OpenOptions::new().read(true).write(true).open(path);
    let file = match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make(path).and_then(|()| open()).map_err(prepare("making"))?
        }
        opened => opened.map_err(prepare("opening"))?,
    };
    Journal::read(file, newest).map_err(|error| error.of(path))
}

/// Returns the number of the newest batch in a journal if this number is higher than `newest`. If it is not higher, or
/// if the journal is missing, returns `newest`. Writes nothing.
///
/// # Errors
/// Returns the errors of [`open`].
pub(super) fn newest(path: &Path, newest: u64) -> Result<u64, StoreError> {
    let prepare = StoreError::preparing("reading", path);
    let Some(file) = found(File::open(path)).map_err(&prepare)? else { return Ok(newest) };
    let scanned = scan(&file, newest).map_err(|error| error.of(path))?;
    Ok(scanned.found.last().map_or(newest, |found| found.number))
}

/// Creates the file. Writes zeros to all blocks, so that no later sync has to allocate blocks.
fn make(path: &Path) -> io::Result<()> {
    let new = path.with_extension("new");
    let made = fill(&new);
    if made.is_err() {
        let _ = fs::remove_file(&new); // to free its disk space
        return made;
    }
    fs::rename(&new, path)?;
    path.parent().map_or(Ok(()), |dir| File::open(dir)?.sync_all())
}

#[allow(clippy::disallowed_methods, reason = "no behaviour depends on the id; simulations choose their ids")]
fn fill(path: &Path) -> io::Result<()> {
    let file = File::create(path)?;
    let zeros = vec![0; 1 << 20];
    for at in (0..JOURNAL_BYTES).step_by(zeros.len()) {
        file.write_at(&zeros, at)?;
    }
    let mut id = Id::default();
    getrandom::fill(&mut id).map_err(io::Error::other)?;
    format(&file, JOURNAL_BYTES, id)?;
    file.sync_all() // `sync_all` also syncs the length
}

/// Writes the header of an empty journal of this length. `id` must be unique.
pub(super) fn format(blocks: &impl Blocks, length: u64, id: Id) -> io::Result<()> {
    let mut header = [&MAGIC[..], &id, &length.to_be_bytes()].concat();
    header.extend(crc32fast::hash(&header).to_be_bytes());
    header.resize(BLOCK_BYTES as usize, 0);
    blocks.write_at(&header, 0)?;
    blocks.sync()
}

/// The content of a journal. `found` contains the batches with numbers above a given number. `last` is the byte range
/// of the record of the newest of these batches.
struct Scanned {
    id: Id,
    length: u64,
    found: Vec<Found>,
    last: Range<u64>,
}

fn scan(blocks: &impl Blocks, newest: u64) -> Result<Scanned, Unreadable> {
    let mut head = [0; HEADER_BYTES];
    read_at(blocks, &mut head, 0, "it has no header")?;
    let (id, length) = header(&head).ok_or(Unreadable::Damaged("its header is invalid"))?;
    let mut window = Window { blocks, length, from: 0, bytes: Vec::new() };
    let (mut found, mut last) = (Vec::<Found>::new(), 0..0);
    let mut at = BLOCK_BYTES;
    while at < length {
        let Some((number, rows, end)) = window.record(&id, at)? else {
            at += BLOCK_BYTES;
            continue;
        };
        if number > newest {
            let rows =
                record::decode_rows(rows).ok_or(Unreadable::Damaged("the rows of a record are invalid"))?;
            if found.iter().all(|other| other.number < number) {
                last = at..end;
            }
            found.push(Found { number, rows });
        }
        at = end;
    }
    found.sort_unstable_by_key(|found| found.number);
    // A missing record means damage, because each record is synced before the next one is written.
    if found.iter().zip(newest + 1..).any(|(found, number)| found.number != number) {
        return Err(Unreadable::Damaged("a batch is missing, but later batches exist"));
    }
    Ok(Scanned { id, length, found, last })
}

impl<B: Blocks> Journal<B> {
    /// Reads the journal and returns the batches with numbers above `newest`. Syncs the last record, because a killed
    /// process may not have synced it.
    pub(super) fn read(blocks: B, newest: u64) -> Result<(Self, Vec<Found>), Unreadable> {
        let Scanned { id, length, found, last } = scan(&blocks, newest)?;
        if !last.is_empty() {
            let mut window = Window { blocks: &blocks, length, from: 0, bytes: Vec::new() };
            blocks.write_at(window.bytes(last.clone())?, last.start)?;
            blocks.sync()?;
        }
        let ring = Ring { needed: VecDeque::new(), end: BLOCK_BYTES, number: 0, buffer: Vec::new() };
        Ok((Self { blocks, id, length, ring: Mutex::new(ring) }, found))
    }

    pub(super) fn encode(&self, number: u64, batch: &Batch) {
        let ring = &mut *self.ring.lock();
        record::encode(&self.id, number, batch, &mut ring.buffer);
        ring.buffer.resize(ring.buffer.len().next_multiple_of(BLOCK_BYTES as usize), 0);
        ring.number = number;
    }

    /// True if the prepared record fits into the free blocks. An empty journal has room for every batch.
    pub(super) fn has_room(&self) -> bool {
        self.ring.lock().place(self.length).is_some()
    }

    /// Writes the prepared record and returns its length. The previous record must be durable.
    pub(super) fn append(&self) -> io::Result<u64> {
        let ring = &mut *self.ring.lock();
        let place = ring.place(self.length).ok_or_else(|| io::Error::other("the journal has no room"))?;
        self.blocks.write_at(&ring.buffer, place.from)?;
        ring.end = place.to;
        ring.needed.push_back(place);
        Ok(place.to - place.from)
    }

    /// Makes the written records durable. After an error, the caller must not append another record.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.blocks.sync()
    }

    /// Frees the records of all batches up to this number. The batches must be durable in the tree.
    pub(super) fn retire(&self, through: u64) {
        let mut ring = self.ring.lock();
        while ring.needed.front().is_some_and(|place| place.number <= through) {
            ring.needed.pop_front();
        }
    }
}

impl Ring {
    fn place(&self, length: u64) -> Option<Extent> {
        let bytes = self.buffer.len() as u64;
        let at = |from: u64| Extent { number: self.number, from, to: from + bytes };
        let (next, front) = (at(self.end), at(BLOCK_BYTES));
        match self.needed.front() {
            // The free blocks are between the last record and the oldest needed record.
            Some(first) if first.from >= self.end => (next.to <= first.from).then_some(next),
            _ if next.to <= length => Some(next),
            Some(first) => (front.to <= first.from).then_some(front),
            None => (front.to <= length).then_some(front),
        }
    }
}

/// A window over the file: the part that is in memory. Reading the whole file at once would use too much memory.
struct Window<'a, B> {
    blocks: &'a B,
    length: u64,
    from: u64,
    bytes: Vec<u8>,
}

/// A record: its number, its rows and the offset of its end.
type Record<'a> = (u64, &'a [u8], u64);

impl<B: Blocks> Window<'_, B> {
    /// Returns the record that begins at `at`, or `None` if no valid record begins there.
    fn record(&mut self, id: &Id, at: u64) -> Result<Option<Record<'_>>, Unreadable> {
        let Some(bytes) = record::record_bytes(id, self.bytes(at..at + BLOCK_BYTES)?) else {
            return Ok(None);
        };
        let end = at + bytes;
        if end > self.length {
            return Ok(None);
        }
        let record = record::decode(self.bytes(at..end)?);
        Ok(record.map(|(number, rows)| (number, rows, end.next_multiple_of(BLOCK_BYTES))))
    }

    fn bytes(&mut self, there: Range<u64>) -> Result<&[u8], Unreadable> {
        let held = self.from..self.from + self.bytes.len() as u64;
        if there.start < held.start || there.end > held.end {
            let end = there.end.max((there.start + WINDOW_BYTES).min(self.length));
            self.bytes.resize((end - there.start) as usize, 0);
            self.from = there.start;
            read_at(self.blocks, &mut self.bytes, there.start, "it is shorter than when it was created")?;
        }
        Ok(&self.bytes[(there.start - self.from) as usize..(there.end - self.from) as usize])
    }
}

fn read_at(blocks: &impl Blocks, bytes: &mut [u8], at: u64, missing: &'static str) -> Result<(), Unreadable> {
    blocks.read_at(bytes, at).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => Unreadable::Damaged(missing),
        _ => error.into(),
    })
}

fn header(bytes: &[u8]) -> Option<(Id, u64)> {
    let (header, checksum) = bytes.split_last_chunk::<4>()?;
    let header = (crc32fast::hash(header).to_be_bytes() == *checksum).then_some(header)?;
    let (magic, rest) = header.split_first_chunk::<8>()?;
    let (id, length) = rest.split_first_chunk::<16>()?;
    (*magic == MAGIC).then_some((*id, u64::from_be_bytes(length.try_into().ok()?)))
}

/// Returns the batches in the intact records of a damaged journal, ordered by batch number.
pub(super) fn salvage(path: &Path) -> io::Result<Vec<Found>> {
    let Some(file) = found(File::open(path))? else { return Ok(Vec::new()) };
    let mut bytes = Vec::new();
    read_damaged(&file, 0, file.metadata()?.len() as usize, &mut bytes)?;
    let known = bytes.get(..HEADER_BYTES).and_then(header).map(|(id, _)| id);
    let Some(id) = known.or_else(|| bytes.chunks(BLOCK_BYTES as usize).find_map(record::id_of)) else {
        return Ok(Vec::new());
    };
    let (mut found, mut at) = (Vec::new(), BLOCK_BYTES as usize);
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let length = record::record_bytes(&id, rest).and_then(|length| usize::try_from(length).ok());
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
