//! Reading typed values out of JSON, finding every problem on the way.
//!
//! What always holds: a value is read (`Some`) or a problem was added that says why not. A whole is accepted only
//! when no problem was added at all, so an unknown property beside good ones still refuses the request.
//!
//! `deserr`, which is made for errors like these, was weighed against it. It too finds every problem, each with its
//! place. But of a property that is given twice it takes the last, where here that is refused; nothing can be handed to
//! it on the way down, where here a phone number is read by the region of whoever asks; and it describes nothing, where
//! here one declaration says what is read and what the document tells of it. The tree that keeps duplicates, the
//! canonical form that makes a request the same one again, the three states of a PATCH and the types of values would
//! all stay: it would replace this file and half of `object`, by about as much of its own attributes and of turning its
//! errors into ours.

use domain::{ProblemCode, TextError};
use schemars::JsonSchema;

use super::json::Json;
use super::problems::{FieldPath, Invalid, Problems};
use super::reading::Reading;

/// A type that can be read from JSON.
pub trait FromJson: JsonSchema + Sized {
    /// Whether a property of this type has to be there.
    const REQUIRED: bool = true;
    /// Whether a property of this type may be left out to keep what is there.
    const PATCH: bool = false;

    /// Reads the value, or adds what is wrong with it.
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self>;

    /// What an absent property means.
    fn absent(at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        problems.add(at, ProblemCode::Required);
        None
    }
}

/// Reads a typed value out of JSON.
///
/// # Errors
/// Every problem.
pub fn from_json<T: FromJson>(json: &Json, reading: Reading) -> Result<T, Invalid> {
    let mut problems = Problems::new(reading);
    let value = T::from_json(json, &FieldPath::Root, &mut problems);
    problems.finish(value)
}

/// Reads a typed object out of a body, for tests.
#[cfg(test)]
pub(crate) fn parse_object<T: FromJson>(body: &[u8]) -> Result<T, Invalid> {
    let json = Json::parse(body).map_err(|problem| Invalid(vec![problem]))?;
    from_json(&json, Reading::PLAIN)
}

/// A type written as a string, in a body as in a query. Its parser stands here alone.
pub trait FromText: JsonSchema + Sized {
    /// Reads the text, which holds no NUL.
    ///
    /// # Errors
    /// What is wrong, as a predicate: `must be a UUID`.
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

/// Absent and `null` are both `None`.
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

/// The items of an array, each read even when one before it is wrong.
pub(crate) fn items<T: FromJson>(
    json: &Json,
    (min, max): (usize, usize),
    at: &FieldPath<'_>,
    problems: &mut Problems,
) -> Option<Vec<T>> {
    let Json::Array(items) = json else {
        problems.add(at, ProblemCode::NotAnArray);
        return None;
    };
    // The length is looked at first: it bounds the work that follows.
    if !(min..=max).contains(&items.len()) {
        problems.add(at, ProblemCode::Items { min, max });
        return None;
    }
    let read: Vec<Option<T>> =
        items.iter().enumerate().map(|(index, item)| T::from_json(item, &at.item(index), problems)).collect();
    read.into_iter().collect()
}

/// The properties of an object whose names are known beforehand.
pub struct Properties<'a> {
    names: &'static [&'static str],
    values: Vec<Option<&'a Json>>,
}

impl<'a> Properties<'a> {
    /// Sorts the properties to their names; adds those that are unknown or given twice.
    pub fn sort(
        json: &'a Json,
        names: &'static [&'static str],
        at: &FieldPath<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let Json::Object(properties) = json else {
            problems.add(
                at,
                if matches!(at, FieldPath::Root) {
                    ProblemCode::BodyNotAnObject
                } else {
                    ProblemCode::NotAnObject
                },
            );
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

    /// The names that there are.
    pub(super) fn names(&self) -> &'static [&'static str] {
        self.names
    }

    /// Whether no property is there.
    pub(super) fn is_empty(&self) -> bool {
        self.values.iter().all(Option::is_none)
    }

    /// Whether the property is there and not `null`.
    pub fn has(&self, name: &str) -> bool {
        let index = self.names.iter().position(|known| *known == name);
        index.and_then(|index| self.values[index]).is_some_and(|value| !matches!(value, Json::Null))
    }

    /// Reads the property of this name.
    pub fn read<T: FromJson>(&self, name: &str, at: &FieldPath<'_>, problems: &mut Problems) -> Option<T> {
        let index = self.names.iter().position(|known| *known == name);
        match index.and_then(|index| self.values[index]) {
            Some(value) => T::from_json(value, &at.property(name), problems),
            None => T::absent(&at.property(name), problems),
        }
    }
}
