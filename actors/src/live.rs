//! Notifications of changes to open pages.
//!
//! Invariants:
//!
//! - a notification is sent after the change is durable;
//! - without subscribers, a notification costs one read of a counter and stores nothing;
//! - a subscriber never blocks a change. A slow subscriber learns only that it missed something.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::domain::{BusinessId, PersonId};

/// The number of notifications that a business keeps for slow subscribers.
const UNHEARD_MAX: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happened {
    /// The kind as in the audit log, for example `appointment`; also `alert` and `delivery`.
    pub kind: &'static str,
    /// The record's id; for a delivery its endpoint, for an alert the record that it refers to.
    pub id: Uuid,
    /// The only recipient of an alert.
    pub person: Option<PersonId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    Happened(Happened),
    /// Notifications were dropped, so anything can have changed.
    Missed,
}

#[derive(Debug, Default)]
pub(crate) struct Live {
    watched: Mutex<HashMap<BusinessId, broadcast::Sender<Happened>>>,
    count: AtomicUsize,
}

impl Live {
    pub(crate) fn tell(&self, business: BusinessId, happened: impl IntoIterator<Item = Happened>) {
        if self.count.load(Ordering::Acquire) == 0 {
            return;
        }
        let watched = self.watched.lock();
        let Some(hears) = watched.get(&business) else { return };
        for one in happened {
            // An error means that no subscriber is left; the entry is removed when they leave.
            let _ = hears.send(one);
        }
    }

    pub(crate) fn watch(self: &Arc<Self>, business: BusinessId) -> Watching {
        let mut watched = self.watched.lock();
        let hears = watched.entry(business).or_insert_with(|| broadcast::channel(UNHEARD_MAX).0);
        let hears = Some(hears.subscribe());
        self.count.store(watched.len(), Ordering::Release);
        Watching { live: Arc::clone(self), business, hears }
    }
}

#[derive(Debug)]
pub struct Watching {
    live: Arc<Live>,
    business: BusinessId,
    hears: Option<broadcast::Receiver<Happened>>,
}

impl Watching {
    /// Waits for the next notification. `None` after the engine has closed.
    pub async fn next(&mut self) -> Option<Heard> {
        match self.hears.as_mut()?.recv().await {
            Ok(happened) => Some(Heard::Happened(happened)),
            Err(broadcast::error::RecvError::Lagged(_)) => Some(Heard::Missed),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }

    pub fn heard(&mut self) -> Option<Heard> {
        match self.hears.as_mut()?.try_recv() {
            Ok(happened) => Some(Heard::Happened(happened)),
            Err(broadcast::error::TryRecvError::Lagged(_)) => Some(Heard::Missed),
            Err(broadcast::error::TryRecvError::Empty | broadcast::error::TryRecvError::Closed) => None,
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let mut watched = self.live.watched.lock();
        self.hears = None;
        if watched.get(&self.business).is_some_and(|hears| hears.receiver_count() == 0) {
            watched.remove(&self.business);
        }
        self.live.count.store(watched.len(), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn business(number: u128) -> BusinessId {
        Uuid::from_u128(number).into()
    }

    fn happened(number: u128) -> Happened {
        Happened { kind: "appointment", id: Uuid::from_u128(number), person: None }
    }

    #[tokio::test]
    async fn whoever_watches_hears_of_that_business_alone_and_from_then_on() {
        let live = Arc::new(Live::default());
        live.tell(business(1), [happened(1)]);
        let mut watching = live.watch(business(1));
        live.tell(business(2), [happened(2)]);
        live.tell(business(1), [happened(3), happened(4)]);
        assert_eq!(watching.next().await, Some(Heard::Happened(happened(3))));
        assert_eq!(watching.next().await, Some(Heard::Happened(happened(4))));
    }

    #[tokio::test]
    async fn who_falls_behind_is_told_so_once_and_goes_on() {
        let live = Arc::new(Live::default());
        let mut watching = live.watch(business(1));
        let more = UNHEARD_MAX as u128 + 5;
        live.tell(business(1), (0..more).map(happened));
        assert_eq!(watching.next().await, Some(Heard::Missed));
        assert_eq!(watching.next().await, Some(Heard::Happened(happened(5))));
    }

    #[tokio::test]
    async fn nothing_is_kept_of_a_business_that_nobody_watches_any_more() {
        let live = Arc::new(Live::default());
        let (one, two) = (live.watch(business(1)), live.watch(business(1)));
        drop(one);
        assert_eq!((live.watched.lock().len(), live.count.load(Ordering::Relaxed)), (1, 1));
        drop(two);
        assert_eq!((live.watched.lock().len(), live.count.load(Ordering::Relaxed)), (0, 0));
    }
}
