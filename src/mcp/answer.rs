//! The JSON result of a tool, without null properties and within its bound.

use serde::Serialize;
use serde_json::Value;

use super::bounds::fits;
use super::refused::Refused;
use crate::rest::error::ApiError;

pub(super) fn answer<V: Serialize>(result: &V) -> Result<Value, Refused> {
    let value = shown(result)?;
    // Each tool keeps its result short. A longer one would break the client, so it is an internal error.
    if fits(&value) {
        Ok(value)
    } else {
        Err(Refused::Fault(ApiError::internal("an answer of a tool is longer than its bound")))
    }
}

pub(super) fn is_within_bound<V: Serialize>(result: &V) -> bool {
    answer(result).is_ok()
}

/// The JSON of a result or an item, without null properties.
pub(super) fn shown<V: Serialize>(result: &V) -> Result<Value, Refused> {
    let mut value =
        serde_json::to_value(result).map_err(|error| Refused::Fault(ApiError::internal(error)))?;
    without_nulls(&mut value);
    Ok(value)
}

fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(properties) => {
            properties.retain(|_, value| !value.is_null());
            properties.values_mut().for_each(without_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(without_nulls),
        _ => {}
    }
}
