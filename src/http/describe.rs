//! What the published document says of the types that are read and shown.
//!
//! What always holds: a type that can be read from a request can be described ([`Describe`] is above the traits that
//! read), and two types never share a name in the document unless they are described alike.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, schema::Schema};

use super::read::Patch;

/// Where the document keeps the schemas that have a name.
const COMPONENTS: &str = "#/components/schemas/";

/// A type whose values the document can describe.
pub trait Describe {
    /// Whether a property of this type has to be there.
    const REQUIRED: bool = true;
    /// Whether a property of this type may be left out to keep what is there.
    const PATCH: bool = false;

    /// Its JSON schema, or a reference to the one that it put among `schemas`.
    fn describe(schemas: &mut Schemas) -> Value;

    /// The schema of a value that is there, for a query, where nothing can be null.
    fn describe_present(schemas: &mut Schemas) -> Value {
        Self::describe(schemas)
    }
}

impl<T: Describe> Describe for Option<T> {
    const REQUIRED: bool = false;

    fn describe(schemas: &mut Schemas) -> Value {
        nullable(T::describe(schemas))
    }

    fn describe_present(schemas: &mut Schemas) -> Value {
        T::describe(schemas)
    }
}

impl<T: Describe> Describe for Patch<T> {
    const REQUIRED: bool = false;
    const PATCH: bool = true;

    fn describe(schemas: &mut Schemas) -> Value {
        T::describe(schemas)
    }
}

impl Describe for bool {
    fn describe(_: &mut Schemas) -> Value {
        json!({"type": "boolean"})
    }
}

/// A declared property of a body or parameter of a query.
pub struct Declared {
    name: &'static str,
    about: String,
    schema: Value,
    required: bool,
    patch: bool,
}

impl Declared {
    /// The property of a body.
    pub fn property<T: Describe>(name: &'static str, doc: &[&str], schemas: &mut Schemas) -> Self {
        Self {
            name,
            about: paragraph(doc),
            schema: T::describe(schemas),
            required: T::REQUIRED,
            patch: T::PATCH,
        }
    }

    /// The parameter of a query.
    pub fn parameter<T: Describe>(name: &'static str, doc: &[&str], schemas: &mut Schemas) -> Self {
        Self { schema: T::describe_present(schemas), ..Self::property::<T>(name, doc, schemas) }
    }

