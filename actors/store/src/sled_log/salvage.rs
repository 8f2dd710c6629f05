//! Reads the readable rows of a damaged log.
//!
//! Rules:
//!
//! - All segments are read. A message is used if it is valid and contains the number of its segment. In a segment with
//!   a damaged header, each valid message is used, and belongs to the segment whose number it contains.
//! - The log contains whole states of a page, and changes to these states. The newest readable whole state and the
//!   changes after it are used. A change contains its key without the key prefix of its whole state. If this state is
//!   unreadable, the key is completed with the prefix of an older state, and may be wrong. So a change is used only if
//!   its key is well-formed and in the page's range.
//! - A split moves rows of a leaf to a new leaf. If the newest readable state of the old leaf is from before the split,
//!   the two leaves overlap. In the overlap, the leaf with the newest state is used.
//! - The first leaf is always used. Any other leaf may lack a reference in the readable pages. There are two possible
//!   reasons: a crash interrupted the split that created the leaf, or the reference is unreadable. The leaf is needed
//!   only in the second case. So if all messages are readable, a leaf without a reference is not used.
//!
//! Only the page table and the ranges of all leaves are in memory. Rows are read leaf by leaf.

use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::message::{Bytes, Header, Kind, all_messages, has_room, message_after, message_at, parse};
use super::node::{Data, Node};
use super::pages::Part;
use super::segment::{HEADER_BYTES_MAX, SEGMENT_HEADER_BYTES, segments_of};
use crate::files;

pub(crate) struct Salvage {
    db: File,
    leaves: Vec<Leaf>,
    /// The start keys of consecutive ranges, in key order. Each range has the index of the leaf that is used
    /// in the range.
    spans: Vec<(Vec<u8>, Option<usize>)>,
    pub(crate) unreadable: Vec<u64>,
    is_key: fn(&[u8]) -> bool,
}

struct Leaf {
    lo: Vec<u8>,
    hi: Vec<u8>,
    base: Part,
    links: Vec<Part>,
}

struct Page {
    /// The range of a leaf. It is `None` for an index page.
    leaf: Option<Leaf>,
    names: Vec<u64>,
}

/// The messages of one segment that have the same segment number, `number`. The segment begins at the file offset `at`.
/// A segment with a valid header has one run. If the header is damaged, the messages may have different segment
/// numbers. The segment then has one run for each of these numbers.
#[derive(Clone, Copy)]
struct Run {
    number: u64,
    at: u64,
}

impl Salvage {
    /// Opens a log and reads its page table. `is_key` tests whether a key is well-formed.
    pub(crate) fn open(db: &Path, segment_bytes: u64, is_key: fn(&[u8]) -> bool) -> io::Result<Self> {
        let db = File::open(db)?;
        let (runs, tail, headless) = runs(&db, segment_bytes)?;
        let mut unreadable = headless.clone();
        let (mut pages, mut bytes) = (HashMap::new(), Vec::new());
        for run in runs {
            files::read_damaged(&db, run.at, segment_bytes as usize, &mut bytes)?;
            let damaged = messages(&bytes, run.number, run.number >= tail, |at, header| {
                let lsn = run.number * segment_bytes + at as u64;
                let part = Part::of(&header, lsn, run.at + at as u64);
                apply(&mut pages, header, part, &bytes[at + header.header..at + header.length]);
            });
            // A segment with a damaged header is already in `unreadable`. Its parts in `damaged` are not added: such a
            // segment can have several runs, and a part that is damaged for one run can be a valid message of another.
            if !headless.contains(&run.at) {
                unreadable.extend(damaged.into_iter().map(|at| run.at + at as u64));
            }
        }
        unreadable.sort_unstable();
        unreadable.dedup();
        let named: HashSet<u64> = pages.values().flat_map(|page| page.names.iter().copied()).collect();
        let counts =
            |page: u64, leaf: &Leaf| !unreadable.is_empty() || leaf.lo.is_empty() || named.contains(&page);
        let leaves = pages.into_iter().filter_map(|(number, page)| Some((number, page.leaf?)));
        let leaves: Vec<_> =
            leaves.filter(|(number, leaf)| counts(*number, leaf)).map(|(_, leaf)| leaf).collect();
        let spans = spans(&leaves);
        Ok(Self { db, leaves, spans, unreadable, is_key })
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = io::Result<(Vec<u8>, Vec<u8>)>> {
        (0..self.spans.len()).flat_map(|at| match self.rows_of(at) {
            Ok(rows) => rows.into_iter().map(Ok).collect::<Vec<_>>(),
            Err(error) => vec![Err(error)],
        })
    }

    /// Returns the value of `key`, which must be the greatest key of the store.
    pub(crate) fn last(&self, key: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let Some(last) = self.spans.len().checked_sub(1) else { return Ok(None) };
        Ok(self.rows_of(last)?.into_iter().find(|(found, _)| found == key).map(|(_, value)| value))
    }

    fn rows_of(&self, at: usize) -> io::Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let (from, Some(leaf)) = &self.spans[at] else { return Ok(Vec::new()) };
        let to = self.spans.get(at + 1).map(|(key, _)| key);
        let node = self.node(&self.leaves[*leaf])?;
        let Data::Leaf(rows) = &node.data else { return Ok(Vec::new()) };
        let rows = rows.iter().map(|(key, value)| (node.whole_key(key), value.clone()));
        Ok(rows.filter(|(key, _)| key >= from && to.is_none_or(|to| key < to)).collect())
    }

