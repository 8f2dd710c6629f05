//! Email addresses of accounts, and the comparison of addresses.
//!
//! Invariants:
//!
//! - Mail can be sent to an [`Address`]. Addresses that compare as equal belong to the same mailbox.
//! - All spellings of an address have the same [`mailbox`].

use unicode_normalization::UnicodeNormalization;
use url::Host;

use super::{Email, TextError};

/// Converts only ASCII letters to lower case. For other letters, only the mail server knows whether their case matters,
/// and a wrong match would expose another person's account.
pub fn fold_address(written: &str) -> String {
    written.to_ascii_lowercase()
}

/// Returns the canonical form of an address, for limits and consents. Its local part has no quotation marks or escapes
/// (RFC 5321 §4.1.2). The domain has its ASCII form, and ASCII letters are in lower case.
pub fn mailbox(address: &str) -> String {
    let (local, domain) = address.rsplit_once('@').unwrap_or((address, ""));
    let (mut chars, mut plain) = (local.nfc(), String::new());
    while let Some(c) = chars.next() {
        match c {
            '"' => {}
            '\\' => plain.extend(chars.next()),
            c => plain.push(c),
        }
    }
    let domain = Host::parse(domain).map_or_else(|_| domain.to_owned(), |host| host.to_string());
    fold_address(&format!("{plain}@{domain}"))
}

/// An email address as the person wrote it, together with its lower-case form for comparisons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    written: String,
    folded: String,
}

impl Address {
    /// Accepts an address of the form `dot-atom@domain` (RFC 5322 §3.4.1, RFC 6532), provided that [`Email::new`] also
    /// accepts it.
    pub fn new(text: &str) -> Result<Self, TextError> {
        Email::new(text)?;
        match text.rsplit_once('@') {
            Some((local, domain)) if is_mailable(local, domain) => {
                Ok(Self { written: text.to_owned(), folded: fold_address(text) })
            }
            _ => Err(TextError::Email),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.written
    }

    pub fn folded(&self) -> &str {
        &self.folded
    }
}

/// True if mail relays accept this local part and this domain (for the lengths of labels, see RFC 1035 §2.3.4).
fn is_mailable(local: &str, domain: &str) -> bool {
    let atom = |c: char| c.is_ascii_alphanumeric() || !c.is_ascii() || "!#$%&'*+-/=?^_`{|}~".contains(c);
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    local.len() <= 64
        && local.split('.').all(|part| !part.is_empty() && part.chars().all(atom))
        && domain.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_spellings_of_an_address_have_one_mailbox() {
        for (address, expected) in [
            ("Ada.Lovelace@Example.com", "ada.lovelace@example.com"),
            ("\"ada\"@example.com", "ada@example.com"),
            ("\"\\ada\"@example.com", "ada@example.com"),
            ("\"a\\d\\a\"@EXAMPLE.com", "ada@example.com"),
            ("\"a\\\"\\\\\"@example.com", "a\"\\@example.com"),
            ("\"a@b\"@example.com", "a@b@example.com"),
            ("zoe\u{301}@cafe\u{301}.example", "zo\u{e9}@xn--caf-dma.example"),
            ("ada@\u{ff45}xample.com", "ada@example.com"),
            ("ada@[IPv6:2001:DB8::1]", "ada@[ipv6:2001:db8::1]"),
            ("ada@exa_mple.com", "ada@exa_mple.com"),
        ] {
            assert_eq!(mailbox(address), expected, "{address}");
        }
        assert_ne!(mailbox("ad.a@example.com"), mailbox("ada@example.com"));
    }
}
