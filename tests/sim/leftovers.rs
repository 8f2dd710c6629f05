//! The rows that may remain after a deletion, and for how long.
//!
//! - The rows of a deleted endpoint are deleted in steps. If the run ends between two steps, some rows remain. The
//!   endpoint is then still in the list of all endpoints, so the next run continues the deletion.
//! - An event may remain without deliveries only if all of its endpoints were deleted. A background job then deletes
//!   the event.
//! - A due row (a row that records when a delivery is due) may be outdated only if its endpoint was disabled after the
//!   row was written. The delivery actor deletes the row.
//!
//! After the last run, no due rows and no rows of deleted endpoints may remain. Events without deliveries may
//! remain.

use std::collections::BTreeSet;

use domain::{DeliveryStatus, EventId, WebhookId};

use crate::model::Model;
use crate::rows::Rows;

impl Model {
    /// Checks, between two runs, that only permitted rows remain. The documentation of this module lists these rows.
    pub(crate) fn check_leftovers(&self, rows: &Rows) {
        for endpoint in left_of(rows) {
            assert!(
                rows.listed.contains(&endpoint),
                "rows of {endpoint} are left, and no cleanup will delete them"
            );
        }
        let delivered: BTreeSet<EventId> = rows.deliveries.keys().map(|(_, event)| *event).collect();
        for event in rows.events.keys().filter(|event| !delivered.contains(event)) {
            let mut owed = self.owed.keys().filter(|(_, owed)| owed == event).peekable();
            assert!(owed.peek().is_some(), "{event} has no endpoint");
            for (endpoint, _) in owed {
                assert!(!self.hooks[endpoint].is_there(), "{event} lacks its delivery to {endpoint}");
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
                "{event} has a due row at {at} for {endpoint}, but is not pending: {delivery:?}"
            );
        }
    }

    /// Checks that no due row and no row of a deleted endpoint remains after the last run.
    pub(crate) fn check_nothing_left(&self, rows: &Rows) {
        assert_eq!(rows.due, BTreeSet::new(), "due rows are left");
        let left: BTreeSet<_> = left_of(rows).collect();
        assert_eq!(left, BTreeSet::new(), "rows of deleted endpoints are left");
        let there: BTreeSet<_> = rows.endpoints.keys().copied().collect();
        assert_eq!(rows.listed, there, "the list of all endpoints must match the endpoints");
    }
}

/// Returns the deleted endpoints that still have rows.
fn left_of(rows: &Rows) -> impl Iterator<Item = WebhookId> {
    let delivered = rows.deliveries.keys().map(|(endpoint, _)| *endpoint);
    let due = rows.due.iter().map(|(endpoint, ..)| *endpoint);
    let all = delivered.chain(due).chain(rows.reached.iter().copied());
    all.filter(|endpoint| !rows.endpoints.contains_key(endpoint))
}
