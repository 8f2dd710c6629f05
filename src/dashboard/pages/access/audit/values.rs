//! Formats the JSON values of the audit log.

use chrono_tz::Tz;
use domain::Timestamp;
use serde_json::Value;

use crate::dashboard::pages::prelude::*;

const CHARS_MAX: usize = 300;

pub(super) fn value(view: &View, json: &str, zone: Tz) -> String {
    let text = match serde_json::from_str(json) {
        Ok(value) => told(view, &value, zone),
        Err(_) => json.to_owned(),
    };
    plain(&text, CHARS_MAX)
}

fn told(view: &View, value: &Value, zone: Tz) -> String {
    match value {
        Value::Null => view.t("nothing-there"),
        Value::Bool(true) => view.t("yes"),
        Value::Bool(false) => view.t("no"),
        Value::String(text) if text.is_empty() => view.t("nothing-there"),
        Value::String(text) => match Timestamp::parse(text) {
            Ok(at) => view.words.short_moment(at, zone),
            Err(_) => text.clone(),
        },
        Value::Array(items) if items.is_empty() => view.t("nothing-there"),
        Value::Array(items) if items.iter().all(|item| !item.is_object() && !item.is_array()) => {
            items.iter().map(|item| told(view, item, zone)).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}
