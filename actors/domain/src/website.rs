//! The booking page of a business: its settings, its slug and the sites that may embed it.
//!
//! Invariants:
//!
//! - A [`Slug`] and a [`SiteOrigin`] have only one spelling each, so they can be compared as texts.
//! - A business that has a slug can change it but not remove it.

use std::ops::RangeInclusive;

use chrono::TimeDelta;
use serde::Serialize;
use url::{Host, Url};

use super::{BusinessId, Email, Phone, Timestamp};

pub const ORIGINS_MAX: usize = 20;
pub const CHANGE_NOTICE_MINUTES_MAX: u32 = 43_200;
/// The time for which a former slug stays reserved for its business.
pub const SLUG_RESERVED: TimeDelta = TimeDelta::days(90);

const SLUG_CHARS: RangeInclusive<usize> = 3..=60;
const DEFAULT_SLUG_CHARS_MAX: usize = 55;
/// Names that have another meaning in the paths of booking pages, so they cannot be slugs.
const NOT_SLUGS: [&str; 2] = ["manage", "assets"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Website {
    pub enabled: bool,
    pub slug: Option<Slug>,
    /// The sites that may embed the booking page, at most [`ORIGINS_MAX`].
    pub origins: Vec<SiteOrigin>,
    /// The background colour of buttons.
    pub color: Option<Color>,
    pub phone: Option<Phone>,
    pub email: Option<Email>,
    /// The address, one line of 1 to 300 characters.
    pub address: Option<String>,
    /// Whether customers may move and cancel their appointments.
    pub change_by_caller: bool,
    /// Customers may move or cancel an appointment until this many minutes before its start. `None` means the minimum
    /// notice of the booked service.
    pub change_notice_minutes: Option<u32>,
    pub show_prices: bool,
}

impl Default for Website {
    fn default() -> Self {
        Self {
            enabled: false,
            slug: None,
            origins: Vec::new(),
            color: None,
            phone: None,
            email: None,
            address: None,
            change_by_caller: true,
            change_notice_minutes: None,
            show_prices: false,
        }
    }
}

/// The name of a business in the paths of its booking pages: 3 to 60 characters of `[a-z0-9-]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Slug(String);

impl Slug {
    pub fn new(text: &str) -> Option<Self> {
        let is_valid = SLUG_CHARS.contains(&text.len())
            && text.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-')
            && !text.starts_with('-')
            && !text.ends_with('-')
            && !NOT_SLUGS.contains(&text);
        is_valid.then(|| Self(text.to_owned()))
    }

    /// Returns the default slug of a business: its name in lower case and without accents. One hyphen replaces each
    /// sequence of characters that are not ASCII letters or digits.
    pub fn of_name(name: &str) -> Self {
        let mut slug = String::new();
        for c in super::unaccented(name).to_lowercase().chars() {
            if c.is_ascii_alphanumeric() {
                slug.push(c);
            } else if !slug.ends_with('-') {
                slug.push('-');
            }
        }
        let slug = slug.trim_matches('-');
        let slug = slug.get(..DEFAULT_SLUG_CHARS_MAX).unwrap_or(slug).trim_end_matches('-');
        Self::new(slug).unwrap_or_else(|| Self("business".into()))
    }

    /// Returns an alternative for a slug that is taken. It has four more characters of `[a-z0-9]`.
    #[must_use]
    pub fn with_suffix(&self, random: [u8; 4]) -> Self {
        const CHARS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
        let base = self.0.get(..DEFAULT_SLUG_CHARS_MAX).unwrap_or(&self.0).trim_end_matches('-');
        let suffix: String = random.iter().map(|byte| char::from(CHARS[usize::from(*byte) % 36])).collect();
        Self(format!("{base}-{suffix}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The owner of a slug. If the owner has changed its slug, the old slug stays reserved until `reserved_until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlugOwner {
    pub business_id: BusinessId,
    pub reserved_until: Option<Timestamp>,
}

impl SlugOwner {
    /// True if another business must not take the slug at this time.
    pub fn excludes(&self, other: BusinessId, now: Timestamp) -> bool {
        self.business_id != other && self.reserved_until.is_none_or(|until| now < until)
    }
}

/// A web site: the scheme, host and port of its pages, in lower-case ASCII form.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct SiteOrigin(String);

impl SiteOrigin {
    /// Parses `https://host[:port]`, or `http://host[:port]` for a loopback host. A path or a wildcard is not
    /// accepted. The host is checked after the URL parser has decoded it, because the decoded host becomes part
    /// of a header.
    pub fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let has_more = rest.contains(|c: char| "/?#@\\".contains(c) || c.is_whitespace() || c.is_control());
        let url = Url::parse(text).ok().filter(|_| !has_more && !rest.is_empty())?;
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-".contains(c);
        let is_loopback = match url.host()? {
            Host::Domain(name) if !name.chars().all(plain) => return None,
            Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        let is_allowed = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => is_loopback,
            _ => false,
        };
        is_allowed.then(|| Self(url.origin().ascii_serialization()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A colour in sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Color([u8; 3]);

impl Color {
    /// Parses `#rrggbb`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        let channel = |at: usize| {
            let pair = digits.get(at..at + 2)?;
            pair.bytes().all(|c| c.is_ascii_hexdigit()).then(|| u8::from_str_radix(pair, 16).ok())?
        };
        Some(Self([channel(0)?, channel(2)?, channel(4)?]))
    }

    /// Returns the contrast ratio to another colour (WCAG 2.2, "contrast ratio").
    pub fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Returns black or white, whichever is easier to read on this colour.
    pub fn text(self) -> Self {
        let (black, white) = (Self([0; 3]), Self([255; 3]));
        if self.contrast(black) >= self.contrast(white) { black } else { white }
    }

    /// Returns the relative luminance (WCAG 2.2).
    fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = self.0.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
}

impl std::fmt::Display for Color {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_slug_is_made_from_the_name() {
        for (name, slug) in [
            ("Salon Lumière", "salon-lumiere"),
            ("  Dr. O'Neil & Söhne GmbH!", "dr-o-neil-sohne-gmbh"),
            ("Ça", "business"),
            ("日本", "business"),
            ("Manage", "business"),
            (&"ab".repeat(40), &"ab".repeat(40)[..55]),
        ] {
            assert_eq!(Slug::of_name(name).as_str(), slug, "{name}");
        }
        assert_eq!(Slug::of_name("Ada").with_suffix([0, 25, 26, 35]).as_str(), "ada-az09");
    }

    #[test]
    fn a_slug_has_3_to_60_characters_and_no_hyphen_at_its_ends() {
        let long = "a".repeat(61);
        for bad in ["ab", "-abc", "abc-", "Abc", "a_c", "manage", "assets", "abé", &long] {
            assert_eq!(Slug::new(bad), None, "{bad}");
        }
        for good in ["abc", "a-c", "123", "a--b", &long[..60]] {
            assert!(Slug::new(good).is_some(), "{good}");
        }
    }

    #[test]
    fn an_origin_has_a_scheme_and_a_host_in_lower_case() {
        for (text, origin) in [
            ("https://Salon.Example", "https://salon.example"),
            ("HTTPS://salon.example:443", "https://salon.example"),
            ("https://salon.example:8443", "https://salon.example:8443"),
            ("https://café.example", "https://xn--caf-dma.example"),
            ("http://localhost:3000", "http://localhost:3000"),
            ("http://127.0.0.1", "http://127.0.0.1"),
            ("http://[::1]:80", "http://[::1]"),
            ("https://192.0.2.1", "https://192.0.2.1"),
            ("https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"),
        ] {
            assert_eq!(SiteOrigin::parse(text).map(|origin| origin.0).as_deref(), Some(origin), "{text}");
        }
        for bad in [
            "salon.example",
            "http://salon.example",
            "https://salon.example/",
            "https://salon.example/a",
            "https://*.example",
            "https://a@salon.example",
            "https://salon.example?x",
            "https://",
            "ftp://salon.example",
            "https://a b",
            "https://%2A",
            "https://%2a.evil.example",
            "https://\u{ff0a}.evil.example",
            "https://a;script-src-elem",
            "https://a%3Bscript-src-elem",
            "https://a,b.example",
            "https://'self'",
            "https://a_b.example",
        ] {
            assert_eq!(SiteOrigin::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_text_on_a_colour_has_the_higher_contrast() {
        let text = |color| Color::parse(color).unwrap().text().to_string();
        assert_eq!(text("#ffff00"), "#000000");
        assert_eq!(text("#000080"), "#ffffff");
        assert_eq!(Color::parse("#AbCdEf").unwrap().to_string(), "#abcdef");
        for bad in ["abcdef", "#abcde", "#abcdeg", "#+12345", "#abcdeff"] {
            assert_eq!(Color::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_former_slug_is_reserved_for_its_business() {
        let [one, other] = [1, 2].map(|id| BusinessId::from(uuid::Uuid::from_u128(id)));
        let until = Timestamp::from_millis(1_000);
        let owner = SlugOwner { business_id: one, reserved_until: Some(until) };
        assert!(!owner.excludes(one, Timestamp::from_millis(0)));
        assert!(owner.excludes(other, Timestamp::from_millis(999)) && !owner.excludes(other, until));
        assert!(SlugOwner { reserved_until: None, ..owner }.excludes(other, until));
    }
}
