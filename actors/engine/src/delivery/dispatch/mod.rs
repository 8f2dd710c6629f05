//! The dispatcher of deliveries: it decides, in one spot, who gets a place for an attempt that is due.
//!
//! What always holds:
//!
//! - at most [`PLACES`] attempts are under way; who has the next place is decided by [`fair`], and a place that is
//!   given back is granted on at once, without anybody asking;
//! - an endpoint for which something waits is waited for here, with its time or with how many places it could use, or
//!   it has an actor that holds a permit and will say so: no wake-up is lost when an actor is put away;
//! - an endpoint that only waits costs an entry, and all of them one timer. Its actor may be put away; it is started
//!   again once it has a place;
//! - while nothing can be written of what is done, nobody gets a place, and the one timer looks whether there is room
//!   again. What an outage of ours holds back waits here, too, until that is over, and a bounded number of it is looked
//!   at again with each probe;
//! - a panic while places are handed out costs whoever was being handed one, not the others.

mod fair;
mod standing;
#[cfg(test)]
mod tests;
mod timer;

use std::fmt;
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

/// How many attempts of all endpoints may be under way at once. Each has a connection, or looks a name up.
pub(crate) const PLACES: usize = 1_024;
/// How many bodies of responses may be read at once behind their heads: over all, and of a business's endpoints.
const BODIES_MAX: usize = 256;
const BODIES_PER_BUSINESS_MAX: usize = 16;

/// What the dispatcher needs of the engine that it serves.
pub(super) trait Host: Send + Sync {
    /// Whether what is done can be written.
    fn has_room(&self) -> bool;

    /// The network that attempts go out by.
    fn network(&self) -> &Network;

    /// Hands a place to the actor of its endpoint.
    fn hand(self: Arc<Self>, place: Place);
}

/// Who gets a place, and who waits for one.
pub(crate) struct Dispatcher {
    fair: Mutex<Fair>,
    /// Attempts are measured by the runtime's clock, which stands still while the machine is suspended.
    began: Instant,
    /// What is due goes by this clock, which does not.
    steady: SteadyClock,
    /// Where places are handed to.
    host: OnceLock<Weak<dyn Host>>,
    /// Tells the timer when there is something to wait for beside, or before, what it waits for.
    earlier: Notify,
    /// How often anybody wanted places handed out since somebody last found none to hand out.
    handing_out: AtomicUsize,
    /// Whether nothing could be written when somebody looked last. The timer looks again while that is so.
    is_full: AtomicBool,
    /// Whether handing the next place panics.
    #[cfg(test)]
    panics: AtomicBool,
    /// How many attempts are under way, or on their way to the disk.
    under_way: AtomicUsize,
    /// Told when nothing is under way.
    idle: Notify,
    /// The bodies that are read behind their heads.
    pub(super) bodies: Arc<Quota>,
    delivered: AtomicU64,
    failed: AtomicU64,
}

/// The right to one attempt, given back when it is dropped.
pub(crate) struct Place {
    dispatcher: Arc<Dispatcher>,
    granted: Granted,
    begun: Option<Instant>,
    ended: Option<(bool, Duration)>,
}

/// An attempt and what comes of it, until that is on the disk.
pub(crate) struct UnderWay(Arc<Dispatcher>);

