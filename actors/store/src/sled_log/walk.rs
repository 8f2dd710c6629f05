//! Checks sled's log before sled opens it.
//!
//! sled ends a segment at the first message with a wrong checksum, so a flipped bit hides the rest of the
//! segment without an error. This check reads the same segments as sled, and refuses a log with a flipped
//! bit.
//!
//! A segment is *torn* if it contains an invalid message. The header of each segment contains a *stable LSN*: the
//! position up to which the log had been written when sled started the segment. The *tail* of the log begins with the
//! segment that contains the highest stable LSN, but not before the segment of the snapshot. When sled opens the log,
//! it erases everything after the first invalid message of the tail.
//!
//! Two files of the store help the check. The *mark* (module `mark`) contains the number of the newest durable batch,
//! so it reveals whether the tail lost batches. The *list* (`sealed`) contains the page numbers of each segment that
//! was synced.
//!
//! Rules:
//!
//! - After a clean stop, every message up to the recorded end must be valid. Exception: if a message is invalid but
//!   the journal contains all missing batches, the stop counts as unclean.
//! - After an unclean stop, the segments of the tail may be torn, except those that are in the list.
//! - The first segment of the tail must exist. A segment of the tail is always in use, so only segments before the
//!   tail can be free.
//! - A segment before the tail may be torn, cut off or without a valid header only if it was free. The reason is
//!   that sled overwrites free segments, and a crash can interrupt this. A segment was free if all its pages
//!   were later replaced or freed. The list contains these pages. If a torn segment before the tail is not in the
//!   list, its pages are unknown, so the segment counts as damaged.
//! - If there is no list, the store was last used by a version without the list. The pages of a segment are then taken
//!   from the valid message headers in it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::isolate::corrupt_pages;
use super::message::{
    Header, Kind, all_messages, has_room, header_at, is_of_another_page, is_whole, message_after, message_at,
};
use super::pages::{Pages, Part, State};
use super::segment::{HEADER_BYTES_MAX, SEGMENT_HEADER_BYTES, Segment, segment_of, segments_of};
use super::{sealed, snapshot};
use crate::files::found;

/// The maximum number of pages of the log that are not in the snapshot.
const NEW_PAGES_MAX: u64 = 1 << 20;

