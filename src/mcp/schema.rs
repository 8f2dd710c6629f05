//! The input and output schemas of tools, generated from the types.
//!
//! Invariant: a schema has no references and no alternatives, and uses only the keywords of [`KEPT`],
//! which every client can read.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::http::schemas::paragraph;

const KEPT: [&str; 7] =
    ["type", "description", "properties", "required", "items", "enum", "additionalProperties"];

/// An object with these properties and no others.
pub(super) fn input<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = object_of::<T>();
    close(&mut schema);
    schema.remove("description");
    schema
}

/// An object without descriptions, since the names explain it.
pub(super) fn output<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = Value::Object(object_of::<T>());
    without_words(&mut schema);
    match schema {
        Value::Object(schema) => schema,
        _ => unreachable!("it was an object"),
    }
}

fn object_of<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = T::json_schema(&mut SchemaGenerator::new(settings)).to_value();
    plain(&mut schema);
    match schema {
        Value::Object(schema) if schema.get("type") == Some(&json!("object")) => {
            let mut schema = schema;
            // Some clients require `properties`, even if it is empty.
            schema.entry("properties").or_insert_with(|| json!({}));
            schema
        }
        other => panic!("what a tool takes or gives is an object: {other}"),
    }
}

/// Reduces a schema and its subschemas to the kept keywords.
fn plain(schema: &mut Value) {
    let Some(map) = schema.as_object_mut() else { return };
    for chosen in ["anyOf", "oneOf"] {
        if let Some(Value::Array(choices)) = map.remove(chosen) {
            settle(map, choices);
        }
    }
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|name| name != "null");
        assert_eq!(types.len(), 1, "a value is of one type: {types:?}");
        let one = types.remove(0);
        map.insert("type".into(), one);
    }
    if let Some(Value::Array(words)) = map.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    map.retain(|keyword, _| KEPT.contains(&keyword.as_str()));
    if let Some(Value::String(text)) = map.get_mut("description") {
        *text = paragraph(&[text]);
    }
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.values_mut().for_each(plain);
    }
    if let Some(items) = map.get_mut("items") {
        plain(items);
    }
}

/// Replaces alternatives with one schema: the one besides null, or an enum of their constants.
fn settle(map: &mut Map<String, Value>, mut choices: Vec<Value>) {
    choices.retain(|choice| choice.get("type") != Some(&json!("null")));
    let words: Option<Vec<Value>> = choices
        .iter()
        .map(|choice| match (choice.get("const"), choice.get("enum")) {
            (Some(word), _) => Some(vec![word.clone()]),
            (None, Some(Value::Array(words))) => Some(words.clone()),
            _ => None,
        })
        .collect::<Option<Vec<_>>>()
        .map(|words| words.concat());
    match (words, choices.pop()) {
        (Some(words), Some(_)) => {
            map.insert("type".into(), json!("string"));
            map.insert("enum".into(), json!(words));
        }
        (None, Some(Value::Object(only))) if choices.is_empty() => {
            for (keyword, value) in only {
                map.entry(keyword).or_insert(value);
            }
            // The replacement may contain alternatives itself.
            let mut inner = Value::Object(std::mem::take(map));
            plain(&mut inner);
            if let Value::Object(inner) = inner {
                *map = inner;
            }
        }
        _ => panic!("a tool takes or gives what is one of several kinds"),
    }
}

/// Forbids other properties in an object and its subobjects.
fn close(map: &mut Map<String, Value>) {
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.values_mut().filter_map(Value::as_object_mut).for_each(close);
        map.insert("additionalProperties".into(), json!(false));
    }
    if let Some(Value::Object(items)) = map.get_mut("items") {
        close(items);
    }
}

fn without_words(schema: &mut Value) {
    let Some(map) = schema.as_object_mut() else { return };
    map.remove("description");
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.values_mut().for_each(without_words);
    }
    if let Some(items) = map.get_mut("items") {
        without_words(items);
    }
}
