//! The three states of a property of a PATCH: left out, null, a value.
//!
//! What always holds: what is left out stays as it is, and a PATCH asks for something.

use serde_json::Value;

use super::describe::Describe;
use super::json::Json;
use super::problems::{Path, Problems};
use super::read::{FromJson, Properties};
use super::schemas::Schemas;

/// A property of a PATCH: absent keeps what is there. `Patch<Option<T>>` can be cleared with `null`, `Patch<T>` not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The property is absent.
    #[default]
    Keep,
    /// The property has this value.
    Set(T),
}

impl<T> Patch<T> {
    /// The new value, if there is one.
    pub fn set(self) -> Option<T> {
        match self {
            Self::Keep => None,
            Self::Set(value) => Some(value),
        }
    }
}

impl<T: FromJson> FromJson for Patch<T> {
    fn from_json(json: &Json, at: &Path<'_>, problems: &mut Problems) -> Option<Self> {
        T::from_json(json, at, problems).map(Self::Set)
    }

    fn absent(_: &Path<'_>, _: &mut Problems) -> Option<Self> {
        Some(Self::Keep)
    }
}

impl<T: Describe> Describe for Patch<T> {
    const REQUIRED: bool = false;
    const PATCH: bool = true;

    fn describe(schemas: &mut Schemas) -> Value {
        T::describe(schemas)
    }
}

/// A check for the body of a PATCH: something must be asked for.
pub(crate) fn not_empty(properties: &Properties<'_>, at: &Path<'_>, problems: &mut Problems) {
    if properties.is_empty() {
        problems.add(at, format!("must have at least one of {}", properties.names().join(", ")));
    }
}
