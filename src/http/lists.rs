//! Lists within bounds: arrays in bodies, values with commas between them in queries.

use std::collections::HashSet;
use std::hash::Hash;

use serde_json::{Value, json};

use super::describe::Describe;
use super::json::Json;
use super::problems::{Path, Problems};
use super::query::FromQuery;
use super::read::{FromJson, FromText, items};
use super::schemas::Schemas;

/// An array of `MIN` to `MAX` items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List<T, const MIN: usize, const MAX: usize>(Vec<T>);

impl<T, const MIN: usize, const MAX: usize> List<T, MIN, MAX> {
    /// The items.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T: FromJson, const MIN: usize, const MAX: usize> FromJson for List<T, MIN, MAX> {
    fn from_json(json: &Json, at: &Path<'_>, problems: &mut Problems) -> Option<Self> {
        items(json, (MIN, MAX), at, problems).map(Self)
    }
}

impl<T: Describe, const MIN: usize, const MAX: usize> Describe for List<T, MIN, MAX> {
    fn describe(schemas: &mut Schemas) -> Value {
        json!({"type": "array", "items": T::describe(schemas), "minItems": MIN, "maxItems": MAX})
    }
}

/// An array of `MIN` to `MAX` items, none of them twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistinctList<T, const MIN: usize, const MAX: usize>(Vec<T>);

impl<T, const MIN: usize, const MAX: usize> DistinctList<T, MIN, MAX> {
    /// The items.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T: FromJson + Eq + Hash, const MIN: usize, const MAX: usize> FromJson for DistinctList<T, MIN, MAX> {
    fn from_json(json: &Json, at: &Path<'_>, problems: &mut Problems) -> Option<Self> {
        let items: Vec<T> = items(json, (MIN, MAX), at, problems)?;
        let mut seen = HashSet::new();
        for (index, item) in items.iter().enumerate() {
            if !seen.insert(item) {
                problems.add(&at.item(index), "is listed twice");
            }
        }
        (seen.len() == items.len()).then_some(Self(items))
    }
}

impl<T: Describe, const MIN: usize, const MAX: usize> Describe for DistinctList<T, MIN, MAX> {
    fn describe(schemas: &mut Schemas) -> Value {
        let mut list = List::<T, MIN, MAX>::describe(schemas);
        list["uniqueItems"] = json!(true);
        list
    }
}

/// Some of a few values, with commas between them: a set, so in order and none of them twice. Absent it is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommaList<T, const MAX: usize>(Vec<T>);

impl<T, const MAX: usize> CommaList<T, MAX> {
    /// The values, at most as many as were given.
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    /// The values, at most as many as were given.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T: FromText + Ord, const MAX: usize> FromQuery for CommaList<T, MAX> {
    fn from_query(text: &str, phone_region: &str) -> Result<Self, String> {
        if text.split(',').count() > MAX {
            return Err(format!("must list at most {MAX} values"));
        }
        let values = text.split(',').map(|item| T::from_query(item, phone_region));
        let mut values = values.collect::<Result<Vec<_>, _>>()?;
        values.sort();
        values.dedup();
        Ok(Self(values))
    }

    fn absent() -> Result<Self, String> {
        Ok(Self(Vec::new()))
    }
}

impl<T: Describe, const MAX: usize> Describe for CommaList<T, MAX> {
    const REQUIRED: bool = false;

    fn describe(schemas: &mut Schemas) -> Value {
        json!({"type": "array", "items": T::describe(schemas), "minItems": 1, "maxItems": MAX})
    }
}
