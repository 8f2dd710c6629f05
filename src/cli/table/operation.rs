//! The parameters of an operation, read from the document of the operator API.

use hyper::Method;
use serde_json::{Map, Value};

pub(super) struct Operation {
    pub(super) method: Method,
    /// The path below the base path, with parameters in braces.
    pub(super) path: String,
    pub(super) query: Vec<Property>,
    pub(super) body: Option<Body>,
}

#[derive(Default)]
pub(super) struct Body {
    pub(super) properties: Vec<Property>,
    /// The required properties of each form, if the body has several forms (alternatives of its schema).
    pub(super) forms: Vec<Vec<String>>,
}

/// A property of a body, or a parameter of a query.
pub(super) struct Property {
    pub(super) name: String,
    /// The description as a phrase without a full stop.
    pub(super) about: String,
    /// The default value, as the description states it.
    pub(super) default: Option<String>,
    pub(super) required: bool,
    /// Whether null clears the property.
    pub(super) nullable: bool,
    /// The schema without the alternative null.
    pub(super) schema: Value,
    /// For a list, the schema name of its items.
    pub(super) items: String,
    /// The values of an enumeration. For a list, the values of its items.
    pub(super) words: Vec<String>,
    pub(super) properties: Vec<Property>,
}

impl Operation {
    /// Finds an operation by id. Panics if the document does not contain it.
    pub(super) fn find(document: &Value, id: &str) -> Self {
        let mut all = document["paths"].as_object().into_iter().flatten().flat_map(|(path, methods)| {
            let methods = methods.as_object().into_iter().flatten();
            methods.map(move |(method, operation)| (path, method, operation))
        });
        let (path, method, operation) =
            all.find(|(.., operation)| operation["operationId"] == id).expect("the operation exists");
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let query = parameters.filter(|parameter| parameter["in"] == "query").map(|parameter| {
            let mut schema = parameter["schema"].clone();
            schema["description"] = parameter["description"].clone();
            let name = parameter["name"].as_str().unwrap_or_default();
            Property::from_schema(document, name, &schema, parameter["required"] == true)
        });
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        Self {
            method: method.to_uppercase().parse().expect("a method"),
            path: path.clone(),
            query: query.collect(),
            body: (!body.is_null()).then(|| Body::from_schema(document, &resolved(document, body).0)),
        }
    }

    /// Whether the command has the flag `--kind`; see [`Body::is_by_kind`].
    pub(super) fn is_by_kind(&self) -> bool {
        self.body.as_ref().is_some_and(Body::is_by_kind)
    }
}

impl Body {
    fn from_schema(document: &Value, schema: &Value) -> Self {
        let Some(forms) = schema["oneOf"].as_array() else {
            return Self { properties: properties(document, schema), forms: Vec::new() };
        };
        let mut body = Self::default();
        for form in forms {
            let (form, _) = resolved(document, form);
            let mut required = Vec::new();
            for property in properties(document, &form) {
                // If several forms have the property, its description comes from the form that requires it.
                if property.required {
                    required.push(property.name.clone());
                    body.properties.retain(|other| other.name != property.name);
                }
                if body.properties.iter().all(|other| other.name != property.name) {
                    body.properties.push(Property { required: false, ..property });
                }
            }
            body.forms.push(required);
        }
        body
    }

    /// Whether each property of the body is an object with the values for one kind of record or alert.
    pub(super) fn is_by_kind(&self) -> bool {
        !self.properties.is_empty() && self.properties.iter().all(|property| !property.properties.is_empty())
    }
}

impl Property {
    fn from_schema(document: &Value, name: &str, schema: &Value, required: bool) -> Self {
        let (about, default) = phrase_and_default(schema["description"].as_str().unwrap_or_default());
        let (schema, nullable) = resolved(document, schema);
        let (items, _) = resolved(document, &schema["items"]);
        let words = [&schema["enum"], &items["enum"]].into_iter().filter_map(Value::as_array).flatten();
        Self {
            name: name.to_owned(),
            about,
            default,
            required,
            nullable,
            items: last_segment(&schema["items"]["$ref"]).to_owned(),
            words: words.filter_map(Value::as_str).map(str::to_owned).collect(),
            properties: properties(document, &schema),
            schema,
        }
    }