    fn node(&self, leaf: &Leaf) -> io::Result<Node> {
        let changed = || io::Error::other("the file was changed during the salvage");
        let mut node = Node::decode(&self.body(&leaf.base)?).ok_or_else(changed)?;
        for link in &leaf.links {
            let link = self.body(link)?;
            if self.is_change_of(&node, &link) {
                node.apply(&link);
            }
        }
        Ok(node)
    }

    fn is_change_of(&self, node: &Node, link: &[u8]) -> bool {
        let mut bytes = Bytes(link);
        let (Some(0 | 1), Some(key)) = (bytes.byte(), bytes.string()) else { return false };
        let key = node.whole_key(key);
        key >= node.lo && (node.hi.is_empty() || key < node.hi) && (self.is_key)(&key)
    }

    fn body(&self, part: &Part) -> io::Result<Vec<u8>> {
        let mut message = vec![0; part.length as usize];
        self.db.read_exact_at(&mut message, part.at)?;
        let header = parse(&message).map_or(0, |header| header.header);
        Ok(message.split_off(header))
    }
}

/// Returns the [`Run`]s of all segments in log order, the number of the first segment that may be torn, and the file
/// offsets of the segments that have valid messages but a damaged header.
fn runs(db: &File, segment_bytes: u64) -> io::Result<(Vec<Run>, u64, Vec<u64>)> {
    let segments = segments_of(db, segment_bytes)?;
    let tail = segments.iter().map(|segment| segment.stable).max().unwrap_or(0) / segment_bytes;
    let headed: HashMap<_, _> = segments.iter().map(|segment| (segment.at, segment.lsn)).collect();
    let (mut runs, mut headless, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    for at in (0..db.metadata()?.len()).step_by(segment_bytes as usize) {
        if let Some(lsn) = headed.get(&at) {
            runs.push(Run { number: lsn / segment_bytes, at });
            continue;
        }
        files::read_damaged(db, at, segment_bytes as usize, &mut bytes)?;
        let numbers: BTreeSet<u64> = all_messages(&bytes).map(|header| header.number).collect();
        headless.extend((!numbers.is_empty()).then_some(at));
        runs.extend(numbers.into_iter().map(|number| Run { number, at }));
    }
    runs.sort_by_key(|run| run.number);
    Ok((runs, tail, headless))
}

/// Calls `each` for each valid message. Returns the offsets of the unreadable parts. If `may_be_torn` is true, an
/// unreadable end of the segment is not returned.
fn messages(bytes: &[u8], number: u64, may_be_torn: bool, mut each: impl FnMut(usize, Header)) -> Vec<usize> {
    let (mut at, mut unreadable) = (SEGMENT_HEADER_BYTES, Vec::new());
    while has_room(at, bytes.len()) {
        match message_at(bytes, at, number) {
            Some(Header { kind: Kind::Cap, .. }) => break,
            Some(header) => {
                each(at, header);
                at += header.length;
            }
            None => {
                let next = message_after(bytes, at + 1, number);
                let is_end = next == bytes.len();
                if !is_end || !(may_be_torn || at + HEADER_BYTES_MAX == bytes.len()) {
                    unreadable.push(at);
                }
                at = next;
            }
        }
    }
    unreadable
}

fn apply(pages: &mut HashMap<u64, Page>, header: Header, part: Part, body: &[u8]) {
    match header.kind {
        Kind::Node => {
            let Some(node) = Node::decode(body) else { return };
            let mut names: Vec<u64> = node.next.into_iter().collect();
            let leaf = match node.data {
                Data::Index(children) => {
                    names.extend(children.iter().map(|(_, page)| page));
                    None
                }
                Data::Leaf(_) => Some(Leaf { lo: node.lo, hi: node.hi, base: part, links: Vec::new() }),
            };
            pages.insert(header.page, Page { leaf, names });
        }
        Kind::Link => {
            if let Some(leaf) = pages.get_mut(&header.page).and_then(|page| page.leaf.as_mut()) {
                leaf.links.push(part);
            }
        }
        Kind::Free => _ = pages.remove(&header.page),
        _ => {}
    }
}

fn spans(leaves: &[Leaf]) -> Vec<(Vec<u8>, Option<usize>)> {
    let mut points: BTreeSet<&[u8]> = leaves.iter().map(|leaf| &leaf.lo[..]).collect();
    points.extend(leaves.iter().map(|leaf| &leaf.hi[..]).filter(|hi| !hi.is_empty()));
    let mut by_key: Vec<usize> = (0..leaves.len()).collect();
    by_key.sort_by_key(|at| &leaves[*at].lo);
    let mut next = by_key.into_iter().peekable();
    // The heap contains the leaves that begin at or before `point`. Its first leaf is the one with the greatest LSN,
    // which is the newest.
    let mut open = BinaryHeap::new();
    let mut spans = Vec::<(Vec<u8>, Option<usize>)>::new();
    for point in points {
        while let Some(at) = next.next_if(|at| leaves[*at].lo[..] == *point) {
            open.push((leaves[at].base.lsn, at));
        }
        let has_ended = |at: usize| !leaves[at].hi.is_empty() && leaves[at].hi[..] <= *point;
        while open.peek().is_some_and(|(_, at)| has_ended(*at)) {
            open.pop();
        }
        let counts = open.peek().map(|(_, at)| *at);
        if spans.last().is_none_or(|(_, before)| *before != counts) {
            spans.push((point.to_vec(), counts));
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::*;

    const SEGMENT_BYTES: usize = 64 << 10;

    fn rows(salvage: &Salvage) -> BTreeMap<Vec<u8>, Vec<u8>> {
        salvage.rows().collect::<io::Result<_>>().unwrap()
    }

    #[test]
    fn an_older_state_of_a_split_page_hides_no_newer_page() {
        let home = tempfile::tempdir().unwrap();
        let config = sled::Config::new().path(home.path()).segment_size(SEGMENT_BYTES).flush_every_ms(None);
        let tree = config.open().unwrap();
        let mut number = 1_u64;
        for at in 0..3_000_u64 {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let key = [&b"business"[..], &(number >> 40).to_be_bytes()].concat();
            tree.insert(key, [at as u8; 60].to_vec()).unwrap();
        }
        let written: BTreeMap<_, _> =
            tree.iter().map(|row| row.map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap()).collect();
        drop(tree);
        let path = home.path().join("db");
        let open = |path: &Path| Salvage::open(path, SEGMENT_BYTES as u64, |_| true).unwrap();
        let whole = open(&path);
        assert!(rows(&whole) == written && whole.unreadable.is_empty());
        let (bytes, damaged) = (fs::read(&path).unwrap(), home.path().join("damaged"));
        let mut fallen_back = 0;
        for leaf in &whole.leaves {
            let mut bytes = bytes.clone();
            bytes[leaf.base.at as usize + 40] ^= 1;
            fs::write(&damaged, bytes).unwrap();
            let salvage = open(&damaged);
            // Damage at the end of the log looks like the trace of a crash, so the salvage sometimes does not
            // report it.
            assert!(salvage.unreadable.len() <= 1);
            let is_older = |other: &&Leaf| other.lo == leaf.lo && other.hi != leaf.hi;
            fallen_back += usize::from(salvage.leaves.iter().any(|other| is_older(&other)));
            let found = rows(&salvage);
            let is_of_leaf = |key: &[u8]| key >= &leaf.lo[..] && (leaf.hi.is_empty() || key < &leaf.hi[..]);
            for (key, value) in &written {
                assert!(found.get(key).map_or(is_of_leaf(key), |found| found == value));
            }
            assert!(found.keys().all(|key| written.contains_key(key)));
        }
        assert!(fallen_back > 10, "{fallen_back} of {}", whole.leaves.len());
    }
}
