//! Strict query strings with the same value parsers as bodies.
//!
//! The encoding is that of HTML forms, so `+` is a space. An unescaped offset such as `+01:00` is
//! therefore wrong, and the problem explains the escape.

use domain::{ProblemCode, TextError};
use schemars::JsonSchema;

use super::problems::{FieldPath, Invalid, Problems};
use super::read::FromText;
use super::reading::Reading;

/// A parsed query string. [`query_object!`](crate::query_object) declares such types.
pub trait FromParameters: Sized {
    const NAMES: &'static [&'static str];

    /// Reads every parameter, or adds the problems.
    fn from_parameters(parameters: &Parameters, problems: &mut Problems) -> Option<Self>;
}

pub trait FromQuery: Sized {
    const REQUIRED: bool = true;
    /// The type of a present parameter. A query has no null.
    type Given: JsonSchema;

    fn from_query(text: &str, reading: &Reading) -> Result<Self, ProblemCode>;

    /// The value of an absent parameter.
    fn absent() -> Result<Self, ProblemCode> {
        Err(ProblemCode::Required)
    }
}

impl<T: FromText> FromQuery for T {
    type Given = Self;

    fn from_query(text: &str, _: &Reading) -> Result<Self, ProblemCode> {
        if text.contains('\0') { Err(TextError::Nul.into()) } else { T::from_text(text) }
    }
}

impl FromQuery for bool {
    type Given = Self;

    fn from_query(text: &str, _: &Reading) -> Result<Self, ProblemCode> {
        text.parse().map_err(|_| ProblemCode::NotABoolean)
    }
}

impl<T: FromQuery> FromQuery for Option<T> {
    const REQUIRED: bool = false;
    type Given = T::Given;

    fn from_query(text: &str, reading: &Reading) -> Result<Self, ProblemCode> {
        T::from_query(text, reading).map(Some)
    }

    fn absent() -> Result<Self, ProblemCode> {
        Ok(None)
    }
}

#[derive(Debug)]
pub struct Parameters {
    values: Vec<Parameter>,
}

#[derive(Debug)]
struct Parameter {
    name: String,
    value: String,
    /// Whether the encoded value contained `+` for a space.
    plus: bool,
}

impl Parameters {
    pub fn read<T: FromQuery>(&self, name: &str, problems: &mut Problems) -> Option<T> {
        let parameter = self.values.iter().find(|parameter| parameter.name == name);
        let read = match parameter {
            Some(parameter) => T::from_query(&parameter.value, problems.reading()),
            None => T::absent(),
        };
        let explain = |code: ProblemCode| {
            let plus = parameter.is_some_and(|parameter| parameter.plus);
            let code = if plus { ProblemCode::PlusInQuery(Box::new(code)) } else { code };
            problems.add(&FieldPath::Root.property(name), code);
        };
        read.map_err(explain).ok()
    }

    fn decode(query: &str, problems: &mut Problems) -> Self {
        let mut values = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let Some(name) = decode(name) else {
                problems.add(&FieldPath::Root.property(name), ProblemCode::EncodedName);
                continue;
            };
            match decode(value) {
                Some(decoded) => values.push(Parameter { name, value: decoded, plus: value.contains('+') }),
                None => problems.add(&FieldPath::Root.property(&name), ProblemCode::EncodedValue),
            }
        }
        Self { values }
    }
}

/// Parses a query string. The problems include unknown, repeated, missing and badly encoded parameters.
pub fn parse<T: FromParameters>(query: Option<&str>, reading: Reading) -> Result<T, Invalid> {
    let mut problems = Problems::new(reading);
    let parameters = Parameters::decode(query.unwrap_or_default(), &mut problems);
    let mut seen = vec![false; T::NAMES.len()];
    for Parameter { name, .. } in &parameters.values {
        let at = FieldPath::Root;
        match T::NAMES.iter().position(|known| known == name) {
            None => problems.add(&at.property(name), ProblemCode::UnknownParameter),
            Some(index) if seen[index] => problems.add(&at.property(name), ProblemCode::GivenTwice),
            Some(index) => seen[index] = true,
        }
    }
    let value = T::from_parameters(&parameters, &mut problems);
    problems.finish(value)
}

/// Decodes `%XX` and `+`. `None` if the escape or the UTF-8 is invalid.
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
