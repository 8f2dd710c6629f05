//! Strict query strings with the same value parsers as bodies.
//!
//! The encoding is that of HTML forms, so `+` is a space. An unescaped offset such as `+01:00` is therefore
//! invalid, and the reported problem says how to escape it.

use domain::{Problem, ProblemCode, TextError};
use percent_encoding::percent_decode_str;
use schemars::JsonSchema;
use url::form_urlencoded;

use super::problems::{FieldPath, Problems};
use super::read::FromText;
use super::reading::Reading;

/// A type that is parsed from a query string. [`query_object!`](crate::query_object) declares such types.
pub trait FromParameters: Sized {
    const NAMES: &'static [&'static str];

    fn from_parameters(parameters: &Parameters, problems: &mut Problems) -> Option<Self>;
}

pub trait FromQuery: Sized {
    const REQUIRED: bool = true;
    /// The type of the parameter if it is present. A query cannot contain null.
    type Given: JsonSchema;

    fn from_query(text: &str, reading: &Reading) -> Result<Self, ProblemCode>;

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
pub struct Parameters(Vec<Parameter>);

#[derive(Debug)]
struct Parameter {
    name: String,
    value: String,
    /// Whether the encoded value contained `+` for a space.
    plus: bool,
}

impl Parameters {
    pub fn read<T: FromQuery>(&self, name: &str, problems: &mut Problems) -> Option<T> {
        let parameter = self.0.iter().find(|parameter| parameter.name == name);
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
        for pair in query.split('&') {
            let Some((name, value)) = pairs(pair.as_bytes()).next() else { continue };
            let (written_name, written) = pair.split_once('=').unwrap_or((pair, ""));
            if !is_encoded(written_name) {
                problems.add(&FieldPath::Root.property(written_name), ProblemCode::EncodedName);
            } else if !is_encoded(written) {
                problems.add(&FieldPath::Root.property(&name), ProblemCode::EncodedValue);
            } else {
                values.push(Parameter { name, value, plus: written.contains('+') });
            }
        }
        Self(values)
    }
}

/// Parses a query string. The problems include unknown, repeated, missing and badly encoded parameters.
pub fn parse<T: FromParameters>(query: Option<&str>, reading: Reading) -> Result<T, Vec<Problem>> {
    let mut problems = Problems::new(reading);
    let parameters = Parameters::decode(query.unwrap_or_default(), &mut problems);
    let mut seen = vec![false; T::NAMES.len()];
    for Parameter { name, .. } in &parameters.0 {
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

/// The decoded names and values of a query string or a form. Invalid escapes stay as they are written.
pub(crate) fn pairs(encoded: &[u8]) -> impl Iterator<Item = (String, String)> {
    form_urlencoded::parse(encoded).into_owned()
}

/// Whether every escape is `%XX` and the decoded text is UTF-8.
fn is_encoded(text: &str) -> bool {
    let is_escape =
        |rest: &str| rest.as_bytes().get(..2).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit));
    !text.contains('%')
        || text.split('%').skip(1).all(is_escape) && percent_decode_str(text).decode_utf8().is_ok()
}
