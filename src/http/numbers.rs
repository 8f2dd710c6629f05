//! Bounded whole numbers in bodies and queries.

use domain::ProblemCode;
use schemars::JsonSchema;

use super::json::Json;
use super::problems::{FieldPath, Problems};
use super::query::FromQuery;
use super::read::FromJson;
use super::reading::Reading;
use super::schemas::without_format;

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(inline, transform = without_format)]
pub struct Whole<const MIN: u32, const MAX: u32>(#[schemars(range(min = MIN, max = MAX))] u32);

impl<const MIN: u32, const MAX: u32> Whole<MIN, MAX> {
    pub fn get(self) -> u32 {
        self.0
    }

    fn within(number: i128) -> Result<Self, ProblemCode> {
        match u32::try_from(number) {
            Ok(number) if (MIN..=MAX).contains(&number) => Ok(Self(number)),
            _ => Err(Self::expected()),
        }
    }

    fn expected() -> ProblemCode {
        ProblemCode::WholeNumber { min: MIN.into(), max: MAX.into() }
    }

    fn from_digits(text: &str) -> Result<Self, ProblemCode> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(number) if digits => Self::within(number),
            _ => Err(Self::expected()),
        }
    }
}

impl<const MIN: u32, const MAX: u32> FromJson for Whole<MIN, MAX> {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        let read = json.as_whole().ok_or_else(Self::expected).and_then(Self::within);
        read.map_err(|code| problems.add(at, code)).ok()
    }
}

/// The maximum number of items on a page: from 1 to `MAX`. The default is `DEFAULT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(inline, transform = without_format)]
pub struct Limit<const DEFAULT: u32, const MAX: u32>(
    #[schemars(range(min = 1, max = MAX), extend("default" = DEFAULT))] u32,
);

impl<const DEFAULT: u32, const MAX: u32> Limit<DEFAULT, MAX> {
    pub fn get(self) -> usize {
        self.0 as usize
    }
}

impl<const DEFAULT: u32, const MAX: u32> FromQuery for Limit<DEFAULT, MAX> {
    const REQUIRED: bool = false;
    type Given = Self;

    fn from_query(text: &str, _: &Reading) -> Result<Self, ProblemCode> {
        Whole::<1, MAX>::from_digits(text).map(|whole| Self(whole.get()))
    }

    fn absent() -> Result<Self, ProblemCode> {
        Ok(Self(DEFAULT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_is_within_its_bounds() {
        let read = |body: &str| {
            let mut problems = Problems::new(Reading::PLAIN);
            let json = Json::parse(body.as_bytes()).unwrap();
            Whole::<5, 1440>::from_json(&json, &FieldPath::Root, &mut problems).map(Whole::get)
        };
        for (body, number) in [("5", 5), ("1440", 1440), ("30.0", 30), ("3e1", 30)] {
            assert_eq!(read(body), Some(number), "{body}");
        }
        for bad in ["4", "1441", "-5", "5.5", "\"5\"", "null", "18446744073709551615", "1e300"] {
            assert_eq!(read(bad), None, "{bad}");
        }
        for bad in ["", "+5", " 5", "5.0", "99999999999999999999999999999999999999999999"] {
            assert!(Whole::<5, 1440>::from_digits(bad).is_err(), "{bad}");
        }
    }
}
