//! API keys: `rcpt_` + 8 characters + `_` + 32 random characters.
//!
//! The whole key appears only in requests and in the response to its creation. The store contains the SHA-256
//! of the key.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

const TAG: &str = "rcpt_";
const PREFIX_CHARS: usize = 8;
const SECRET_CHARS: usize = 32;
const KEY_CHARS: usize = TAG.len() + PREFIX_CHARS + 1 + SECRET_CHARS;
const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

pub struct Credential(String);

/// Generates a key. `random` fills 64 bytes per call.
pub(crate) fn mint(mut random: impl FnMut(&mut [u8; 64])) -> Credential {
    let mut chars = Vec::with_capacity(PREFIX_CHARS + SECRET_CHARS);
    while chars.len() < PREFIX_CHARS + SECRET_CHARS {
        let mut bytes = [0; 64];
        random(&mut bytes);
        // Bytes from 248 on are skipped. They would favour the first letters, because 256 is not a multiple
        // of 62.
        let fair =
            bytes.iter().filter(|byte| **byte < 248).map(|byte| char::from(ALPHABET[usize::from(byte % 62)]));
        chars.extend(fair.take(PREFIX_CHARS + SECRET_CHARS - chars.len()));
    }
    let (prefix, secret) = chars.split_at(PREFIX_CHARS);
    Credential(format!("{TAG}{}_{}", String::from_iter(prefix), String::from_iter(secret)))
}

impl Credential {
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let (prefix, secret) =
            (bytes.get(TAG.len()..TAG.len() + PREFIX_CHARS)?, bytes.get(TAG.len() + PREFIX_CHARS + 1..)?);
        let well_formed = bytes.len() == KEY_CHARS
            && text.starts_with(TAG)
            && bytes[TAG.len() + PREFIX_CHARS] == b'_'
            && prefix.iter().chain(secret).all(u8::is_ascii_alphanumeric);
        well_formed.then(|| Self(text.to_owned()))
    }

    pub fn prefix(&self) -> &str {
        &self.0[..TAG.len() + PREFIX_CHARS]
    }

    pub fn prefix_chars(&self) -> [u8; PREFIX_CHARS] {
        let mut chars = [0; PREFIX_CHARS];
        chars.copy_from_slice(&self.0.as_bytes()[TAG.len()..TAG.len() + PREFIX_CHARS]);
        chars
    }

    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(&self.0).into()
    }

    pub fn matches(&self, hash: &[u8; 32]) -> bool {
        self.hash().ct_eq(hash).into()
    }

    pub(crate) fn reveal(&self) -> String {
        self.0.clone()
    }
}

impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Credential({}…)", self.prefix())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minted_key_has_the_documented_form_and_can_be_parsed() {
        let mut seed = 0_u8;
        let key = mint(|bytes| {
            bytes.fill_with(|| {
                seed = seed.wrapping_mul(5).wrapping_add(3);
                seed
            });
        });
        let text = key.reveal();
        let read = Credential::parse(&text).unwrap();
        assert_eq!(text.len(), 46);
        assert_eq!(read.prefix(), &text[..13]);
        assert!(read.matches(&key.hash()));
        assert!(!format!("{key:?}").contains(&text[14..]));
        let mut other = text.clone().into_bytes();
        other[45] = if other[45] == b'a' { b'b' } else { b'a' };
        assert!(!Credential::parse(std::str::from_utf8(&other).unwrap()).unwrap().matches(&key.hash()));
    }

    #[test]
    fn text_of_another_form_is_rejected() {
        let good = format!("rcpt_{}_{}", "a".repeat(8), "b".repeat(32));
        assert!(Credential::parse(&good).is_some());
        let shifted = format!("rcpt_{}_{}", "a".repeat(9), "b".repeat(31));
        for bad in [
            "",
            "rcpt_",
            &good[1..],
            &good[..45],
            &format!("{good}x"),
            &good.replace('b', "é"),
            &shifted,
            &good.replace('b', "-"),
            &good.replace("rcpt", "RCPT"),
        ] {
            assert!(Credential::parse(bad).is_none(), "{bad}");
        }
    }
}
