//! The scan positions of lanes that share rows. The module is pure.
//!
//! Invariants:
//!
//! - The only waiting mails of a lane before its scan position are mails that are being sent.
//! - A new row moves the position back, so the next scan finds it.

use std::collections::BTreeMap;

use domain::{BusinessId, Timestamp};
use store::{Key, KeyRange, keys};
use uuid::Uuid;

use super::order::Lane;

/// The last row of another lane that each lane's scan has passed.
#[derive(Debug, Default)]
pub(super) struct Positions(BTreeMap<Lane, Key>);

impl Positions {
    /// The rows that a lane's next scan reads.
    pub(super) fn rows(&self, lane: Lane) -> KeyRange {
        let all = keys::mails_due(lane.rows());
        self.0.get(&lane).map_or(all, |from| all.starting_at(*from))
    }

    /// Records that a lane's scan has passed a row of another lane.
    pub(super) fn pass(&mut self, lane: Lane, row: Key) {
        self.0.insert(lane, row);
    }

    /// Records a new row under a business, or the installation, that is due at this instant.
    pub(super) fn go_back(&mut self, of: BusinessId, due: Timestamp) {
        let first = keys::mail_due(of, due, Uuid::nil().into());
        for lane in Lane::under(of) {
            self.0.entry(lane).and_modify(|from| *from = (*from).min(first));
        }
    }

    /// Whether a new row would move any scan position back.
    pub(super) fn goes_on(&self, of: BusinessId) -> bool {
        Lane::under(of).any(|lane| self.0.contains_key(&lane))
    }
}
