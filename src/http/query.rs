//! Query strings, read as strictly as bodies and with the same parsers of values.
//!
//! Decoding is that of HTML forms: `+` is a space, as every client library writes it. An offset typed as `+01:00`
//! without escaping is therefore wrong, and the problem says how to write it.

use serde_json::{Value, json};

use super::cursor::CursorText;
use super::describe::{Describe, Schemas};
use super::error::ApiError;
use super::read::{FromText, NUL, Path, Problems};
use super::values::Whole;
use crate::query_object;

/// A type that a query string can be read as; [`query_object!`](crate::query_object) declares them.
pub trait FromParameters: Sized {
    /// The parameters there are.
    const NAMES: &'static [&'static str];

    /// Reads every parameter, or adds what is wrong.
    fn from_parameters(parameters: &Parameters, problems: &mut Problems) -> Option<Self>;

    /// The parameters as the document lists them.
    fn parameters(schemas: &mut Schemas) -> Vec<Value>;
}

/// A type that one parameter can be read as.
pub trait FromQuery: Describe + Sized {
    /// Reads the decoded value; national phone numbers are those of the region.
    ///
    /// # Errors
    /// What is wrong, as a predicate.
    fn from_query(text: &str, phone_region: &str) -> Result<Self, String>;

    /// What an absent parameter means.
    ///
    /// # Errors
    /// What is wrong, as a predicate.
    fn absent() -> Result<Self, String> {
        Err("is required".into())
    }
}

impl<T: FromText> FromQuery for T {
    fn from_query(text: &str, _: &str) -> Result<Self, String> {
        if text.contains('\0') { Err(NUL.into()) } else { T::from_text(text) }
    }
}

impl FromQuery for bool {
    fn from_query(text: &str, _: &str) -> Result<Self, String> {
        text.parse().map_err(|_| "must be true or false".into())
    }
}

impl<T: FromQuery> FromQuery for Option<T> {
    fn from_query(text: &str, phone_region: &str) -> Result<Self, String> {
        T::from_query(text, phone_region).map(Some)
    }

    fn absent() -> Result<Self, String> {
        Ok(None)
    }
}

/// The size of a page: 1 to `MAX`, `DEFAULT` when absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit<const DEFAULT: u32, const MAX: u32>(u32);

impl<const DEFAULT: u32, const MAX: u32> Limit<DEFAULT, MAX> {
    /// The number of items.
    pub fn get(self) -> usize {
        self.0 as usize
    }
}

impl<const DEFAULT: u32, const MAX: u32> FromQuery for Limit<DEFAULT, MAX> {
    fn from_query(text: &str, _: &str) -> Result<Self, String> {
        Whole::<1, MAX>::from_digits(text).map(|whole| Self(whole.get()))
    }

    fn absent() -> Result<Self, String> {
        Ok(Self(DEFAULT))
    }
}

impl<const DEFAULT: u32, const MAX: u32> Describe for Limit<DEFAULT, MAX> {
    const REQUIRED: bool = false;

    fn describe(_: &mut Schemas) -> Value {
        json!({"type": "integer", "minimum": 1, "maximum": MAX, "default": DEFAULT})
    }
}

/// One to `MAX` values with commas between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommaList<T, const MAX: usize>(Vec<T>);

impl<T, const MAX: usize> CommaList<T, MAX> {
    /// The values, as often as they were given.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T: FromText, const MAX: usize> FromQuery for CommaList<T, MAX> {
    fn from_query(text: &str, phone_region: &str) -> Result<Self, String> {
        if text.split(',').count() > MAX {
            return Err(format!("must list at most {MAX} values"));
        }
        text.split(',').map(|item| T::from_query(item, phone_region)).collect::<Result<_, _>>().map(Self)
    }
}

impl<T: Describe, const MAX: usize> Describe for CommaList<T, MAX> {
    fn describe(schemas: &mut Schemas) -> Value {
        json!({"type": "array", "items": T::describe(schemas), "minItems": 1, "maxItems": MAX})
    }
}

query_object! {
    /// Which part of a list is asked for.
    pub(crate) struct ListQuery {
        /// At most so many.
        limit: Limit<50, 100>,
        /// Where an earlier page ended.
        cursor: Option<CursorText>,
    }
}

/// The decoded parameters of a query string, in order.
#[derive(Debug)]
pub struct Parameters {
    values: Vec<Parameter>,
}

#[derive(Debug)]
struct Parameter {
    name: String,
    value: String,
    /// Whether the value had a `+` that stood for a space.
    plus: bool,
}

impl Parameters {
    /// Reads the parameter of this name.
    pub fn read<T: FromQuery>(&self, name: &str, problems: &mut Problems) -> Option<T> {
        let parameter = self.values.iter().find(|parameter| parameter.name == name);
        let read = match parameter {
            Some(parameter) => T::from_query(&parameter.value, problems.phone_region()),
            None => T::absent(),
        };
        let explain = |mut message: String| {
            if parameter.is_some_and(|parameter| parameter.plus) {
                message.push_str(" (in a query, + is a space; write it as %2B)");
            }
            problems.add(&Path::Root.property(name), message);
        };
        read.map_err(explain).ok()
    }

