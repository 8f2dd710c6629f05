//! The dispatcher of deliveries. Only the dispatcher decides which endpoint gets the permit for an attempt.
//!
//! Invariants:
//!
//! - At most [`PERMITS`] attempts are in progress. [`fair`] chooses the next endpoint, and a returned permit
//!   is granted again immediately.
//! - An endpoint with waiting deliveries is registered here, or its actor runs and holds a permit. No wake-up
//!   is lost when an actor stops.
//! - A waiting endpoint costs one entry, and one timer serves all waiting endpoints. The actor of a waiting
//!   endpoint may stop; a permit starts the actor again.
//! - While the disk is full, no permit is granted, and the timer checks for room. Endpoints held back by a
//!   local outage wait here too; each probe wakes a bounded number.
//! - A panic while a permit is handed out affects only that endpoint.

mod fair;
mod standing;
#[cfg(test)]
mod tests;
mod timer;

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use net::Network;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use self::fair::{Fair, Granted};
pub(super) use self::standing::ATTEMPTS_MAX;
use self::standing::Moment;
use super::key::EndpointKey;
use crate::clock::SteadyClock;
use crate::quota::Quota;

/// The maximum number of attempts in progress. Each attempt uses a connection or a DNS lookup.
pub(crate) const PERMITS: usize = 1_024;
/// The maximum number of response bodies that are read after their permits were released: in total, and per
/// business.
const BODIES_MAX: usize = 256;
const BODIES_PER_BUSINESS_MAX: usize = 16;

pub(super) trait Host: Send + Sync {
    fn has_room(&self) -> bool;

    fn network(&self) -> &Network;

    fn hand(self: Arc<Self>, permit: AttemptPermit);
}

pub(crate) struct Dispatcher {
    fair: Mutex<Fair>,
    /// Attempts are measured by the runtime's clock, which stops while the machine is suspended.
    began: Instant,
    /// Due times use this clock, which continues during a suspension.
    steady: SteadyClock,
    host: OnceLock<Weak<dyn Host>>,
    /// Notifies the timer that something is due earlier than it expects.
    earlier: Notify,
    /// The number of requests to hand out permits since the last pass that found no request. A request during
    /// a pass is counted too.
    handing_out: AtomicUsize,
    /// Whether the last check found no room on the disk. The timer checks again while this is set.
    is_full: AtomicBool,
    #[cfg(test)]
    panics: AtomicBool,
    /// The number of attempts in progress, including attempts whose outcome is not durable yet.
    under_way: AtomicUsize,
    /// Notified when no attempt is in progress.
    idle: Notify,
    /// The permits to read response bodies after the attempt's permit is free.
    pub(super) bodies: Arc<Quota>,
    delivered: AtomicU64,
    failed: AtomicU64,
}

/// The permit for one attempt. Dropping it returns the permit.
pub(crate) struct AttemptPermit {
    dispatcher: Arc<Dispatcher>,
    granted: Granted,
    begun: Option<Instant>,
    ended: Option<(bool, Duration)>,
}

/// Counts an attempt until its outcome is durable.
pub(crate) struct UnderWay(Arc<Dispatcher>);

impl Dispatcher {
    pub(crate) fn new(permits: usize, steady: SteadyClock) -> Arc<Self> {
        Arc::new(Self {
            fair: Mutex::new(Fair::new(permits)),
            began: Instant::now(),
            steady,
            host: OnceLock::new(),
            earlier: Notify::new(),
            handing_out: AtomicUsize::new(0),
            is_full: AtomicBool::new(false),
            #[cfg(test)]
            panics: AtomicBool::new(false),
            under_way: AtomicUsize::new(0),
            idle: Notify::new(),
            bodies: Arc::new(Quota::new(BODIES_MAX, BODIES_PER_BUSINESS_MAX)),
            delivered: AtomicU64::new(0),
            failed: AtomicU64::new(0),
        })
    }

    pub(crate) fn wake(self: &Arc<Self>, key: EndpointKey) {
        self.fair.lock().wake(key, self.now());
        self.hand_out();
    }

    /// At the start of the engine, registers deliveries that are due after `wait`.
    pub(crate) fn register(&self, key: EndpointKey, wait: Duration, failed_before: bool) {
        let due = self.steady.passed() + wait;
        self.plan(|fair, now| fair.register(key, due, failed_before, now));
    }

    /// Requests `count` permits and returns the permits that are free for the endpoint now. The other permits
    /// follow later.
    pub(super) fn want(self: &Arc<Self>, key: EndpointKey, count: usize) -> Vec<AttemptPermit> {
        let (mut own, mut others) = (Vec::new(), Vec::new());
        let now = self.now();
        self.fair.lock().want(key, count, now);
        if !self.has_room() {
            return own;
        }
        let mut fair = self.fair.lock();
        while let Some(granted) = fair.grant(now) {
            let permit = self.permit(granted);
            if granted.key == key { own.push(permit) } else { others.push(permit) }
        }
        drop(fair);
        others.into_iter().for_each(|permit| self.hand(permit));
        own
    }

