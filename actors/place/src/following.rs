//! Which records an image may apply.
//!
//! An image applies a record when its successor is visible, because a record is appended only when all its predecessors
//! are replicated (`outcome`). A failover can remove the newest record.
//!
//! The caller reads on a connection that began with an acknowledged commit, as for
//! [`Step::Connect`](super::outcome::Step::Connect). So the log on this connection contains every record that the image
//! has applied from earlier connections, even if the server has become a former primary since.

use super::chain::{Digest, Head, Header, History};

/// A response of the database: the end of the log, and records after the head of the image in order.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    pub history: History,
    /// The oldest number in the log. The log always contains its newest record.
    pub first: u64,
    pub end: Head,
    /// The digest of the log's record at the number of the image, if the log still contains this record.
    pub at_head: Option<Digest>,
    pub records: &'a [Found],
}

#[derive(Clone, Copy, Debug)]
pub struct Found {
    pub header: Header,
    pub digest: Digest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Apply this many of the records.
    Apply(usize),
    /// The image belongs to another past, or the log does not contain its next record any more. Discard the image and
    /// load a snapshot.
    Rebuild,
    /// The log ends before the image. An acknowledged record is lost, so an operator must decide.
    SetBack { image: u64, end: u64 },
    /// The records of the page do not form a chain.
    Damaged { number: u64 },
}

/// What an image with this head does with a page. With `is_all_durable`, the whole page is known to be replicated,
/// because the takeover of this node was acknowledged after it.
pub fn next(history: History, image: &Head, page: &Page<'_>, is_all_durable: bool) -> Next {
    if page.history != history {
        return Next::Rebuild;
    }
    if page.end.number < image.number {
        return Next::SetBack { image: image.number, end: page.end.number };
    }
    let differs = page.at_head.is_some_and(|digest| image.number > 0 && digest != image.digest);
    let first = page.records.first();
    let is_missing = page.end.number > image.number && page.first > image.number + 1;
    if differs || is_missing || first.is_some_and(|found| !found.header.follows(image)) {
        return Next::Rebuild;
    }
    for pair in page.records.windows(2) {
        let head = Head { number: pair[0].header.number, digest: pair[0].digest };
        if !pair[1].header.follows(&head) {
            return Next::Damaged { number: pair[1].header.number };
        }
    }
    let unproven = usize::from(!is_all_durable);
    Next::Apply(page.records.len().saturating_sub(unproven))
}
