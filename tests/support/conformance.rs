//! Checks responses of the service against its published documents. Test binaries include this file with
//! `#[path]`.

use std::collections::HashMap;

use hyper::HeaderMap;
use jsonschema::Validator;
use serde_json::{Value, json};

/// The response headers that the documents describe.
const KNOWN: [&str; 9] = [
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-request-id",
    "etag",
    "retry-after",
    "www-authenticate",
    "allow",
    "idempotent-replayed",
];

/// An API document and its compiled schemas.
pub(crate) struct Conformance {
    document: Value,
    base: String,
    /// A validator for the schema of each response and header, keyed by the JSON of the schema.
    validators: HashMap<String, Validator>,
}

impl Conformance {
    /// # Panics
    ///
    /// Panics if a schema of the document is invalid.
    pub(crate) fn new(document: &Value) -> Self {
        let base = document["servers"][0]["url"].as_str().unwrap_or_default().to_owned();
        let mut new = Self { document: document.clone(), base, validators: HashMap::new() };
        let mut schemas = Vec::new();
        collect(&document["paths"], &mut schemas);
        collect(&document["components"], &mut schemas);
        for schema in schemas {
            let validator = new.compile(&schema);
            new.validators.insert(schema.to_string(), validator);
        }
        new
    }

    /// Compiles a schema that may refer to components of the document.
    pub(crate) fn compile(&self, schema: &Value) -> Validator {
        let mut root = schema.clone();
        root["components"] = json!({"schemas": self.document["components"]["schemas"]});
        let options = jsonschema::draft202012::options().should_validate_formats(true);
        // The service also accepts a URL with non-ASCII letters and returns it unchanged, so the format is
        // not checked.
        options.with_format("uri", |_| true).build(&root).unwrap_or_else(|error| panic!("{error}: {schema}"))
    }

    /// Checks the status, the headers and the body of a response. Ignores paths that are not in the document.
    ///
    /// # Errors
    ///
    /// Returns the first difference from the document.
    pub(crate) fn check(
        &self,
        method: &str,
        path: &str,
        status: u16,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<(), String> {
        let path = path.split('?').next().unwrap_or_default();
        let Some(relative) =
            path.strip_prefix(&self.base).filter(|rest| rest.is_empty() || rest.starts_with('/'))
        else {
            return Ok(());
        };
        let what = format!("{method} {path} with the status {status}");
        let response =
            self.response(method, relative, status).ok_or_else(|| format!("{what}: undocumented"))?;
        self.check_headers(response, headers).map_err(|why| format!("{what}: {why}"))?;
        self.check_body(response, method, headers, body).map_err(|why| format!("{what}: {why}"))
    }

    /// The description of this response in the document.
    fn response(&self, method: &str, path: &str, status: u16) -> Option<&Value> {
        let method = if method == "HEAD" { "GET" } else { method }.to_ascii_lowercase();
        let paths = self.document["paths"].as_object()?;
        // A path without parameters takes precedence over a path with parameters.
        let mut found: Vec<_> = paths.iter().filter(|(template, _)| fits(template, path)).collect();
        found.sort_by_key(|(template, _)| template.matches('{').count());
        let operation =
            found.first().map(|(_, item)| &item[&method]).filter(|operation| operation.is_object());
        let response = match operation {
            Some(operation) => operation["responses"].get(status.to_string())?,
            // If no operation matches, the response must be one that every request can get, or an error about
            // an unknown path or method.
            None => {
                let name = match (status, found.is_empty()) {
                    (404, true) => "NotFound",
                    (405, false) => "MethodNotAllowed",
                    (401, _) => "Unauthorized",
                    (403, _) => "Forbidden",
                    (429, _) => "TooManyRequests",
                    (500, _) => "InternalServerError",
                    (503, _) => "ServiceUnavailable",
                    _ => return None,
                };
                self.document["components"]["responses"].get(name)?
            }
        };
        Some(self.resolve(response))
    }

    fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        let target = value["$ref"].as_str().and_then(|to| to.strip_prefix('#'));
        target.and_then(|pointer| self.document.pointer(pointer)).unwrap_or(value)
    }

    fn check_headers(&self, response: &Value, headers: &HeaderMap) -> Result<(), String> {
        let empty = serde_json::Map::new();
        let promised = response["headers"].as_object().unwrap_or(&empty);
        for (name, header) in promised {
            let header = self.resolve(header);
            let values: Vec<_> = headers.get_all(name).iter().collect();
            let value = match values[..] {
                [] if header["required"] == true => return Err(format!("the header {name} is missing")),
                [] => continue,
                [value] => value.to_str().map_err(|_| format!("the header {name} is not text"))?,
                _ => return Err(format!("the header {name} occurs more than once")),
            };
            let schema = &header["schema"];
            let typed = match schema["type"].as_str() {
                Some("integer") => value.parse::<i64>().map_or_else(|_| json!(value), |number| json!(number)),
                _ => json!(value),
            };
            self.validate(schema, &typed).map_err(|why| format!("the header {name}: {why}"))?;
        }
        let unpromised = KNOWN.iter().find(|known| {
            headers.contains_key(**known) && !promised.keys().any(|name| name.eq_ignore_ascii_case(known))
        });
        unpromised.map_or(Ok(()), |name| Err(format!("the header {name} is undocumented")))
    }

    fn check_body(
        &self,
        response: &Value,
        method: &str,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<(), String> {
        let Some((media, content)) =
            response["content"].as_object().and_then(|content| content.iter().next())
        else {
            return if body.is_empty() {
                Ok(())
            } else {
                Err("the response has a body that the document does not describe".into())
            };
        };
        let declared = headers.get("content-type").and_then(|value| value.to_str().ok());
        if declared.and_then(|declared| declared.split(';').next()) != Some(media) {
            return Err(format!("the media type is {declared:?}"));
        }
        if method == "HEAD" {
            return if body.is_empty() { Ok(()) } else { Err("the response to HEAD has a body".into()) };
        }
        if media == "text/csv" {
            return std::str::from_utf8(body).map(|_| ()).map_err(|error| format!("the body: {error}"));
        }
        if media == "application/x-ndjson" {
            let mut lines = body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            let bad =
                lines.find(|line| !serde_json::from_slice::<Value>(line).is_ok_and(|line| line.is_object()));
            return bad.map_or(Ok(()), |line| Err(format!("a line: {}", String::from_utf8_lossy(line))));
        }
        let body: Value = serde_json::from_slice(body).map_err(|error| format!("the body: {error}"))?;
        self.validate(&content["schema"], &body).map_err(|why| format!("{why} in {body}"))
    }

    fn validate(&self, schema: &Value, value: &Value) -> Result<(), String> {
        let validator = self.validators.get(&schema.to_string()).ok_or("the schema was not compiled")?;
        let problems: Vec<_> = validator
            .iter_errors(value)
            .map(|error| format!("{} at {:?}", error, error.instance_path.as_str()))
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(problems.join("; ")) }
    }
}

/// Whether a path matches a template.
fn fits(template: &str, path: &str) -> bool {
    let (template, path): (Vec<_>, Vec<_>) = (template.split('/').collect(), path.split('/').collect());
    let segment = |(template, path): (&&str, &&str)| {
        if template.starts_with('{') { !path.is_empty() } else { template == path }
    };
    template.len() == path.len() && template.iter().zip(&path).all(segment)
}

/// Collects the value of every property named `schema`.
fn collect(value: &Value, found: &mut Vec<Value>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                if key == "schema" && value.is_object() {
                    found.push(value.clone());
                }
                collect(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}
