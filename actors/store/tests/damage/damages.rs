//! Creates damage at random places of a store, or at the places where damage is most dangerous.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::chance::Rng;
use crate::files::{self, Segment};
use crate::segments::{SEGMENT_BYTES, SEGMENT_HEADER_BYTES};

const BLOCK: usize = 4096;

#[derive(Clone)]
pub(crate) struct Damage {
    pub(crate) kind: &'static str,
    file: String,
    at: usize,
    how: How,
}

#[derive(Clone, Debug)]
enum How {
    /// Flips this bit of the byte at the offset.
    Flip(u8),
    /// Zeros this many bytes from the offset.
    Zero(usize),
    /// Truncates the file at the offset.
    Cut,
    Remove,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} at {}: {:?}", self.kind, self.file, self.at, self.how)
    }
}

impl Damage {
    pub(crate) fn apply(&self, dir: &Path) {
        let path = dir.join(&self.file);
        if matches!(self.how, How::Remove) {
            return fs::remove_file(path).unwrap();
        }
        let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
        let at = self.at as u64;
        match self.how {
            How::Flip(bit) => {
                let mut byte = [0];
                file.read_exact_at(&mut byte, at).unwrap();
                file.write_all_at(&[byte[0] ^ (1 << bit)], at).unwrap();
            }
            How::Zero(bytes) => {
                let bytes = bytes.min(file.metadata().unwrap().len() as usize - self.at);
                file.write_all_at(&vec![0; bytes], at).unwrap();
            }
            How::Cut => file.set_len(at).unwrap(),
            How::Remove => {}
        }
    }
}

pub(crate) struct Targets {
    /// The files of the store. The length of each file excludes the zeros at its end.
    files: Vec<(String, usize)>,
    db_bytes: usize,
    /// The segments of `store/db`, oldest first.
    pub(crate) segments: Vec<Segment>,
}

impl Targets {
    pub(crate) fn of(dir: &Path) -> Self {
        let snapshot = files::snapshot(dir);
        let names = ["store/db", "store/conf", "journal", "committed"].map(str::to_owned);
        let content = |name: String| {
            let bytes = fs::read(dir.join(&name)).unwrap();
            let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            (name, used)
        };
        let files = names.into_iter().chain(snapshot).map(content).filter(|(_, used)| *used > 0).collect();
        let db = fs::read(dir.join("store/db")).unwrap();
        Self { files, db_bytes: db.len(), segments: files::segments(&db) }
    }

    /// Returns damage at a random place in a random file. The file is most often `store/db`.
    pub(crate) fn random(&self, rng: &mut Rng) -> Damage {
        let number = if rng.below(4) > 0 { 0 } else { rng.below(self.files.len()) };
        let (file, used) = &self.files[number];
        let at = rng.below(*used);
        let (kind, how) = match rng.below(3) {
            0 => ("random: flip", How::Flip(rng.below(8) as u8)),
            1 => ("random: zeroed 4 KiB", How::Zero(BLOCK.min(used - at))),
            _ => ("random: cut", How::Cut),
        };
        Damage { kind, file: file.clone(), at, how }
    }

    pub(crate) fn aimed(&self, rng: &mut Rng) -> Damage {
        let sealed = match self.segments.len() {
            0 | 1 => &self.segments[..],
            segments => &self.segments[..segments - 1],
        };
        let segment = &sealed[rng.below(sealed.len())];
        let db = |kind, at, how| Damage { kind, file: "store/db".to_owned(), at, how };
        let flip = How::Flip(rng.below(8) as u8);
        match rng.below(16) {
            0 => db("segment header", segment.at + rng.below(SEGMENT_HEADER_BYTES), flip),
            1..4 => {
                let (header, _) = near_the_end(segment, rng);
                db("message header, near the end", header.start + rng.below(header.len()), flip)
            }
            4 => {
                let (header, _) = &segment.messages[rng.below(segment.messages.len())];
                db("message header, anywhere", header.start + rng.below(header.len()), flip)
            }
            5..7 => {
                let (_, body) = near_the_end(segment, rng);
                db("message body, near the end", body.start + rng.below(body.len().max(1)), flip)
            }
            7..9 => {
                let at = segment.end().saturating_sub(1 + rng.below(1024)).max(segment.at);
                db("last KiB of a sealed segment", at, flip)
            }
            9 => {
                let at =
                    segment.at + rng.below(SEGMENT_BYTES.min(self.db_bytes - segment.at)) / BLOCK * BLOCK;
                db("zeroed block", at, How::Zero(BLOCK))
            }
            10 => {
                let last = (segment.end() - 1) / BLOCK - rng.below(4);
                db("zeroed block, near the end", (last * BLOCK).max(segment.at), How::Zero(BLOCK))
            }
            11 => {
                let at = self.db_bytes.div_ceil(SEGMENT_BYTES);
                db("cut at a segment", rng.below(at) * SEGMENT_BYTES, How::Cut)
            }
            12 => db("zeroed segment", segment.at, How::Zero(SEGMENT_BYTES)),
            _ => self.derived(rng),
        }
    }

    fn derived(&self, rng: &mut Rng) -> Damage {
        let small: Vec<_> = self.files.iter().filter(|(name, _)| name != "store/db").collect();
        // If there is a snapshot, it is the last of these files. It is chosen more often than the others, because
        // damage to it is the most dangerous.
        let number = if rng.below(3) == 0 { small.len() - 1 } else { rng.below(small.len()) };
        let (file, used) = small[number];
        let at = rng.below(*used);
        let how = match rng.below(5) {
            0 | 1 => How::Flip(rng.below(8) as u8),
            2 => How::Zero(BLOCK.min(used - at)),
            3 => How::Cut,
            // These files are truncated instead of removed. Without the journal, a killed store would lack its newest
            // rows. Without `committed`, the store could not detect this loss.
            _ if ["journal", "committed"].contains(&file.as_str()) => How::Cut,
            _ => How::Remove,
        };
        let kind = match file.as_str() {
            "store/conf" => "conf",
            "journal" => "journal",
            "committed" => "committed",
            _ => "snapshot",
        };
        Damage { kind, file: file.clone(), at, how }
    }
}

/// Returns the ranges of the header and the body of a random message near the end of a segment.
fn near_the_end(segment: &Segment, rng: &mut Rng) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    let messages = &segment.messages;
    messages[messages.len() - 1 - rng.below(messages.len().min(12))].clone()
}
