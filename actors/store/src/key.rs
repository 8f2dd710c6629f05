//! Keys and ranges of keys, as bytes. The module [`super::keys`] defines their layout.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

pub const KEY_BYTES_MAX: usize = 63;

/// A key, stored without a heap allocation.
///
/// The derived order is the order of the key's bytes, because the unused bytes are zeros.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    bytes: [u8; KEY_BYTES_MAX],
    len: u8,
}

impl Key {
    /// # Panics
    /// Panics if there are more than [`KEY_BYTES_MAX`] bytes.
    pub fn new(bytes: &[u8]) -> Self {
        Self::default().with(bytes)
    }

    /// Appends bytes to the key. Panics like [`Key::new`].
    #[must_use]
    pub fn with(mut self, more: &[u8]) -> Self {
        let (start, end) = (usize::from(self.len), usize::from(self.len) + more.len());
        assert!(end <= KEY_BYTES_MAX, "a key of {end} bytes is longer than the store allows");
        self.bytes[start..end].copy_from_slice(more);
        self.len = end as u8; // at most KEY_BYTES_MAX
        self
    }

    /// Returns the smallest key that is above all keys with this prefix. Returns `None` if all bits of the prefix are
    /// ones.
    fn successor_of_prefix(self) -> Option<Self> {
        let at = self.iter().rposition(|byte| *byte != u8::MAX)?;
        let mut next = Self::new(&self[..=at]);
        next.bytes[at] += 1;
        Some(next)
    }
}

impl Default for Key {
    fn default() -> Self {
        Self { len: 0, bytes: [0; KEY_BYTES_MAX] }
    }
}

impl Deref for Key {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl Borrow<[u8]> for Key {
    fn borrow(&self) -> &[u8] {
        self
    }
}

impl std::hash::Hash for Key {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self[..].hash(state);
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyRange {
    pub from: Key,
    /// The first key that is not in the range. The range is empty if `to <= from`.
    pub to: Key,
}

impl KeyRange {
    /// Returns the range of all keys with this prefix. Panics if all bits of the prefix are ones, which no kind of rows
    /// uses.
    pub fn prefix(prefix: Key) -> Self {
        match prefix.successor_of_prefix() {
            Some(to) => Self { from: prefix, to },
            None => panic!("no key follows the prefix {prefix:?}"),
        }
    }

    /// Returns the part of the range that follows `key`. Panics if `key` is [`KEY_BYTES_MAX`] bytes long; stored keys
    /// are shorter.
    #[must_use]
    pub fn after(self, key: Key) -> Self {
        Self { from: self.from.max(key.with(&[0])), ..self }
    }

    #[must_use]
    pub fn starting_at(self, key: Key) -> Self {
        Self { from: self.from.max(key), ..self }
    }

    #[must_use]
    pub fn before(self, key: Key) -> Self {
        Self { to: self.to.min(key), ..self }
    }

    pub fn is_empty(&self) -> bool {
        self.from >= self.to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_ordered_by_their_bytes() {
        assert!(Key::new(b"a") < Key::new(b"a\0"));
        assert!(Key::new(b"a\xff") < Key::new(b"b"));
        assert_eq!(Key::new(b"a").with(b"b"), Key::new(b"ab"));
        assert_eq!(Key::new(&[0; KEY_BYTES_MAX]).len(), KEY_BYTES_MAX);
    }

    #[test]
    #[should_panic(expected = "longer than the store allows")]
    fn a_key_above_the_bound_is_refused() {
        Key::new(&[0; KEY_BYTES_MAX + 1]);
    }

    #[test]
    fn a_prefix_ends_before_the_next_prefix() {
        let range = |prefix: &[u8]| KeyRange::prefix(Key::new(prefix));
        assert_eq!(range(b"a").to, Key::new(b"b"));
        assert_eq!(range(&[1, 0xff, 0xff]).to, Key::new(&[2]));
        assert!(range(b"a").after(Key::new(b"a")).from > Key::new(b"a"));
        assert!(range(b"a").before(Key::new(b"a")).is_empty());
        assert_eq!(range(b"b").after(Key::new(b"a")), range(b"b"));
        assert_eq!(range(b"a").before(Key::new(b"z")), range(b"a"));
    }
}
