//! The operations of both APIs in the published documents.

use receptionist::openapi::{document, operator_document};
use serde_json::Value;

use crate::bodies::Schemas;
use crate::scene::Scene;

pub(crate) struct Operation {
    /// The HTTP method in upper case.
    pub(crate) method: String,
    /// The path from the root of its listener. Each id is a name in braces.
    pub(crate) path: String,
    pub(crate) described: Value,
}

/// An API document, and its operations sorted by path and method.
pub(crate) struct Document {
    pub(crate) schemas: Schemas,
    pub(crate) operations: Vec<Operation>,
}

impl Document {
    fn new(document: Value) -> Self {
        let base = document["servers"][0]["url"].as_str().unwrap().to_owned();
        let mut operations = Vec::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, described) in item.as_object().unwrap() {
                let (method, path) = (method.to_uppercase(), format!("{base}{path}"));
                operations.push(Operation { method, path, described: described.clone() });
            }
        }
        Self { schemas: Schemas(document), operations }
    }

    pub(crate) fn public() -> Self {
        Self::new(document())
    }

    pub(crate) fn operator() -> Self {
        Self::new(operator_document())
    }

    /// The error codes of all refusals in the document.
    pub(crate) fn codes(&self) -> Vec<String> {
        let codes = self.schemas.0["components"]["schemas"]["ErrorCode"]["enum"].as_array().unwrap();
        codes.iter().map(|code| code.as_str().unwrap().to_owned()).collect()
    }
}

impl Operation {
    /// Returns the schema of the JSON body, and a valid body with ids of existing records. Returns `None` if
    /// the operation takes no body.
    pub(crate) fn body(&self, scene: &Scene) -> Option<(&Value, Value)> {
        let media = self.described["requestBody"]["content"].get("application/json")?;
        let examples = media["examples"].as_object().and_then(|examples| examples.values().next());
        let mut good = media.get("example").or_else(|| examples.map(|first| &first["value"]))?.clone();
        put_ids(&mut good, scene);
        Some((&media["schema"], good))
    }

    pub(crate) fn query(&self) -> impl Iterator<Item = &Value> {
        let parameters = self.described["parameters"].as_array().into_iter().flatten();
        parameters.filter(|parameter| parameter["in"] == "query")
    }

    pub(crate) fn reads(&self, header: &str) -> bool {
        self.described["parameters"].to_string().contains(&format!("#/components/parameters/{header}\""))
    }

    /// Returns the path with another value for its last id, or `None` if the path has no id.
    pub(crate) fn path_with(&self, id: &str) -> Option<String> {
        let (start, end) = (self.path.rfind('{')?, self.path.rfind('}')?);
        Some(format!("{}{id}{}", &self.path[..start], &self.path[end + 1..]))
    }
}

/// Replaces the ids in an example by ids of existing records.
fn put_ids(value: &mut Value, scene: &Scene) {
    let Value::Object(object) = value else { return };
    for (name, value) in object {
        match scene.kept(name) {
            Some(id) if name.ends_with("_id") => *value = id.into(),
            _ if name == "service_ids" => *value = vec![scene.kept("service_id").unwrap()].into(),
            _ => put_ids(value, scene),
        }
    }
}