const THREADS_MAX: usize = 4;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Unusable {
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    #[error("{what}, at byte {offset}")]
    Damaged { offset: u64, what: &'static str },
}

pub(crate) struct Log {
    db: File,
    segment_bytes: u64,
    /// The segments whose LSN is `since` or higher, in the order of the log.
    segments: Vec<Segment>,
    /// The LSN of the first segment that sled reads, which is the segment of the snapshot.
    since: u64,
    snapshot: Option<snapshot::SnapshotFile>,
    list: PathBuf,
}

impl Log {
    pub(crate) fn open(store: &Path, list: &Path, segment_bytes: u64) -> io::Result<Option<Self>> {
        let Some(db) = found(File::open(store.join("db")))? else { return Ok(None) };
        let snapshot = snapshot::snapshots_of(store)?.pop();
        let since = snapshot.as_ref().map_or(0, |file| file.lsn) / segment_bytes * segment_bytes;
        let mut segments = segments_of(&db, segment_bytes)?;
        segments.retain(|segment| segment.lsn >= since);
        segments.sort_unstable_by_key(|segment| segment.lsn);
        Ok(Some(Self { db, segment_bytes, segments, since, snapshot, list: list.to_owned() }))
    }

    /// Returns the LSN that follows the last message. sled computes the same LSN when it opens the log.
    pub(crate) fn end(&self) -> io::Result<u64> {
        let (mut end, mut bytes) = (self.tail_lsn(), Vec::new());
        for segment in self.tail() {
            if segment.lsn != end {
                break;
            }
            self.read(segment.at, &mut bytes)?;
            match self.messages(segment, &bytes, |_| None, |_, _| {}) {
                None => end = segment.lsn + self.segment_bytes,
                Some(at) => return Ok(segment.lsn + at as u64),
            }
        }
        Ok(end)
    }

    /// When sled opens the log, it erases all messages after the first damage in the tail. If this would erase valid
    /// messages, returns the first damage. Otherwise returns `None`.
    pub(crate) fn erased(&self) -> io::Result<Option<Unusable>> {
        let (mut next, mut end, mut bytes) = (self.tail_lsn(), None, Vec::new());
        for segment in self.tail() {
            self.read(segment.at, &mut bytes)?;
            if end.is_none() && segment.lsn != next {
                end = Some(missing_before(segment));
            }
            let mut from = SEGMENT_HEADER_BYTES;
            if end.is_none() {
                next = segment.lsn + self.segment_bytes;
                let Some(at) = self.messages(segment, &bytes, |_| None, |_, _| {}) else { continue };
                end = Some(Torn { segment: *segment, at: at as u64 }.damaged());
                from = at + 1;
            }
            if message_after(&bytes, from, self.number(segment)) < bytes.len() {
                return Ok(end);
            }
        }
        Ok(None)
    }

    /// True if sled can read the state of every page from the messages before [`Self::end`]. When sled opens the log,
    /// it erases all messages after this end. `aside` is the highest LSN of the damaged snapshots that were set aside,
    /// or 0 if there are none.
    pub(crate) fn is_whole_up_to_its_end(&self, pages: &Pages, aside: u64) -> io::Result<bool> {
        let snapshot = self.snapshot.as_ref().map_or(0, |file| file.lsn);
        // A snapshot contains the state of all pages. If a snapshot was set aside, its states are missing. The state
        // of a page is then unknown if the log also lacks the messages of the page.
        let is_known = |state: &State| aside == 0 || *state != State::Unknown;
        Ok(self.end()? >= snapshot.max(aside)
            && pages.iter().all(|(_, state)| is_known(state))
            && corrupt_pages(self, pages, None)?.is_empty())
    }

    /// The LSN of the first segment of the tail.
    fn tail_lsn(&self) -> u64 {
        let stable = self.segments.iter().map(|segment| segment.stable).max().unwrap_or(0);
        self.since.max(stable / self.segment_bytes * self.segment_bytes)
    }

    fn tail(&self) -> &[Segment] {
        let from = self.tail_lsn();
        &self.segments[self.segments.partition_point(|segment| segment.lsn < from)..]
    }

    pub(super) fn segment_bytes(&self) -> u64 {
        self.segment_bytes
    }

    /// True if the message at this offset is valid and belongs to the current use of the segment. If the disk has lost
    /// a write, the message can belong to an earlier use. sled does not accept such a message.
    pub(crate) fn is_whole_at(&self, offset: u64) -> bool {
        let at = (offset % self.segment_bytes) as usize;
        let start = offset - at as u64;
        let header = self.bytes(start, SEGMENT_HEADER_BYTES).unwrap_or_default();
        let segment = header.first_chunk().and_then(|header| segment_of(header, start));
        let mut bytes = Vec::new();
        segment.is_some_and(|segment| {
            self.read(start, &mut bytes).is_ok() && message_at(&bytes, at, self.number(&segment)).is_some()
        })
    }

    /// Returns this part of the file, or zeros if the file ends before the end of the part.
    pub(crate) fn bytes(&self, at: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        match self.db.read_exact_at(&mut bytes, at) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => bytes.fill(0),
            read => read?,
        }
        Ok(bytes)
    }

    fn number(&self, segment: &Segment) -> u64 {
        segment.lsn / self.segment_bytes
    }

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

    /// Calls `each` with the header and the offset of each message of a segment. At an invalid message, calls `damaged`
    /// with the offset. If `damaged` returns a header, the message counts as a valid message with this header. If
    /// `damaged` returns `None`, the function stops and returns the offset of the invalid message.
    fn messages(
        &self,
        segment: &Segment,
        bytes: &[u8],
        damaged: impl Fn(usize) -> Option<Header>,
        mut each: impl FnMut(Header, usize),
    ) -> Option<usize> {
        let mut at = SEGMENT_HEADER_BYTES;
        while has_room(at, self.segment_bytes as usize) {
            match message_at(bytes, at, self.number(segment)).or_else(|| damaged(at)) {
                Some(Header { kind: Kind::Cap, .. }) => return None,
                Some(header) => {
                    each(header, at);
                    at += header.length;
                }
                // If the log ends exactly here, sled starts the next segment when it opens the log.
                None if at + HEADER_BYTES_MAX == self.segment_bytes as usize
                    && header_at(bytes, at).is_none_or(|header| header.number != self.number(segment)) =>
                {
                    return None;
                }
                None => return Some(at),
            }
        }
        None
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
                        let read = self.read(segment.at, &mut bytes);
                        let torn_at = read.map(|()| self.messages(segment, &bytes, |_| None, |_, _| {}));
                        match (&mut *found.lock(), torn_at) {
                            (Ok(_), Ok(None)) => {}
                            (Ok(torn), Ok(Some(at))) => {
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

    /// Returns the page table as sled reads it when it opens the log.
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
                        pages.apply(header, segment, at);
                    }
                },
            );
        }
        Ok(pages)
    }

    /// Returns the page table, including pages with corrupt messages. Fails if the page of a corrupt message is
    /// unknown.
    pub(crate) fn pages_past_damage(&self) -> Result<Pages, Unusable> {
        let (mut pages, since) = self.pages_of_snapshot()?;
        let (mut torn, mut bytes) = (Vec::new(), Vec::new());
        for segment in &self.segments {
            self.read(segment.at, &mut bytes)?;
            let (number, pages_max) = (self.number(segment), pages.len() + NEW_PAGES_MAX);
            let damaged = |at| damaged_message(&bytes, at, number, pages_max);
            let torn_at = self.messages(segment, &bytes, damaged, |header, at| {
                if segment.lsn + at as u64 >= since {
                    pages.apply(header, segment, at);
                }
            });
            if let Some(at) = torn_at {
                torn.push(Torn { segment: *segment, at: at as u64 });
            }
        }
        let newest = self.segments.last().map_or(0, |segment| segment.lsn);
        torn.retain(|torn| torn.segment.lsn < newest);
        torn.extend(self.headless()?);
        let suspects = self.with_pages(torn, sealed::read(&self.list)?)?;
        self.all_were_free(suspects, &pages)?;
        Ok(pages)
    }

    pub(super) fn segment_of(&self, part: &Part) -> u64 {
        part.lsn / self.segment_bytes * self.segment_bytes
    }

    /// Returns false if the segment at the offset has a valid header with another LSN.
    pub(crate) fn is_in_place(&self, segment: u64, offset: u64) -> io::Result<bool> {
        let at = offset / self.segment_bytes * self.segment_bytes;
        let header = self.bytes(at, SEGMENT_HEADER_BYTES)?;
        let found = header.first_chunk().and_then(|header| segment_of(header, at));
        Ok(found.is_none_or(|found| found.lsn == segment))
    }

    /// Returns the LSN, the offset and the length of each message that the tree needs, in the order of the log.
    #[cfg(test)]
    pub(crate) fn needed(&self) -> io::Result<Vec<(u64, u64, usize)>> {
        let pages = self.pages()?;
        let parts = pages.iter().flat_map(|(_, state)| state.parts());
        let mut needed: Vec<_> = parts.map(|part| (part.lsn, part.at, part.length as usize)).collect();
        needed.sort_unstable();
        Ok(needed)
    }

    #[cfg(test)]
    pub(crate) fn is_listed(&self, lsn: u64) -> io::Result<bool> {
        let segment = lsn / self.segment_bytes * self.segment_bytes;
        Ok(sealed::read(&self.list)?.segments.iter().any(|sealed| sealed.lsn == segment))
    }

    /// Returns the page numbers in the valid message headers of a torn segment.
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

