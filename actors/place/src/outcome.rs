//! Appends records, and finds out after a lost connection whether a record was appended.
//!
//! At most one record waits for its acknowledgement. If the connection is lost, the node does not know whether the log
//! contains this record, and whether the record is replicated. So the node connects again as [`Step::Connect`]
//! describes, and reads the end of the log.
//!
//! If the log lacks the record, the node appends it again, with the same number and bytes. If the log contains the
//! record, the record is replicated, for this reason: [`Step::Connect`] first ends the earlier backends (server
//! processes) of the node, so they commit nothing more. It then makes a new commit and waits until this commit is
//! replicated. The database replicates commits in order, so the earlier commit of the record is replicated too.
//!
//! Invariants:
//!
//! - A record is reported as committed only if it is replicated, and the next record is appended only after that.
//! - While the node keeps its epoch, it never appends different bytes with the same number.
//! - After the log contains a record of another node, the node appends nothing more.

use std::time::Duration;

use super::chain::{Digest, Epoch, Head, Header, History};

/// The appends of the active node. `R` is an encoded record.
#[derive(Clone, Debug)]
pub struct Appending<R> {
    history: History,
    epoch: Epoch,
    acknowledged: Head,
    pending: Option<(Head, R)>,
    state: State,
    /// The time at which the pending record was first sent. If the record is sent again, this time does not change: a
    /// standby may have seen the first copy, even if a failover of the database has removed that copy from the log.
    sent: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ready,
    Sent,
    Lost,
    Looking,
    Ended,
}

/// A response of the database, or the loss of the connection. The caller drops responses from earlier connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The append was committed and replicated. A response with a warning counts as [`Event::Lost`], because PostgreSQL
    /// sends a warning if it no longer waits for the replication.
    Acknowledged,
    /// No record was inserted, because the history or the epoch of the place has changed, or because the log already
    /// contains a record with this number.
    NotInserted,
    /// The database reported that it has changed nothing, for example because its disk is full.
    Refused,
    /// The connection was lost, or the response is late.
    Lost,
    /// [`Step::Connect`] is complete.
    Connected,
}

/// The next step of the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<R> {
    Append(R),
    /// The record with this head is durable. Apply it, acknowledge its changes, and renew the lease from
    /// `sent`, the time at which the record was first sent.
    Committed {
        head: Head,
        record: R,
        sent: Duration,
    },
    /// Connect again, in these steps: connect; terminate all other backends of this node and wait until they have
    /// ended; commit a change of the node's own row. Report [`Event::Connected`] after this commit is acknowledged.
    ///
    /// The acknowledgement of the commit proves that the server is not a former primary.
    Connect,
    /// Read the log from [`Appending::looks_from`] on, and call [`Appending::found`].
    Look,
    /// Append the same record again after a pause.
    Retry(R),
    /// Another node has become active. Stop the engine, and answer no further request.
    Fenced,
    /// The log does not contain the newest acknowledged record any more. Stop the engine.
    SetBack {
        acknowledged: u64,
        end: u64,
    },
    Wait,
}

impl<R: Clone> Appending<R> {
    /// Returns the state of a node whose newest record is `head`. This record must already be replicated.
    pub fn new(history: History, epoch: Epoch, head: Head) -> Self {
        let sent = Duration::ZERO;
        Self { history, epoch, acknowledged: head, pending: None, state: State::Ready, sent }
    }

    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// The newest record that is known to be replicated.
    pub fn acknowledged(&self) -> Head {
        self.acknowledged
    }

    /// True if the caller may append a record.
    pub fn is_ready(&self) -> bool {
        self.state == State::Ready
    }

    /// The header of the next record.
    pub fn header(&self) -> Header {
        Header {
            history: self.history,
            epoch: self.epoch,
            number: self.acknowledged.number + 1,
            previous: self.acknowledged.digest,
        }
    }

    /// Appends a record with the header [`Appending::header`].
    ///
    /// # Panics
    /// Panics if [`Appending::is_ready`] is false.
    pub fn append(&mut self, record: R, digest: Digest, now: Duration) -> Step<R> {
        assert!(self.is_ready(), "a record is appended while the outcome of an earlier record is unknown");
        self.pending = Some((Head { number: self.acknowledged.number + 1, digest }, record));
        self.sent = now;
        self.send()
    }

    pub fn on(&mut self, event: Event) -> Step<R> {
        match (event, self.state) {
            (_, State::Ended) => Step::Wait,
            (Event::Lost, _) => {
                self.state = State::Lost;
                Step::Connect
            }
            (Event::Connected, State::Lost) => {
                self.state = State::Looking;
                Step::Look
            }
            (Event::Acknowledged, State::Sent) => self.commit(),
            (Event::NotInserted, State::Sent) => self.end(Step::Fenced),
            (Event::Refused, State::Sent) => match self.send() {
                Step::Append(record) => Step::Retry(record),
                other => other,
            },
            _ => Step::Wait,
        }
    }

