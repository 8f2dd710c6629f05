//! The states of a PATCH property. An absent property keeps its value.

use schemars::JsonSchema;

use super::json::Json;
use super::problems::{FieldPath, Problems};
use super::read::FromJson;

// A PATCH property. `null` clears a `Patch<Option<T>>`, and a `Patch<T>` refuses `null`. A doc comment here
// would replace the description of the value in the schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(with = "T")]
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
