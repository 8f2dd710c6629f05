//! The OpenAPI 3.1 documents of the public API and of the operator API, generated from the route tables and
//! the handlers' signatures.
//!
//! Invariants: paths are relative to the server's URL, which ends in the version. Each operation lists every
//! status and header of its responses, and each error has the body that the service sends.

mod errors;
mod examples;
mod operations;
mod webhooks;

use std::sync::LazyLock;

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use operations::{Api, RATE_LIMIT_HEADERS};
use serde_json::{Value, json};

use crate::http::body::BODY_BYTES_MAX;
use crate::http::idempotency::IDEMPOTENCY_KEY_CHARS_MAX;
use crate::http::request_id::REQUEST_ID_CHARS_MAX;
use crate::http::schemas::{Schemas, paragraph};
use crate::rest::error::Body;
use crate::rest::route::Route;
use crate::rest::router::open;

/// The prefix of every public path. The document contains it in `servers` and not in the paths.
pub const BASE_PATH: &str = "/v1";
pub const OPERATOR_BASE_PATH: &str = "/admin/v1";

pub fn document() -> Value {
    let api = Api {
        title: "Receptionist",
        about: about(),
        base_path: BASE_PATH,
        server: "The server that serves this document.",
        security: (
            "apiKey",
            "An API key of one business. Every request must carry a key. Keep keys on servers and never send them to a browser.",
        ),
        scope: |access: &crate::api::Access| access.scope(),
        is_public: true,
    };
    let mut schemas = Schemas::default();
    let webhooks = webhooks::all(&mut schemas);
    let mut document = describe(&api, &crate::api::table(), schemas);
    document["webhooks"] = webhooks;
    if let Some(tags) = document["tags"].as_array_mut() {
        tags.push(
            json!({"name": webhooks::TAG, "description": "The requests that the service sends to webhook endpoints."}),
        );
    }
    document
}

/// Removes the section `webhooks` and its tag.
pub fn without_webhooks(document: &mut Value) {
    if let Some(document) = document.as_object_mut() {
        document.remove("webhooks");
    }
    if let Some(tags) = document["tags"].as_array_mut() {
        tags.retain(|tag| tag["name"] != webhooks::TAG);
    }
}

pub fn operator_document() -> Value {
    let api = Api {
        title: "Receptionist, operator API",
        about: operator_about(),
        base_path: OPERATOR_BASE_PATH,
        server: "The operator's listener.",
        security: (
            "operatorToken",
            "The operator's token. Every request must carry the token, which gives access to every business.",
        ),
        scope: |_| None,
        is_public: false,
    };
    describe(&api, &crate::admin::table(), Schemas::default())
}

fn describe<A: Send + Sync + 'static>(api: &Api<A>, table: &[Route<A>], mut schemas: Schemas) -> Value {
    schemas.of::<Body<'_>>();
    let mut responses = errors::for_unknown_paths(api.is_public);
    let (tags, paths) = operations::all(api, table, &mut schemas, &mut responses);
    let (scheme, needs) = api.security;
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": api.title,
            "version": env!("CARGO_PKG_VERSION"),
            "description": api.about,
            "license": {"name": env!("CARGO_PKG_LICENSE"), "identifier": env!("CARGO_PKG_LICENSE")},
        },
        "servers": [{"url": api.base_path, "description": api.server}],
        "security": [{scheme: []}],
        "tags": tags,
        "paths": paths,
        "components": {
            "securitySchemes": {scheme: {"type": "http", "scheme": "bearer", "description": needs}},
            "parameters": parameters(),
            "headers": headers(api.is_public),
            "responses": responses,
            "schemas": schemas.into_json(),
        },
    })
}

fn parameters() -> Value {
    let header = |name: &str, schema: Value, about: &str| json!({"name": name, "in": "header", "required": false, "schema": schema, "description": about});
    let tags = json!({"type": "string", "pattern": "^(\\*|(W/)?\"[!#-~]*\"(, (W/)?\"[!#-~]*\")*)$"});
    let key = json!({"type": "string", "minLength": 1, "maxLength": IDEMPOTENCY_KEY_CHARS_MAX, "pattern": "^[!-~]+$"});
    json!({
        "Idempotency-Key": header("Idempotency-Key", key, "Makes the change happen once. Within 24 hours, the same \
            request with the same key returns the first response again, and a different request is refused."),
        "If-Match": header("If-Match", tags.clone(),
            "Entity tags, or `*`. The service makes the change only if the record's current tag is one of them."),
        "If-None-Match": header("If-None-Match", tags,
            "Entity tags, or `*`. The service answers 304 if the record's current tag is one of them."),
    })
}

