//! What a tool gives, as it is sent: no empty fields, and within its bound.

use serde::Serialize;
use serde_json::Value;

use super::bounds::fits;
use super::refused::Refused;
use crate::rest::error::ApiError;

/// What is shown, as JSON.
pub(super) fn answer<V: Serialize>(shown: &V) -> Result<Value, Refused> {
    let mut value = serde_json::to_value(shown).map_err(|error| Refused::Fault(ApiError::internal(error)))?;
    without_nulls(&mut value);
    // Whoever makes an answer keeps it short; one that is not would break its reader, so it is a fault of ours.
    if fits(&value) {
        Ok(value)
    } else {
        Err(Refused::Fault(ApiError::internal("an answer of a tool is longer than its bound")))
    }
}

/// Whether what is shown makes an answer within its bound.
pub(super) fn is_within_bound<V: Serialize>(shown: &V) -> bool {
    answer(shown).is_ok()
}

/// Leaves out what is not there.
pub(super) fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(properties) => {
            properties.retain(|_, value| !value.is_null());
            properties.values_mut().for_each(without_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(without_nulls),
        _ => {}
    }
}
