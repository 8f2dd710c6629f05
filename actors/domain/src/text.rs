//! Texts with limited lengths. Lengths are numbers of Unicode characters.

use std::ops::Deref;

use serde::Serialize;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A text of `MIN` to `MAX` characters without NUL. If `MIN` is at least 1, at least one character is not white space.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text<const MIN: usize, const MAX: usize>(String);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextError {
    Length { min: usize, max: usize },
    Blank,
    Nul,
    Email,
    Phone,
}

/// Replaces compatibility forms (Unicode NFKD) and removes accents.
pub fn unaccented(text: &str) -> String {
    text.nfkd().filter(|c| !is_combining_mark(*c)).collect()
}

/// Applies Unicode NFKC: a wide `４` becomes `4`, and a letter and its combining accent become one character.
pub fn compatible(text: &str) -> String {
    text.nfkc().collect()
}

impl<const MAX: usize> Default for Text<0, MAX> {
    fn default() -> Self {
        Self(String::new())
    }
}

impl<const MIN: usize, const MAX: usize> Text<MIN, MAX> {
    pub fn new(text: String) -> Result<Self, TextError> {
        if text.contains('\0') {
            return Err(TextError::Nul);
        }
        if !(MIN..=MAX).contains(&text.chars().count()) {
            return Err(TextError::Length { min: MIN, max: MAX });
        }
        if MIN > 0 && text.chars().all(char::is_whitespace) {
            return Err(TextError::Blank);
        }
        Ok(Self(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

/// A person's name. It is empty if the name is unknown. Otherwise it has at most 200 characters, and at least one of
/// them is not white space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PersonName(String);

impl PersonName {
    pub const CHARS_MAX: usize = 200;

    pub fn new(name: String) -> Result<Self, TextError> {
        if name.is_empty() {
            return Ok(Self(name));
        }
        match Text::<1, { Self::CHARS_MAX }>::new(name) {
            Ok(name) => Ok(Self(name.into_string())),
            Err(TextError::Length { max, .. }) => Err(TextError::Length { min: 0, max }),
            Err(error) => Err(error),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

/// An email address in lower case, at most 254 characters (RFC 5321 §4.5.3.1.3).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Email(String);

impl Email {
    pub const CHARS_MAX: usize = 254;

    /// Accepts `local@domain` without white space or control characters, and converts it to lower case.
    pub fn new(text: &str) -> Result<Self, TextError> {
        let folded = text.to_lowercase();
        let chars = text.chars().count().max(folded.chars().count());
        if chars > Self::CHARS_MAX {
            return Err(TextError::Length { min: 3, max: Self::CHARS_MAX });
        }
        let clean = !folded.chars().any(|c| c.is_whitespace() || c.is_control());
        match folded.rsplit_once('@') {
            Some((local, domain))
                if clean && !local.is_empty() && !local.contains('@') && !domain.is_empty() =>
            {
                Ok(Self(folded))
            }
            _ => Err(TextError::Email),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for Email {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// A phone number in E.164 form: `+` and 7 to 15 digits, the first not 0 (ITU-T E.164 §6.2).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Phone(String);

impl Phone {
    /// The maximum length of a number as people write it, before the conversion to E.164.
    pub const WRITTEN_CHARS_MAX: usize = 64;

    /// Accepts only the E.164 form. The caller must convert national numbers first.
    pub fn from_e164(text: String) -> Result<Self, TextError> {
        let digits = text.strip_prefix('+').unwrap_or_default();
        let good = (7..=15).contains(&digits.len())
            && digits.bytes().all(|b| b.is_ascii_digit())
            && !digits.starts_with('0');
        if good { Ok(Self(text)) } else { Err(TextError::Phone) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for Phone {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_of_a_text_count_characters() {
        type Name = Text<1, 200>;
        assert!(Name::new("é".repeat(200)).is_ok());
        assert_eq!(Name::new("é".repeat(201)), Err(TextError::Length { min: 1, max: 200 }));
        assert_eq!(Name::new(String::new()), Err(TextError::Length { min: 1, max: 200 }));
        assert_eq!(Name::new(" \u{3000}\t".into()), Err(TextError::Blank));
        assert_eq!(Name::new("a\0b".into()), Err(TextError::Nul));
        assert!(Text::<0, 5>::new("  ".into()).is_ok());
    }

    #[test]
    fn the_name_of_a_person_is_empty_or_has_more_than_white_space() {
        for good in ["", "Ada", " Ada ", &"é".repeat(200)] {
            assert_eq!(PersonName::new(good.into()).unwrap().as_str(), good);
        }
        assert_eq!(PersonName::new(" \u{3000}\t".into()), Err(TextError::Blank));
        assert_eq!(PersonName::new("é".repeat(201)), Err(TextError::Length { min: 0, max: 200 }));
    }

    #[test]
    fn an_email_is_local_at_domain_in_lower_case() {
        assert_eq!(Email::new("Ada.Lovelace@Example.COM").unwrap().as_str(), "ada.lovelace@example.com");
        for bad in ["", "ada", "@example.com", "ada@", "a b@example.com", "a@b@c", "ada@exa mple", "a\u{0}@b"]
        {
            assert_eq!(Email::new(bad), Err(TextError::Email), "{bad}");
        }
        assert!(Email::new(&format!("{}@b", "a".repeat(252))).is_ok());
        assert!(Email::new(&format!("{}@b", "a".repeat(253))).is_err());
    }

    #[test]
    fn a_phone_is_plus_and_7_to_15_digits() {
        for good in ["+1234567", "+15551234567", "+123456789012345"] {
            assert!(Phone::from_e164(good.into()).is_ok(), "{good}");
        }
        for bad in
            ["", "+", "15551234567", "+0123456", "+123456", "+1234567890123456", "+1555 123", "+١٢٣٤٥٦٧"]
        {
            assert!(Phone::from_e164(bad.into()).is_err(), "{bad}");
        }
    }
}
