//! Whose mail is sent next. Pure: what waits goes in, whose turn it is comes out.
//!
//! What always holds: what belongs to no business (resets) goes first; then the business that was served longest ago;
//! somebody who waits costs one entry, however much waits for them; a business that has nothing due is asked for
//! nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::{BusinessId, Timestamp};

/// What is known of a business for which something waits.
#[derive(Clone, Copy, Debug)]
struct Waits {
    due: Timestamp,
    /// Of two for which something is due, the lower is first.
    turn: u64,
}

/// The businesses for which something waits. What belongs to none stands under [`BusinessId::INSTALLATION`].
#[derive(Debug, Default)]
pub(super) struct Order {
    waits: BTreeMap<BusinessId, Waits>,
    /// Those whose time has not come, by when it does.
    later: BTreeSet<(Timestamp, BusinessId)>,
    /// Those whose time has come, by whose turn it is.
    now: BTreeSet<(u64, BusinessId)>,
    turns: u64,
}

impl Order {
    /// Something waits for a business, the first of it until this instant; nothing, if there is none.
    pub(super) fn set(&mut self, business: BusinessId, due: Option<Timestamp>) {
        let before = self.take_out(business);
        let Some(due) = due else { return };
        self.turns += 1;
        // Whoever has waited keeps the turn; who comes anew is behind those who wait.
        let turn = before.map_or(self.turns, |before| before.turn);
        self.put(business, Waits { due, turn });
    }

    /// Something was written that waits for a business until this instant at the latest.
    pub(super) fn add(&mut self, business: BusinessId, due: Timestamp) {
        let due = self.waits.get(&business).map_or(due, |waits| waits.due.min(due));
        self.set(business, Some(due));
    }

    /// Whose turn it is of those for which something is due; it is the last in turn from then on.
    pub(super) fn next(&mut self, now: Timestamp) -> Option<BusinessId> {
        while let Some((due, business)) = self.later.first().copied().filter(|(due, _)| *due <= now) {
            self.later.remove(&(due, business));
            let turn = self.waits[&business].turn;
            self.now.insert((turn, business));
        }
        let resets = BusinessId::INSTALLATION;
        let of_resets = self.waits.get(&resets).map(|waits| (waits.turn, resets));
        let first = of_resets.filter(|first| self.now.contains(first)).or(self.now.first().copied());
        let (_, business) = first?;
        let waits = self.take_out(business)?;
        self.turns += 1;
        self.put(business, Waits { turn: self.turns, ..waits });
        // It stays among those whose time has come until it is told otherwise.
        self.later.remove(&(waits.due, business));
        self.now.insert((self.turns, business));
        Some(business)
    }

    /// When the time of the next one comes; at once, if somebody's has come.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        let due = self.now.first().and_then(|(_, business)| self.waits.get(business)).map(|waits| waits.due);
        due.or_else(|| self.later.first().map(|(due, _)| *due))
    }

    fn put(&mut self, business: BusinessId, waits: Waits) {
        self.waits.insert(business, waits);
        self.later.insert((waits.due, business));
    }

    fn take_out(&mut self, business: BusinessId) -> Option<Waits> {
        let waits = self.waits.remove(&business)?;
        self.later.remove(&(waits.due, business));
        self.now.remove(&(waits.turn, business));
        Some(waits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::testing::business;

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
    fn a_reset_goes_before_everybody_and_who_is_new_behind_those_who_wait() {
        let mut order = Order::default();
        order.set(business(1), Some(at(0)));
        assert_eq!(order.next(at(1)), Some(business(1)));
        order.add(business(2), at(0));
        order.add(BusinessId::INSTALLATION, at(1));
        assert_eq!(order.next(at(1)), Some(BusinessId::INSTALLATION));
        order.set(BusinessId::INSTALLATION, None);
        assert_eq!(order.next(at(1)), Some(business(1)));
        assert_eq!(order.next(at(1)), Some(business(2)));
    }

    #[test]
    fn nobody_is_served_before_their_time_and_the_next_time_is_known() {
        let mut order = Order::default();
        order.set(business(1), Some(at(60)));
        order.set(business(2), Some(at(30)));
        assert_eq!((order.next(at(29)), order.next_due()), (None, Some(at(30))));
        assert_eq!(order.next(at(30)), Some(business(2)));
        order.set(business(2), Some(at(300)));
        assert_eq!((order.next(at(59)), order.next_due()), (None, Some(at(60))));
        order.add(business(1), at(400));
        assert_eq!(order.next_due(), Some(at(60)), "what comes later does not put off what waits");
        order.set(business(1), None);
        order.add(business(2), at(40));
        assert_eq!(order.next_due(), Some(at(40)));
        order.set(business(2), None);
        assert_eq!((order.next(at(900)), order.next_due(), order.waits.len()), (None, None, 0));
    }

    #[test]
    fn what_waits_costs_an_entry_for_each_business() {
        let mut order = Order::default();
        for number in 0..100_000 {
            order.add(business(1), at(number));
            order.add(business(2), at(number));
        }
        assert_eq!((order.waits.len(), order.later.len() + order.now.len()), (2, 2));
    }
}
