//! The published document of the public API, OpenAPI 3.1: made from the table of routes that serves requests and from
//! the types that the handlers read and show.
//!
//! What always holds: paths are relative to `{base_url}`, which ends in `/v1`; an operation is described with every
//! status and header it can answer with, and each error with the very body that is sent.

mod errors;
mod examples;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::Router;
use axum::http::{Method, header};
use axum::response::IntoResponse;
use serde_json::{Map, Value, json};

use crate::api::operation::{Access, Answers, Operation};
use crate::http::body::BODY_BYTES_MAX;
use crate::http::call::IDEMPOTENCY_KEY_CHARS_MAX;
use crate::http::describe::{Schemas, paragraph};
use crate::http::error::Body;
use crate::http::request_id::REQUEST_ID_CHARS_MAX;
use crate::http::routes::{Route, open};

/// What stands before every path of the table and in `servers` instead.
pub const BASE_PATH: &str = "/v1";

/// The document.
pub fn document() -> Value {
    let mut schemas = Schemas::default();
    schemas.view::<Body<'_>>();
    let mut responses = errors::of_no_operation();
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    let mut tags: Vec<String> = Vec::new();
    for route in crate::api::table() {
        let path = route.path.strip_prefix(BASE_PATH).expect("every public path is under the base path");
        let tag = tag(path);
        if !tags.contains(&tag) {
            tags.push(tag);
        }
        let described = operation(&route, path, &mut schemas, &mut responses);
        paths.entry(path).or_default().insert(route.method.as_str().to_ascii_lowercase(), described);
    }
    let tags: Vec<Value> = tags.into_iter().map(|name| json!({"name": name})).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Receptionist",
            "version": env!("CARGO_PKG_VERSION"),
            "description": about(),
            "license": {"name": env!("CARGO_PKG_LICENSE"), "identifier": env!("CARGO_PKG_LICENSE")},
        },
        "servers": [{"url": BASE_PATH, "description": "Where this document was fetched from."}],
        "security": [{"apiKey": []}],
        "tags": tags,
        "paths": paths,
        "components": {
            "securitySchemes": {"apiKey": {"type": "http", "scheme": "bearer",
                "description": "An API key of one business, on every request. It belongs on servers only."}},
            "parameters": parameters(),
            "headers": headers(),
            "responses": responses,
            "schemas": schemas.into_json(),
        },
    })
}

/// `GET /openapi.json`.
pub(crate) fn router() -> Router {
    static RENDERED: LazyLock<Vec<u8>> = LazyLock::new(|| document().to_string().into_bytes());
    open("/openapi.json", || async {
        ([(header::CONTENT_TYPE, "application/json")], RENDERED.as_slice()).into_response()
    })
}

fn about() -> String {
    paragraph(&[&format!(
        "Appointments, contacts, calls and messages of one business: the one that the API key belongs to.

        Instants are RFC 3339 with an offset or `Z` in, and UTC with milliseconds out. A body is a JSON object of at
        most {} KiB; an unknown, repeated or wrong property is refused, and `details` names every problem with its
        place. No text may contain U+0000.

        A list is walked with `cursor`, which is the `next_cursor` of the page before. A request reads a bounded number
        of rows: a page may be short or empty while `has_more` is true. Each key may make a number of requests per minute (120 unless the operator sets another), which `X-RateLimit-Limit` tells. Every answer
        carries `X-Request-Id`: the request's own, if it sent one of 1 to {REQUEST_ID_CHARS_MAX} visible ASCII
        characters. GET answers HEAD as well.",
        BODY_BYTES_MAX / 1024
    )])
}

/// The group of an operation: the first segment of its path.
fn tag(path: &str) -> String {
    let segment = path.split('/').nth(1).unwrap_or_default();
    let (first, rest) = segment.split_at(segment.len().min(1));
    first.to_uppercase() + rest
}

fn operation(
    route: &Route<Operation>,
    path: &str,
    schemas: &mut Schemas,
    responses: &mut Map<String, Value>,
) -> Value {
    let operation = &route.access;
    let mut description = operation.details.to_owned();
    let scope = match operation.access {
        Access::AnyKey => Value::Null,
        Access::Scope(scope) => {
            let space = if description.is_empty() { "" } else { "\n\n" };
            description.push_str(&format!("{space}Needs the scope `{scope}`."));
            json!(scope)
        }
    };
    let mut parameters: Vec<Value> = path_parameters(path);
    parameters.extend(operation.query.map(|query| query(schemas)).unwrap_or_default());
    parameters.extend(headers_read(route).map(|name| component("parameters", name)));
    let mut described = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "description": description,
        "tags": [tag(path)],
        "x-required-scope": scope,
        "parameters": parameters,
        "responses": errors::of(route, responses),
    });
    if let Some(body) = operation.body {
        let schema = (body.describe)(schemas);
        described["requestBody"] = json!({"required": body.required, "content": content(&schema)});
    }
    let (status, response) = answer(route, schemas);
    described["responses"][status] = response;
    if headers_read(route).any(|name| name == "If-None-Match") {
        described["responses"]["304"] = json!({"description": "The client has this version.",
            "headers": headers_sent(&["ETag"])});
    }
    described
}

/// The parameters in the path, all of them ids. A malformed one names nothing and is not found.
fn path_parameters(path: &str) -> Vec<Value> {
    let names = path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
    let parameter = |name: &str| {
        let whose = name.trim_end_matches("_id").replace('_', " ");
        json!({"name": name, "in": "path", "required": true, "description": format!("The {whose}'s id."),
            "schema": {"type": "string", "format": "uuid"}})
    };
    names.map(parameter).collect()
}

