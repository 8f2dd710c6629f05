//! The schemas of the published document that have a name, and those of what is shown.
//!
//! What always holds: two types never share a name in the document unless they are described alike.
//!
//! What is read is described where it is declared ([`Describe`](super::describe::Describe)), since its readers know more
//! than its Rust type says; what is shown is described by utoipa's derive, which goes by the attributes of serde that it
//! is serialised by. Both end here, and what is read as well as shown (ids, words, instants) is described once, by its
//! view.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, schema::Schema};

/// Where the document keeps the schemas that have a name.
const COMPONENTS: &str = "#/components/schemas/";

/// The schemas that have a name.
#[derive(Debug, Default)]
pub struct Schemas(BTreeMap<String, Value>);

impl Schemas {
    /// A reference to the schema under this name.
    ///
    /// # Panics
    /// When another schema has the name already.
    pub fn named(&mut self, name: &str, schema: Value) -> Value {
        match self.0.get(name) {
            Some(known) => assert_eq!(*known, schema, "two schemas are called {name}"),
            None => _ = self.0.insert(name.to_owned(), schema),
        }
        json!({"$ref": format!("{COMPONENTS}{name}")})
    }

    /// A type that answers show, with every type in it. An answer shows every property and no others.
    pub fn view<V: ToSchema>(&mut self) -> Value {
        let mut parts = vec![(V::name().into_owned(), V::schema())];
        V::schemas(&mut parts);
        let parts: BTreeMap<String, Value> =
            parts.into_iter().map(|(name, schema)| (name, to_json(&schema))).collect();
        let view = tidy(json!({"$ref": format!("{COMPONENTS}{}", V::name())}), &parts);
        let mut tidied: BTreeMap<&str, Value> = BTreeMap::new();
        tidied.extend(parts.iter().map(|(name, schema)| (shown(name), tidy(schema.clone(), &parts))));
        self.refer(&view, &tidied);
        view
    }

    /// Names what a schema refers to. What it only has flat in itself needs no name.
    fn refer(&mut self, schema: &Value, tidied: &BTreeMap<&str, Value>) {
        match schema {
            Value::Object(object) => {
                let to =
                    object.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix(COMPONENTS));
                if let Some((name, schema)) = to.and_then(|to| tidied.get_key_value(to)) {
                    let known = self.0.contains_key(*name);
                    self.named(name, schema.clone());
                    if !known {
                        self.refer(schema, tidied);
                    }
                }
                object.values().for_each(|value| self.refer(value, tidied));
            }
            Value::Array(items) => items.iter().for_each(|item| self.refer(item, tidied)),
            _ => {}
        }
    }

    /// All of them, as the document has them.
    pub fn into_json(self) -> Value {
        Value::Object(self.0.into_iter().collect())
    }
}

fn to_json(schema: &RefOr<Schema>) -> Value {
    serde_json::to_value(schema).expect("a schema has string keys and no failing field")
}

/// The name of a view in the document: a `BusinessView` shows a `Business`.
fn shown(name: &str) -> &str {
    name.strip_suffix("View").unwrap_or(name)
}

/// A text of a kind, such as an id, or anything at all: written out where it is used, since a name of its own would say
/// no more.
fn is_scalar(schema: &Value) -> bool {
    let anything = schema.as_object().is_some_and(Map::is_empty);
    anything || schema["type"] == "string" && schema.get("enum").is_none()
}

/// The derived schema of a view in the form of this document.
fn tidy(schema: Value, parts: &BTreeMap<String, Value>) -> Value {
    let Value::Object(object) = schema else { return schema };
    let mut object = flat(object, parts);
    let description = object.remove("description");
    let described = |schema| match &description {
        Some(Value::String(text)) => about(schema, &paragraph(&[text])),
        _ => schema,
    };
    if let Some(Value::String(to)) = object.get("$ref") {
        let name = to.strip_prefix(COMPONENTS).unwrap_or(to);
        return described(match parts.get(name) {
            Some(scalar) if is_scalar(scalar) => scalar.clone(),
            _ => json!({"$ref": format!("{COMPONENTS}{}", shown(name))}),
        });
    }
    if let Some(Value::Array(choices)) = object.get("oneOf")
        && let [null, other] = &choices[..]
        && *null == json!({"type": "null"})
    {
        return described(nullable(tidy(other.clone(), parts)));
    }
    if let Some(items) = object.remove("items") {
        object.insert("items".into(), tidy(items, parts));
    }
    if let Some(Value::Object(properties)) = object.remove("properties") {
        let properties: Map<String, Value> =
            properties.into_iter().map(|(name, property)| (name, tidy(property, parts))).collect();
        let listed = object.remove("required").unwrap_or_default();
        let is_listed = |name: &str| listed.as_array().is_some_and(|names| names.iter().any(|n| n == name));
        // What may be null is there all the same.
        let required = properties.iter().filter(|(name, schema)| is_listed(name) || may_be_null(schema));
        let required: Vec<&String> = required.map(|(name, _)| name).collect();
        object.insert("required".into(), json!(required));
        object.insert("additionalProperties".into(), json!(false));
        object.insert("properties".into(), Value::Object(properties));
    }
    described(Value::Object(object))
}

/// An object that shows all that others show, and more, as one object.
fn flat(mut object: Map<String, Value>, parts: &BTreeMap<String, Value>) -> Map<String, Value> {
    let Some(Value::Array(all)) = object.remove("allOf") else { return object };
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for part in all {
        let name = part["$ref"].as_str().and_then(|to| to.strip_prefix(COMPONENTS)).unwrap_or_default();
        let part = parts.get(name).cloned().unwrap_or(part);
        properties.extend(part["properties"].as_object().cloned().unwrap_or_default());
        required.extend(part["required"].as_array().cloned().unwrap_or_default());
    }
    object.insert("type".into(), json!("object"));
    object.insert("properties".into(), Value::Object(properties));
    object.insert("required".into(), Value::Array(required));
    object
}

fn may_be_null(schema: &Value) -> bool {
    schema["type"].as_array().is_some_and(|types| types.iter().any(|t| t == "null"))
        || schema["oneOf"].as_array().is_some_and(|choices| choices.iter().any(|c| c["type"] == "null"))
}

/// The schema of a value or null.
pub(super) fn nullable(mut schema: Value) -> Value {
    match schema.get("type").cloned() {
        Some(Value::String(of)) if schema.get("enum").is_none() => {
            schema["type"] = json!([of, "null"]);
            schema
        }
        _ if may_be_null(&schema) => schema,
        _ => {
            let description = schema.as_object_mut().and_then(|object| object.remove("description"));
            let choice = json!({"oneOf": [schema, {"type": "null"}]});
            about(choice, description.as_ref().and_then(Value::as_str).unwrap_or_default())
        }
    }
}

/// The schema with a description, if there is one.
pub(super) fn about(mut schema: Value, description: &str) -> Value {
    if !description.is_empty() {
        schema["description"] = json!(description);
    }
    schema
}

/// The lines of a doc comment as running text.
pub(crate) fn paragraph(doc: &[&str]) -> String {
    let text = doc.iter().flat_map(|lines| lines.lines()).map(str::trim).collect::<Vec<_>>().join("\n");
    text.trim().split("\n\n").map(|part| part.replace('\n', " ")).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "two schemas are called")]
    fn two_schemas_never_share_a_name() {
        let mut schemas = Schemas::default();
        schemas.named("X", json!({}));
        schemas.named("X", json!({"type": "string"}));
    }
}
