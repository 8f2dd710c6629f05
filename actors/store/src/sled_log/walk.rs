//! Checks sled's log before sled opens it.
//!
//! When it opens, sled reads the log from its last snapshot on. It treats the first message with a wrong
//! checksum as the end of its segment, so a flipped bit hides the rest of a segment without an error. This
//! check reads the same segments first and refuses such a log.
//!
//! Rules:
//!
//! - After a clean stop every message is valid, and the log ends where it ended at the stop. Otherwise, if the journal
//!   contains all missing batches, the next rules apply.
//! - After any other stop the tail may be torn. The tail starts at the segment up to which a later segment's header
//!   calls the log written. The log ends there at the first invalid message. The numbers of batches (`mark`) show
//!   whether batches are lost with it. A segment in the list of sealed segments was synced, so it is not torn.
//! - A segment before the tail that is torn, has an invalid header or is cut off must have been free: sled overwrites
//!   free segments, and the machine may stop after some blocks and before the one with the header. A segment was free
//!   if every page that it names was replaced or freed in a later segment. The list of sealed segments (`sealed`)
//!   states the pages. A torn segment that is missing in the list is damaged.
//! - A store without the list was last used by an earlier version. The pages are then those of the valid messages and
//!   of the legible headers.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::message::{Header, Kind, has_room, header_at, is_of_another_page, is_whole, message_at};
#[cfg(test)]
use super::pages::State;
use super::pages::{Pages, Part};
use super::segment::{HEADER_BYTES_MAX, SEGMENT_HEADER_BYTES, Segment, segment_of, segments_of};
use super::{sealed, snapshot};
use crate::files::found;

/// The maximum number of pages that a log adds to the known ones.
const NEW_PAGES_MAX: u64 = 1 << 20;

const THREADS_MAX: usize = 4;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Damage {
    pub(crate) offset: u64,
    pub(crate) what: &'static str,
}

pub(crate) struct Log {
    db: File,
    segment_bytes: u64,
    /// The segments since the snapshot, in the order of the log.
    segments: Vec<Segment>,
    snapshot: Option<snapshot::SnapshotFile>,
    list: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// Up to its cap, or until no header fits.
    Complete,
    Torn(usize),
}

impl Log {
    pub(crate) fn open(store: &Path, list: &Path, segment_bytes: u64) -> io::Result<Option<Self>> {
        let Some(db) = found(File::open(store.join("db")))? else { return Ok(None) };
        let snapshot = snapshot::snapshots_of(store)?.pop();
        let from = snapshot.as_ref().map_or(0, |file| file.lsn) / segment_bytes * segment_bytes;
        let mut segments = segments_of(&db, segment_bytes)?;
        segments.retain(|segment| segment.lsn >= from);
        segments.sort_unstable_by_key(|segment| segment.lsn);
        Ok(Some(Self { db, segment_bytes, segments, snapshot, list: list.to_owned() }))
    }

    /// The position after the last message, as sled finds it when it opens.
    pub(crate) fn end(&self) -> io::Result<u64> {
        let (mut end, mut bytes) = (0, Vec::new());
        for segment in self.tail() {
            if end > 0 && segment.lsn != end {
                break;
            }
            self.read(segment.at, &mut bytes)?;
            match self.extent(segment, &bytes) {
                Extent::Complete => end = segment.lsn + self.segment_bytes,
                Extent::Torn(at) => return Ok(segment.lsn + at as u64),
            }
        }
        Ok(end)
    }

    fn tail(&self) -> &[Segment] {
        let stable = self.segments.iter().map(|segment| segment.stable).max().unwrap_or(0);
        let from = stable / self.segment_bytes * self.segment_bytes;
        &self.segments[self.segments.partition_point(|segment| segment.lsn < from)..]
    }

    pub(super) fn segment_bytes(&self) -> u64 {
        self.segment_bytes
    }

    /// Whether a valid message starts at this offset of the file.
    pub(crate) fn is_whole_at(&self, offset: u64) -> bool {
        let mut bytes = Vec::new();
        let at = (offset % self.segment_bytes) as usize;
        self.read(offset - at as u64, &mut bytes).is_ok()
            && header_at(&bytes, at).is_some_and(|header| is_whole(&bytes, at, &header))
    }

    pub(crate) fn bytes(&self, at: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.db.read_exact_at(&mut bytes, at)?;
        Ok(bytes)
    }

    fn number(&self, segment: &Segment) -> u64 {
        segment.lsn / self.segment_bytes
    }