/// The request headers that mean something to an operation, beside those that mean the same to all.
fn headers_read(route: &Route<Operation>) -> impl Iterator<Item = &'static str> {
    let one = route.access.answers == Answers::One;
    let reads = route.method == Method::GET;
    let headers = [(!reads, "Idempotency-Key"), (!reads && one, "If-Match"), (reads && one, "If-None-Match")];
    headers.into_iter().filter_map(|(applies, name)| applies.then_some(name))
}

/// The answer when all is well.
fn answer(route: &Route<Operation>, schemas: &mut Schemas) -> (&'static str, Value) {
    let operation = &route.access;
    let (status, description) = match operation.answers {
        Answers::One | Answers::Plain => ("200", "Done."),
        Answers::List => ("200", "A page of the list."),
        Answers::Created => ("201", "Created."),
        Answers::Gone => ("204", "Removed."),
    };
    let mut sent = Vec::new();
    if matches!(operation.answers, Answers::One | Answers::Created) {
        sent.push("ETag");
    }
    if route.method != Method::GET {
        sent.push("Idempotent-Replayed");
    }
    let mut response = json!({"description": description, "headers": headers_sent(&sent)});
    if let Some(shows) = operation.shows {
        let shown = shows(schemas);
        let name = shown["$ref"].as_str().and_then(|to| to.rsplit('/').next()).unwrap_or_default().to_owned();
        let example = examples::of(&name);
        let (envelope, example) = if operation.answers == Answers::List {
            let example = example.map(|item| json!({"data": [item], "has_more": false, "next_cursor": null}));
            (schemas.named(&format!("{name}Page"), page(&shown)), example)
        } else {
            (schemas.named(&format!("{name}Answer"), one(&shown)), example.map(|one| json!({"data": one})))
        };
        response["content"] = json!({"application/json": {"schema": envelope}});
        if let Some(example) = example {
            response["content"]["application/json"]["example"] = example;
        }
    }
    (status, response)
}

fn one(shown: &Value) -> Value {
    json!({"type": "object", "required": ["data"], "additionalProperties": false, "properties": {"data": shown}})
}

fn page(shown: &Value) -> Value {
    json!({"type": "object", "required": ["data", "has_more", "next_cursor"], "additionalProperties": false,
        "properties": {
            "data": {"type": "array", "items": shown},
            "has_more": {"type": "boolean", "description": "Whether there is another page. There may be one behind a page that is short or empty."},
            "next_cursor": {"type": ["string", "null"],
                "description": "The `cursor` of the next page; null exactly when there is none."}}})
}

/// A JSON body of a named schema, with its example.
fn content(schema: &Value) -> Value {
    let mut media = json!({"schema": schema});
    // An optional body is one of a named schema and null.
    let named = if schema["$ref"].is_null() { &schema["oneOf"][0] } else { schema };
    let name = named["$ref"].as_str().and_then(|to| to.rsplit('/').next());
    if let Some(example) = name.and_then(examples::of) {
        media["example"] = example;
    }
    json!({"application/json": media})
}

fn component(kind: &str, name: &str) -> Value {
    json!({"$ref": format!("#/components/{kind}/{name}")})
}

/// The headers of every answer, and these.
fn headers_sent(more: &[&str]) -> Map<String, Value> {
    let always = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"];
    always.iter().chain(more).map(|name| ((*name).to_owned(), component("headers", name))).collect()
}

fn parameters() -> Value {
    let header = |name: &str, schema: Value, about: &str| json!({"name": name, "in": "header", "required": false, "schema": schema, "description": about});
    let tags = json!({"type": "string", "pattern": "^(\\*|(W/)?\"[!#-~]*\"(, (W/)?\"[!#-~]*\")*)$"});
    let key = json!({"type": "string", "minLength": 1, "maxLength": IDEMPOTENCY_KEY_CHARS_MAX, "pattern": "^[!-~]+$"});
    json!({
        "Idempotency-Key": header("Idempotency-Key", key, "Makes the change happen once: within 24 hours the same \
            request under the same key gives the first answer again, another request is refused."),
        "If-Match": header("If-Match", tags.clone(),
            "Entity tags, or `*`: the change is made only if the record still has one of them."),
        "If-None-Match": header("If-None-Match", tags,
            "Entity tags, or `*`: the answer is 304 if the record still has one of them."),
    })
}

fn headers() -> Value {
    let header = |required: bool, schema: Value, about: &str| json!({"required": required, "schema": schema, "description": about});
    let whole = |minimum: u32| json!({"type": "integer", "minimum": minimum});
    let text = || json!({"type": "string"});
    json!({
        "Allow": header(true, text(), "The methods of the path."),
        "ETag": header(true, json!({"type": "string", "pattern": "^\"[!#-~]+\"$"}), "The tag of this version, strong."),
        "Idempotent-Replayed": header(false, json!({"type": "string", "enum": ["true"]}),
            "There when this is the answer to an earlier request with the same `Idempotency-Key`."),
        "Retry-After": header(true, whole(1), "Seconds after which to try again."),
        "WWW-Authenticate": header(true, text(), "How to authenticate."),
        "X-RateLimit-Limit": header(true, whole(1), "Requests allowed per minute."),
        "X-RateLimit-Remaining": header(true, whole(0), "Requests left in this minute."),
        "X-RateLimit-Reset": header(true, whole(0), "Unix time in seconds at which the minute is over."),
        "X-Request-Id": header(true, json!({"type": "string", "minLength": 1, "maxLength": REQUEST_ID_CHARS_MAX}),
            "Names this request, in the service's log as well."),
    })
}

#[cfg(test)]
mod tests;
