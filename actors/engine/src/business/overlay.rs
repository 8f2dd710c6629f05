//! Values that the actor has submitted and that the store may not show yet.
//!
//! The actor reads these values first and then the store, so each decision sees all earlier decisions. A
//! value is dropped after its commit is durable. The actor's permits limit the number of values.

use std::collections::{BTreeMap, VecDeque};

use store::{Key, KeyRange};

/// The newest value of a key, or `None` if the key is deleted. `ticket` is the number of the commit that writes the
/// value.
struct Entry {
    value: Option<Vec<u8>>,
    ticket: u64,
}

#[derive(Default)]
pub(crate) struct Overlay {
    entries: BTreeMap<Key, Entry>,
    commits: VecDeque<(u64, Vec<Key>)>,
}

impl Overlay {
    pub(crate) fn add(&mut self, ticket: u64, writes: Vec<(Key, Option<Vec<u8>>)>) {
        let mut keys = Vec::new();
        for (key, value) in writes {
            keys.push(key);
            self.entries.insert(key, Entry { value, ticket });
        }
        self.commits.push_back((ticket, keys));
    }

    pub(crate) fn drop_durable(&mut self, synced_through: u64) {
        while self.commits.front().is_some_and(|(ticket, _)| *ticket <= synced_through) {
            let Some((ticket, keys)) = self.commits.pop_front() else { break };
            for key in keys {
                if self.entries.get(&key).is_some_and(|entry| entry.ticket == ticket) {
                    self.entries.remove(&key);
                }
            }
        }
    }

    /// The pending value of a key. Returns `None` if no change is pending, and `Some(None)` if a deletion is pending.
    pub(crate) fn get(&self, key: &Key) -> Option<Option<&[u8]>> {
        self.entries.get(key).map(|entry| entry.value.as_deref())
    }

    /// The ticket of the pending commit that writes the key.
    pub(crate) fn ticket(&self, key: &Key) -> Option<u64> {
        self.entries.get(key).map(|entry| entry.ticket)
    }

    pub(crate) fn range(&self, range: &KeyRange) -> impl DoubleEndedIterator<Item = (&Key, Option<&[u8]>)> {
        self.entries.range(range.from..range.to).map(|(key, entry)| (key, entry.value.as_deref()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_seen_until_its_own_commit_is_synced() {
        let (a, b) = (Key::new(b"a"), Key::new(b"b"));
        let mut overlay = Overlay::default();
        overlay.add(1, vec![(a, Some(b"1".to_vec())), (b, Some(b"1".to_vec()))]);
        overlay.add(2, vec![(a, None)]);
        assert_eq!(overlay.get(&a), Some(None));
        assert_eq!(overlay.get(&b), Some(Some(&b"1"[..])));
        overlay.drop_durable(1);
        assert_eq!(overlay.get(&a), Some(None), "a deletion that is not durable must be pending");
        assert_eq!(overlay.get(&b), None);
        overlay.drop_durable(2);
        assert_eq!(overlay.get(&a), None);
        assert!(overlay.entries.is_empty() && overlay.commits.is_empty());
    }
}
