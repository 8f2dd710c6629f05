//! The operations of a route table, each with its parameters, its body and its successful response.

use std::collections::BTreeMap;

use axum::http::Method;
use domain::{Named, Scope};
use serde_json::{Map, Value, json};

use super::{errors, examples};
use crate::english;
use crate::http::body::{CSV, JSON_LINES};
use crate::http::envelope::{Answer, Page};
use crate::http::schemas::Schemas;
use crate::rest::error::Code;
use crate::rest::input::{PathId, TakenBody};
use crate::rest::output::Kind;
use crate::rest::route::{Route, Signature};

/// The prefix of the operator's paths for one business.
const OF_A_BUSINESS: &str = "/businesses/{business_id}/";
/// The headers of every response of the public API.
pub(super) const RATE_LIMIT_HEADERS: [&str; 3] =
    ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

pub(super) struct Api<A> {
    pub(super) title: &'static str,
    pub(super) about: String,
    pub(super) base_path: &'static str,
    /// The description of the server in the OpenAPI document. `base_path` is a path on this server.
    pub(super) server: &'static str,
    /// The name and the description of the authentication scheme.
    pub(super) security: (&'static str, &'static str),
    pub(super) scope: fn(&A) -> Option<Scope>,
    /// Whether this is the public API, in which keys have scopes and a rate limit, and businesses can be
    /// suspended.
    pub(super) is_public: bool,
}

pub(super) struct Operation<'a> {
    pub(super) method: &'a Method,
    pub(super) signature: Signature,
    pub(super) conditional: bool,
    /// The ids in the order of the path.
    pub(super) ids: Vec<PathId>,
    pub(super) scope: Option<Scope>,
    pub(super) refuses: &'a [Code],
    pub(super) is_public: bool,
}

impl Operation<'_> {
    /// Whether the operation changes or creates records. Such an operation takes an `Idempotency-Key`.
    pub(super) fn changes(&self) -> bool {
        matches!(
            self.signature.answers,
            Kind::Changed | Kind::Created | Kind::Done | Kind::Ending | Kind::Gone | Kind::Removing
        )
    }
}

pub(super) fn component(kind: &str, name: &str) -> Value {
    json!({"$ref": format!("#/components/{kind}/{name}")})
}

pub(super) fn headers_sent(is_public: bool, more: &[&str]) -> Map<String, Value> {
    let limits: &[&str] = if is_public { &RATE_LIMIT_HEADERS } else { &[] };
    let names = limits.iter().chain(&["X-Request-Id"]).chain(more);
    names.map(|name| ((*name).to_owned(), component("headers", name))).collect()
}

/// Returns the tags and paths of a table. Responses that several operations share are added to `responses`.
pub(super) fn all<A: Send + Sync + 'static>(
    api: &Api<A>,
    table: &[Route<A>],
    schemas: &mut Schemas,
    responses: &mut Map<String, Value>,
) -> (Vec<Value>, BTreeMap<&'static str, Map<String, Value>>) {
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    let mut tags: Vec<String> = Vec::new();
    for route in table {
        let path = route.path.strip_prefix(api.base_path).expect("every path is under the base path");
        let tag = tag(path);
        if !tags.contains(&tag) {
            tags.push(tag);
        }
        let described = operation(api, route, path, schemas, responses);
        paths.entry(path).or_default().insert(route.method.as_str().to_ascii_lowercase(), described);
    }
    (tags.into_iter().map(|name| json!({"name": name})).collect(), paths)
}

/// The tag of an operation: the first segment of its path, with a capital first letter. The prefix `OF_A_BUSINESS`
/// is skipped.
fn tag(path: &str) -> String {
    let of_a_business = path.strip_prefix(OF_A_BUSINESS);
    let segment = of_a_business.unwrap_or(path.trim_start_matches('/')).split('/').next().unwrap_or_default();
    let (first, rest) = segment.split_at(segment.len().min(1));
    first.to_uppercase() + rest
}