    fn decode(query: &str, problems: &mut Problems) -> Self {
        let mut values = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let Some(name) = decode(name) else {
                problems.add(&Path::Root.property(name), "is not a valid percent-encoded name");
                continue;
            };
            match decode(value) {
                Some(decoded) => values.push(Parameter { name, value: decoded, plus: value.contains('+') }),
                None => problems.add(&Path::Root.property(&name), "is not valid percent-encoded UTF-8"),
            }
        }
        Self { values }
    }
}

/// Reads a query string; national phone numbers are those of the region.
///
/// # Errors
/// `invalid_request` with every problem: unknown, repeated, missing, badly encoded or wrong parameters.
pub fn parse<T: FromParameters>(query: Option<&str>, phone_region: &str) -> Result<T, ApiError> {
    let mut problems = Problems::of_request_in(phone_region);
    let parameters = Parameters::decode(query.unwrap_or_default(), &mut problems);
    let mut seen = vec![false; T::NAMES.len()];
    for Parameter { name, .. } in &parameters.values {
        let at = Path::Root;
        match T::NAMES.iter().position(|known| known == name) {
            None => problems.add(&at.property(name), "is not a known parameter"),
            Some(index) if seen[index] => problems.add(&at.property(name), "is given twice"),
            Some(index) => seen[index] = true,
        }
    }
    let value = T::from_parameters(&parameters, &mut problems);
    problems.finish(value)
}

/// Decodes `%XX` and `+`; `None` when a `%` is not followed by two hexadecimal digits or the bytes are not UTF-8.
fn decode(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                (digit()? * 16 + digit()?) as u8
            }
            _ => byte,
        });
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use actors::domain::{AppointmentStatus, Problem, Refusal, StaffId, Timestamp};
    use chrono::NaiveDate;
    use proptest::prelude::*;

    use super::*;
    use crate::query_object;

    query_object! {
        /// A query with everything in it.
        struct Everything {
            /// A day.
            day: NaiveDate,
            /// An instant.
            from: Option<Timestamp>,
            /// Words.
            status: Option<CommaList<AppointmentStatus, 3>>,
            /// An id.
            staff_id: Option<StaffId>,
            /// Renamed.
            kind as "type": Option<String>,
            /// A flag.
            flag: Option<bool>,
            /// The page.
            limit: Limit<50, 100>,
        }
    }

    fn check(query: &str, expected: &[(&str, &str)]) {
        match parse::<Everything>(Some(query), "US") {
            Err(ApiError::Refused(Refusal::Invalid(problems))) => {
                let expected: Vec<_> =
                    expected.iter().map(|(path, message)| Problem::new(*path, *message)).collect();
                assert_eq!(problems, expected, "{query}");
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_parameter_is_read() {
        let query = "day=2026-03-02&from=2026-03-02T10%3A00:00%2B01:00&status=pending,confirmed&type=a+%c3%A9%2b\
                     &flag=true&limit=100&&staff_id=0190b6a4-3c8e-7d3a-9f00-1234567890ab";
        let read: Everything = parse(Some(query), "US").unwrap();
        assert_eq!(read.day.to_string(), "2026-03-02");
        assert_eq!(read.from.unwrap().to_string(), "2026-03-02T09:00:00.000Z");
        let statuses = [AppointmentStatus::Pending, AppointmentStatus::Confirmed];
        assert_eq!(read.status.unwrap().into_vec(), statuses);
        assert_eq!((read.kind.as_deref(), read.flag, read.limit.get()), (Some("a é+"), Some(true), 100));
        assert!(read.staff_id.is_some());
        let read: Everything = parse(Some("day=2026-03-02"), "US").unwrap();
        assert_eq!((read.limit.get(), read.kind, read.status), (50, None, None));
    }

    #[test]
    fn every_problem_is_listed_with_its_parameter() {
        check(
            "day=x&x=1&flag=1&flag=2&limit=0&%zz=1&status=pending,&type=%00&staff_id=%ff&from=%4",
            &[
                ("%zz", "is not a valid percent-encoded name"),
                ("staff_id", "is not valid percent-encoded UTF-8"),
                ("from", "is not valid percent-encoded UTF-8"),
                ("x", "is not a known parameter"),
                ("flag", "is given twice"),
                ("day", "must be a date as YYYY-MM-DD"),
                ("status", "must be one of pending, confirmed, declined, cancelled"),
                ("type", "must not contain the NUL character"),
                ("flag", "must be true or false"),
                ("limit", "must be a whole number from 1 to 100"),
            ],
        );
        check("", &[("day", "is required")]);
    }

    #[test]
    fn lists_and_limits_end_at_their_bounds() {
        assert!(parse::<Everything>(Some("day=2026-03-02&status=pending,pending,pending"), "US").is_ok());
        check(
            "day=2026-03-02&limit=101&status=pending,pending,pending,pending",
            &[("status", "must list at most 3 values"), ("limit", "must be a whole number from 1 to 100")],
        );
    }

    #[test]
    fn an_unescaped_plus_is_explained() {
        let message = "must be an RFC 3339 date-time with an offset or Z, such as 2026-03-02T09:00:00Z \
                       (in a query, + is a space; write it as %2B)";
        check("day=2026-03-02&from=2026-03-02T10:00:00+01:00", &[("from", message)]);
    }

    proptest! {
        #[test]
        fn no_query_makes_the_parser_panic(query in "[%&=+a-f0-9dayéz]{0,60}") {
            let _ = parse::<Everything>(Some(&query), "US");
        }
    }
}