    /// Reads a segment, or the part that the file has.
    fn read(&self, at: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        bytes.resize(self.segment_bytes as usize, 0);
        let mut read = 0;
        while read < bytes.len() {
            match self.db.read_at(&mut bytes[read..], at + read as u64) {
                Ok(0) => break,
                Ok(more) => read += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        bytes.truncate(read);
        Ok(())
    }

    fn extent(&self, segment: &Segment, bytes: &[u8]) -> Extent {
        self.messages(segment, bytes, |_| None, |_, _| {})
    }

    /// Calls `each` for the messages of a segment with their offsets. `damaged` returns the header of an invalid
    /// message if it is known. Otherwise the segment is torn there.
    fn messages(
        &self,
        segment: &Segment,
        bytes: &[u8],
        damaged: impl Fn(usize) -> Option<Header>,
        mut each: impl FnMut(Header, usize),
    ) -> Extent {
        let mut at = SEGMENT_HEADER_BYTES;
        while has_room(at, self.segment_bytes as usize) {
            match message_at(bytes, at, self.number(segment)).or_else(|| damaged(at)) {
                Some(Header { kind: Kind::Cap, .. }) => return Extent::Complete,
                Some(header) => {
                    each(header, at);
                    at += header.length;
                }
                // sled starts the next segment when it opens and finds the end of the log here.
                None if at + HEADER_BYTES_MAX == self.segment_bytes as usize
                    && header_at(bytes, at).is_none_or(|header| header.number != self.number(segment)) =>
                {
                    return Extent::Complete;
                }
                None => return Extent::Torn(at),
            }
        }
        Extent::Complete
    }

    fn torn(&self) -> io::Result<Vec<Torn>> {
        let next = AtomicUsize::new(0);
        let found = Mutex::new(Ok(Vec::new()));
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
        std::thread::scope(|scope| {
            for _ in 0..threads.min(self.segments.len()) {
                scope.spawn(|| {
                    let mut bytes = Vec::new();
                    while let Some(segment) = self.segments.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let extent = self.read(segment.at, &mut bytes).map(|()| self.extent(segment, &bytes));
                        match (&mut *found.lock(), extent) {
                            (Ok(_), Ok(Extent::Complete)) => {}
                            (Ok(torn), Ok(Extent::Torn(at))) => {
                                torn.push(Torn { segment: *segment, at: at as u64 });
                            }
                            (found @ Ok(_), Err(error)) => *found = Err(error),
                            (Err(_), _) => return,
                        }
                    }
                });
            }
        });
        let mut torn = found.into_inner()?;
        torn.sort_unstable_by_key(|torn| torn.segment.lsn);
        Ok(torn)
    }

    fn pages_of_snapshot(&self) -> io::Result<(Pages, u64)> {
        let Some(file) = &self.snapshot else { return Ok(Default::default()) };
        Ok((snapshot::read(&file.path)?.unwrap_or_default(), file.lsn))
    }

    /// The pages as sled finds them when it opens: those of the snapshot, and the log since, up to its end.
    pub(crate) fn pages(&self) -> io::Result<Pages> {
        let (mut pages, since) = self.pages_of_snapshot()?;
        let (end, mut bytes) = (self.end()?, Vec::new());
        for segment in &self.segments {
            self.read(segment.at, &mut bytes)?;
            self.messages(
                segment,
                &bytes,
                |_| None,
                |header, at| {
                    let lsn = segment.lsn + at as u64;
                    if (since..end).contains(&lsn) {
                        pages.apply_at(header, segment, at);
                    }
                },
            );
        }
        Ok(pages)
    }

    /// The pages of a log that sled has closed, including corrupt messages. Returns the damage if its page is unknown:
    /// then no page is certain.
    pub(crate) fn pages_past_damage(&self) -> io::Result<Result<Pages, Damage>> {
        let (mut pages, since) = self.pages_of_snapshot()?;
        let (mut torn, mut bytes) = (Vec::new(), Vec::new());
        for segment in &self.segments {
            self.read(segment.at, &mut bytes)?;
            let (number, pages_max) = (self.number(segment), pages.len() + NEW_PAGES_MAX);
            let damaged = |at| damaged_message(&bytes, at, number, pages_max);
            let extent = self.messages(segment, &bytes, damaged, |header, at| {
                if segment.lsn + at as u64 >= since {
                    pages.apply_at(header, segment, at);
                }
            });
            if let Extent::Torn(at) = extent {
                torn.push(Torn { segment: *segment, at: at as u64 });
            }
        }
        let newest = self.segments.last().map_or(0, |segment| segment.lsn);
        torn.retain(|torn| torn.segment.lsn < newest);
        torn.extend(self.headless()?);
        let suspects = self.with_pages(torn, sealed::read(&self.list)?)?;
        Ok(self.first_in_use(suspects, &pages).map_or(Ok(pages), Err))
    }

    pub(super) fn segment_of(&self, part: &Part) -> u64 {
        part.lsn / self.segment_bytes * self.segment_bytes
    }

    /// Whether no other segment than the one with this LSN is at this offset of the file.
    pub(crate) fn is_in_place(&self, segment: u64, offset: u64) -> io::Result<bool> {
        Ok(self.lsn_at(offset)?.is_none_or(|lsn| lsn == segment))
    }

    /// The LSN of the segment at this offset of the file; `None` when its header is invalid.
    fn lsn_at(&self, offset: u64) -> io::Result<Option<u64>> {
        let at = offset / self.segment_bytes * self.segment_bytes;
        let header = self.bytes(at, SEGMENT_HEADER_BYTES)?;
        let header = header.first_chunk().and_then(|header| segment_of(header, at));
        Ok(header.map(|segment| segment.lsn))
    }

    /// The messages that the tree needs, in the order of the log: the LSN, the offset in the file and the length of
    /// each.
    #[cfg(test)]
    pub(crate) fn needed(&self) -> io::Result<Vec<(u64, u64, usize)>> {
        let pages = self.pages()?;
        let parts = pages.iter().filter_map(|(_, state)| match state {
            State::Present { base, links } => Some(std::iter::once(*base).chain(links.iter().copied())),
            State::Unknown | State::Free { .. } => None,
        });
        let mut needed: Vec<_> =
            parts.flatten().map(|part| (part.lsn, part.at, part.length as usize)).collect();
        needed.sort_unstable();
        Ok(needed)
    }

    #[cfg(test)]
    pub(crate) fn is_listed(&self, lsn: u64) -> io::Result<bool> {
        let segment = lsn / self.segment_bytes * self.segment_bytes;
        Ok(sealed::read(&self.list)?.segments.iter().any(|sealed| sealed.lsn == segment))
    }

    /// The pages that the legible part of a torn segment names.
    fn legible_pages(&self, segment: &Segment, bytes: &[u8]) -> Vec<u64> {
        let number = self.number(segment);
        let (mut pages, mut at) = (Vec::new(), SEGMENT_HEADER_BYTES);
        while has_room(at, bytes.len()) {
            let header = header_at(bytes, at).filter(|header| header.number == number);
            pages.extend(header.filter(|header| header.kind.is_of_page()).map(|header| header.page));
            at = match header {
                Some(header) if is_whole(bytes, at, &header) => at + header.length,
                _ => message_after(bytes, at + 1, number),
            };
        }
        pages
    }
}

/// The header of an invalid message, if it can be trusted: the next message follows it, and no other page number makes
/// its checksum right.
fn damaged_message(bytes: &[u8], at: usize, number: u64, pages_max: u64) -> Option<Header> {
    let header = header_at(bytes, at).filter(|header| header.number == number)?;
    let next = at + header.length;
    let is_followed = !has_room(next, bytes.len()) || message_at(bytes, next, number).is_some();
    let names_a_page = matches!(header.kind, Kind::Node | Kind::Link);
    (names_a_page && is_followed && !is_of_another_page(bytes, at, &header, pages_max)).then_some(header)
}

/// The offset of the next valid message of this segment, or the length of the segment.
pub(super) fn message_after(bytes: &[u8], mut at: usize, number: u64) -> usize {
    while has_room(at, bytes.len()) {
        // Zeros are not a message.
        let Some(zeros) = bytes[at..].iter().position(|byte| *byte != 0) else { break };
        at += zeros.saturating_sub(4);
        if message_at(bytes, at, number).is_some() {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

#[derive(Clone, Copy)]
struct Torn {
    segment: Segment,
    at: u64,
}

/// A segment that may be damaged, and its pages if they are known.
type Suspect = (Torn, Option<Vec<u64>>);

const WRONG_CHECKSUM: &str = "the checksum of a message is wrong";

impl Torn {
    fn damage(self, what: &'static str) -> Damage {
        Damage { offset: self.segment.at + self.at, what }
    }
}

impl Log {
    /// Checks the log by the rules of this module. `ended` is the end of the log at a clean stop, and `None` after any
    /// other stop.
    pub(crate) fn check(&self, ended: Option<u64>) -> io::Result<Result<(), Damage>> {
        if let Some(pair) = self.segments.windows(2).find(|pair| pair[0].lsn == pair[1].lsn) {
            return Ok(Err(Damage {
                offset: pair[1].at,
                what: "two segments have the same position in the log",
            }));
        }
        let torn = self.torn()?;
        if let Some(ended) = ended {
            let newest = self.segments.last().map_or(0, |segment| segment.lsn);
            let is_end = |torn: &&Torn| torn.segment.lsn == newest && newest + torn.at >= ended;
            if let Some(torn) = torn.iter().find(|torn| !is_end(torn)) {
                return Ok(Err(torn.damage(WRONG_CHECKSUM)));
            }
            if newest + self.segment_bytes < ended {
                return Ok(Err(Damage { offset: 0, what: "the end of the log is missing" }));
            }
        }
        let list = sealed::read(&self.list)?;
        let is_durable = |lsn| list.segments.iter().any(|sealed| sealed.lsn == lsn);
        let tail = self.tail().first().map_or(u64::MAX, |segment| segment.lsn);
        let may_be_torn = |torn: &Torn| torn.segment.lsn >= tail && !is_durable(torn.segment.lsn);
        let mut suspects: Vec<_> = torn.into_iter().filter(|torn| !may_be_torn(torn)).collect();
        suspects.extend(self.headless()?);
        let suspects = self.with_pages(suspects, list)?;
        if suspects.is_empty() {
            return Ok(Ok(()));
        }
        Ok(self.first_in_use(suspects, &self.pages()?).map_or(Ok(()), Err))
    }

    fn first_in_use(&self, suspects: Vec<Suspect>, pages: &Pages) -> Option<Damage> {
        let was_free = |lsn: u64, named: &[u64]| {
            named.iter().all(|page| pages.is_replaced(*page, lsn + self.segment_bytes))
        };
        let in_use = suspects
            .into_iter()
            .find(|(torn, named)| !named.as_ref().is_some_and(|named| was_free(torn.segment.lsn, named)));
        in_use.map(|(torn, _)| torn.damage(WRONG_CHECKSUM))
    }

    /// The suspects with their pages, and the listed segments that are missing in the file.
    fn with_pages(&self, suspects: Vec<Torn>, list: sealed::List) -> io::Result<Vec<Suspect>> {
        let since = list.start.filter(|start| *start >= self.since()).unwrap_or(u64::MAX);
        let mut listed: BTreeMap<_, _> = list
            .segments
            .into_iter()
            .map(|sealed| (sealed.lsn, sealed))
            .filter(|(lsn, _)| *lsn >= since)
            .collect();
        let (mut found, mut bytes) = (Vec::new(), Vec::new());
        for torn in suspects {
            let pages = match listed.remove(&torn.segment.lsn) {
                Some(sealed) => Some(sealed.pages),
                None if torn.segment.lsn >= since => None,
                None => {
                    self.read(torn.segment.at, &mut bytes)?;
                    Some(self.legible_pages(&torn.segment, &bytes))
                }
            };
            found.push((torn, pages));
        }
        for sealed in listed.into_values() {
            // The segment is in its place, or a newer one was started there.
            let is_there =
                self.segments.iter().any(|segment| segment.at == sealed.at && segment.lsn >= sealed.lsn);
            if !is_there {
                let segment = Segment { lsn: sealed.lsn, stable: 0, at: sealed.at };
                found.push((Torn { segment, at: 0 }, Some(sealed.pages)));
            }
        }
        Ok(found)
    }

    /// The LSN of the segment from which sled reads the log.
    fn since(&self) -> u64 {
        self.snapshot.as_ref().map_or(0, |file| file.lsn) / self.segment_bytes * self.segment_bytes
    }

    /// The segments with an invalid header that contain messages since the snapshot.
    fn headless(&self) -> io::Result<Vec<Torn>> {
        let since = self.since() / self.segment_bytes;
        let newest = self.segments.last().map_or(0, |newest| self.number(newest));
        let known = segments_of(&self.db, self.segment_bytes)?;
        let (mut found, mut bytes) = (Vec::new(), Vec::new());
        for at in (0..self.db.metadata()?.len()).step_by(self.segment_bytes as usize) {
            if known.binary_search_by_key(&at, |segment| segment.at).is_ok() {
                continue;
            }
            self.read(at, &mut bytes)?;
            let number = any_number(&bytes, since..=newest);
            found.extend(number.map(|number| Torn {
                segment: Segment { lsn: number * self.segment_bytes, stable: 0, at },
                at: 0,
            }));
        }
        Ok(found)
    }
}

/// The segment number in a message of a segment without a header, if it is in the range.
fn any_number(bytes: &[u8], numbers: std::ops::RangeInclusive<u64>) -> Option<u64> {
    let mut at = SEGMENT_HEADER_BYTES;
    while has_room(at, bytes.len()) {
        let zeros = bytes[at..].iter().position(|byte| *byte != 0)?;
        at += zeros.saturating_sub(4);
        let header = header_at(bytes, at).filter(|header| is_whole(bytes, at, header));
        match header {
            Some(header) if numbers.contains(&header.number) => return Some(header.number),
            Some(header) => at += header.length,
            None => at += 1,
        }
    }
    None
}
