//! The sizes of the stored events of the calendars, and the limit on their sum for a business.
//!
//! The sizes are only in memory. The size of a calendar that has not been read since the engine started is computed
//! from its rows. Invariant: a read that makes a calendar larger is stored only if the calendars of the business
//! together stay within [`BUSINESS_BYTES_MAX`].

use std::collections::{BTreeMap, BTreeSet};

use domain::CalendarEvent;
use parking_lot::Mutex;
use store::keys::kind;
use store::{Order, Store, StoreError, keys};

use super::CalendarKey;
use super::events::stored;

/// The maximum size of the events of a calendar, in bytes as counted by [`bytes()`].
pub(super) const CALENDAR_BYTES_MAX: usize = 8 << 20;
pub(super) const BUSINESS_BYTES_MAX: usize = 128 << 20;
/// The size of an event without its path, `ETag` and busy times.
const EVENT_BYTES: usize = 64;
/// The size of a busy time. The actor of the business keeps two copies of it in memory, of 16 bytes each.
const BUSY_BYTES: usize = 32;

/// Returns the approximate size of events in the store and in memory. An event can be a copy of an appointment. The
/// first copy of each appointment does not count, because appointments have their own limit.
pub(super) fn bytes<'a>(events: impl IntoIterator<Item = &'a CalendarEvent>) -> usize {
    let mut copied = BTreeSet::new();
    let counted = events.into_iter().filter(|it| it.appointment_id.is_none_or(|id| !copied.insert(id)));
    let bytes = |it: &CalendarEvent| {
        EVENT_BYTES + it.href.len() + it.etag.as_ref().map_or(0, String::len) + BUSY_BYTES * it.busy.len()
    };
    counted.map(bytes).sum()
}

#[derive(Default)]
pub(super) struct Sizes(Mutex<BTreeMap<CalendarKey, usize>>);

impl Sizes {
    /// Checks and notes the size of a calendar after a read. Returns false if the read must not be stored.
    pub(super) fn admit(
        &self,
        store: &Store,
        key: CalendarKey,
        (before, after): (usize, usize),
    ) -> Result<bool, StoreError> {
        if after > before {
            let mut total = after;
            for row in store.scan(&keys::of_kind(key.business, kind::CALENDAR), Order::Ascending) {
                let other = CalendarKey { calendar: keys::id_at_end(&row?.0)?, ..key };
                if other != key {
                    total += self.of(store, other)?;
                }
            }
            if total > BUSINESS_BYTES_MAX {
                return Ok(false);
            }
        }
        self.0.lock().insert(key, after);
        Ok(true)
    }

    fn of(&self, store: &Store, key: CalendarKey) -> Result<usize, StoreError> {
        if let Some(known) = self.0.lock().get(&key) {
            return Ok(*known);
        }
        let size = bytes(stored(store, key.business, key.calendar)?.values());
        self.0.lock().insert(key, size);
        Ok(size)
    }

    pub(super) fn forget(&self, key: CalendarKey) {
        self.0.lock().remove(&key);
    }
}
