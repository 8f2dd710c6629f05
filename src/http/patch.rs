//! The three states of a PATCH property: absent, null, or a value.
//!
//! Invariants:
//! - An absent property keeps its value.
//! - A PATCH contains at least one property.

use domain::ProblemCode;
use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::json::Json;
use super::problems::{FieldPath, Problems};
use super::read::{FromJson, Properties};

/// A PATCH property. `null` clears a `Patch<Option<T>>`. A `Patch<T>` refuses it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    #[default]
    Keep,
    Set(T),
}

impl<T> Patch<T> {
    pub fn set(self) -> Option<T> {
        match self {
            Self::Keep => None,
            Self::Set(value) => Some(value),
        }
    }
}

impl<T: FromJson> FromJson for Patch<T> {
    const REQUIRED: bool = false;
    const PATCH: bool = true;

    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        T::from_json(json, at, problems).map(Self::Set)
    }

    fn absent(_: &FieldPath<'_>, _: &mut Problems) -> Option<Self> {
        Some(Self::Keep)
    }
}

/// That of the value.
impl<T: JsonSchema> JsonSchema for Patch<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// The check of a PATCH body: it must contain a property.
pub(crate) fn not_empty(properties: &Properties<'_>, at: &FieldPath<'_>, problems: &mut Problems) {
    if properties.is_empty() {
        problems.add(at, ProblemCode::OneRequired(properties.names()));
    }
}
