//! Bounded lists: arrays in bodies, comma-separated values in queries.

use domain::ProblemCode;
use std::collections::HashSet;
use std::hash::Hash;

use schemars::JsonSchema;

use super::json::Json;
use super::problems::{FieldPath, Problems};
use super::query::FromQuery;
use super::read::{FromJson, FromText, items};
use super::reading::Reading;

/// An array of `MIN` to `MAX` distinct items.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(inline)]
pub struct DistinctList<T, const MIN: usize, const MAX: usize>(
    #[schemars(length(min = MIN, max = MAX), extend("uniqueItems" = true))] Vec<T>,
);

impl<T, const MIN: usize, const MAX: usize> DistinctList<T, MIN, MAX> {
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T: FromJson + Eq + Hash, const MIN: usize, const MAX: usize> FromJson for DistinctList<T, MIN, MAX> {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        let items: Vec<T> = items(json, (MIN, MAX), at, problems, T::from_json)?;
        let mut seen = HashSet::new();
        for (index, item) in items.iter().enumerate() {
            if !seen.insert(item) {
                problems.add(&at.item(index), ProblemCode::ListedTwice);
            }
        }
        (seen.len() == items.len()).then_some(Self(items))
    }
}

/// A set of values, separated by commas, as a sorted list. It is empty if the parameter is absent.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(inline)]
pub struct CommaList<T, const MAX: usize>(#[schemars(length(min = 1, max = MAX))] Vec<T>);

impl<T, const MAX: usize> CommaList<T, MAX> {
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T: FromText + Ord, const MAX: usize> FromQuery for CommaList<T, MAX> {
    const REQUIRED: bool = false;
    type Given = Self;

    fn from_query(text: &str, reading: &Reading) -> Result<Self, ProblemCode> {
        if text.split(',').count() > MAX {
            return Err(ProblemCode::ValuesMax(MAX));
        }
        let values = text.split(',').map(|item| T::from_query(item, reading));
        let mut values = values.collect::<Result<Vec<_>, _>>()?;
        values.sort();
        values.dedup();
        Ok(Self(values))
    }

    fn absent() -> Result<Self, ProblemCode> {
        Ok(Self(Vec::new()))
    }
}
