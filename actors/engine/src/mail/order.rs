//! The order in which groups of mails (lanes) are served, and the rows at which their scans continue. The
//! module is pure.
//!
//! Invariants:
//!
//! - Password resets are sent first. After that, the lane that was served longest ago is next.
//! - Password resets have a lane, each business has a lane, and all other mails about accounts share one lane.
//! - A lane has one entry in memory for any number of mails. A lane without due mails is not scanned.
//! - The scan position of a lane is the row at which its next scan starts. The rows before it contain no mail of
//!   the lane for which an attempt can begin. If a row is added before the position, the position moves back, so
//!   the next scan finds the row.

use std::collections::{BTreeMap, BTreeSet};

use domain::{BusinessId, Mail, MailKind, Timestamp};
use store::{Key, KeyRange, keys};
use uuid::Uuid;

/// A group of mails that has its own place in the order of sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lane {
    /// Mails to reset forgotten passwords. They have their own lane, because a person waits for such a mail.
    Resets,
    /// All other mails about accounts. They share one lane, so that a person who creates many accounts does not
    /// get many lanes.
    Accounts,
    Of(BusinessId),
}

impl Lane {
    /// The lanes whose rows are stored under `of`, which is a business or the installation. The two lanes of
    /// the installation share one range of keys.
    pub(super) fn under(of: BusinessId) -> impl Iterator<Item = Self> {
        let (first, second) = match of {
            BusinessId::INSTALLATION => (Self::Resets, Some(Self::Accounts)),
            of => (Self::Of(of), None),
        };
        std::iter::once(first).chain(second)
    }

    pub(super) fn of(mail: &Mail) -> Self {
        match (mail.business_id, mail.kind) {
            (Some(business), _) => Self::Of(business),
            (None, MailKind::Reset) => Self::Resets,
            (None, _) => Self::Accounts,
        }
    }