fn headers(is_public: bool) -> Value {
    let header = |required: bool, schema: Value, about: &str| json!({"required": required, "schema": schema, "description": about});
    let whole = |minimum: u32| json!({"type": "integer", "minimum": minimum});
    let text = || json!({"type": "string"});
    let mut headers = json!({
        "Allow": header(true, text(), "The methods that the path supports."),
        "ETag": header(true, json!({"type": "string", "pattern": "^\"[!#-~]+\"$"}), "The strong entity tag of this version of the record."),
        "Idempotent-Replayed": header(false, json!({"type": "string", "enum": ["true"]}),
            "Present if this is the stored response to an earlier request with the same `Idempotency-Key`."),
        "Retry-After": header(true, whole(1), "The number of seconds to wait before the next attempt."),
        "WWW-Authenticate": header(true, text(), "The required authentication scheme."),
        "X-RateLimit-Limit": header(true, whole(1), "The number of requests allowed per minute."),
        "X-RateLimit-Remaining": header(true, whole(0), "The number of requests left in the current minute."),
        "X-RateLimit-Reset": header(true, whole(0), "The Unix time in seconds at which the current minute ends."),
        "X-Request-Id": header(true, json!({"type": "string", "minLength": 1, "maxLength": REQUEST_ID_CHARS_MAX}),
            "The id of this request. The service's log contains the id."),
    });
    if let Some(headers) = headers.as_object_mut().filter(|_| !is_public) {
        headers.retain(|name, _| !RATE_LIMIT_HEADERS.contains(&name.as_str()));
    }
    headers
}

pub(crate) fn router() -> Router {
    static RENDERED: LazyLock<Vec<u8>> = LazyLock::new(|| document().to_string().into_bytes());
    open("/openapi.json", || async {
        ([(header::CONTENT_TYPE, "application/json")], RENDERED.as_slice()).into_response()
    })
}

fn about() -> String {
    paragraph(&[&format!(
        "Appointments, contacts, calls and messages of one business: the one that the API key belongs to.

        The service accepts instants in RFC 3339 with an offset or `Z`, and returns them in UTC with milliseconds. A
        request body is a JSON object of at most {} KiB. The service refuses a body with an unknown, repeated or invalid
        property, and `details` names every problem and its property. No text may contain U+0000.

        To read a list page by page, send the `next_cursor` of the previous page as `cursor`. A request reads a bounded
        number of rows: a page may be short or empty while `has_more` is true. Each key has a limit of requests per minute
        (120 by default), which `X-RateLimit-Limit` contains. Every response carries
        `X-Request-Id`: the value of the request's header, if it has 1 to {REQUEST_ID_CHARS_MAX} visible ASCII
        characters, otherwise a generated one. Every GET operation also supports HEAD.

        Request schemas are closed: they list every property. Response schemas are open: a later version of the service
        may add properties, event types and error codes, so a client must ignore those that it does not know. The service
        makes no other change to `/v1` that breaks a client. The topic `changelog` of the documentation has the policy and
        the changes.

        Responses have no CORS headers, since keys belong on servers only: a web page calls its own server, and that
        server calls the API. A request to `GET /availability` covers at most 7 days.",
        BODY_BYTES_MAX / 1024
    )])
}

fn operator_about() -> String {
    paragraph(&[&format!(
        "The API for the command line, telephony adapters and back offices. It covers every business, its records and its
        keys. The service treats operator requests as requests of the team, so the booking mode does not restrict them.

        Bodies, errors and lists have the form of the public API: a body is a JSON object of at most {} KiB, lists have a
        `cursor`, and every response carries `X-Request-Id`. An `Idempotency-Key` is separate for each business and from
        the keys of API clients. A repeated response does not contain a key or a webhook secret again: that field is null.
        Every request needs the operator's token. Only requests with a wrong token count against a limit: after {} of
        them from one address within a minute, the service answers further wrong tokens with 429 until the minute is over.
        Every GET operation also supports HEAD.",
        BODY_BYTES_MAX / 1024,
        crate::admin::FAILURES_MAX
    )])
}

#[cfg(test)]
mod tests;
