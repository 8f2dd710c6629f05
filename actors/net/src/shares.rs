//! Limits the part of a resource that each holder, for example a business, can hold. This part is its *share*.
//!
//! Invariants: a holder holds at most its share. A request first waits until the holder has enough units
//! left in its share, and then until the total has enough units left. Waiting requests get units in order of
//! arrival. A waiting request holds no units of the total, so waiting requests cannot block each other. A
//! holder without units uses no memory.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Weak};

use domain::BusinessId;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

#[derive(Debug)]
pub struct Shares<K = BusinessId> {
    all: Arc<Semaphore>,
    each_max: usize,
    each: Mutex<HashMap<K, Weak<Semaphore>>>,
}

/// The units of the resource that a holder has taken. When this value is dropped, the units are released.
#[derive(Debug)]
pub struct Share {
    of_holder: OwnedSemaphorePermit,
    of_all: OwnedSemaphorePermit,
}

impl<K: Eq + Hash> Shares<K> {
    pub fn new(all_max: usize, each_max: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(all_max)), each_max, each: Mutex::default() }
    }

    /// Waits until `units` units are available. `units` must be at most the maximum share of a holder. Never returns
    /// `None`, because the semaphores are not closed.
    pub async fn take(&self, of: K, units: u32) -> Option<Share> {
        let of_holder = self.of(of).acquire_many_owned(units).await.ok()?;
        let of_all = Arc::clone(&self.all).acquire_many_owned(units).await.ok()?;
        Some(Share { of_holder, of_all })
    }

    fn of(&self, holder: K) -> Arc<Semaphore> {
        let mut each = self.each.lock();
        if let Some(known) = each.get(&holder).and_then(Weak::upgrade) {
            return known;
        }
        each.retain(|_, known| known.strong_count() > 0);
        let new = Arc::new(Semaphore::new(self.each_max));
        each.insert(holder, Arc::downgrade(&new));
        new
    }
}

impl Share {
    /// Keeps at most `units` units and releases the others.
    pub fn shrink_to(&mut self, units: u32) {
        for permit in [&mut self.of_holder, &mut self.of_all] {
            drop(permit.split(permit.num_permits().saturating_sub(units as usize)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn business(number: u8) -> BusinessId {
        format!("01900000-0000-7000-8000-0000000000{number:02x}").parse().unwrap()
    }

    /// Returns the units if they are granted immediately, otherwise `None`.
    fn taken(shares: &Shares, of: u8, units: u32) -> Option<Share> {
        match pin!(shares.take(business(of), units)).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(share) => share,
            Poll::Pending => None,
        }
    }

    #[test]
    fn a_business_cannot_use_the_share_of_another() {
        let shares = Shares::new(8, 4);
        let mut first = taken(&shares, 1, 3).unwrap();
        assert!(taken(&shares, 1, 2).is_none(), "the business has one unit left");
        let second = taken(&shares, 2, 4).unwrap();
        assert!(taken(&shares, 3, 2).is_none(), "one unit is left in all");
        first.shrink_to(1);
        let third = taken(&shares, 3, 3).unwrap();
        drop((first, second, third));
        assert!(taken(&shares, 4, 4).is_some());
        assert_eq!(shares.each.lock().len(), 1, "businesses without units use no memory");
    }
}