    pub(super) fn is(&self, kind: &str) -> bool {
        match &self.schema["type"] {
            Value::Array(kinds) => kinds.iter().any(|one| one == kind),
            one => one == kind,
        }
    }

    pub(super) fn is_only_null(&self) -> bool {
        self.schema["type"] == "null"
    }
}

/// The properties of an object, required ones first.
fn properties(document: &Value, schema: &Value) -> Vec<Property> {
    let is_required =
        |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
    let all = schema["properties"].as_object().into_iter().flat_map(Map::iter);
    let mut all: Vec<_> =
        all.map(|(name, schema)| Property::from_schema(document, name, schema, is_required(name))).collect();
    all.sort_by_key(|property| !property.required);
    all
}

/// Replaces a reference by its schema. Also returns whether null is an alternative.
fn resolved(document: &Value, schema: &Value) -> (Value, bool) {
    if let Value::String(_) = &schema["$ref"] {
        let named = &document["components"]["schemas"][last_segment(&schema["$ref"])];
        return resolved(document, named);
    }
    let is_null = |schema: &&Value| schema["type"] == "null";
    let nullable = schema["type"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "null"));
    match schema["oneOf"].as_array().map(Vec::as_slice) {
        Some([one, null] | [null, one]) if is_null(&null) => (resolved(document, one).0, true),
        _ => (schema.clone(), nullable),
    }
}

fn last_segment(reference: &Value) -> &str {
    reference.as_str().and_then(|text| text.rsplit('/').next()).unwrap_or_default()
}

/// Splits a description into a phrase and a default. The phrase is the first sentence, and the default is in the
/// second sentence (`The default is ….`).
fn phrase_and_default(description: &str) -> (String, Option<String>) {
    let mut sentences = description.split(". ").map(|sentence| sentence.trim_end_matches('.'));
    let first = sentences.next().unwrap_or_default();
    let kept: Vec<_> = first.split("; ").filter(|clause| !clause.starts_with("null ")).collect();
    let default = sentences.next().and_then(|second| second.strip_prefix("The default is "));
    (kept.join("; "), default.map(|default| default.replace('`', "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_states_the_default_false_if_the_schema_does() {
        fn check(schema: &Value, found: &mut usize) {
            let properties = schema["properties"].as_object().into_iter().flat_map(Map::iter);
            let parameter = schema["schema"].is_object().then_some(schema);
            let named = properties.map(|(_, property)| (property, property));
            for (of, described) in named.chain(parameter.map(|it| (&it["schema"], it))) {
                let about = described["description"].as_str().unwrap_or_default();
                assert_eq!(about.contains("The default is false"), of["default"] == false, "{described}");
                *found += usize::from(of["default"] == false);
            }
            let below: Vec<_> = match schema {
                Value::Object(all) => all.values().collect(),
                Value::Array(all) => all.iter().collect(),
                _ => Vec::new(),
            };
            below.into_iter().for_each(|schema| check(schema, found));
        }
        let mut found = 0;
        check(&crate::openapi::operator_document(), &mut found);
        assert!(found > 10, "{found} flags without a value");
    }

    #[test]
    fn a_description_becomes_a_phrase() {
        let split = |text| {
            let (about, default) = phrase_and_default(text);
            (about, default.unwrap_or_default())
        };
        assert_eq!(split("Its name."), ("Its name".into(), String::new()));
        assert_eq!(split("The language. The default is `en`."), ("The language".into(), "en".into()));
        assert_eq!(split("The recipient; null clears it. More."), ("The recipient".into(), String::new()));
    }
}
