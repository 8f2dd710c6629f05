//! The dispatcher of deliveries. Only the dispatcher decides which endpoint gets the permit for an attempt.
//!
//! Invariants:
//!
//! - At most [`PERMITS`] attempts are in progress. [`fair`] chooses the next endpoint.
//! - Each endpoint with waiting deliveries is registered here, or has an actor that must not be stopped. An actor
//!   registers its endpoint here before it may be stopped, so no wake-up is lost.
//! - A waiting endpoint needs no running actor, only an entry in memory. All endpoints share one timer.
//! - While the disk is full, no permit is granted, and the timer checks whether the disk has free space again.
//! - During an outage of this machine's network, endpoints are *held back* here. Each probe of the network wakes a
//!   bounded number of them.
//! - A panic while a permit is handed to an actor affects only the endpoint of this actor.

mod fair;
mod standing;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use store::Weight;
use tokio::sync::{Notify, watch};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep, sleep_until};

use self::fair::{Fair, Granted};
pub(super) use self::standing::ATTEMPTS_MAX;
use self::standing::Moment;
use super::EndpointKey;
use super::service::Deliveries;
use crate::clock::{LOOK_EVERY, SteadyClock};
use crate::quota::Quota;

/// The maximum number of attempts in progress. Each attempt uses a connection or a DNS lookup.
pub(crate) const PERMITS: usize = 1_024;
/// If a response body is slow, the attempt releases its permit before the service has read the whole body. The service
/// reads at most this number of such bodies at the same time: in total, and per business.
const BODIES_MAX: usize = 256;
const BODIES_PER_BUSINESS_MAX: usize = 16;
const ASKING_PER_STEP: usize = 256;
/// During an outage of this machine's network, endpoints are held back. The dispatcher wakes them in steps of at
/// most this many endpoints. During the outage, it makes one step after each failed probe of the network, and one
/// of the woken endpoints can make a trial attempt. After the outage, it makes steps until all endpoints are awake.
const RELEASED_PER_PROBE: usize = 256;
const ROOM_EVERY: Duration = Duration::from_secs(2);
/// The time between two sweeps. A sweep removes idle endpoints from memory.
const SWEEP_EVERY: Duration = Duration::from_secs(60);
/// The time between two steps of a sweep.
const SWEEP_STEP_EVERY: Duration = Duration::from_millis(100);
const PANIC_PAUSE: Duration = Duration::from_secs(1);

pub(crate) struct Dispatcher {
    fair: Mutex<Fair>,
    /// The start of the clock that measures attempts. This clock stops while the machine is suspended.
    began: Instant,
    /// The clock of the due times. This clock continues while the machine is suspended.
    steady: SteadyClock,
    deliveries: OnceLock<Weak<Deliveries>>,
    earlier: Notify,
    /// Counts the calls of `hand_out`. The first call does the work of all counted calls, and then subtracts them. The
    /// other calls return immediately.
    handing_out: AtomicUsize,
    /// True if the last check found no room on the disk. The timer then repeats the check.
    is_full: AtomicBool,
    #[cfg(test)]
    panics: AtomicBool,
    /// The number of attempts in progress, including attempts whose outcome is not durable yet.
    under_way: watch::Sender<usize>,
    /// If an attempt returns its [`AttemptPermit`] before it has read the whole response body, it needs one of these
    /// other permits to read the rest.
    pub(super) bodies: Arc<Quota>,
    delivered: AtomicU64,
    failed: AtomicU64,
}

/// The permit for one attempt. The permit is returned when this value is dropped.
pub(crate) struct AttemptPermit {
    dispatcher: Arc<Dispatcher>,
    granted: Granted,
    ended: Option<(bool, Duration)>,
}

pub(crate) struct UnderWay(Arc<Dispatcher>);

impl Dispatcher {
    pub(crate) fn new(permits: usize, steady: SteadyClock) -> Arc<Self> {
        Arc::new(Self {
            fair: Mutex::new(Fair::new(permits)),
            began: Instant::now(),
            steady,
            deliveries: OnceLock::new(),
            earlier: Notify::new(),
            handing_out: AtomicUsize::new(0),
            is_full: AtomicBool::new(false),
            #[cfg(test)]
            panics: AtomicBool::new(false),
            under_way: watch::Sender::new(0),
            bodies: Arc::new(Quota::new(BODIES_MAX, BODIES_PER_BUSINESS_MAX)),
            delivered: AtomicU64::new(0),
            failed: AtomicU64::new(0),
        })
    }

    /// Hands permits to the endpoints' actors until `deliveries` is dropped.
    pub(super) fn begin(self: &Arc<Self>, deliveries: Weak<Deliveries>) {
        let _ = self.deliveries.set(deliveries);
        tokio::spawn(keep_time(Arc::downgrade(self)));
    }

    pub(crate) fn wake(self: &Arc<Self>, key: EndpointKey) {
        self.fair.lock().wake(key, self.now());
        self.hand_out();
    }

    /// At the start of the engine, registers an endpoint whose first delivery is due after `wait`.
    pub(crate) fn register(&self, key: EndpointKey, wait: Duration, failed_before: bool) {
        let due = self.steady.passed() + wait;
        self.plan(|fair, now| fair.register(key, due, failed_before, now));
    }

    /// Requests `count` permits. Returns the permits that are granted now. The actor gets the other permits
    /// as messages.
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

    /// Records that the endpoint needs no permit until `wait` has passed. If `wait` is `None`, it needs no permit until
    /// it is woken.
    pub(crate) fn rest(&self, key: EndpointKey, wait: Option<Duration>) {
        // The extra millisecond ensures that the delivery is due when the timer fires.
        let due = wait.map(|wait| self.steady.passed() + wait + Duration::from_millis(1));
        self.plan(|fair, now| fair.rest(key, due, now));
    }

