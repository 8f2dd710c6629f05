//! The dispatcher's one timer. It wakes due endpoints, checks for room on the disk, waits for the end of a
//! local outage and forgets idle endpoints.
//!
//! Invariants:
//!
//! - It works in bounded steps, yields between them and continues after a panic.
//! - Deliveries that became due during a suspension are spread in steps, as at a start.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::task::yield_now;
use tokio::time::{Instant, sleep, sleep_until};

use super::{Dispatcher, Host};
use crate::clock::LOOK_EVERY;

const ASKING_PER_STEP: usize = 256;
/// The number of held-back endpoints that each probe of an outage wakes. The end of an outage wakes all
/// held-back endpoints in steps of this number.
pub(super) const RELEASED_PER_PROBE: usize = 256;
const ROOM_EVERY: Duration = Duration::from_secs(2);
/// The time between two sweeps for idle endpoints, and between the steps of a sweep.
const SWEEP_EVERY: Duration = Duration::from_secs(60);
const SWEEP_STEP_EVERY: Duration = Duration::from_millis(100);
const PANIC_PAUSE: Duration = Duration::from_secs(1);

impl Dispatcher {
    /// Hands permits to this host's actors until the host is dropped.
    pub(in crate::delivery) fn begin(self: &Arc<Self>, host: Weak<dyn Host>) {
        let _ = self.host.set(host);
        tokio::spawn(keep_time(Arc::downgrade(self)));
    }
}

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
        let Some(host) = this.host.get().and_then(Weak::upgrade) else { return };
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
            (fair.next_due(), fair.is_any_cut_off())
        };
        let wait = |due: Duration| due.saturating_sub(this.steady.passed()).min(LOOK_EVERY);
        let due = due.map(|due| Instant::now() + wait(due));
        let room_at = this.is_full.load(Ordering::Acquire).then(|| Instant::now() + ROOM_EVERY);
        let next = [due, room_at].into_iter().flatten().fold(sweep_at, Instant::min);
        let worth_trying = host.network().worth_trying();
        drop(host);
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
