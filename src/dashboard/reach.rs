//! The names of people, phone numbers, and email addresses.

use super::view::View;
use crate::rest::values::phone::in_groups;

impl View {
    /// The name, else the phone number in groups of digits, else `unknown`.
    pub(super) fn named(&self, (name, phone): (Option<&str>, Option<&str>), unknown: &str) -> String {
        let name = name.filter(|name| !name.trim().is_empty()).map(str::to_owned);
        name.or_else(|| phone.map(in_groups)).unwrap_or_else(|| self.t(unknown))
    }

    pub(super) fn phone(&self, e164: &str) -> String {
        in_groups(e164)
    }

    pub(super) fn mailto(&self, email: &str) -> String {
        mailto(email)
    }
}

/// A `mailto:` link. The address is percent-encoded, so it cannot add headers.
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
