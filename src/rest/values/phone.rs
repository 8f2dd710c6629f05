//! Parsing of phone numbers as people write them.
//!
//! Invariants:
//! - A parsed number has E.164 form.
//! - An international number keeps every digit. A national number must be valid in the numbering plan of its
//!   region.

use std::sync::LazyLock;

use domain::{Business, Phone, ProblemCode, TextError, TrunkPrefix};
use schemars::JsonSchema;

use crate::http::json::Json;
use crate::http::problems::{FieldPath, Problems};
use crate::http::query::FromQuery;
use crate::http::read::{FromJson, FromText};
use crate::http::reading::Reading;

impl FromJson for Phone {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        let text = String::from_json(json, at, problems)?;
        let phone = phone(&text, PhoneRegion::of(problems.reading()));
        phone.map_err(|error| problems.add(at, error)).ok()
    }
}

impl FromQuery for Phone {
    type Given = Self;

    fn from_query(text: &str, reading: &Reading) -> Result<Self, ProblemCode> {
        phone(text, PhoneRegion::of(reading)).map_err(ProblemCode::from)
    }
}

/// Loads the numbering plans of all regions, which takes about 100 ms, so that no request waits for it.
pub(crate) fn load_numbering_plans() {
    let _ = phonenumber::parse(Some(phonenumber::country::Id::US), "+12015550123");
}

/// The prefixes of national numbers in the numbering plans. Each prefix occurs once per country code.
pub(crate) fn trunk_prefixes() -> &'static [TrunkPrefix] {
    static PREFIXES: LazyLock<Vec<TrunkPrefix>> = LazyLock::new(|| {
        let plans = phonenumber::metadata::DATABASE.iter();
        let prefixes = plans.filter_map(|plan| {
            let prefix =
                plan.national_prefix().filter(|prefix| prefix.bytes().all(|b| b.is_ascii_digit()))?;
            Some((plan.country_code().to_string(), prefix.to_owned()))
        });
        let mut prefixes: Vec<_> = prefixes.collect();
        prefixes.sort();
        prefixes.dedup();
        prefixes
    });
    &PREFIXES
}

/// Parses a phone number that a caller has written or said. Returns `None` if the text is not a phone number.
pub(crate) fn read_phone(text: &str, region: &str) -> Option<Phone> {
    phone(text, region).ok()
}

/// Parses an international number as written, or a national number by the plan of `region`.
fn phone(text: &str, region: &str) -> Result<Phone, TextError> {
    let text = text.trim();
    // The parser takes longer for longer texts, so a text that is longer than any valid number is refused.
    if text.chars().count() > Phone::WRITTEN_CHARS_MAX {
        return Err(TextError::Phone);
    }
    if text.starts_with(['+', '＋']) {
        return international(text);
    }
    let region = region.parse().ok();
    let number = phonenumber::parse(region, text).map_err(|_| TextError::Phone)?;
    // The number must be valid in the plan of its region. Numbers of ten digits in the North American plan
    // are exempt, since fictional numbers (555) are common in tests.
    let ten_digits = (1_000_000_000..10_000_000_000).contains(&number.national().value());
    let known = phonenumber::is_valid(&number) || (number.code().value() == 1 && ten_digits);
    if !known {
        return Err(TextError::Phone);
    }
    let zeros = "0".repeat(usize::from(number.national().zeros()));
    Phone::from_e164(format!("+{}{zeros}{}", number.code().value(), number.national().value()))
}

/// Keeps every digit of a number with a country code. A parser for the country's numbering plan would remove digits
/// that look like a national prefix. Only a `(0)` after the country code is removed.
fn international(text: &str) -> Result<Phone, TextError> {
    let mut kept = String::from("+");
    for c in text.replacen("(0)", "", 1).chars().skip(1) {
        match c {
            '0'..='9' => kept.push(c),
            ' ' | '\u{a0}' | '-' | '.' | '(' | ')' | '/' => {}
            _ => return Err(TextError::Phone),
        }
    }
    // The parser is used only to check the country code.
    phonenumber::parse(None, &kept).map_err(|_| TextError::Phone)?;
    Phone::from_e164(kept)
}

/// Formats a stored number with groups of digits. A number whose plan defines no groups is unchanged, and so is a
/// text that is not a number, for example a name.
pub(crate) fn in_groups(e164: &str) -> String {
    if !e164.strip_prefix('+').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit())) {
        return e164.to_owned();
    }
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let number = phonenumber::parse(None, e164).ok();
    let grouped = number.map(|number| number.format().mode(phonenumber::Mode::International).to_string());
    grouped.filter(|grouped| digits(grouped) == digits(e164)).unwrap_or_else(|| e164.to_owned())
}

