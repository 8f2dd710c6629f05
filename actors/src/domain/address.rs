//! E-mail addresses of accounts.
//!
//! What always holds: mail can be sent to one, and two that are compared as equal reach one mailbox.

use super::{Email, TextError};

/// An e-mail address with its ASCII letters in lower case, as addresses of accounts are compared. Other letters stay:
/// what two of them have in common is for their mail server to say, and no account is to be found by another's address.
pub fn fold_address(written: &str) -> String {
    written.to_ascii_lowercase()
}

/// An e-mail address as it was written, which mail can be sent to, good to be compared by [`fold_address`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    written: String,
    folded: String,
}

impl Address {
    /// Takes an address as [`Email`] does, if it is a dot-atom at a domain (RFC 5322 §3.4.1, RFC 6532), and keeps how it
    /// was written.
    ///
    /// # Errors
    /// As [`Email::new`].
    pub fn new(text: &str) -> Result<Self, TextError> {
        Email::new(text)?;
        match text.rsplit_once('@') {
            Some((local, domain)) if is_mailable(local, domain) => {
                Ok(Self { written: text.to_owned(), folded: fold_address(text) })
            }
            _ => Err(TextError::Email),
        }
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// As it is compared.
    pub fn folded(&self) -> &str {
        &self.folded
    }
}

/// Whether relays take an address of these parts: dots stand between atoms alone, and labels of a domain are of letters,
/// digits and hyphens (RFC 1035 §2.3.4 for how long they are).
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
