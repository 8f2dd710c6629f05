//! The schemas of the API document. schemars generates them from the types, and this module adapts them.
//!
//! Invariants:
//! - A type has the same [`JsonSchema`] in requests and in responses.
//! - Two types never have the same name. schemars would add a number to the second name, but this module panics.
//! - An object has only the listed properties.
//!
//! schemars sorts the properties of an object by name. To keep the declared order of query parameters, the caller of
//! [`Schemas::parameters`] passes their names in this order.

use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

const COMPONENTS: &str = "/components/schemas";

#[derive(Debug)]
pub struct Schemas {
    of_types: SchemaGenerator,
    /// Schemas that have a name but no Rust type.
    others: Map<String, Value>,
}

impl Default for Schemas {
    fn default() -> Self {
        // With the option `for_serialize`, every property that a response always contains is required. The macros
        // for request types set their required properties themselves.
        let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(form);
        let settings = settings.with(|settings| settings.definitions_path = COMPONENTS.into());
        Self { of_types: settings.into_generator(), others: Map::new() }
    }
}

impl Schemas {
    pub fn of<T: JsonSchema>(&mut self) -> Value {
        let mut schema = self.of_types.subschema_for::<T>();
        form(&mut schema);
        schema.to_value()
    }

    pub fn nameless<T: JsonSchema>(&mut self) -> Schema {
        let mut schema = T::json_schema(&mut self.of_types);
        form(&mut schema);
        schema
    }

    pub fn add(&mut self, name: &str, schema: Schema) {
        let known = self.others.insert(name.to_owned(), schema.to_value());
        assert!(known.is_none(), "two schemas are called {name}");
    }

    /// The properties of a type as query parameters. The values of a list are comma-separated.
    pub fn parameters<T: JsonSchema>(&mut self, names: &[&str]) -> Vec<Value> {
        let object = self.nameless::<T>();
        let is_required = |name: &str| object.get("required").is_some_and(|all| lists(all, name));
        let parameter = |name: &&str| {
            let mut schema = object.get("properties").map(|all| all[name].clone()).unwrap_or_default();
            let about = schema.as_object_mut().and_then(|schema| schema.remove("description"));
            let is_list = schema["type"] == "array";
            let mut parameter = json!({"name": name, "in": "query", "description": about,
                "required": is_required(name), "schema": schema});
            if is_list {
                parameter["style"] = json!("form");
                parameter["explode"] = json!(false);
            }
            parameter
        };
        names.iter().map(parameter).collect()
    }

    /// Panics if two types have the same name.
    pub fn into_json(mut self) -> Value {
        let mut named = self.of_types.take_definitions(true);
        for (name, schema) in self.others {
            assert!(named.insert(name.clone(), schema).is_none(), "two schemas are called {name}");
        }
        for name in named.keys() {
            // If two types have the same name, the generator appends a number to the second name.
            let taken = name.trim_end_matches(|c: char| c.is_ascii_digit());
            assert!(taken == name || !named.contains_key(taken), "two schemas are called {taken}");
        }
        Value::Object(named)
    }
}

fn lists(names: &Value, name: &str) -> bool {
    names.as_array().is_some_and(|names| names.iter().any(|listed| listed == name))
}

fn form(schema: &mut Schema) {
    transform_subschemas(&mut form, schema);
    let Some(schema) = schema.as_object_mut() else { return };
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = paragraph(&[text]);
    }
    if let Some(names) = schema.get_mut("required").and_then(Value::as_array_mut) {
        names.sort_unstable_by(|a, b| a.as_str().cmp(&b.as_str()));
    }
    if schema.get("type").is_some_and(|of| of == "object") && schema.contains_key("properties") {
        schema.insert("additionalProperties".into(), json!(false));
    }
    // At most one alternative of `anyOf` matches, so `oneOf` means the same.
    if let Some(choices) = schema.remove("anyOf") {
        schema.insert("oneOf".into(), choices);
    }
    let choices = schema.get("oneOf").and_then(Value::as_array);
    let words: Option<Vec<Value>> =
        choices.and_then(|choices| choices.iter().map(|choice| choice.get("const").cloned()).collect());
    if let Some(words) = words {
        schema.remove("oneOf");
        schema.extend([("type".into(), json!("string")), ("enum".into(), json!(words))]);
    }
    // OpenAPI defines only the formats `int32` and `int64`, so they replace the unsigned formats. The maximum of a
    // `uint16` is removed: 65,535 is not a useful maximum for a value such as an HTTP status.
    let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
    if format == "uint16" {
        schema.remove("maximum");
        schema.insert("format".into(), json!("int32"));
    } else if let Some(width @ ("32" | "64")) = format.strip_prefix("uint") {
        schema.insert("format".into(), json!(format!("int{width}")));
    }
}

/// Removes the number format, for types whose minimum and maximum make it redundant.
pub(crate) fn without_format(schema: &mut Schema) {
    schema.remove("format");
}

pub(crate) fn paragraph(doc: &[&str]) -> String {
    let text = doc.iter().flat_map(|lines| lines.lines()).map(str::trim).collect::<Vec<_>>().join("\n");
    text.trim().split("\n\n").map(|part| part.replace('\n', " ")).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    mod other {
        #[derive(schemars::JsonSchema)]
        pub(super) struct Named {
            _other: bool,
        }
    }

    #[derive(JsonSchema)]
    struct Named {
        _one: bool,
    }

    #[test]
    #[should_panic(expected = "two schemas are called Named")]
    fn two_types_never_have_the_same_name() {
        let mut schemas = Schemas::default();
        schemas.of::<Named>();
        schemas.of::<other::Named>();
        schemas.into_json();
    }

    #[test]
    #[should_panic(expected = "two schemas are called Named")]
    fn a_schema_of_no_type_has_a_name_of_its_own() {
        let mut schemas = Schemas::default();
        schemas.add("Named", Schema::default());
        schemas.of::<Named>();
        schemas.into_json();
    }
}
