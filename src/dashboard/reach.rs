//! How somebody is reached: phone numbers and email addresses, with the links that call and write.

use super::view::View;
use crate::rest::values::phone::in_groups;

/// A phone number, as programs and as people read it.
pub(super) struct Number {
    pub(super) e164: String,
    pub(super) shown: String,
}

impl Number {
    /// A number, if there is one. Contacts and callers are kept with numbers of E.164 form alone.
    pub(super) fn of(e164: Option<&String>) -> Option<Self> {
        e164.map(|e164| Self { e164: e164.clone(), shown: in_groups(e164) })
    }
}

impl View {
    /// Who somebody is: their name, else their number as people read it, else the words for whoever has neither.
    pub(super) fn named(&self, (name, phone): (Option<&str>, Option<&str>), unknown: &str) -> String {
        let name = name.filter(|name| !name.trim().is_empty()).map(str::to_owned);
        name.or_else(|| phone.map(in_groups)).unwrap_or_else(|| self.t(unknown))
    }
}

/// An email address, with the link that writes to it.
pub(super) struct Mailbox {
    pub(super) email: String,
    pub(super) link: String,
}

impl Mailbox {
    /// An address, if there is one.
    pub(super) fn of(email: Option<&String>) -> Option<Self> {
        email.map(|email| Self { email: email.clone(), link: mailto(email) })
    }
}

/// A `mailto:` link in which nothing of the address reads as the beginning of something else.
fn mailto(email: &str) -> String {
    let mut link = String::from("mailto:");
    for byte in email.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'@' | b'.' | b'-' | b'_' | b'+' => {
                link.push(byte.into());
            }
            _ => link.push_str(&format!("%{byte:02X}")),
        }
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_an_address_begins_something_else_in_its_link() {
        assert_eq!(mailto("zoe.b+x@example.com"), "mailto:zoe.b+x@example.com");
        assert_eq!(mailto("a?bcc=b&c@example.com"), "mailto:a%3Fbcc%3Db%26c@example.com");
        assert_eq!(mailto("a?bcc=b&c%20@é.fr"), "mailto:a%3Fbcc%3Db%26c%2520@%C3%A9.fr");
    }
}
