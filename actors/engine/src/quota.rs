//! Limits on concurrent work, in total and per key, for example per business or person. No key can use up the
//! total.
//!
//! Invariants: the count of a key is the number of its permits. A key without permits uses no memory.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Deref;
use std::sync::Arc;

use domain::BusinessId;
use parking_lot::Mutex;

/// The limits, in total and per business, on concurrent slow work: lookups of a URL before it is saved, and
/// tests of endpoints and of the relay.
const OUTGOING_MAX: usize = 256;
const OUTGOING_PER_BUSINESS_MAX: usize = 8;

pub(crate) struct Quota<K = BusinessId> {
    all_max: usize,
    each_max: usize,
    held: Mutex<Held<K>>,
}

struct Held<K> {
    all: usize,
    each: HashMap<K, usize>,
}

pub(crate) struct QuotaPermit<K: Copy + Eq + Hash, S: Deref<Target = Quota<K>>> {
    of: S,
    who: K,
}

impl Quota {
    pub(crate) fn outgoing() -> Self {
        Self::new(OUTGOING_MAX, OUTGOING_PER_BUSINESS_MAX)
    }
}

impl<K: Copy + Eq + Hash> Quota<K> {
    pub(crate) fn new(all_max: usize, each_max: usize) -> Self {
        Self { all_max, each_max, held: Mutex::new(Held { all: 0, each: HashMap::new() }) }
    }

    /// Takes a permit for the holder `who`. Returns `None` if this holder has `each_max` permits, or all
    /// holders together have `all_max` permits.
    pub(crate) fn take(&self, who: K) -> Option<QuotaPermit<K, &Self>> {
        self.count(who).then(|| QuotaPermit { of: self, who })
    }

    /// Like [`Self::take`], with a permit that can be moved into a task.
    pub(crate) fn take_owned(self: &Arc<Self>, who: K) -> Option<QuotaPermit<K, Arc<Self>>> {
        self.count(who).then(|| QuotaPermit { of: Arc::clone(self), who })
    }

    pub(crate) fn held(&self) -> usize {
        self.held.lock().all
    }

    fn count(&self, who: K) -> bool {
        let mut held = self.held.lock();
        let own = held.each.get(&who).copied().unwrap_or(0);
        if held.all >= self.all_max || own >= self.each_max {
            return false;
        }
        held.all += 1;
        held.each.insert(who, own + 1);
        true
    }
}

impl<K: Copy + Eq + Hash, S: Deref<Target = Quota<K>>> Drop for QuotaPermit<K, S> {
    fn drop(&mut self) {
        let mut held = self.of.held.lock();
        held.all -= 1;
        match held.each.get_mut(&self.who) {
            Some(own) if *own > 1 => *own -= 1,
            _ => _ = held.each.remove(&self.who),
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
    fn each_key_has_a_bound_and_all_keys_together_have_one() {
        let quota = Quota::new(3, 2);
        let first = quota.take(business(1)).unwrap();
        let second = quota.take(business(1)).unwrap();
        assert!(quota.take(business(1)).is_none(), "the business holds all its permits");
        let other = quota.take(business(2)).unwrap();
        assert!(quota.take(business(3)).is_none(), "all permits are held");
        drop(first);
        let third = quota.take(business(3)).unwrap();
        assert!(quota.take(business(1)).is_none(), "all permits are held again");
        drop((second, third, other));
        assert!(quota.take(business(1)).is_some());
    }

    #[test]
    fn a_key_without_permits_uses_no_memory() {
        let quota = Quota::new(9, 9);
        let both = (quota.take(business(1)), quota.take(business(1)));
        drop(both.0);
        assert_eq!(quota.held.lock().each.len(), 1);
        drop(both.1);
        let held = quota.held.lock();
        assert_eq!((held.all, held.each.len()), (0, 0));
    }
}
