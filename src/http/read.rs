//! Reads typed values from JSON and reports every problem.
//!
//! Invariants:
//! - A reader returns a value, or adds a problem.
//! - A request with any problem, for example an unknown property, is refused.
//!
//! The crate `deserr` also reports every problem, but it accepts duplicate properties, passes no context
//! such as the phone region, and makes no schema.

use domain::{Problem, ProblemCode, TextError};
use schemars::JsonSchema;

use super::json::Json;
use super::problems::{FieldPath, Problems};
use super::reading::Reading;

pub trait FromJson: JsonSchema + Sized {
    const REQUIRED: bool = true;
    /// Whether an absent property keeps its value.
    const PATCH: bool = false;

    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self>;

    fn absent(at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        problems.add(at, ProblemCode::Required);
        None
    }
}

pub fn from_json<T: FromJson>(json: &Json, reading: Reading) -> Result<T, Vec<Problem>> {
    let mut problems = Problems::new(reading);
    let value = T::from_json(json, &FieldPath::Root, &mut problems);
    problems.finish(value)
}

#[cfg(test)]
pub(crate) fn parse_object<T: FromJson>(body: &[u8]) -> Result<T, Vec<Problem>> {
    let json = Json::parse(body).map_err(|problem| vec![problem])?;
    from_json(&json, Reading::PLAIN)
}

pub trait FromText: JsonSchema + Sized {
    /// Parses the text, which contains no NUL. The error is the reason for a refusal, for example "must be a UUID".
    fn from_text(text: &str) -> Result<Self, ProblemCode>;
}

impl<T: FromText> FromJson for T {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        let read = match json {
            Json::String(text) if text.contains('\0') => Err(TextError::Nul.into()),
            Json::String(text) => T::from_text(text),
            _ => Err(ProblemCode::NotAString),
        };
        read.map_err(|code| problems.add(at, code)).ok()
    }
}

impl FromText for String {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        Ok(text.to_owned())
    }
}

impl FromJson for bool {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        match json {
            Json::Bool(value) => Some(*value),
            _ => {
                problems.add(at, ProblemCode::NotABoolean);
                None
            }
        }
    }
}

/// The value of a property that can only be null.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(inline, with = "()")]
pub struct Null;

impl FromJson for Null {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        if *json == Json::Null {
            return Some(Self);
        }
        problems.add(at, ProblemCode::NotNull);
        None
    }
}

/// Both an absent property and `null` give `None`.
impl<T: FromJson> FromJson for Option<T> {
    const REQUIRED: bool = false;

    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        match json {
            Json::Null => Some(None),
            _ => T::from_json(json, at, problems).map(Some),
        }
    }

    fn absent(_: &FieldPath<'_>, _: &mut Problems) -> Option<Self> {
        Some(None)
    }
}

/// Reads every item, even after an invalid item.
pub(crate) fn items<T>(
    json: &Json,
    (min, max): (usize, usize),
    at: &FieldPath<'_>,
    problems: &mut Problems,
    read: impl Fn(&Json, &FieldPath<'_>, &mut Problems) -> Option<T>,
) -> Option<Vec<T>> {
    let Json::Array(items) = json else {
        problems.add(at, ProblemCode::NotAnArray);
        return None;
    };
    // The length is checked first, so that the items of an array that is too long are not read.
    if !(min..=max).contains(&items.len()) {
        problems.add(at, ProblemCode::Items { min, max });
        return None;
    }
    let read: Vec<Option<T>> =
        items.iter().enumerate().map(|(index, item)| read(item, &at.item(index), problems)).collect();
    read.into_iter().collect()
}

/// The values of the declared properties of an object.
pub struct Properties<'a> {
    names: &'static [&'static str],
    values: Vec<Option<&'a Json>>,
}

impl<'a> Properties<'a> {
    /// Finds the value of each declared property. Unknown and duplicate properties become problems.
    pub fn sort(
        json: &'a Json,
        names: &'static [&'static str],
        at: &FieldPath<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let Json::Object(properties) = json else {
            let is_body = matches!(at, FieldPath::Root);
            problems.add(at, if is_body { ProblemCode::BodyNotAnObject } else { ProblemCode::NotAnObject });
            return None;
        };
        let mut values = vec![None; names.len()];
        for (name, value) in properties {
            match names.iter().position(|known| known == name) {
                None => problems.add(&at.property(name), ProblemCode::UnknownProperty),
                Some(index) if values[index].is_some() => {
                    problems.add(&at.property(name), ProblemCode::GivenTwice);
                }
                Some(index) => values[index] = Some(value),
            }
        }
        Some(Self { names, values })
    }

    /// Checks that a PATCH body contains a property.
    pub(crate) fn not_empty(&self, at: &FieldPath<'_>, problems: &mut Problems) {
        if self.values.iter().all(Option::is_none) {
            problems.add(at, ProblemCode::OneRequired(self.names));
        }
    }

    pub fn has(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| !matches!(value, Json::Null))
    }

    fn value(&self, name: &str) -> Option<&'a Json> {
        self.names.iter().position(|known| *known == name).and_then(|index| self.values[index])
    }

    pub fn read<T: FromJson>(&self, name: &str, at: &FieldPath<'_>, problems: &mut Problems) -> Option<T> {
        match self.value(name) {
            Some(value) => T::from_json(value, &at.property(name), problems),
            None => T::absent(&at.property(name), problems),
        }
    }
}
