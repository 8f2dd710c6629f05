//! What is left of a range that is being read.

use std::cmp::Ordering;
use std::ops::Bound;

use super::{Key, KeyRange, Order};

/// Where a scan goes on, where it ends, and its direction.
#[derive(Clone, Copy)]
pub(super) struct Rest {
    pub(super) from: Bound<Key>,
    pub(super) to: Bound<Key>,
    pub(super) order: Order,
}

impl Rest {
    /// All of a range, which is not empty.
    pub(super) fn of(range: &KeyRange, order: Order) -> Self {
        Self { from: Bound::Included(range.from), to: Bound::Excluded(range.to), order }
    }

    /// The keys, as ordered collections take them.
    pub(super) fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        (self.from.as_ref().map(|key| &**key), self.to.as_ref().map(|key| &**key))
    }

    /// Whether nothing can be left.
    pub(super) fn is_empty(&self) -> bool {
        match (self.from, self.to) {
            (Bound::Excluded(from), Bound::Excluded(to)) => from >= to,
            _ => false, // the range was not
        }
    }

    /// The key was the next one.
    pub(super) fn go_on_behind(&mut self, key: Key) {
        match self.order {
            Order::Ascending => self.from = Bound::Excluded(key),
            Order::Descending => self.to = Bound::Excluded(key),
        }
    }
}

impl Order {
    /// How two keys stand to each other in this order.
    pub(super) fn of(self, one: &[u8], other: &[u8]) -> Ordering {
        match self {
            Self::Ascending => one.cmp(other),
            Self::Descending => other.cmp(one),
        }
    }
}
