//! Who is told what changes in a business as it happens: the pages that are open.
//!
//! What always holds: what is told is on the disk; of a business that nobody watches nothing is kept, and while nobody
//! watches any, telling is one look at a counter, else one short lock behind the answer; nobody who watches holds anything
//! up: who falls behind is told that something was missed, and nothing more.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::domain::{BusinessId, PersonId};

/// How many happenings of one business are kept for whoever has not heard them yet.
const UNHEARD_MAX: usize = 64;

/// Something that has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happened {
    /// What it is about, as the audit log names it: `appointment`; `alert` and `delivery` beside that.
    pub kind: &'static str,
    /// Which one; of a delivery its endpoint, of an alert what it tells of.
    pub id: Uuid,
    /// Whom alone it is about: of an alert.
    pub person: Option<PersonId>,
}

/// What somebody who watches hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// This has changed.
    Happened(Happened),
    /// Something has changed that was not kept: anything may have.
    Missed,
}

/// Who watches which business.
#[derive(Debug, Default)]
pub(crate) struct Live {
    watched: Mutex<HashMap<BusinessId, broadcast::Sender<Happened>>>,
    /// How many businesses are watched.
    count: AtomicUsize,
}

impl Live {
    /// Tells whoever watches the business.
    pub(crate) fn tell(&self, business: BusinessId, happened: impl IntoIterator<Item = Happened>) {
        if self.count.load(Ordering::Acquire) == 0 {
            return;
        }
        let watched = self.watched.lock();
        let Some(hears) = watched.get(&business) else { return };
        for one in happened {
            // An error says that nobody listens any more, who then leaves the list.
            let _ = hears.send(one);
        }
    }

    /// Hears of the business from now on.
    pub(crate) fn watch(self: &Arc<Self>, business: BusinessId) -> Watching {
        let mut watched = self.watched.lock();
        let hears = watched.entry(business).or_insert_with(|| broadcast::channel(UNHEARD_MAX).0);
        let hears = Some(hears.subscribe());
        self.count.store(watched.len(), Ordering::Release);
        Watching { live: Arc::clone(self), business, hears }
    }
}

/// Somebody who watches a business, until this is dropped.
#[derive(Debug)]
pub struct Watching {
    live: Arc<Live>,
    business: BusinessId,
    hears: Option<broadcast::Receiver<Happened>>,
}

impl Watching {
    /// Waits for what happens next; nothing when nothing can happen any more.
    pub async fn next(&mut self) -> Option<Heard> {
        match self.hears.as_mut()?.recv().await {
            Ok(happened) => Some(Heard::Happened(happened)),
            Err(broadcast::error::RecvError::Lagged(_)) => Some(Heard::Missed),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }

    /// What has happened already and is not heard yet; nothing where there is nothing.
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
