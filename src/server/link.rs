//! The state of one connection. It determines whether the server may close the connection to make room, and
//! how its stream ends.
//!
//! Invariants:
//! - The server evicts only idle connections. A connection is idle in two cases: it has no unfinished request and no
//!   unsent data, or the service waits for the body of its request.
//! - A request that arrives during the eviction is not started.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use tokio::sync::Notify;
use tokio::time::Instant;

/// No request is in progress: during the handshake, while a head is incomplete, or between requests.
const IDLE: u8 = 0;
const ACTIVE: u8 = 1;
/// The service has answered, and a part of the response may be unsent.
const ANSWERED: u8 = 2;
const EVICTED: u8 = 3;
const WAITING_FOR_BODY: u8 = 4;

/// The state of a connection, shared by its task, its stream and the table of slots.
pub(super) struct Link {
    state: AtomicU8,
    /// The start of the listener. Times are measured from this instant.
    epoch: Instant,
    /// The start of the idle time, in milliseconds from `epoch`.
    idle_since: AtomicU64,
    /// Whether the client may still be sending a request. If so, the close must linger ([`super::stall`]).
    pub(super) lingers: AtomicBool,
    /// Whether a write waits for the client to read.
    pub(super) writes: AtomicBool,
    eviction: Notify,
}

impl Link {
    pub(super) fn new(epoch: Instant) -> Self {
        let link = Self {
            state: AtomicU8::new(IDLE),
            epoch,
            idle_since: AtomicU64::new(0),
            lingers: AtomicBool::new(false),
            writes: AtomicBool::new(false),
            eviction: Notify::new(),
        };
        link.start_idle_time();
        link
    }

    fn start_idle_time(&self) {
        let millis = u64::try_from(self.epoch.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.idle_since.store(millis, Ordering::Relaxed);
    }

    fn turn(&self, from: u8, to: u8) -> bool {
        self.state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Marks the connection as active. Returns false if the connection has lost its slot. In this case, the caller must
    /// refuse the request.
    pub(super) fn begin_request(&self) -> bool {
        self.turn(IDLE, ACTIVE) || self.turn(ANSWERED, ACTIVE)
    }

    pub(super) fn wait_for_body(&self) {
        if self.state.load(Ordering::Relaxed) == ACTIVE {
            self.start_idle_time();
            self.turn(ACTIVE, WAITING_FOR_BODY);
        }
    }

    pub(super) fn resume(&self) {
        self.turn(WAITING_FOR_BODY, ACTIVE);
    }

    pub(super) fn finish_request(&self) {
        self.resume(); // the response may be sent before the whole body has arrived
        self.turn(ACTIVE, ANSWERED);
    }

    /// Marks the connection as idle if the whole response has been sent. Call this only after a poll of the connection
    /// has returned `Pending`. Such a poll writes the response until it is complete or until a write must wait for the
    /// client. So if the service has answered and no write waits, the whole response has been sent.
    pub(super) fn mark_idle_if_sent(&self) {
        if self.state.load(Ordering::Relaxed) == ANSWERED && !self.writes.load(Ordering::Relaxed) {
            self.start_idle_time();
            self.turn(ANSWERED, IDLE);
        }
    }

    /// The start of the idle time, in milliseconds from `epoch`. It is `None` if the connection is not idle.
    pub(super) fn idle_since(&self) -> Option<u64> {
        let rests = matches!(self.state.load(Ordering::Acquire), IDLE | WAITING_FOR_BODY);
        rests.then(|| self.idle_since.load(Ordering::Relaxed))
    }

    pub(super) fn evict(&self) -> bool {
        let evicted = self.turn(IDLE, EVICTED) || self.turn(WAITING_FOR_BODY, EVICTED);
        if evicted {
            self.eviction.notify_one();
        }
        evicted
    }

    pub(super) fn end(&self) {
        self.state.store(EVICTED, Ordering::Release);
        self.eviction.notify_one();
    }

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
        assert!(link.begin_request());
        link.wait_for_body();
        assert!(link.idle_since().is_some());
        link.resume();
        assert!(link.idle_since().is_none() && !link.evict());
        link.wait_for_body();
        link.finish_request();
        assert!(!link.evict(), "the response may be unsent");
        assert!(link.begin_request());
        link.wait_for_body();
        assert!(link.evict() && !link.begin_request());
    }

    #[test]
    fn only_an_idle_connection_is_evicted() {
        let link = Link::new(Instant::now());
        assert!(
            link.begin_request() && link.idle_since().is_none() && !link.evict(),
            "a request is in progress"
        );
        link.mark_idle_if_sent();
        assert!(!link.evict(), "the request has no response yet");
        link.finish_request();
        assert!(!link.evict(), "the response may be unsent");
        link.writes.store(true, Ordering::Relaxed);
        link.mark_idle_if_sent();
        assert!(!link.evict(), "the client has not read the response");
        assert!(link.begin_request(), "the client may send the next request before it reads the response");
        link.finish_request();
        link.writes.store(false, Ordering::Relaxed);
        link.mark_idle_if_sent();
        assert!(link.idle_since().is_some() && link.evict());
        assert!(!link.begin_request(), "an evicted connection begins no request");
        assert!(!link.evict() && link.idle_since().is_none());
    }
}
