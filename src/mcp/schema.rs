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

pub(super) fn input<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = object_of::<T>();
    each(&mut schema, &|schema| {
        if schema.contains_key("properties") {
            schema.insert("additionalProperties".into(), json!(false));
        }
    });
    schema.remove("description");
    schema
}

/// The schema of a result, without descriptions, since the names of the properties explain them.
pub(super) fn output<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = object_of::<T>();
    each(&mut schema, &|schema| {
        schema.remove("description");
    });
    schema
}

fn object_of<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    match T::json_schema(&mut SchemaGenerator::new(settings)).to_value() {
        Value::Object(mut schema) if schema.get("type") == Some(&json!("object")) => {
            each(&mut schema, &plain);
            // Some clients require `properties`, even if it is empty.
            schema.entry("properties").or_insert_with(|| json!({}));
            schema
        }
        other => panic!("arguments and results must be objects: {other}"),
    }
}

fn each(schema: &mut Map<String, Value>, change: &dyn Fn(&mut Map<String, Value>)) {
    change(schema);
    for (keyword, value) in schema {
        let within = match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => properties.values_mut().collect(),
            ("items", items) => vec![items],
            _ => Vec::new(),
        };
        within.into_iter().filter_map(Value::as_object_mut).for_each(|schema| each(schema, change));
    }
}

fn plain(schema: &mut Map<String, Value>) {
    // The schema that replaces the alternatives may contain alternatives too, so the replacement is repeated.
    while let Some(Value::Array(choices)) = schema.remove("anyOf").or_else(|| schema.remove("oneOf")) {
        merge_alternatives(schema, choices);
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        assert_eq!(types.len(), 1, "a property must have one type: {types:?}");
        let one = types.remove(0);
        schema.insert("type".into(), one);
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    schema.retain(|keyword, _| KEPT.contains(&keyword.as_str()));
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = paragraph(&[text]);
    }
}

/// Replaces alternatives with one schema: an enum if all alternatives are constants, or else the only alternative that
/// is not null.
fn merge_alternatives(schema: &mut Map<String, Value>, mut choices: Vec<Value>) {
    choices.retain(|choice| choice.get("type") != Some(&json!("null")));
    let words = choices.iter().map(|choice| match (choice.get("const"), choice.get("enum")) {
        (Some(word), _) => Some(vec![word.clone()]),
        (None, Some(Value::Array(words))) => Some(words.clone()),
        _ => None,
    });
    let words: Option<Vec<_>> = words.collect();
    match (words, choices.pop()) {
        (Some(words), Some(_)) => {
            schema.insert("type".into(), json!("string"));
            schema.insert("enum".into(), json!(words.concat()));
        }
        (None, Some(Value::Object(only))) if choices.is_empty() => {
            for (keyword, value) in only {
                schema.entry(keyword).or_insert(value);
            }
        }
        _ => panic!("alternatives must be constants, or one schema and null"),
    }
}