    pub(super) fn rows(self) -> BusinessId {
        match self {
            Self::Of(business) => business,
            Self::Resets | Self::Accounts => BusinessId::INSTALLATION,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Waits {
    due: Timestamp,
    /// The lane's number in the order of service. The smallest number is served first.
    turn: u64,
}

#[derive(Debug, Default)]
pub(super) struct Order {
    waits: BTreeMap<Lane, Waits>,
    /// Lanes without a due mail, sorted by their next due time.
    later: BTreeSet<(Timestamp, Lane)>,
    /// Lanes with a due mail, sorted by [`Waits::turn`].
    now: BTreeSet<(u64, Lane)>,
    turns: u64,
}

impl Order {
    /// Sets a lane's next due time. `due` is `None` if no mail waits.
    pub(super) fn set(&mut self, lane: Lane, due: Option<Timestamp>) {
        let before = self.take_out(lane);
        let Some(due) = due else { return };
        self.turns += 1;
        // A waiting lane keeps its turn. A new lane is served after all waiting lanes.
        let turn = before.map_or(self.turns, |before| before.turn);
        self.put(lane, Waits { due, turn });
    }

    /// Sets a lane's next due time to `due` if the lane is not due earlier.
    pub(super) fn add(&mut self, lane: Lane, due: Timestamp) {
        let due = self.waits.get(&lane).map_or(due, |waits| waits.due.min(due));
        self.set(lane, Some(due));
    }

    /// Returns the next lane with a due mail, and moves it to the end of the order.
    pub(super) fn next(&mut self, now: Timestamp) -> Option<Lane> {
        while let Some((due, lane)) = self.later.first().copied().filter(|(due, _)| *due <= now) {
            self.later.remove(&(due, lane));
            let turn = self.waits[&lane].turn;
            self.now.insert((turn, lane));
        }
        let of_resets = self.waits.get(&Lane::Resets).map(|waits| (waits.turn, Lane::Resets));
        let first = of_resets.filter(|first| self.now.contains(first)).or(self.now.first().copied());
        let (_, lane) = first?;
        let waits = self.take_out(lane)?;
        self.turns += 1;
        self.put(lane, Waits { turn: self.turns, ..waits });
        // The lane may contain further due mails. It therefore counts as due until `set` sets its next due time.
        self.later.remove(&(waits.due, lane));
        self.now.insert((self.turns, lane));
        Some(lane)
    }

    pub(super) fn lanes(&self) -> impl Iterator<Item = Lane> {
        self.waits.keys().copied()
    }

    /// Returns the due time of a lane that is due now or, if none is due, the next due time.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        let due = self.now.first().and_then(|(_, lane)| self.waits.get(lane)).map(|waits| waits.due);
        due.or_else(|| self.later.first().map(|(due, _)| *due))
    }

    fn put(&mut self, lane: Lane, waits: Waits) {
        self.waits.insert(lane, waits);
        self.later.insert((waits.due, lane));
    }

    fn take_out(&mut self, lane: Lane) -> Option<Waits> {
        let waits = self.waits.remove(&lane)?;
        self.later.remove(&(waits.due, lane));
        self.now.remove(&(waits.turn, lane));
        Some(waits)
    }
}

/// For each lane, the row at which its next scan starts. When a scan skips a row of another lane, it stores the key of
/// the skipped row here. So the next scan does not read the earlier rows again.
#[derive(Debug, Default)]
pub(super) struct Positions(BTreeMap<Lane, Key>);

impl Positions {
    pub(super) fn rows(&self, lane: Lane) -> KeyRange {
        let all = keys::mails_due(lane.rows());
        self.0.get(&lane).map_or(all, |from| all.starting_at(*from))
    }

    pub(super) fn pass(&mut self, lane: Lane, row: Key) {
        self.0.insert(lane, row);
    }

    /// Must be called after a row of `of` with this due time was written. If the position of a scan is after this row,
    /// the function sets the position back, so that the scan does not miss the row.
    pub(super) fn go_back(&mut self, of: BusinessId, due: Timestamp) {
        let first = keys::mail_due(of, due, Uuid::nil().into());
        for lane in Lane::under(of) {
            self.0.entry(lane).and_modify(|from| *from = (*from).min(first));
        }
    }

    /// True if any lane of `of` has a scan position. `of` is a business or the installation.
    pub(super) fn goes_on(&self, of: BusinessId) -> bool {
        Lane::under(of).any(|lane| self.0.contains_key(&lane))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::testing::{business as id, mail};

    fn business(number: u8) -> Lane {
        Lane::Of(id(number))
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1_000)
    }

    #[test]
    fn businesses_take_turns_however_much_waits_for_one() {
        let mut order = Order::default();
        for number in [1, 2, 3] {
            order.set(business(number), Some(at(0)));
        }
        let served: Vec<_> = (0..7).filter_map(|_| order.next(at(1))).collect();
        let expected: Vec<_> = [1, 2, 3, 1, 2, 3, 1].into_iter().map(business).collect();
        assert_eq!(served, expected);
    }

    #[test]
    fn a_reset_is_sent_first_and_a_new_business_after_the_waiting_ones() {
        let mut order = Order::default();
        order.set(business(1), Some(at(0)));
        assert_eq!(order.next(at(1)), Some(business(1)));
        order.add(business(2), at(0));
        order.add(Lane::Resets, at(1));
        assert_eq!(order.next(at(1)), Some(Lane::Resets));
        order.set(Lane::Resets, None);
        assert_eq!(order.next(at(1)), Some(business(1)));
        assert_eq!(order.next(at(1)), Some(business(2)));
    }

    #[test]
    fn a_changed_address_takes_turns_with_the_businesses_after_every_reset() {
        let mut order = Order::default();
        order.set(Lane::Accounts, Some(at(0)));
        order.set(business(1), Some(at(0)));
        order.set(business(2), Some(at(0)));
        let served: Vec<_> = (0..4).filter_map(|_| order.next(at(1))).collect();
        assert_eq!(served, [Lane::Accounts, business(1), business(2), Lane::Accounts]);
        order.add(Lane::Resets, at(1));
        assert_eq!([order.next(at(1)), order.next(at(1))], [Some(Lane::Resets); 2], "resets are first");
        order.set(Lane::Resets, None);
        assert_eq!(order.next(at(1)), Some(business(1)));
    }

    #[test]
    fn a_mail_has_one_lane_and_its_row_leads_to_it() {
        for kind in MailKind::ALL.iter().copied() {
            let of_account = Mail { business_id: None, kind, ..mail(1) };
            let expected = if kind == MailKind::Reset { Lane::Resets } else { Lane::Accounts };
            assert_eq!(Lane::of(&of_account), expected, "{kind}");
            // A mail of a business belongs to the business's lane, even if it is a password reset.
            assert_eq!(Lane::of(&Mail { kind, ..mail(1) }), business(1), "{kind}");
        }
        for lane in [Lane::Resets, Lane::Accounts, business(1)] {
            assert_eq!(Lane::under(lane.rows()).filter(|one| *one == lane).count(), 1);
        }
        assert_eq!(Lane::under(id(1)).count(), 1);
    }

    #[test]
    fn no_mail_is_sent_before_it_is_due_and_the_next_due_time_is_known() {
        let mut order = Order::default();
        order.set(business(1), Some(at(60)));
        order.set(business(2), Some(at(30)));
        assert_eq!((order.next(at(29)), order.next_due()), (None, Some(at(30))));
        assert_eq!(order.next(at(30)), Some(business(2)));
        order.set(business(2), Some(at(300)));
        assert_eq!((order.next(at(59)), order.next_due()), (None, Some(at(60))));
        order.add(business(1), at(400));
        assert_eq!(order.next_due(), Some(at(60)), "a later mail does not postpone an earlier one");
        order.set(business(1), None);
        order.add(business(2), at(40));
        assert_eq!(order.next_due(), Some(at(40)));
        order.set(business(2), None);
        assert_eq!((order.next(at(900)), order.next_due(), order.waits.len()), (None, None, 0));
    }

    #[test]
    fn waiting_mails_need_one_entry_for_each_business() {
        let mut order = Order::default();
        for number in 0..100_000 {
            order.add(business(1), at(number));
            order.add(business(2), at(number));
        }
        assert_eq!((order.waits.len(), order.later.len() + order.now.len()), (2, 2));
    }
}
