//! Notifies open pages of changes.
//!
//! Invariants:
//!
//! - a notification is sent after the change is durable;
//! - without subscribers, a notification costs one read of a counter and stores nothing;
//! - a subscriber never blocks a change. A slow subscriber loses notifications, and gets
//!   [`LiveEvent::Missed`] instead.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::{AuditedKind, BusinessId, PersonId};
use parking_lot::Mutex;
use tokio::sync::broadcast;
use uuid::Uuid;

/// The maximum number of notifications that wait for a subscriber. If there are more, the subscriber gets
/// [`LiveEvent::Missed`] instead of the oldest ones.
const PENDING_MAX: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LiveKind {
    Alert,
    Delivery,
    Of(AuditedKind),
}

impl LiveKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Of(kind) => kind.as_str(),
            Self::Alert => "alert",
            Self::Delivery => "delivery",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveChange {
    pub kind: LiveKind,
    /// The id of the record. For a delivery, the id of its endpoint. For an alert, the id of the record that it
    /// concerns.
    pub id: Uuid,
    /// The recipient of an alert. Other subscribers ignore the notification.
    pub person: Option<PersonId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveEvent {
    Changed(LiveChange),
    /// Notifications were dropped, so any record may have changed.
    Missed,
}

#[derive(Debug, Default)]
pub(crate) struct Live {
    watched: Mutex<HashMap<BusinessId, broadcast::Sender<LiveChange>>>,
    count: AtomicUsize,
}

impl Live {
    pub(crate) fn tell(&self, business: BusinessId, happened: impl IntoIterator<Item = LiveChange>) {
        if self.count.load(Ordering::Acquire) == 0 {
            return;
        }
        let watched = self.watched.lock();
        let Some(receiver) = watched.get(&business) else { return };
        for one in happened {
            // An error means that the last subscriber has left. Its `drop` removes the entry.
            let _ = receiver.send(one);
        }
    }

    pub(crate) fn watch(self: &Arc<Self>, business: BusinessId) -> LiveSubscription {
        let mut watched = self.watched.lock();
        let receiver = watched.entry(business).or_insert_with(|| broadcast::channel(PENDING_MAX).0);
        let receiver = Some(receiver.subscribe());
        self.count.store(watched.len(), Ordering::Release);
        LiveSubscription { live: Arc::clone(self), business, receiver }
    }
}

#[derive(Debug)]
pub struct LiveSubscription {
    live: Arc<Live>,
    business: BusinessId,
    receiver: Option<broadcast::Receiver<LiveChange>>,
}

impl LiveSubscription {
    pub async fn next(&mut self) -> Option<LiveEvent> {
        match self.receiver.as_mut()?.recv().await {
            Ok(happened) => Some(LiveEvent::Changed(happened)),
            Err(broadcast::error::RecvError::Lagged(_)) => Some(LiveEvent::Missed),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }

    pub fn heard(&mut self) -> Option<LiveEvent> {
        match self.receiver.as_mut()?.try_recv() {
            Ok(happened) => Some(LiveEvent::Changed(happened)),
            Err(broadcast::error::TryRecvError::Lagged(_)) => Some(LiveEvent::Missed),
            Err(broadcast::error::TryRecvError::Empty | broadcast::error::TryRecvError::Closed) => None,
        }
    }
}

impl Drop for LiveSubscription {
    fn drop(&mut self) {
        let mut watched = self.live.watched.lock();
        self.receiver = None;
        if watched.get(&self.business).is_some_and(|receiver| receiver.receiver_count() == 0) {
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

    fn happened(number: u128) -> LiveChange {
        let kind = LiveKind::Of(AuditedKind::Appointment);
        LiveChange { kind, id: Uuid::from_u128(number), person: None }
    }

    #[tokio::test]
    async fn a_subscriber_receives_later_changes_of_its_business_only() {
        let live = Arc::new(Live::default());
        live.tell(business(1), [happened(1)]);
        let mut watching = live.watch(business(1));
        live.tell(business(2), [happened(2)]);
        live.tell(business(1), [happened(3), happened(4)]);
        assert_eq!(watching.next().await, Some(LiveEvent::Changed(happened(3))));
        assert_eq!(watching.next().await, Some(LiveEvent::Changed(happened(4))));
    }

    #[tokio::test]
    async fn a_slow_subscriber_learns_once_that_it_missed_changes() {
        let live = Arc::new(Live::default());
        let mut watching = live.watch(business(1));
        let more = PENDING_MAX as u128 + 5;
        live.tell(business(1), (0..more).map(happened));
        assert_eq!(watching.next().await, Some(LiveEvent::Missed));
        assert_eq!(watching.next().await, Some(LiveEvent::Changed(happened(5))));
    }

    #[tokio::test]
    async fn a_business_without_subscribers_uses_no_memory() {
        let live = Arc::new(Live::default());
        let (one, two) = (live.watch(business(1)), live.watch(business(1)));
        drop(one);
        assert_eq!((live.watched.lock().len(), live.count.load(Ordering::Relaxed)), (1, 1));
        drop(two);
        assert_eq!((live.watched.lock().len(), live.count.load(Ordering::Relaxed)), (0, 0));
    }
}
