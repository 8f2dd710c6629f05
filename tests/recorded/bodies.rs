//! Generates bodies and values, each of which violates its schema at one position.
//!
//! The input is the schemas of the published documents, so this file needs no change for a new property.

use serde_json::{Value, json};

use crate::scene::UNKNOWN;

/// The maximum depth of the objects that are changed.
const DEPTH_MAX: usize = 3;

/// Lists with more items than this are not generated.
const ITEMS_MAX: u64 = 2_000;

/// The schemas of an API document, or of a list of tools.
pub(crate) struct Schemas(pub(crate) Value);

impl Schemas {
    /// Resolves a reference. For a schema with alternatives, returns the alternative that is not null.
    fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        if let Some(pointer) = schema["$ref"].as_str().and_then(|to| to.strip_prefix('#')) {
            return self.resolved(self.0.pointer(pointer).unwrap());
        }
        let choice =
            schema["oneOf"].as_array().and_then(|choices| choices.iter().find(|one| one["type"] != "null"));
        choice.map_or(schema, |choice| self.resolved(choice))
    }

    /// Returns every invalid variant of a valid body as text.
    pub(crate) fn broken(&self, schema: &Value, good: &Value) -> Vec<String> {
        let mut broken = self.broken_objects(schema, good, 0);
        let text = good.to_string();
        let (name, value) = good.as_object().and_then(|good| good.iter().next()).unwrap();
        let (open, _) = text.split_at(text.len() - 1);
        broken.extend(["{}", "[]", "{", "\"text\"", "null"].map(str::to_owned));
        broken.push(format!(r#"{open},"odd":1}}"#));
        broken.push(format!(r#"{open},"{name}":{value}}}"#));
        broken
    }

    /// The variants of a body in which one property is missing, is null, or has an invalid value.
    fn broken_objects(&self, schema: &Value, good: &Value, depth: usize) -> Vec<String> {
        let schema = self.resolved(schema);
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let mut broken = Vec::new();
        let with = |name: &str, value: Value| {
            let mut body = good.clone();
            body[name] = value;
            body.to_string()
        };
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            if required.iter().any(|one| one == name) {
                let mut body = good.clone();
                body.as_object_mut().unwrap().remove(name);
                broken.push(body.to_string());
            }
            broken.extend(
                self.wrong(property, good.get(name), depth).into_iter().map(|value| with(name, value)),
            );
        }
        broken
    }

    /// Returns values that a schema refuses, and null.
    pub(crate) fn wrong(&self, schema: &Value, good: Option<&Value>, depth: usize) -> Vec<Value> {
        let schema = self.resolved(schema);
        let mut wrong = vec![Value::Null];
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds[0].as_str(),
            kind => kind.as_str(),
        };
        match kind.unwrap_or_default() {
            "string" => wrong.extend(wrong_texts(schema)),
            "integer" | "number" => wrong.extend(wrong_numbers(schema)),
            "boolean" => wrong.push(json!("yes")),
            "array" => wrong.extend(self.wrong_lists(schema, good, depth)),
            "object" if depth < DEPTH_MAX => {
                wrong.extend([json!("text"), json!({}), json!({ "odd": 1 })]);
                if let Some(good) = good.filter(|good| good.is_object()) {
                    let inside = self.broken_objects(schema, good, depth + 1);
                    wrong.extend(inside.iter().map(|text| serde_json::from_str::<Value>(text).unwrap()));
                }
            }
            _ => wrong.push(json!([])),
        }
        wrong
    }

    fn wrong_lists(&self, schema: &Value, good: Option<&Value>, depth: usize) -> Vec<Value> {
        let items = good.and_then(Value::as_array).filter(|items| !items.is_empty());
        let mut wrong = vec![json!("text"), json!([]), json!([null])];
        let Some(items) = items else { return wrong };
        wrong.push(items.iter().chain(items).cloned().collect());
        if let Some(most) = schema["maxItems"].as_u64().filter(|most| *most <= ITEMS_MAX) {
            wrong.push(items.iter().cycle().take(most as usize + 1).cloned().collect());
        }
        if depth < DEPTH_MAX {
            let first = self.wrong(&schema["items"], items.first(), depth + 1);
            wrong.extend(first.into_iter().map(|first| {
                let mut items = items.clone();
                items[0] = first;
                Value::Array(items)
            }));
        }
        wrong
    }
}

fn wrong_texts(schema: &Value) -> Vec<Value> {
    let mut wrong = vec![json!(7), json!(""), json!("  "), json!("a\0b")];
    if let Some(most) = schema["maxLength"].as_u64() {
        wrong.push(json!("x".repeat(most as usize + 1)));
    }
    if schema["enum"].is_array() {
        wrong.push(json!("other"));
    }
    if schema["pattern"].is_string() {
        wrong.extend([json!("??"), json!("25:61")]);
    }
    let formats = match schema["format"].as_str().unwrap_or_default() {
        "uuid" => &["none", UNKNOWN][..],
        "uri" => &["no address", "ftp://a.example.com/", "https://"],
        "date-time" => &["tomorrow", "2026-03-02T09:00:00", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z"],
        "date" => &["tomorrow", "2026-02-30", "20260302"],
        "email" => &["nobody", "a@", "a b@example.com"],
        _ => &["\u{202e}other"],
    };
    wrong.extend(formats.iter().map(|text| json!(text)));
    wrong
}

fn wrong_numbers(schema: &Value) -> Vec<Value> {
    let mut wrong = vec![json!("7"), json!(1.5), json!(true), json!(-1)];
    wrong.extend(schema["minimum"].as_i64().map(|least| json!(least - 1)));
    wrong.extend(schema["maximum"].as_i64().map(|most| json!(most + 1)));
    wrong
}