fn operation<A: Send + Sync + 'static>(
    api: &Api<A>,
    route: &Route<A>,
    path: &'static str,
    schemas: &mut Schemas,
    responses: &mut Map<String, Value>,
) -> Value {
    let mut signature = (route.about.describe)(schemas);
    let ids = ids(path, &mut signature);
    let conditional = route.about.conditional || signature.answers == Kind::Changed;
    let (scope, refuses) = ((api.scope)(&route.access), route.about.refuses);
    let is_public = api.is_public;
    let operation =
        Operation { method: &route.method, signature, conditional, ids, scope, refuses, is_public };
    let mut description = route.about.details.to_owned();
    if let Some(scope) = scope {
        let space = if description.is_empty() { "" } else { "\n\n" };
        description.push_str(&format!("{space}Requires the scope `{scope}`."));
    }
    let takes = &operation.signature.takes;
    let mut parameters: Vec<Value> = operation.ids.iter().map(path_parameter).collect();
    parameters.extend(takes.query.iter().cloned());
    parameters.extend(headers_read(&operation).map(|name| component("parameters", name)));
    let mut described = json!({
        "operationId": route.about.id,
        "summary": route.about.summary,
        "description": description,
        "tags": [tag(path)],
        "parameters": parameters,
        "responses": errors::responses(&operation, responses),
    });
    if is_public {
        described["x-required-scope"] = json!(scope);
    }
    if let Some(body) = &takes.body {
        described["requestBody"] = json!({"required": body.required, "content": content(body)});
    }
    let mut answered = answer(&operation);
    if operation.signature.answers == Kind::Removing {
        let content = answered.as_object_mut().and_then(|answered| answered.remove("content"));
        let mut accepted = answered.clone();
        accepted["description"] = json!("Accepted. The service removes the record in the background.");
        accepted["content"] = content.into();
        described["responses"]["202"] = accepted;
    }
    described["responses"][operation.signature.answers.status().as_str()] = answered;
    if headers_read(&operation).any(|name| name == "If-None-Match") {
        described["responses"]["304"] = json!({"description": "The record has not changed since the client's version.",
            "headers": headers_sent(is_public, &["ETag"])});
    }
    described
}

/// The ids in a path. The path must contain every id that the handler takes, and may also contain the business's
/// id. Panics if an id is missing, or if there is any other id.
fn ids(path: &str, signature: &mut Signature) -> Vec<PathId> {
    let mut taken = std::mem::take(&mut signature.takes.path);
    let names = path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
    let found = names.map(|name| match taken.iter().position(|id| id.name == name) {
        Some(at) => taken.remove(at),
        None if name == "business_id" => {
            PathId { name: "business_id", named: Named::Business, is_date: false }
        }
        None => panic!("the handler of {path} does not take {name}"),
    });
    let found = found.collect();
    assert!(taken.is_empty(), "the path {path} lacks {taken:?}");
    found
}

/// The path parameter for an id or a date.
fn path_parameter(id: &PathId) -> Value {
    let (what, format) = if id.is_date { ("date", "date") } else { ("id", "uuid") };
    let description = format!("The {}'s {what}.", english::named(id.named));
    json!({"name": id.name, "in": "path", "required": true, "description": description,
        "schema": {"type": "string", "format": format}})
}

/// The request headers that this operation reads, except headers that every operation reads.
fn headers_read(operation: &Operation<'_>) -> impl Iterator<Item = &'static str> {
    let one = operation.signature.answers == Kind::One;
    let reads = *operation.method == Method::GET;
    let headers = [
        (operation.changes(), "Idempotency-Key"),
        (operation.conditional, "If-Match"),
        (reads && one, "If-None-Match"),
    ];
    headers.into_iter().filter_map(|(applies, name)| applies.then_some(name))
}

fn answer(operation: &Operation<'_>) -> Value {
    let answers = operation.signature.answers;
    let description = match answers {
        Kind::One | Kind::Changed | Kind::Tagged | Kind::Plain | Kind::Done => "Done.",
        Kind::Page => "One page of the list.",
        Kind::Lines => {
            "JSON lines, one record per line. If the service stops before the export is complete, the last line \
             (`\"kind\":\"end\"`) is missing."
        }
        Kind::Table => "A CSV file.",
        Kind::Created => "Created.",
        Kind::Accepted => "Accepted. The service completes the request in the background.",
        Kind::Ending => "Accepted. The service deletes the business in the background.",
        Kind::Gone | Kind::Removing => "Removed.",
    };
    let mut sent = Vec::new();
    if matches!(answers, Kind::One | Kind::Changed | Kind::Created | Kind::Tagged) {
        sent.push("ETag");
    }
    if operation.changes() {
        sent.push("Idempotent-Replayed");
    }
    let mut response =
        json!({"description": description, "headers": headers_sent(operation.is_public, &sent)});
    if answers == Kind::Lines {
        response["content"][JSON_LINES] = json!({"schema": {"type": "string"}});
    }
    if answers == Kind::Table {
        response["content"][CSV] = json!({"schema": {"type": "string"}});
    }
    if let Some((name, body)) = &operation.signature.shows {
        let example = examples::example(name).map(|example| match answers {
            Kind::Page => json!(Page { data: &[example], has_more: false, next_cursor: None }),
            _ => json!(Answer { data: example }),
        });
        response["content"] = json!({"application/json": {"schema": body}});
        if let Some(example) = example {
            response["content"]["application/json"]["example"] = example;
        }
    }
    response
}

fn content(body: &TakenBody) -> Value {
    let schema = &body.schema;
    let mut media = json!({"schema": schema});
    // The schema of an optional body is a `oneOf` with two alternatives: the named schema and null.
    let named = if schema["$ref"].is_null() { &schema["oneOf"][0] } else { schema };
    let name = named["$ref"].as_str().and_then(|to| to.rsplit('/').next());
    if let Some(example) = name.and_then(examples::example) {
        media["example"] = example;
    }
    json!({body.media_type: media})
}
