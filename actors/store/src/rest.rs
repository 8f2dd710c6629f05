//! The unread rest of a range.

use std::cmp::Ordering;
use std::ops::Bound;

use super::{Key, KeyRange, Order};

/// The next position, the end and the direction of a scan.
#[derive(Clone, Copy)]
pub(super) struct Rest {
    pub(super) from: Bound<Key>,
    pub(super) to: Bound<Key>,
    pub(super) order: Order,
}

impl Rest {
    /// The range must not be empty.
    pub(super) fn of(range: &KeyRange, order: Order) -> Self {
        Self { from: Bound::Included(range.from), to: Bound::Excluded(range.to), order }
    }

    pub(super) fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        (self.from.as_ref().map(|key| &**key), self.to.as_ref().map(|key| &**key))
    }

    pub(super) fn is_empty(&self) -> bool {
        match (self.from, self.to) {
            (Bound::Excluded(from), Bound::Excluded(to)) => from >= to,
            _ => false, // the range was not empty
        }
    }

    pub(super) fn go_on_behind(&mut self, key: Key) {
        match self.order {
            Order::Ascending => self.from = Bound::Excluded(key),
            Order::Descending => self.to = Bound::Excluded(key),
        }
    }
}

impl Order {
    pub(super) fn of(self, one: &[u8], other: &[u8]) -> Ordering {
        match self {
            Self::Ascending => one.cmp(other),
            Self::Descending => other.cmp(one),
        }
    }
}
