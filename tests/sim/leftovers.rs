//! The permitted leftover rows and their greatest age.
//!
//! - Rows of a deleted endpoint are removed in steps. After a kill some may remain while the endpoint is
//!   in the list of all endpoints, so the next life continues.
//! - An event may outlive its deliveries only if all of its endpoints were deleted. The sweep removes it.
//! - A due row may be stale only after its endpoint was disabled. The delivery actor removes it.
//!
//! At the end of the last life only such events remain.

use std::collections::BTreeSet;

use domain::{DeliveryStatus, EventId, WebhookId};

use crate::model::Model;
use crate::rows::Rows;

impl Model {
    /// Checks the leftover rows between two lives.
    pub(crate) fn check_leftovers(&self, rows: &Rows) {
        for endpoint in left_of(rows) {
            assert!(
                rows.listed.contains(&endpoint),
                "rows of {endpoint} are left, and nobody will delete them"
            );
        }
        let delivered: BTreeSet<EventId> = rows.deliveries.keys().map(|(_, event)| *event).collect();
        for event in rows.events.keys().filter(|event| !delivered.contains(event)) {
            let mut owed = self.owed.keys().filter(|(_, owed)| owed == event).peekable();
            assert!(owed.peek().is_some(), "{event} was for nobody");
            for (endpoint, _) in owed {
                assert!(!self.hooks[endpoint].is_there(), "{event} has lost its delivery to {endpoint}");
            }
        }
        for (endpoint, at, event) in &rows.due {
            let Some(now) = rows.endpoints.get(endpoint) else { continue };
            let delivery = &rows.deliveries[&(*endpoint, *event)];
            let waits = delivery.next_attempt_at == Some(*at)
                && delivery.status_in(now.epoch) == DeliveryStatus::Pending;
            let turned_off = now.epoch > 0;
            assert!(
                waits || turned_off,
                "{event} is due at {at} for {endpoint}, and does not wait: {delivery:?}"
            );
        }
    }

    /// Checks that the last life left no rows.
    pub(crate) fn check_nothing_left(&self, rows: &Rows) {
        assert_eq!(rows.due, BTreeSet::new(), "something is still due");
        let left: BTreeSet<_> = left_of(rows).collect();
        assert_eq!(left, BTreeSet::new(), "rows of deleted endpoints are left");
        let there: BTreeSet<_> = rows.endpoints.keys().copied().collect();
        assert_eq!(rows.listed, there, "the list of all endpoints");
    }
}

/// The deleted endpoints that still have rows.
fn left_of(rows: &Rows) -> impl Iterator<Item = WebhookId> {
    let delivered = rows.deliveries.keys().map(|(endpoint, _)| *endpoint);
    let due = rows.due.iter().map(|(endpoint, ..)| *endpoint);
    let all = delivered.chain(due).chain(rows.reached.iter().copied());
    all.filter(|endpoint| !rows.endpoints.contains_key(endpoint))
}
