//! How far looks have come in the lanes that share rows. Pure.
//!
//! What always holds: before where a look goes on, nothing of its lane waits but what is under way; and what is written
//! there since is told, so the next look begins no later.

use std::collections::BTreeMap;

use domain::{BusinessId, Timestamp};
use store::{Key, KeyRange, keys};
use uuid::Uuid;

use super::order::Lane;

/// The last row of another lane that a look in each has passed, if it passed any.
#[derive(Debug, Default)]
pub(super) struct Looked(BTreeMap<Lane, Key>);

impl Looked {
    /// What a look in a lane goes through.
    pub(super) fn rows(&self, lane: Lane) -> KeyRange {
        let all = keys::mails_due(lane.rows());
        self.0.get(&lane).map_or(all, |from| all.starting_at(*from))
    }

    /// A look in a lane has passed a row of another one.
    pub(super) fn pass(&mut self, lane: Lane, row: Key) {
        self.0.insert(lane, row);
    }

    /// Something was written that waits under a business, or under the installation, until this instant.
    pub(super) fn go_back(&mut self, of: BusinessId, due: Timestamp) {
        let first = keys::mail_due(of, due, Uuid::nil().into());
        for lane in Lane::under(of) {
            self.0.entry(lane).and_modify(|from| *from = (*from).min(first));
        }
    }

    /// Whether that would bring any look back.
    pub(super) fn goes_on(&self, of: BusinessId) -> bool {
        Lane::under(of).any(|lane| self.0.contains_key(&lane))
    }
}
