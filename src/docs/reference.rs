//! The API reference, made from the service's own OpenAPI document.

use serde_json::{Map, Value};

use super::markdown::inline;
use super::samples::{Call, Sample, samples};

const DEPTH_MAX: usize = 4;
const METHODS: [&str; 5] = ["get", "post", "patch", "put", "delete"];
const JSON: &str = "application/json";

pub(super) struct Group {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) operations: Vec<Operation>,
}

/// An operation, or an event that the service sends. Texts named `about` are HTML.
pub(super) struct Operation {
    pub(super) id: String,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) summary: String,
    pub(super) about: String,
    pub(super) parameters: Vec<Field>,
    pub(super) body: Vec<Field>,
    /// The status and the description of each response.
    pub(super) responses: Vec<(String, String)>,
    /// The properties of the `data` of the response.
    pub(super) shown: Vec<Field>,
    pub(super) samples: Vec<Sample>,
    /// The description without markup, for the search.
    pub(super) plain: String,
}

pub(super) struct Field {
    pub(super) name: String,
    /// The location of a parameter (`path`, `query` or `header`); empty for a property.
    pub(super) place: String,
    pub(super) kind: String,
    pub(super) required: bool,
    pub(super) about: String,
}

/// The groups of operations in a document, followed by the groups of events.
pub(super) fn groups(document: &Value) -> Vec<Group> {
    let base = document["servers"][0]["url"].as_str().unwrap_or_default();
    let document = Document(document);
    let mut groups: Vec<Group> = Vec::new();
    for tag in items(&document.0["tags"]) {
        let name = text(&tag["name"]);
        let about = inline(&text(&tag["description"]));
        let mut operations = Vec::new();
        for (path, item) in entries(&document.0["paths"]) {
            let path = format!("{base}{path}");
            for method in METHODS.iter().filter(|method| item[**method]["tags"][0] == name) {
                operations.push(document.operation(&item[*method], method, &path, true));
            }
        }
        for (event, item) in entries(&document.0["webhooks"]) {
            if item["post"]["tags"][0] == name {
                operations.push(document.operation(&item["post"], "post", event, false));
            }
        }
        groups.push(Group { name, about, operations });
    }
    groups
}

struct Document<'a>(&'a Value);

