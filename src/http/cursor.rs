//! Opaque cursors. A cursor contains a position in a list and a seal (a message authentication code). It is
//! valid only for its binding: the list, the owner of the list, and the filters.
//!
//! A cursor is base64url of a version byte, the position, and the seal: the first 16 bytes of HMAC-SHA256
//! over version, binding and position.
//!
//! Invariant: [`Cursors::open`] returns only positions that were sealed with the same binding.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::ProblemCode;
use hmac::{Hmac, Mac};
use schemars::JsonSchema;
use sha2::Sha256;
use subtle::ConstantTimeEq;

use super::read::FromText;

pub const CURSOR_CHARS_MAX: usize = 512;

const SEAL_BYTES: usize = 16;

/// The maximum size of a position in bytes. The cursor of a position of this size has [`CURSOR_CHARS_MAX`]
/// characters.
pub const POSITION_BYTES_MAX: usize = CURSOR_CHARS_MAX / 4 * 3 - 1 - SEAL_BYTES;

const VERSION: u8 = 1;

/// The text of a cursor in a query. Its seal has not been checked yet.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(inline)]
pub struct CursorText(#[schemars(length(max = CURSOR_CHARS_MAX))] String);

impl CursorText {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromText for CursorText {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        if text.len() > CURSOR_CHARS_MAX { Err(ProblemCode::NotACursor) } else { Ok(Self(text.to_owned())) }
    }
}

/// The list, its owner and its filters. The length of each part is written before the part, so different bindings
/// never collide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding(Vec<u8>);

impl Binding {
    pub fn list(name: &str) -> Self {
        Self(Vec::new()).with(name.as_bytes())
    }

    #[must_use]
    pub fn with(mut self, part: &[u8]) -> Self {
        self.0.push(1);
        self.0.extend_from_slice(&(part.len() as u64).to_be_bytes());
        self.0.extend_from_slice(part);
        self
    }

    /// Adds an optional filter. An absent filter differs from an empty filter.
    #[must_use]
    pub fn with_filter(mut self, value: Option<impl std::fmt::Display>) -> Self {
        match value {
            Some(value) => self.with(value.to_string().as_bytes()),
            None => {
                self.0.push(0);
                self
            }
        }
    }
}

/// Seals and opens cursors. The secret is in the store, so cursors survive a restart.
#[derive(Clone)]
pub struct Cursors {
    secret: [u8; 32],
}

impl Cursors {
    pub fn new(secret: [u8; 32]) -> Self {
        Self { secret }
    }

    /// # Panics
    /// Panics if the position, which is a key of the store, has more than [`POSITION_BYTES_MAX`] bytes.
    pub fn seal(&self, binding: &Binding, position: &[u8]) -> String {
        assert!(position.len() <= POSITION_BYTES_MAX, "a position of {} bytes is too long", position.len());
        let mut bytes = Vec::with_capacity(1 + position.len() + SEAL_BYTES);
        bytes.push(VERSION);
        bytes.extend_from_slice(position);
        bytes.extend_from_slice(&self.seal_of(VERSION, binding, position));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Returns the position. Returns `None` if the cursor is malformed, was altered, or has another binding.
    pub fn open(&self, binding: &Binding, text: &str) -> Option<Vec<u8>> {
        if text.len() > CURSOR_CHARS_MAX {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (version, rest) = bytes.split_first()?;
        let (position, seal) = rest.split_last_chunk::<SEAL_BYTES>()?;
        let good = self.seal_of(*version, binding, position).ct_eq(seal);
        (*version == VERSION && bool::from(good)).then(|| position.to_vec())
    }

    fn seal_of(&self, version: u8, binding: &Binding, position: &[u8]) -> [u8; SEAL_BYTES] {
        // HMAC accepts keys of any length.
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.secret).expect("HMAC takes a key of any length");
        mac.update(&[version]);
        mac.update(&(binding.0.len() as u64).to_be_bytes());
        mac.update(&binding.0);
        mac.update(position);
        let whole = mac.finalize().into_bytes();
        std::array::from_fn(|at| whole[at])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cursors() -> Cursors {
        Cursors::new([7; 32])
    }

    fn binding() -> Binding {
        Binding::list("things").with(b"owner").with_filter(Some("q"))
    }

    #[test]
    fn a_cursor_is_valid_only_for_its_own_list_filters_and_secret() {
        let text = cursors().seal(&binding(), b"here");
        assert_eq!(cursors().open(&binding(), &text).unwrap(), b"here");
        let list = |name| Binding::list(name);
        for other in [
            list("others").with(b"owner").with_filter(Some("q")),
            list("things").with(b"owners").with_filter(Some("q")),
            list("things").with(b"owner").with_filter(Some("")),
            list("things").with(b"owner").with_filter(None::<&str>),
            list("things").with(b"owner").with_filter(Some("q")).with_filter(None::<&str>),
            list("things").with(b"ownerq"),
        ] {
            assert_eq!(cursors().open(&other, &text), None, "{other:?}");
        }
        assert_eq!(Cursors::new([8; 32]).open(&binding(), &text), None);
    }

    #[test]
    fn bindings_of_different_parts_differ() {
        assert_ne!(Binding::list("a").with(b"bc"), Binding::list("ab").with(b"c"));
        assert_ne!(Binding::list("a").with(b""), Binding::list("a").with_filter(None::<&str>));
    }

    #[test]
    fn positions_and_cursors_have_a_maximum_length() {
        let longest = cursors().seal(&binding(), &[9; POSITION_BYTES_MAX]);
        assert_eq!(longest.len(), CURSOR_CHARS_MAX);
        assert!(cursors().open(&binding(), &longest).is_some());
        assert!(CursorText::from_text(&longest).is_ok());
        assert!(CursorText::from_text(&(longest.clone() + "A")).is_err());
        assert_eq!(cursors().open(&binding(), &(longest + "A")), None);
        for bad in ["", "AQ", "=", "AQ==", "é", &"A".repeat(22)] {
            assert_eq!(cursors().open(&binding(), bad), None, "{bad}");
        }
    }

    #[test]
    #[should_panic(expected = "too long")]
    fn a_position_that_is_too_long_panics() {
        cursors().seal(&binding(), &[9; POSITION_BYTES_MAX + 1]);
    }

    #[test]
    fn no_single_bit_can_be_altered() {
        let text = cursors().seal(&binding(), b"here");
        let bytes = URL_SAFE_NO_PAD.decode(&text).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut altered = bytes.clone();
            altered[bit / 8] ^= 1 << (bit % 8);
            let altered = URL_SAFE_NO_PAD.encode(altered);
            assert_eq!(cursors().open(&binding(), &altered), None, "bit {bit}");
        }
    }

    proptest! {
        #[test]
        fn a_sealed_position_opens(position in prop::collection::vec(any::<u8>(), 0..=POSITION_BYTES_MAX)) {
            let text = cursors().seal(&binding(), &position);
            prop_assert_eq!(cursors().open(&binding(), &text).unwrap(), position);
        }

        #[test]
        fn no_text_makes_open_panic(text in ".{0,60}") {
            let _ = cursors().open(&binding(), &text);
        }
    }
}