    /// The number of the newest acknowledged record. [`Appending::found`] needs the digests of this record and of
    /// the next one.
    pub fn looks_from(&self) -> u64 {
        self.acknowledged.number
    }

    /// Continues after [`Step::Look`]. `end` is the number of the newest record in the log. `digest_at` returns the
    /// digest of the record with a given number, or `None` if the log does not contain this record. If another node
    /// has become active and has made a snapshot, the log may no longer contain the newest acknowledged record. In
    /// this case, the step is [`Step::Fenced`].
    pub fn found(&mut self, end: u64, digest_at: impl Fn(u64) -> Option<Digest>) -> Step<R> {
        if self.state != State::Looking {
            return Step::Wait;
        }
        let is_there = |head: &Head| digest_at(head.number) == Some(head.digest);
        let acknowledged = self.acknowledged;
        let is_replaced = digest_at(acknowledged.number).is_some_and(|digest| digest != acknowledged.digest);
        if end < acknowledged.number || is_replaced {
            return self.end(Step::SetBack { acknowledged: acknowledged.number, end });
        }
        match &self.pending {
            Some((head, _)) if end == head.number && is_there(head) => self.commit(),
            _ if end > acknowledged.number => self.end(Step::Fenced),
            Some(_) => self.send(),
            None => {
                self.state = State::Ready;
                Step::Wait
            }
        }
    }

    fn send(&mut self) -> Step<R> {
        let Some((_, record)) = &self.pending else { return Step::Wait };
        self.state = State::Sent;
        Step::Append(record.clone())
    }

    fn commit(&mut self) -> Step<R> {
        let Some((head, record)) = self.pending.take() else { return Step::Wait };
        (self.state, self.acknowledged) = (State::Ready, head);
        Step::Committed { head, record, sent: self.sent }
    }

    fn end(&mut self, step: Step<R>) -> Step<R> {
        self.state = State::Ended;
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(7);

    fn digest(byte: u8) -> Digest {
        Digest([byte; 32])
    }

    /// A node with the acknowledged record 4 and the pending record 5. It has lost its connection, has connected again,
    /// and now checks whether the log contains record 5.
    fn looking() -> Appending<&'static str> {
        let mut appending =
            Appending::new(History::default(), Epoch::default(), Head { number: 4, digest: digest(4) });
        assert_eq!(appending.append("five", digest(5), NOW), Step::Append("five"));
        assert_eq!(appending.on(Event::Lost), Step::Connect);
        assert_eq!(appending.on(Event::Connected), Step::Look);
        appending
    }

    #[test]
    fn an_acknowledged_record_is_committed_and_the_next_record_follows_it() {
        let mut appending =
            Appending::new(History::default(), Epoch::default(), Head { number: 4, digest: digest(4) });
        assert_eq!(appending.append("five", digest(5), NOW), Step::Append("five"));
        assert!(!appending.is_ready());
        let head = Head { number: 5, digest: digest(5) };
        let committed = Step::Committed { head, record: "five", sent: NOW };
        assert_eq!(appending.on(Event::Acknowledged), committed);
        assert!(appending.header().follows(&head));
    }

    #[test]
    fn a_visible_record_is_committed_and_an_absent_one_is_appended_again() {
        let head = Head { number: 5, digest: digest(5) };
        let there = |number| Some(digest(number as u8));
        let committed = Step::Committed { head, record: "five", sent: NOW };
        assert_eq!(looking().found(5, there), committed);
        let mut appending = looking();
        assert_eq!(appending.found(4, |number| there(number).filter(|_| number < 5)), Step::Append("five"));
        assert_eq!(appending.on(Event::Acknowledged), committed);
    }

    #[test]
    fn a_foreign_record_fences_and_a_lost_record_is_reported() {
        let foreign = |number| Some(digest(if number == 5 { 9 } else { number as u8 }));
        assert_eq!(looking().found(5, foreign), Step::Fenced);
        let there = |number| Some(digest(number as u8));
        assert_eq!(looking().found(6, there), Step::Fenced);
        let set_back = Step::SetBack { acknowledged: 4, end: 3 };
        assert_eq!(looking().found(3, |number| there(number).filter(|_| number < 4)), set_back);
        let mut appending = looking();
        assert_eq!(appending.found(4, |_| Some(digest(4))), Step::Append("five"));
        assert_eq!(appending.on(Event::NotInserted), Step::Fenced);
        assert_eq!(appending.on(Event::Connected), Step::Wait);
    }
}