impl Document<'_> {
    fn operation(&self, operation: &Value, method: &str, path: &str, is_call: bool) -> Operation {
        let parameters: Vec<&Value> =
            items(&operation["parameters"]).iter().map(|one| self.resolved(one)).collect();
        let body = &operation["requestBody"]["content"][JSON];
        let responses = entries(&operation["responses"])
            .map(|(status, response)| (status.clone(), self.resolved(response)));
        let responses: Vec<(String, &Value)> = responses.collect();
        let success = responses.iter().find(|(status, _)| status.starts_with('2'));
        let success = success.map_or(&Value::Null, |(_, response)| &response["content"][JSON]);
        let answer = self.resolved(&success["schema"]);
        let mut samples = if is_call {
            let call = Call {
                method: &method.to_uppercase(),
                path,
                parameters: &parameters,
                body: &body["example"],
                shows: !success.is_null(),
            };
            samples(&call)
        } else {
            vec![Sample { language: "Body", code: pretty(&body["example"]) }]
        };
        if !success["example"].is_null() {
            samples.push(Sample { language: "Response", code: pretty(&success["example"]) });
        }
        let plain = text(&operation["description"]);
        Operation {
            id: text(&operation["operationId"]),
            method: method.to_uppercase(),
            path: path.to_owned(),
            summary: text(&operation["summary"]),
            about: inline(&plain),
            parameters: parameters.iter().map(|one| self.parameter(one)).collect(),
            body: self.fields(&body["schema"], "", DEPTH_MAX),
            responses: responses
                .iter()
                .map(|(status, response)| (status.clone(), inline(&text(&response["description"]))))
                .collect(),
            shown: self.fields(&answer["properties"]["data"], "", DEPTH_MAX),
            samples,
            plain,
        }
    }

    fn parameter(&self, parameter: &Value) -> Field {
        Field {
            name: text(&parameter["name"]),
            place: text(&parameter["in"]),
            kind: self.kind(&parameter["schema"]),
            required: parameter["required"] == true,
            about: inline(&text(&parameter["description"])),
        }
    }

    /// The schema to which a reference refers, or the given schema if it is not a reference.
    fn resolved<'b>(&'b self, schema: &'b Value) -> &'b Value {
        let name = schema["$ref"].as_str().and_then(|to| to.strip_prefix('#'));
        name.and_then(|name| self.0.pointer(name)).unwrap_or(schema)
    }

    /// The object schemas of a schema: the schema itself, the schema of its items, or its alternatives.
    fn objects<'b>(&'b self, schema: &'b Value) -> Vec<&'b Value> {
        let schema = self.resolved(schema);
        if schema["type"] == "array" {
            return self.objects(&schema["items"]);
        }
        let choices = items(&schema["oneOf"]).iter().flat_map(|one| self.objects(one)).collect::<Vec<_>>();
        if schema["properties"].is_object() { vec![schema] } else { choices }
    }

    /// The properties at any depth, required properties first. If the schema has alternatives, a property
    /// is required only if every alternative requires it.
    fn fields(&self, schema: &Value, prefix: &str, depth: usize) -> Vec<Field> {
        let objects = self.objects(schema);
        let mut all: Map<String, Value> = Map::new();
        objects.iter().for_each(|object| {
            all.extend(entries(&object["properties"]).map(|(k, v)| (k.clone(), v.clone())));
        });
        let is_required = |name: &str| {
            objects.iter().all(|object| items(&object["required"]).iter().any(|one| one == name))
        };
        let mut names: Vec<&String> = all.keys().collect();
        names.sort_by_key(|name| !is_required(name));
        let mut fields = Vec::new();
        for name in names {
            let property = &all[name];
            let described = [property, self.resolved(property)].map(|one| text(&one["description"]));
            let about = described.into_iter().find(|about| !about.is_empty()).unwrap_or_default();
            fields.push(Field {
                name: format!("{prefix}{name}"),
                place: String::new(),
                kind: self.kind(property),
                required: is_required(name),
                about: inline(&about),
            });
            if depth > 1 {
                let of_items = if self.is_list(property) { "[]" } else { "" };
                fields.extend(self.fields(property, &format!("{prefix}{name}{of_items}."), depth - 1));
            }
        }
        fields
    }

    fn is_list(&self, schema: &Value) -> bool {
        let schema = self.resolved(schema);
        schema["type"] == "array" || items(&schema["oneOf"]).iter().any(|one| self.is_list(one))
    }

    fn kind(&self, schema: &Value) -> String {
        let schema = self.resolved(schema);
        if let Some(choices) = schema["oneOf"].as_array() {
            let mut kinds: Vec<String> = choices.iter().map(|one| self.kind(one)).collect();
            kinds.dedup();
            return kinds.join(" or ");
        }
        if !schema["const"].is_null() {
            return schema["const"].to_string();
        }
        if let Some(choices) = schema["enum"].as_array() {
            return choices.iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
        }
        let kinds = match &schema["type"] {
            Value::Array(kinds) => kinds.iter().map(text).collect::<Vec<_>>().join(" or "),
            kind => text(kind),
        };
        let mut words = match (kinds.as_str(), schema["format"].as_str()) {
            ("array", _) => format!("array of {}", self.kind(&schema["items"])),
            ("", _) => "any".to_owned(),
            (_, Some(format)) if kinds.starts_with("string") => kinds.replacen("string", format, 1),
            _ => kinds.clone(),
        };
        for (least, most, unit) in [
            ("minimum", "maximum", ""),
            ("minLength", "maxLength", " characters"),
            ("minItems", "maxItems", " items"),
        ] {
            match (&schema[least], &schema[most]) {
                (Value::Null, Value::Null) => {}
                (least, Value::Null) => words.push_str(&format!(", at least {least}{unit}")),
                (Value::Null, most) => words.push_str(&format!(", at most {most}{unit}")),
                (least, most) => words.push_str(&format!(", {least} to {most}{unit}")),
            }
        }
        if !schema["default"].is_null() {
            words.push_str(&format!(", default {}", schema["default"]));
        }
        words
    }
}

pub(super) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}