    /// Holds the endpoint back during an outage of the network. A probe or the end of the outage wakes the endpoint.
    pub(super) fn cut_off(&self, key: EndpointKey) {
        let mut fair = self.fair.lock();
        let first = fair.cut_off.is_empty();
        fair.cut_off(key, self.now());
        drop(fair);
        if first {
            self.earlier.notify_one(); // the timer must now also wait for the end of the outage
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

    pub(crate) fn stop(&self) {
        self.fair.lock().stop();
    }

    pub(crate) async fn idle(&self) {
        let _ = self.under_way.subscribe().wait_for(|count| *count == 0).await;
    }

    pub(crate) fn permits_held(&self) -> usize {
        self.fair.lock().held
    }

    pub(crate) fn waiting(&self) -> usize {
        self.fair.lock().waiting()
    }

    pub(crate) fn made(&self) -> (u64, u64) {
        (self.delivered.load(Ordering::Relaxed), self.failed.load(Ordering::Relaxed))
    }

    pub(super) fn under_way(self: &Arc<Self>) -> UnderWay {
        self.under_way.send_modify(|count| *count += 1);
        UnderWay(Arc::clone(self))
    }

    fn now(&self) -> Moment {
        self.began.elapsed()
    }

    fn permit(self: &Arc<Self>, granted: Granted) -> AttemptPermit {
        AttemptPermit { dispatcher: Arc::clone(self), granted, ended: None }
    }

    /// Whether the disk has room to write outcomes. If not, the timer repeats this check.
    fn has_room(&self) -> bool {
        let deliveries = self.deliveries.get().and_then(Weak::upgrade);
        let has_room = deliveries.is_none_or(|it| it.shared.store.check_room(Weight::Keeps).is_ok());
        let was_full = self.is_full.swap(!has_room, Ordering::AcqRel);
        if !has_room && !was_full {
            self.earlier.notify_one();
        }
        has_room
    }

    fn hand(self: &Arc<Self>, permit: AttemptPermit) {
        #[cfg(test)]
        assert!(!self.panics.swap(false, Ordering::AcqRel), "the test requested a panic");
        match self.deliveries.get().and_then(Weak::upgrade) {
            Some(deliveries) => deliveries.hand(permit),
            None => self.stop(),
        }
    }

    fn grant(self: &Arc<Self>) -> Option<AttemptPermit> {
        let is_wanted = self.fair.lock().wanting > 0;
        if !is_wanted || !self.has_room() {
            return None;
        }
        let granted = self.fair.lock().grant(self.now())?;
        Some(self.permit(granted))
    }

    /// Grants every permit that may be granted. If another call is already running, this call returns immediately, and
    /// the other call repeats its loop.
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

/// A guard against panics in `hand_out`. A panic drops the guard. The guard then sets `handing_out` to 0, so that
/// `hand_out` can run again, and wakes the timer, which calls `hand_out`.
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

    pub(super) fn end(&mut self, delivered: bool, took: Duration) {
        let counted = if delivered { &self.dispatcher.delivered } else { &self.dispatcher.failed };
        counted.fetch_add(1, Ordering::Relaxed);
        self.ended = Some((delivered, took));
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
        self.0.under_way.send_modify(|count| *count -= 1);
    }
}

/// The only timer of the dispatcher. It wakes due endpoints, checks for room on the disk, waits for the end of an
/// outage and removes idle endpoints from memory. Its steps are bounded, even if many endpoints are due at once, for
/// example after a suspension of the machine.
async fn keep_time(dispatcher: Weak<Dispatcher>) {
    loop {
        match tokio::spawn(keep_on(dispatcher.clone())).await {
            Err(error) if error.is_panic() => {
                tracing::error!("the timer of deliveries panicked; it continues");
                sleep(PANIC_PAUSE).await;
            }
            Ok(()) | Err(_) => return,
        }
    }
}

async fn keep_on(dispatcher: Weak<Dispatcher>) {
    let mut sweep_at = Instant::now() + SWEEP_EVERY;
    loop {
        let Some(this) = dispatcher.upgrade() else { return };
        let Some(deliveries) = this.deliveries.get().and_then(Weak::upgrade) else { return };
        let now = this.now();
        let more = this.fair.lock().tick(ASKING_PER_STEP, this.steady.passed(), now);
        if this.is_full.load(Ordering::Acquire) {
            this.has_room();
        }
        this.hand_out();
        if Instant::now() >= sweep_at {
            let is_through = this.fair.lock().sweep(now);
            sweep_at = Instant::now() + if is_through { SWEEP_EVERY } else { SWEEP_STEP_EVERY };
        }
        if more {
            yield_now().await;
            continue;
        }
        let (due, is_any_cut_off) = {
            let fair = this.fair.lock();
            (fair.next_due(), !fair.cut_off.is_empty())
        };
        let wait = |due: Duration| due.saturating_sub(this.steady.passed()).min(LOOK_EVERY);
        let due = due.map(|due| Instant::now() + wait(due));
        let room_at = this.is_full.load(Ordering::Acquire).then(|| Instant::now() + ROOM_EVERY);
        let next = [due, room_at].into_iter().flatten().fold(sweep_at, Instant::min);
        let worth_trying = deliveries.client.network().worth_trying();
        drop(deliveries);
        tokio::select! {
            biased;
            () = worth_trying, if is_any_cut_off => {
                this.fair.lock().release(RELEASED_PER_PROBE, this.now());
                yield_now().await;
            }
            () = this.earlier.notified() => {}
            () = sleep_until(next) => {}
        }
    }
}
