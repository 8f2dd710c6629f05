//! The running actors of one kind, ordered by their last use. Uses are numbered in increasing order.
//!
//! A use does not change this order, because that would need a lock. It stores its number only with the actor. The
//! actor's entry in this order may therefore contain the smaller number of an earlier use. To find the actor that has
//! been unused for longest, [`UseOrder::longest_unused`] checks the entry with the smallest number. If the actor has a
//! later use, the entry gets the number of the actor's last use, and the check is repeated.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

pub(super) struct UseOrder<I> {
    entries: BTreeSet<(u64, I)>,
    numbers: HashMap<I, u64>,
}

impl<I> Default for UseOrder<I> {
    fn default() -> Self {
        Self { entries: BTreeSet::new(), numbers: HashMap::new() }
    }
}

impl<I: Copy + Ord + Hash> UseOrder<I> {
    pub(super) fn set(&mut self, id: I, number: u64) {
        self.remove(id);
        self.entries.insert((number, id));
        self.numbers.insert(id, number);
    }

    pub(super) fn remove(&mut self, id: I) {
        if let Some(number) = self.numbers.remove(&id) {
            self.entries.remove(&(number, id));
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the actor that has been unused for longest. `newest` returns the sequence number of an actor's last use,
    /// or `None` if the actor has ended.
    pub(super) fn longest_unused(&mut self, newest: impl Fn(I) -> Option<u64>) -> Option<I> {
        loop {
            let (number, id) = *self.entries.first()?;
            match newest(id) {
                Some(newest) if newest > number => self.set(id, newest),
                Some(_) => return Some(id),
                None => self.remove(id),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_unused_actor_is_found_after_any_uses() {
        let mut order = UseOrder::default();
        let mut newest = HashMap::from([('a', 1), ('b', 2), ('c', 3), ('d', 4)]);
        newest.iter().for_each(|(id, number)| order.set(*id, *number));
        let longest = |order: &mut UseOrder<char>, newest: &HashMap<char, u64>| {
            order.longest_unused(|id| newest.get(&id).copied())
        };
        assert_eq!(longest(&mut order, &newest), Some('a'));
        newest.extend([('a', 5), ('c', 6), ('a', 7)]);
        assert_eq!(longest(&mut order, &newest), Some('b'));
        order.remove('b');
        newest.remove(&'d');
        assert_eq!(longest(&mut order, &newest), Some('c'), "an ended actor must be skipped");
        assert_eq!(order.len(), 2);
        order.set('c', 8);
        assert_eq!(longest(&mut order, &newest), Some('a'));
        order.clear();
        assert_eq!((longest(&mut order, &newest), order.len()), (None, 0));
        assert!(order.numbers.is_empty());
    }
}
