//! Decides which records an image may apply.
//!
//! An image is a node's copy of the rows. It applies only replicated records, because a failover can remove other
//! records. A record is appended only after all earlier records are replicated (`outcome`). So every visible record
//! except the newest is replicated.
//!
//! On a new connection, the caller makes a commit, as for [`Step::Connect`](super::outcome::Step::Connect). The caller
//! reads the log only after this commit is acknowledged. The acknowledgement proves that the server was the primary at
//! the time of the commit. So the log on this connection contains every record that the image has applied before, even
//! if another server has become the primary since.

use super::chain::{Digest, Head, Header, History};

/// A response of the database. It contains the position of the end of the log and, in order, the records after the
/// newest record of the image.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    pub history: History,
    /// The number of the oldest record in the log. Truncation never removes the newest record.
    pub first: u64,
    pub end: Head,
    /// The digest of the log's record that has the same number as the newest record of the image. It is `None` if the
    /// log contains no record with this number.
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
    /// Apply this many of the records, beginning with the first.
    Apply(usize),
    /// The log and the image have different histories, or the log no longer contains the record that the image needs
    /// next. Discard the image and load a snapshot.
    Rebuild,
    /// The newest record of the log is older than the newest record of the image. So the log has lost an acknowledged
    /// record, and an operator must decide how to continue.
    SetBack { image: u64, end: u64 },
    /// The records of the page do not form a chain.
    Damaged { number: u64 },
}

/// Returns the next step for an image with the head `image` after the response `page`. `is_all_durable` is true if all
/// records of the page were written before this node's takeover, and the takeover is acknowledged. The acknowledgement
/// proves that all these records are replicated. If `is_all_durable` is false, the newest record of the page may not be
/// replicated yet, so it is not applied.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn head(number: u64) -> Head {
        Head { number, digest: Digest([number as u8; 32]) }
    }

    fn found(number: u64) -> Found {
        let Head { digest: previous, .. } = head(number - 1);
        let header = Header { history: History::default(), epoch: Default::default(), number, previous };
        Found { header, digest: head(number).digest }
    }

    /// Returns the next step for this case: the image ends with record 4, and the log contains the records 1 to `end`.
    fn next_of(end: u64, change: impl FnOnce(&mut Page<'_>), records: &[Found]) -> Next {
        let at_head = (end >= 4).then_some(head(4).digest);
        let mut page = Page { history: History::default(), first: 1, end: head(end), at_head, records };
        change(&mut page);
        next(History::default(), &head(4), &page, false)
    }

    #[test]
    fn all_records_but_the_newest_are_applied() {
        assert_eq!(next_of(4, |_| {}, &[]), Next::Apply(0));
        assert_eq!(next_of(5, |_| {}, &[found(5)]), Next::Apply(0));
        let records = [found(5), found(6), found(7)];
        assert_eq!(next_of(7, |_| {}, &records), Next::Apply(2));
        let page =
            Page { history: History::default(), first: 5, end: head(7), at_head: None, records: &records };
        assert_eq!(next(History::default(), &head(4), &page, true), Next::Apply(3));
    }

    #[test]
    fn an_image_of_another_past_is_rebuilt() {
        let records = [found(5), found(6)];
        assert_eq!(next_of(6, |page| page.history = History([1; 16]), &records), Next::Rebuild);
        assert_eq!(next_of(6, |page| page.at_head = Some(head(9).digest), &records), Next::Rebuild);
        assert_eq!(next_of(6, |page| (page.first, page.at_head) = (6, None), &records[1..]), Next::Rebuild);
        let mut foreign = found(5);
        foreign.header.previous = head(9).digest;
        assert_eq!(next_of(5, |page| page.at_head = None, &[foreign]), Next::Rebuild);
    }

    #[test]
    fn a_log_that_ends_before_the_image_or_has_a_gap_is_reported() {
        assert_eq!(next_of(3, |_| {}, &[]), Next::SetBack { image: 4, end: 3 });
        assert_eq!(next_of(7, |_| {}, &[found(5), found(7)]), Next::Damaged { number: 7 });
    }
}