impl Dispatcher {
    /// A dispatcher of so many places, at least one.
    pub(crate) fn new(places: usize, steady: SteadyClock) -> Arc<Self> {
        Arc::new(Self {
            fair: Mutex::new(Fair::new(places)),
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

    /// Something is due at an endpoint: it is looked at as soon as it has a place.
    pub(crate) fn wake(self: &Arc<Self>, key: EndpointKey) {
        self.fair.lock().wake(key, self.now());
        self.hand_out();
    }

    /// Something waits for an endpoint as the engine starts, for so long, and may have failed before.
    pub(crate) fn register(&self, key: EndpointKey, wait: Duration, failed_before: bool) {
        let due = self.steady.passed() + wait;
        self.plan(|fair, now| fair.register(key, due, failed_before, now));
    }

    /// An endpoint could use so many places: gives it those that it may have now. The others come when they may.
    pub(super) fn want(self: &Arc<Self>, key: EndpointKey, count: usize) -> Vec<Place> {
        let (mut own, mut others) = (Vec::new(), Vec::new());
        let now = self.now();
        self.fair.lock().want(key, count, now);
        if !self.has_room() {
            return own;
        }
        let mut fair = self.fair.lock();
        while let Some(granted) = fair.grant(now) {
            let place = self.place(granted);
            if granted.key == key { own.push(place) } else { others.push(place) }
        }
        drop(fair);
        others.into_iter().for_each(|place| self.hand(place));
        own
    }

    /// An endpoint could use no place for so long, or until it is woken.
    pub(crate) fn rest(&self, key: EndpointKey, wait: Option<Duration>) {
        // A millisecond more, so that what is due then is not a fraction of one away.
        let due = wait.map(|wait| self.steady.passed() + wait + Duration::from_millis(1));
        self.plan(|fair, now| fair.rest(key, due, now));
    }

    /// An outage of ours holds back what is due at an endpoint: it is looked at again when that is over, or may be.
    pub(super) fn cut_off(&self, key: EndpointKey) {
        let mut fair = self.fair.lock();
        let first = !fair.is_any_cut_off();
        fair.cut_off(key, self.now());
        drop(fair);
        if first {
            self.earlier.notify_one(); // it has to be waited for from now on
        }
    }

    /// Changes what is due, and has the timer look if something is due before all that was.
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

    /// Nobody gets a place any more.
    pub(crate) fn stop(&self) {
        self.fair.lock().stop();
    }

    /// Waits until nothing is under way.
    pub(crate) async fn idle(&self) {
        loop {
            let idle = self.idle.notified();
            tokio::pin!(idle);
            idle.as_mut().enable(); // before looking
            if self.under_way.load(Ordering::Acquire) == 0 {
                return;
            }
            idle.await;
        }
    }

    /// How many attempts are under way, up to the heads of their responses.
    pub(crate) fn places_taken(&self) -> usize {
        self.fair.lock().held()
    }

    /// How many endpoints wait for a place, or for their time.
    pub(crate) fn waiting(&self) -> usize {
        self.fair.lock().waiting()
    }

    /// How many attempts reached their endpoint, and how many failed.
    pub(crate) fn made(&self) -> (u64, u64) {
        (self.delivered.load(Ordering::Relaxed), self.failed.load(Ordering::Relaxed))
    }

    /// An attempt is under way until this is dropped.
    pub(super) fn under_way(self: &Arc<Self>) -> UnderWay {
        self.under_way.fetch_add(1, Ordering::AcqRel);
        UnderWay(Arc::clone(self))
    }

    fn now(&self) -> Moment {
        self.began.elapsed()
    }

    fn place(self: &Arc<Self>, granted: Granted) -> Place {
        Place { dispatcher: Arc::clone(self), granted, begun: None, ended: None }
    }

    /// Whether what is done can be written. If not, the timer looks again until it can.
    fn has_room(&self) -> bool {
        let host = self.host.get().and_then(Weak::upgrade);
        let has_room = host.is_none_or(|host| host.has_room());
        let was_full = self.is_full.swap(!has_room, Ordering::AcqRel);
        if !has_room && !was_full {
            self.earlier.notify_one();
        }
        has_room
    }

    fn hand(self: &Arc<Self>, place: Place) {
        #[cfg(test)]
        assert!(!self.panics.swap(false, Ordering::AcqRel), "the test wants it so");
        match self.host.get().and_then(Weak::upgrade) {
            Some(host) => host.hand(place),
            None => self.stop(),
        }
    }

    /// The next place, if anybody may have it.
    fn grant(self: &Arc<Self>) -> Option<Place> {
        let is_wanted = self.fair.lock().is_any_wanted();
        if !is_wanted || !self.has_room() {
            return None;
        }
        let granted = self.fair.lock().grant(self.now())?;
        Some(self.place(granted))
    }

    /// Grants what can be granted. A place that nobody takes is given back in here, which does not begin anew: whoever
    /// hands out looks once more.
    fn hand_out(self: &Arc<Self>) {
        if self.handing_out.fetch_add(1, Ordering::AcqRel) > 0 {
            return;
        }
        let mut asked = 1;
        let unless_through = UnlessThrough(self);
        while asked > 0 {
            while let Some(place) = self.grant() {
                self.hand(place);
            }
            asked = self.handing_out.fetch_sub(asked, Ordering::AcqRel) - asked;
        }
        std::mem::forget(unless_through);
    }
}

/// Lets others hand places out when whoever does so panics. What was asked for meanwhile the timer does.
struct UnlessThrough<'a>(&'a Dispatcher);

impl Drop for UnlessThrough<'_> {
    fn drop(&mut self) {
        self.0.handing_out.store(0, Ordering::Release);
        self.0.earlier.notify_one();
    }
}

impl Place {
    /// Whose it is.
    pub(crate) fn key(&self) -> EndpointKey {
        self.granted.key
    }

    /// The attempt begins.
    pub(super) fn begin(&mut self) {
        self.begun = Some(Instant::now());
    }

    /// It is known whether the endpoint took the event.
    pub(super) fn end(&mut self, delivered: bool) {
        let counted = if delivered { &self.dispatcher.delivered } else { &self.dispatcher.failed };
        counted.fetch_add(1, Ordering::Relaxed);
        self.ended = self.begun.map(|begun| (delivered, begun.elapsed()));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let now = self.dispatcher.now();
        self.dispatcher.fair.lock().give_back(self.granted, self.ended, now);
        self.dispatcher.hand_out();
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Place({})", self.granted.key)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if self.0.under_way.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.idle.notify_waiters();
        }
    }
}

impl fmt::Debug for UnderWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UnderWay")
    }
}
