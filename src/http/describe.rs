//! What the published document says of the types that are read.
//!
//! What always holds: a type that can be read from a request can be described ([`Describe`] is above the traits that
//! read).

use serde_json::{Value, json};

use super::schemas::{Schemas, about, nullable, paragraph};

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

impl Describe for String {
    fn describe(_: &mut Schemas) -> Value {
        json!({"type": "string"})
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

/// The object of a body. One in which everything may be left out must still ask for something.
///
/// `more` is what must hold between the properties.
pub fn object(
    name: &str,
    doc: &[&str],
    properties: Vec<Declared>,
    more: impl Fn(&mut Value),
    schemas: &mut Schemas,
) -> Value {
    let mut object = json!({"type": "object", "description": paragraph(doc), "additionalProperties": false});
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
    more(&mut object);
    schemas.named(name, object)
}
