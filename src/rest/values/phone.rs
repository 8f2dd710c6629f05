//! Phone numbers as people write them.
//!
//! What always holds: a number that was read is one of E.164 form. An international one keeps every digit; a national
//! one is known to the plan of its region, or refused.

use domain::{Business, Phone, ProblemCode, TextError};
use schemars::JsonSchema;

use crate::http::json::Json;
use crate::http::problems::{FieldPath, Problems};
use crate::http::query::FromQuery;
use crate::http::read::{FromJson, FromText};
use crate::http::reading::Reading;

/// A number in E.164 form, or a national one of the region that the request is read in.
impl FromJson for Phone {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        let text = String::from_json(json, at, problems)?;
        let phone = phone(&text, PhoneRegion::of(problems.reading()));
        phone.map_err(|error| problems.add(at, error)).ok()
    }
}

/// As in a body.
impl FromQuery for Phone {
    type Given = Self;

    fn from_query(text: &str, reading: &Reading) -> Result<Self, ProblemCode> {
        phone(text, PhoneRegion::of(reading)).map_err(ProblemCode::from)
    }
}

/// Loads the numbering plans of all regions, which takes a tenth of a second that no request should wait.
pub(crate) fn load_numbering_plans() {
    let _ = phonenumber::parse(Some(phonenumber::country::Id::US), "+12015550123");
}

/// Reads a phone number as people write it: an international one as it stands, a national one by the region's plan.
fn phone(text: &str, region: &str) -> Result<Phone, TextError> {
    let text = text.trim();
    // The parser's work grows with the text, and no number is longer.
    if text.chars().count() > Phone::WRITTEN_CHARS_MAX {
        return Err(TextError::Phone);
    }
    if text.starts_with(['+', '＋']) {
        return international(text);
    }
    let region = region.parse().ok();
    let number = phonenumber::parse(region, text).map_err(|_| TextError::Phone)?;
    // A guess is not stored: the plan must know the number. Those of ten digits in the North American plan are taken
    // as they are, so that its fictional ones (555) can be used.
    let ten_digits = (1_000_000_000..10_000_000_000).contains(&number.national().value());
    let known = phonenumber::is_valid(&number) || (number.code().value() == 1 && ten_digits);
    if !known {
        return Err(TextError::Phone);
    }
    let zeros = "0".repeat(usize::from(number.national().zeros()));
    Phone::from_e164(format!("+{}{zeros}{}", number.code().value(), number.national().value()))
}

/// A number with its country code keeps every digit: the plans' own reading would strip what looks like a national
/// prefix. Only the `(0)` that some write behind the country code is no part of it.
fn international(text: &str) -> Result<Phone, TextError> {
    let mut kept = String::from("+");
    for c in text.replacen("(0)", "", 1).chars().skip(1) {
        match c {
            '0'..='9' => kept.push(c),
            ' ' | '\u{a0}' | '-' | '.' | '(' | ')' | '/' => {}
            _ => return Err(TextError::Phone),
        }
    }
    // The plans are asked only whether there is such a country code.
    phonenumber::parse(None, &kept).map_err(|_| TextError::Phone)?;
    Phone::from_e164(kept)
}

/// A stored number as people write it: in groups, behind its country code. One that no plan has groups for is as it is.
pub(crate) fn in_groups(e164: &str) -> String {
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
    /// The region of a business that names none.
    const DEFAULT: &'static str = "US";

    /// What the numbers of a request about this business are read by.
    pub(crate) fn reading(business: &Business) -> Reading {
        Reading::by(Self(business.phone_region.clone()))
    }

    /// The code of the region by which a request is read.
    ///
    /// # Panics
    /// When the gate that let it in gave none: a number that is read by the wrong plan is another number.
    fn of(reading: &Reading) -> &str {
        &reading.get::<Self>().expect("a gate says by which region phone numbers are read").0
    }

    /// The code.
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
    fn a_national_number_is_read_by_the_plan_of_its_region_or_not_at_all() {
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
    fn a_number_is_shown_in_groups_and_never_as_another_number() {
        for (e164, shown) in [
            ("+33142685300", "+33 1 42 68 53 00"),
            ("+33612345680", "+33 6 12 34 56 80"),
            ("+12015550123", "+1 201-555-0123"),
            ("+390612345678", "+39 06 1234 5678"),
            ("+15551234567", "+1 555-123-4567"),
            // Longer than its plan has groups for, of no plan, and none.
            ("+33112345678901", "+33 112345678901"),
            ("+9991234567", "+9991234567"),
            ("no number", "no number"),
        ] {
            assert_eq!(in_groups(e164), shown);
        }
    }

    #[test]
    fn every_country_that_the_command_line_knows_is_a_region() {
        for line in include_str!("../../cli/typed/countries.txt").lines() {
            let (country, _) = line.split_once(' ').unwrap();
            assert_eq!(PhoneRegion::from_text(country).map(PhoneRegion::into_string), Ok(country.to_owned()));
        }
    }
}
