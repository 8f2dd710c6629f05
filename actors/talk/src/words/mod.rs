//! The fixed lines in English and French, and the texts of dates and times in them.
//!
//! Invariants:
//!
//! - A line is plain text without a line break. Inserted names have at most [`NAME_CHARS_MAX`] characters and no
//!   control characters.
//! - The module `reader` understands each date and time that this module writes.

mod lines;
#[cfg(test)]
mod tests;
mod when;

use domain::Locale;

pub(crate) use self::lines::Key;
pub(crate) use self::when::When;

/// The maximum number of characters of a name that is inserted into a line.
pub const NAME_CHARS_MAX: usize = 60;

/// Formats a line. `values` are pairs of a placeholder and its text.
pub(crate) fn say(locale: Locale, key: Key, values: &[(&str, &str)]) -> String {
    let mut rest = key.template(locale);
    let mut line = String::with_capacity(rest.len());
    while let Some(start) = rest.find('{') {
        let end = rest[start..].find('}').map_or(rest.len(), |end| start + end);
        line.push_str(&rest[..start]);
        let name = &rest[start + 1..end];
        let value = values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        line.push_str(value.unwrap_or_else(|| panic!("the line {key:?} has no value for {name}")));
        rest = &rest[(end + 1).min(rest.len())..];
    }
    line.push_str(rest);
    line
}

/// The text with a capital first letter.
pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// A name as the lines show it: cut to its maximum length, and without control characters and characters that change
/// the text direction.
pub(crate) fn name(name: &str) -> String {
    clean(name, NAME_CHARS_MAX)
}

/// A text without line breaks, control characters and characters that change the text direction, cut after `chars`
/// characters.
pub(crate) fn clean(text: &str, chars: usize) -> String {
    let is_direction =
        |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let mut cleaned = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        let word: String = word.chars().filter(|c| !is_direction(*c)).collect();
        if word.is_empty() {
            continue;
        }
        if !cleaned.is_empty() {
            cleaned.push(' ');
        }
        cleaned.push_str(&word);
    }
    match cleaned.char_indices().nth(chars) {
        Some((at, _)) => cleaned[..at].trim_end().to_owned(),
        None => cleaned,
    }
}

/// The emergency number of a region.
pub fn emergency_number(region: &str) -> &'static str {
    match region {
        "US" | "CA" | "MX" => "911",
        "GB" => "999",
        "AU" => "000",
        "NZ" => "111",
        _ => "112",
    }
}

/// Introduces the receptionist.
pub fn first(business: &str, locale: Locale) -> String {
    say(locale, Key::First, &[("business", &name(business))])
}

/// Says that the business does not take calls here.
pub fn closed(business: &str, locale: Locale) -> String {
    say(locale, Key::Closed, &[("business", &name(business))])
}

/// Says that the answer takes a moment.
pub fn moment(locale: Locale) -> String {
    say(locale, Key::Moment, &[])
}