    /// As the document lists the parameters of an operation. A list of values has commas between them.
    pub fn into_parameter(self) -> Value {
        let array = self.schema["type"] == "array";
        let mut parameter = json!({"name": self.name, "in": "query", "description": self.about,
            "required": self.required, "schema": self.schema});
        if array {
            parameter["style"] = json!("form");
            parameter["explode"] = json!(false);
        }
        parameter
    }
}

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

    /// The object of a body. One in which everything may be left out must still ask for something.
    pub fn object(&mut self, name: &str, doc: &[&str], properties: Vec<Declared>) -> Value {
        let mut object =
            json!({"type": "object", "description": paragraph(doc), "additionalProperties": false});
        if properties.iter().all(|property| property.patch) {
            object["minProperties"] = json!(1);
        }
        let mut required: Vec<_> = properties.iter().filter(|p| p.required).map(|p| p.name).collect();
        required.sort_unstable();
        if !required.is_empty() {
            object["required"] = json!(required);
        }
        let described = properties
            .into_iter()
            .map(|property| (property.name.to_owned(), about(property.schema, &property.about)));
        object["properties"] = Value::Object(described.collect());
        self.named(name, object)
    }

    /// A type that answers show, with every type in it. An answer shows every property and no others.
    pub fn view<V: ToSchema>(&mut self) -> Value {
        let mut parts = vec![(V::name().into_owned(), V::schema())];
        V::schemas(&mut parts);
        let parts: BTreeMap<String, Value> =
            parts.into_iter().map(|(name, schema)| (name, to_json(&schema))).collect();
        for (name, schema) in parts.iter().filter(|(_, schema)| !is_scalar(schema)) {
            self.named(shown(name), tidy(schema.clone(), &parts));
        }
        tidy(json!({"$ref": format!("{COMPONENTS}{}", V::name())}), &parts)
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

/// A text of a kind, such as an id: written out where it is used, since a name of its own would say no more.
fn is_scalar(schema: &Value) -> bool {
    schema["type"] == "string" && schema.get("enum").is_none()
}

/// The derived schema of a view in the form of this document.
fn tidy(schema: Value, parts: &BTreeMap<String, Value>) -> Value {
    let Value::Object(mut object) = schema else { return schema };
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

fn may_be_null(schema: &Value) -> bool {
    schema["type"].as_array().is_some_and(|types| types.iter().any(|t| t == "null"))
        || schema["oneOf"].as_array().is_some_and(|choices| choices.iter().any(|c| c["type"] == "null"))
}

/// The schema of a value or null.
fn nullable(mut schema: Value) -> Value {
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
fn about(mut schema: Value, description: &str) -> Value {
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
    use actors::domain::{AppointmentId, Locale, Text};
    use actors::view::ContactView;

    use super::*;
    use crate::http::query::{CommaList, FromParameters, Limit};
    use crate::http::values::{DistinctList, Whole};
    use crate::{json_object, query_object};

    // What is declared is described; nothing is read here.
    #[allow(dead_code)]
    mod declared {
        use super::*;

        json_object! {
            /// Everything at
            /// once.
            pub(super) struct Everything {
                /// A name.
                name: Text<1, 200>,
                /// A word.
                locale: Option<Locale>,
                /// Called otherwise.
                kind as "type": Option<Whole<5, 1440>>,
                /// Ids.
                ids: DistinctList<AppointmentId, 1, 6>,
            }
        }

        json_object! {
            /// A change.
            pub(super) struct Change {
                /// Clearable.
                note: Patch<Option<Text<0, 5>>>,
                /// Not clearable.
                flag: Patch<bool>,
            }
        }

        query_object! {
            /// A part of a list.
            pub(super) struct Asked {
                /// Words.
                locale: Option<CommaList<Locale, 2>>,
                /// How many.
                limit: Limit<50, 100>,
            }
        }
    }
    use declared::{Asked, Change, Everything};

    #[test]
    fn a_body_is_described_as_it_is_read() {
        let mut schemas = Schemas::default();
        assert_eq!(Everything::describe(&mut schemas), json!({"$ref": "#/components/schemas/Everything"}));
        Change::describe(&mut schemas);
        let expected = json!({
            "Change": {"type": "object", "description": "A change.", "additionalProperties": false,
                "minProperties": 1, "properties": {
                    "note": {"type": ["string", "null"], "maxLength": 5, "description": "Clearable."},
                    "flag": {"type": "boolean", "description": "Not clearable."}}},
            "Everything": {"type": "object", "description": "Everything at once.",
                "additionalProperties": false, "required": ["ids", "name"], "properties": {
                    "name": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "\\S",
                        "description": "A name."},
                    "locale": {"oneOf": [{"$ref": "#/components/schemas/Locale"}, {"type": "null"}],
                        "description": "A word."},
                    "type": {"type": ["integer", "null"], "minimum": 5, "maximum": 1440,
                        "description": "Called otherwise."},
                    "ids": {"type": "array", "items": {"type": "string", "format": "uuid"}, "minItems": 1,
                        "maxItems": 6, "uniqueItems": true, "description": "Ids."}}},
            "Locale": {"type": "string", "enum": ["en", "fr"]},
        });
        assert_eq!(schemas.into_json(), expected);
    }

    #[test]
    fn a_parameter_is_never_null_and_a_list_has_commas() {
        let parameters = Asked::parameters(&mut Schemas::default());
        let expected = json!([
            {"name": "locale", "in": "query", "description": "Words.", "required": false, "style": "form",
                "explode": false, "schema": {"type": "array", "minItems": 1, "maxItems": 2,
                "items": {"$ref": "#/components/schemas/Locale"}}},
            {"name": "limit", "in": "query", "description": "How many.", "required": false,
                "schema": {"type": "integer", "minimum": 1, "maximum": 100, "default": 50}},
        ]);
        assert_eq!(json!(parameters), expected);
    }

    #[test]
    fn a_view_shows_every_property_and_no_others() {
        let mut schemas = Schemas::default();
        assert_eq!(schemas.view::<ContactView>(), json!({"$ref": "#/components/schemas/Contact"}));
        let schemas = schemas.into_json();
        let contact = &schemas["Contact"];
        assert_eq!(contact["additionalProperties"], false);
        assert_eq!(
            contact["required"].as_array().unwrap().len(),
            contact["properties"].as_object().unwrap().len()
        );
        assert_eq!(
            contact["properties"]["id"],
            json!({"type": "string", "format": "uuid", "description": "Their id."})
        );
        assert_eq!(contact["properties"]["name"]["type"], json!(["string", "null"]));
        assert_eq!(
            contact["properties"]["locale"]["oneOf"],
            json!([{"$ref": "#/components/schemas/Locale"}, {"type": "null"}])
        );
    }

    #[test]
    #[should_panic(expected = "two schemas are called")]
    fn two_schemas_never_share_a_name() {
        let mut schemas = Schemas::default();
        schemas.named("X", json!({}));
        schemas.named("X", json!({"type": "string"}));
    }
}
