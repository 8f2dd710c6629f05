//! E-mail addresses of accounts.
//!
//! Invariants: mail can be sent to an [`Address`], and two addresses that compare as equal reach one mailbox.

use super::{Email, TextError};

/// Converts ASCII letters to lower case, and no others: only the mail server knows whether it treats two
/// other letters as equal, and a wrong match would expose another person's account.
pub fn fold_address(written: &str) -> String {
    written.to_ascii_lowercase()
}

/// An e-mail address as the person wrote it, with its lower-case form for comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    written: String,
    folded: String,
}

impl Address {
    /// Accepts `dot-atom@domain` (RFC 5322 §3.4.1, RFC 6532) if [`Email::new`] accepts it too.
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

/// Whether mail relays accept this local part and this domain (lengths of labels: RFC 1035 §2.3.4).
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