/// A region whose national phone numbers can be read, by its ISO 3166 code in capitals.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(inline)]
pub(crate) struct PhoneRegion(#[schemars(regex(pattern = "^[A-Z]{2}$"))] String);

impl PhoneRegion {
    pub(crate) const DEFAULT: &'static str = "US";

    pub(crate) fn reading(business: &Business) -> Reading {
        Reading::in_region(&business.phone_region)
    }

    /// The region code of the request. Panics if the gate set no region, since a guess could be wrong.
    fn of(reading: &Reading) -> &str {
        reading.region().expect("the gate sets the region of national phone numbers")
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

impl Default for PhoneRegion {
    fn default() -> Self {
        Self(Self::DEFAULT.to_owned())
    }
}

impl FromText for PhoneRegion {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        let shaped = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
        match text.parse::<phonenumber::country::Id>() {
            Ok(_) if shaped => Ok(Self(text.to_owned())),
            _ => Err(ProblemCode::NotARegion),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_international_number_keeps_every_digit_whatever_the_region() {
        for region in ["US", "FR", "GB", "RU", "IT", "DE"] {
            for (text, e164) in [
                ("+33 1 42 68 53 00", "+33142685300"),
                ("+86 138 1234 5678", "+8613812345678"),
                ("+49 1512 3456789", "+4915123456789"),
                ("+32 16 32 10 10", "+3216321010"),
                ("+43 1 5051234", "+4315051234"),
                ("+39 06 1234 5678", "+390612345678"),
                ("+7 812 123 45 67", "+78121234567"),
                ("+44 (0)20 7946 0018", "+442079460018"),
                ("+1 (555) 123-4567", "+15551234567"),
            ] {
                assert_eq!(phone(text, region).unwrap().as_str(), e164, "{region}");
            }
        }
    }

    #[test]
    fn a_national_number_must_be_valid_in_the_plan_of_its_region() {
        for (region, text, e164) in [
            ("US", "(201) 555-0123", "+12015550123"),
            ("US", "1-201-555-0123", "+12015550123"),
            ("US", "555 123 4567", "+15551234567"),
            ("FR", "01 42 68 53 00", "+33142685300"),
            ("GB", "020 7946 0018", "+442079460018"),
            ("IT", "06 1234 5678", "+390612345678"),
        ] {
            assert_eq!(phone(text, region).as_ref().map(Phone::as_str), Ok(e164), "{text}");
        }
        for (region, text) in [
            ("US", "1234567"),
            ("US", "12"),
            ("US", "phone"),
            ("FR", "123"),
            ("US", "+"),
            ("US", "+999 123 4567"),
            ("US", "+1 abc 555"),
        ] {
            assert_eq!(phone(text, region), Err(TextError::Phone), "{text}");
        }
    }

    #[test]
    fn a_number_is_shown_in_groups_with_the_same_digits() {
        for (e164, shown) in [
            ("+33142685300", "+33 1 42 68 53 00"),
            ("+33612345680", "+33 6 12 34 56 80"),
            ("+12015550123", "+1 201-555-0123"),
            ("+390612345678", "+39 06 1234 5678"),
            ("+15551234567", "+1 555-123-4567"),
            // A number that is longer than the numbers of its plan is not divided into groups. A number with an unknown
            // country code, and a text that is not a number, stay unchanged.
            ("+33112345678901", "+33 112345678901"),
            ("+9991234567", "+9991234567"),
            ("no number", "no number"),
        ] {
            assert_eq!(in_groups(e164), shown);
        }
    }

    #[test]
    fn national_numbers_are_found_with_their_prefix() {
        let finds = |query: &str, e164: &str| {
            let search = domain::Search::new(query, trunk_prefixes());
            search.matches(&domain::search_text(None, Some(e164), None))
        };
        for (query, e164) in [
            ("06 12 34", "+33612345680"),
            ("020 7946", "+442079460018"),
            ("8 812 123", "+78121234567"),
            ("06 1 505", "+3615051234"),
            ("06 1234", "+390612345678"),
            ("1 201 555", "+12015550123"),
        ] {
            assert!(finds(query, e164), "{query} {e164}");
            assert!(!finds(query, "+46701234567"), "{query}");
        }
        let codes = trunk_prefixes().iter().map(|(code, _)| code);
        assert!(codes.filter(|code| *code == "44").count() == 1, "Guernsey has the same prefix");
    }

    #[test]
    fn every_country_that_the_command_line_knows_is_a_region() {
        for line in include_str!("../../cli/typed/countries.txt").lines() {
            let (country, _) = line.split_once(' ').unwrap();
            assert_eq!(PhoneRegion::from_text(country).map(PhoneRegion::into_string), Ok(country.to_owned()));
        }
    }
}