    /// The endpoint needs no permit for `wait`. Without `wait`, it needs no permit before the next wake-up.
    pub(crate) fn rest(&self, key: EndpointKey, wait: Option<Duration>) {
        // One millisecond more, so that the row is due when the timer fires.
        let due = wait.map(|wait| self.steady.passed() + wait + Duration::from_millis(1));
        self.plan(|fair, now| fair.rest(key, due, now));
    }

    /// A local outage holds the endpoint back. The end of the outage, or a probe, wakes it.
    pub(super) fn cut_off(&self, key: EndpointKey) {
        let mut fair = self.fair.lock();
        let first = !fair.is_any_cut_off();
        fair.cut_off(key, self.now());
        drop(fair);
        if first {
            self.earlier.notify_one(); // the timer must wait for the outage from now on
        }
    }

    /// Changes due times, and notifies the timer if the earliest due time becomes earlier.
    fn plan(&self, change: impl FnOnce(&mut Fair, Moment)) {
        let now = self.now();
        let mut fair = self.fair.lock();
        let before = fair.next_due();
        change(&mut fair, now);
        let earlier = fair.next_due().is_some_and(|due| before.is_none_or(|before| due < before));
        drop(fair);
        if earlier {
            self.earlier.notify_one();
        }
    }

    /// No permit is granted after this call.
    pub(crate) fn stop(&self) {
        self.fair.lock().stop();
    }

    pub(crate) async fn idle(&self) {
        loop {
            let idle = self.idle.notified();
            tokio::pin!(idle);
            idle.as_mut().enable(); // registered before the check
            if self.under_way.load(Ordering::Acquire) == 0 {
                return;
            }
            idle.await;
        }
    }

    /// The number of attempts in progress, up to the heads of their responses.
    pub(crate) fn permits_held(&self) -> usize {
        self.fair.lock().held()
    }

    pub(crate) fn waiting(&self) -> usize {
        self.fair.lock().waiting()
    }

    /// The number of attempts that were delivered, and the number of attempts that failed.
    pub(crate) fn made(&self) -> (u64, u64) {
        (self.delivered.load(Ordering::Relaxed), self.failed.load(Ordering::Relaxed))
    }

    pub(super) fn under_way(self: &Arc<Self>) -> UnderWay {
        self.under_way.fetch_add(1, Ordering::AcqRel);
        UnderWay(Arc::clone(self))
    }

    fn now(&self) -> Moment {
        self.began.elapsed()
    }

    fn permit(self: &Arc<Self>, granted: Granted) -> AttemptPermit {
        AttemptPermit { dispatcher: Arc::clone(self), granted, begun: None, ended: None }
    }

    /// Whether outcomes can be written. If not, the timer checks again until they can.
    fn has_room(&self) -> bool {
        let host = self.host.get().and_then(Weak::upgrade);
        let has_room = host.is_none_or(|host| host.has_room());
        let was_full = self.is_full.swap(!has_room, Ordering::AcqRel);
        if !has_room && !was_full {
            self.earlier.notify_one();
        }
        has_room
    }

    fn hand(self: &Arc<Self>, permit: AttemptPermit) {
        #[cfg(test)]
        assert!(!self.panics.swap(false, Ordering::AcqRel), "the test wants it so");
        match self.host.get().and_then(Weak::upgrade) {
            Some(host) => host.hand(permit),
            None => self.stop(),
        }
    }

    fn grant(self: &Arc<Self>) -> Option<AttemptPermit> {
        let is_wanted = self.fair.lock().is_any_wanted();
        if !is_wanted || !self.has_room() {
            return None;
        }
        let granted = self.fair.lock().grant(self.now())?;
        Some(self.permit(granted))
    }

    /// Grants every permit that may be granted. A permit that is returned during the loop starts no second
    /// loop; the running loop makes another pass.
    fn hand_out(self: &Arc<Self>) {
        if self.handing_out.fetch_add(1, Ordering::AcqRel) > 0 {
            return;
        }
        let mut asked = 1;
        let unless_through = UnlessThrough(self);
        while asked > 0 {
            while let Some(permit) = self.grant() {
                self.hand(permit);
            }
            asked = self.handing_out.fetch_sub(asked, Ordering::AcqRel) - asked;
        }
        std::mem::forget(unless_through);
    }
}

/// Releases the hand-out role after a panic. The timer carries out the requests that arrived meanwhile.
struct UnlessThrough<'a>(&'a Dispatcher);

impl Drop for UnlessThrough<'_> {
    fn drop(&mut self) {
        self.0.handing_out.store(0, Ordering::Release);
        self.0.earlier.notify_one();
    }
}

impl AttemptPermit {
    pub(crate) fn key(&self) -> EndpointKey {
        self.granted.key
    }

    pub(super) fn begin(&mut self) {
        self.begun = Some(Instant::now());
    }

    pub(super) fn end(&mut self, delivered: bool) {
        let counted = if delivered { &self.dispatcher.delivered } else { &self.dispatcher.failed };
        counted.fetch_add(1, Ordering::Relaxed);
        self.ended = self.begun.map(|begun| (delivered, begun.elapsed()));
    }
}

impl Drop for AttemptPermit {
    fn drop(&mut self) {
        let now = self.dispatcher.now();
        self.dispatcher.fair.lock().give_back(self.granted, self.ended, now);
        self.dispatcher.hand_out();
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if self.0.under_way.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.idle.notify_waiters();
        }
    }
}