/// Returns the header of the invalid message at `at` if the page number and the length in the header are credible. The
/// length is credible if the message ends at a valid message, or so close to the end of the segment that no other
/// message fits.
fn damaged_message(bytes: &[u8], at: usize, number: u64, pages_max: u64) -> Option<Header> {
    let header = header_at(bytes, at).filter(|header| header.number == number)?;
    let next = at + header.length;
    let is_followed = !has_room(next, bytes.len()) || message_at(bytes, next, number).is_some();
    let names_a_page = matches!(header.kind, Kind::Node | Kind::Link);
    (names_a_page && is_followed && !is_of_another_page(bytes, at, &header, pages_max)).then_some(header)
}

fn missing_before(segment: &Segment) -> Unusable {
    let what = "the segment of the log before this one is missing";
    Unusable::Damaged { offset: segment.at, what }
}

#[derive(Clone, Copy)]
struct Torn {
    segment: Segment,
    at: u64,
}

type Suspect = (Torn, Option<Vec<u64>>);

impl Torn {
    fn damaged(self) -> Unusable {
        Unusable::Damaged { offset: self.segment.at + self.at, what: "the checksum of a message is wrong" }
    }
}

impl Log {
    /// Checks the log. `ended` is the end of the log at a clean stop, and `None` after an unclean stop.
    pub(crate) fn check(&self, ended: Option<u64>) -> Result<(), Unusable> {
        if let Some(pair) = self.segments.windows(2).find(|pair| pair[0].lsn == pair[1].lsn) {
            let what = "two segments have the same position in the log";
            return Err(Unusable::Damaged { offset: pair[1].at, what });
        }
        let tail = self.tail_lsn();
        // If the first segment of the tail is missing, sled would erase the whole log. So `check` returns an error.
        if let Some(segment) = self.tail().first().or(self.segments.last()).filter(|first| first.lsn != tail)
        {
            return Err(missing_before(segment));
        }
        let torn = self.torn()?;
        if let Some(ended) = ended {
            let newest = self.segments.last().map_or(0, |segment| segment.lsn);
            let is_end = |torn: &&Torn| torn.segment.lsn == newest && newest + torn.at >= ended;
            if let Some(torn) = torn.iter().find(|torn| !is_end(torn)) {
                return Err(torn.damaged());
            }
            if newest + self.segment_bytes < ended {
                return Err(Unusable::Damaged { offset: 0, what: "the end of the log is missing" });
            }
        }
        let list = sealed::read(&self.list)?;
        let is_durable = |lsn| list.segments.iter().any(|sealed| sealed.lsn == lsn);
        let may_be_torn = |torn: &Torn| torn.segment.lsn >= tail && !is_durable(torn.segment.lsn);
        let mut suspects: Vec<_> = torn.into_iter().filter(|torn| !may_be_torn(torn)).collect();
        suspects.extend(self.headless()?);
        let suspects = self.with_pages(suspects, list)?;
        if suspects.is_empty() {
            return Ok(());
        }
        self.all_were_free(suspects, &self.pages()?)
    }

