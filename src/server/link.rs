//! What one connection is doing: what decides whether it may be closed to make room, and how its stream ends.
//!
//! Invariants: only a connection that rests can be evicted. It has no request under way and nothing left to be sent, or the
//! service waits for the body of its request. A request that comes at that very moment is not begun.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use tokio::sync::Notify;
use tokio::time::Instant;

/// No request is under way: the handshake, a head that arrives, or the time between requests.
const RESTING: u8 = 0;
/// A request is with the service.
const ASKED: u8 = 1;
/// It is answered, and the answer may not be sent yet.
const ANSWERED: u8 = 2;
/// The connection has lost its place.
const EVICTED: u8 = 3;
/// The service waits for more of the body of the request.
const WAITING: u8 = 4;

/// The state of a connection, shared by its task, its stream and the table of places.
pub(super) struct Link {
    state: AtomicU8,
    /// When the listener began, from which times here are counted.
    epoch: Instant,
    /// Milliseconds from then until it began to rest.
    resting_since: AtomicU64,
    /// Whether the client may still be sending: bytes have come since the last request that was read to its end.
    pub(super) lingers: AtomicBool,
    /// Whether a write waits for the client to read.
    pub(super) writes: AtomicBool,
    eviction: Notify,
}

impl Link {
    /// A connection that has just begun.
    pub(super) fn new(epoch: Instant) -> Self {
        let link = Self {
            state: AtomicU8::new(RESTING),
            epoch,
            resting_since: AtomicU64::new(0),
            lingers: AtomicBool::new(false),
            writes: AtomicBool::new(false),
            eviction: Notify::new(),
        };
        link.rest_from_now();
        link
    }

    fn rest_from_now(&self) {
        let millis = u64::try_from(self.epoch.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.resting_since.store(millis, Ordering::Relaxed);
    }

    fn turn(&self, from: u8, to: u8) -> bool {
        self.state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// A request has come; false when the connection has lost its place, and the request must not be begun.
    pub(super) fn ask(&self) -> bool {
        self.turn(RESTING, ASKED) || self.turn(ANSWERED, ASKED)
    }

    /// More of the request's body is awaited.
    pub(super) fn wait(&self) {
        if self.state.load(Ordering::Relaxed) == ASKED {
            self.rest_from_now();
            self.turn(ASKED, WAITING);
        }
    }

    /// More of the body has come, or its end.
    pub(super) fn go_on(&self) {
        self.turn(WAITING, ASKED);
    }

    /// The request is answered.
    pub(super) fn answer(&self) {
        self.go_on(); // it may be answered without the rest of its body
        self.turn(ASKED, ANSWERED);
    }

    /// The connection's task has done what it can for now: what is answered is sent unless a write waits.
    pub(super) fn settle(&self) {
        if self.state.load(Ordering::Relaxed) == ANSWERED && !self.writes.load(Ordering::Relaxed) {
            self.rest_from_now();
            self.turn(ANSWERED, RESTING);
        }
    }

    /// Since when it rests, in milliseconds from the listener's beginning; `None` while it does not.
    pub(super) fn resting_since(&self) -> Option<u64> {
        let rests = matches!(self.state.load(Ordering::Acquire), RESTING | WAITING);
        rests.then(|| self.resting_since.load(Ordering::Relaxed))
    }

    /// Takes the place of a connection that rests; false when it does not.
    pub(super) fn evict(&self) -> bool {
        let evicted = self.turn(RESTING, EVICTED) || self.turn(WAITING, EVICTED);
        if evicted {
            self.eviction.notify_one();
        }
        evicted
    }

    /// Takes the place of a connection whatever it does.
    pub(super) fn end(&self) {
        self.state.store(EVICTED, Ordering::Release);
        self.eviction.notify_one();
    }

    /// Waits until the connection has lost its place.
    pub(super) async fn evicted(&self) {
        self.eviction.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_that_waits_for_a_body_is_evicted() {
        let link = Link::new(Instant::now());
        assert!(link.ask());
        link.wait();
        assert!(link.resting_since().is_some());
        link.go_on();
        assert!(link.resting_since().is_none() && !link.evict());
        link.wait();
        link.answer();
        assert!(!link.evict(), "the answer may not be sent yet");
        assert!(link.ask());
        link.wait();
        assert!(link.evict() && !link.ask());
    }

    #[test]
    fn only_a_connection_that_rests_is_evicted() {
        let link = Link::new(Instant::now());
        assert!(link.ask() && link.resting_since().is_none() && !link.evict(), "a request is under way");
        link.settle();
        assert!(!link.evict(), "it is not answered yet");
        link.answer();
        assert!(!link.evict(), "the answer may not be sent yet");
        link.writes.store(true, Ordering::Relaxed);
        link.settle();
        assert!(!link.evict(), "the client has not read the answer");
        assert!(link.ask(), "it may have sent the next request");
        link.answer();
        link.writes.store(false, Ordering::Relaxed);
        link.settle();
        assert!(link.resting_since().is_some() && link.evict());
        assert!(!link.ask(), "no request begins once the place is gone");
        assert!(!link.evict() && link.resting_since().is_none());
    }
}
