//! The schemas of the published document: those that schemars makes of the types, in the form of this document.
//!
//! What always holds: a type is described once, by its [`JsonSchema`], whether it is read or shown; two types never
//! share a name in the document; an object has the properties that are listed and no others.
//!
//! schemars would give a second type of the same name a number and say nothing; here that is a fault. It keeps the
//! properties of an object sorted, so whoever wants the parameters of a query in their order names them.

use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// Where the document keeps the schemas that have a name.
const COMPONENTS: &str = "/components/schemas";

/// The schemas of a document.
#[derive(Debug)]
pub struct Schemas {
    of_types: SchemaGenerator,
    /// Those that no type has as they are.
    others: Map<String, Value>,
}

impl Default for Schemas {
    fn default() -> Self {
        // What is shown says by its derive what is always there. What is read says so itself.
        let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(form);
        let settings = settings.with(|settings| settings.definitions_path = COMPONENTS.into());
        Self { of_types: settings.into_generator(), others: Map::new() }
    }
}

impl Schemas {
    /// The schema of a type, or a reference to it if it has a name.
    pub fn of<T: JsonSchema>(&mut self) -> Value {
        let mut schema = self.of_types.subschema_for::<T>();
        form(&mut schema);
        schema.to_value()
    }

    /// The schema of a type without its name, even if it has one.
    pub fn nameless<T: JsonSchema>(&mut self) -> Schema {
        let mut schema = T::json_schema(&mut self.of_types);
        form(&mut schema);
        schema
    }

    /// Puts a schema that no type has as it is under a name.
    ///
    /// # Panics
    /// When another has the name already.
    pub fn add(&mut self, name: &str, schema: Schema) {
        let known = self.others.insert(name.to_owned(), schema.to_value());
        assert!(known.is_none(), "two schemas are called {name}");
    }

    /// The properties of a type as the document lists the parameters of a query. A list of values has commas between
    /// them.
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

    /// All that have a name, as the document has them.
    ///
    /// # Panics
    /// When two types have the same name.
    pub fn into_json(mut self) -> Value {
        let mut named = self.of_types.take_definitions(true);
        for (name, schema) in self.others {
            assert!(named.insert(name.clone(), schema).is_none(), "two schemas are called {name}");
        }
        for name in named.keys() {
            // With a number behind its name the generator tells a second type from the first.
            let taken = name.trim_end_matches(|c: char| c.is_ascii_digit());
            assert!(taken == name || !named.contains_key(taken), "two schemas are called {taken}");
        }
        Value::Object(named)
    }
}

fn lists(names: &Value, name: &str) -> bool {
    names.as_array().is_some_and(|names| names.iter().any(|listed| listed == name))
}

/// Gives a schema, and those in it, the form of this document.
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
    // A value is never null as well.
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
    // Of whole numbers OpenAPI itself knows the formats `int32` and `int64`. A status that is kept in 16 bits is not
    // bounded by them.
    let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
    if format == "uint16" {
        schema.remove("maximum");
        schema.insert("format".into(), json!("int32"));
    } else if let Some(width @ ("32" | "64")) = format.strip_prefix("uint") {
        schema.insert("format".into(), json!(format!("int{width}")));
    }
}

/// Takes the format from a number, where its bounds say all.
pub(crate) fn without_format(schema: &mut Schema) {
    schema.remove("format");
}

/// The lines of a doc comment as running text.
pub(crate) fn paragraph(doc: &[&str]) -> String {
    let text = doc.iter().flat_map(|lines| lines.lines()).map(str::trim).collect::<Vec<_>>().join("\n");
    text.trim().split("\n\n").map(|part| part.replace('\n', " ")).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A type, and another of the same name.
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
    fn two_types_never_share_a_name() {
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