    fn all_were_free(&self, suspects: Vec<Suspect>, pages: &Pages) -> Result<(), Unusable> {
        let tail = self.tail_lsn();
        let was_free = |lsn: u64, named: &[u64]| {
            lsn < tail && named.iter().all(|page| pages.is_replaced(*page, lsn + self.segment_bytes))
        };
        let in_use = suspects
            .into_iter()
            .find(|(torn, named)| !named.as_ref().is_some_and(|named| was_free(torn.segment.lsn, named)));
        in_use.map_or(Ok(()), |(torn, _)| Err(torn.damaged()))
    }

    /// Returns the torn segments, and the segments that are in the list of sealed segments but missing in the log. Each
    /// segment has the numbers of its pages, or `None` if they are unknown.
    fn with_pages(&self, suspects: Vec<Torn>, list: sealed::List) -> io::Result<Vec<Suspect>> {
        let since = list.start.filter(|start| *start >= self.since).unwrap_or(u64::MAX);
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
            // True if the valid header at this offset belongs to the listed segment, or to a newer segment that
            // replaced it.
            let is_there =
                self.segments.iter().any(|segment| segment.at == sealed.at && segment.lsn >= sealed.lsn);
            if !is_there {
                let segment = Segment { lsn: sealed.lsn, stable: 0, at: sealed.at };
                found.push((Torn { segment, at: 0 }, Some(sealed.pages)));
            }
        }
        Ok(found)
    }

    /// Returns the segments that have an invalid header and contain messages later than the snapshot.
    fn headless(&self) -> io::Result<Vec<Torn>> {
        let since = self.since / self.segment_bytes;
        let newest = self.segments.last().map_or(0, |newest| self.number(newest));
        let known = segments_of(&self.db, self.segment_bytes)?;
        let (mut found, mut bytes) = (Vec::new(), Vec::new());
        for at in (0..self.db.metadata()?.len()).step_by(self.segment_bytes as usize) {
            if known.binary_search_by_key(&at, |segment| segment.at).is_ok() {
                continue;
            }
            self.read(at, &mut bytes)?;
            let number = all_messages(&bytes)
                .map(|header| header.number)
                .find(|number| (since..=newest).contains(number));
            found.extend(number.map(|number| Torn {
                segment: Segment { lsn: number * self.segment_bytes, stable: 0, at },
                at: 0,
            }));
        }
        Ok(found)
    }
}
