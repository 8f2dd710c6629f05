//! Bounds on what goes on at once, over all and for each business, so that one business leaves room for the others.
//!
//! What always holds: what is counted of a business is what it holds now; one that holds nothing takes no memory.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::domain::BusinessId;

/// So much of one thing may go on at once.
pub(crate) struct Quota {
    all_max: usize,
    each_max: usize,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    all: usize,
    each: HashMap<BusinessId, usize>,
}

/// The right to do it once, until it is dropped.
pub(crate) struct QuotaPermit<S: Deref<Target = Quota>> {
    of: S,
    business: BusinessId,
}

impl Quota {
    /// At most `all_max` over all, and `each_max` for each business.
    pub(crate) fn new(all_max: usize, each_max: usize) -> Self {
        Self { all_max, each_max, held: Mutex::default() }
    }

    /// A permit for the business, unless it has all of its own or all are taken.
    pub(crate) fn take(&self, business: BusinessId) -> Option<QuotaPermit<&Self>> {
        self.count(business).then(|| QuotaPermit { of: self, business })
    }

    /// The same for a task of its own.
    pub(crate) fn take_owned(self: &Arc<Self>, business: BusinessId) -> Option<QuotaPermit<Arc<Self>>> {
        self.count(business).then(|| QuotaPermit { of: Arc::clone(self), business })
    }

    /// Counts one more of the business, unless it has all of its own or all are taken.
    fn count(&self, business: BusinessId) -> bool {
        let mut held = self.held.lock();
        let own = held.each.get(&business).copied().unwrap_or(0);
        if held.all >= self.all_max || own >= self.each_max {
            return false;
        }
        held.all += 1;
        held.each.insert(business, own + 1);
        true
    }
}

impl<S: Deref<Target = Quota>> Drop for QuotaPermit<S> {
    fn drop(&mut self) {
        let mut held = self.of.held.lock();
        held.all -= 1;
        match held.each.get_mut(&self.business) {
            Some(own) if *own > 1 => *own -= 1,
            _ => _ = held.each.remove(&self.business),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn business(number: u8) -> BusinessId {
        format!("01900000-0000-7000-8000-0000000000{number:02x}").parse().unwrap()
    }

    #[test]
    fn each_has_its_bound_and_all_have_one() {
        let quota = Quota::new(3, 2);
        let first = quota.take(business(1)).unwrap();
        let second = quota.take(business(1)).unwrap();
        assert!(quota.take(business(1)).is_none(), "it has all of its own");
        let other = quota.take(business(2)).unwrap();
        assert!(quota.take(business(3)).is_none(), "all are taken");
        drop(first);
        let third = quota.take(business(3)).unwrap();
        assert!(quota.take(business(1)).is_none(), "all are taken again");
        drop((second, third, other));
        assert!(quota.take(business(1)).is_some());
    }

    #[test]
    fn who_holds_nothing_takes_no_memory() {
        let quota = Quota::new(9, 9);
        let both = (quota.take(business(1)), quota.take(business(1)));
        drop(both.0);
        assert_eq!(quota.held.lock().each.len(), 1);
        drop(both.1);
        let held = quota.held.lock();
        assert_eq!((held.all, held.each.len()), (0, 0));
    }
}
