//! The OpenAPI 3.1 documents of the public API and of the operator API, generated from the route tables and
//! the handlers' signatures.
//!
//! Invariants: paths are relative to the server's URL, which ends in the version. Each operation lists every
//! status and header of its responses, and each error has the body that the service sends.

mod components;
mod errors;
mod examples;
mod operations;
mod parts;
mod webhooks;

use std::sync::LazyLock;

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use parts::{Api, Conventions};
use serde_json::{Value, json};

use crate::http::body::BODY_BYTES_MAX;
use crate::http::request_id::REQUEST_ID_CHARS_MAX;
use crate::http::schemas::{Schemas, paragraph};
use crate::rest::error::Body;
use crate::rest::route::Route;
use crate::rest::router::open;

/// The prefix of every public path. The document has it in `servers`, not in the paths.
pub const BASE_PATH: &str = "/v1";
/// The prefix of every path of the operator API.
pub const OPERATOR_BASE_PATH: &str = "/admin/v1";

pub fn document() -> Value {
    let api = Api {
        title: "Receptionist",
        about: about(),
        base_path: BASE_PATH,
        server: "The server that serves this document.",
        security: (
            "apiKey",
            "An API key of one business. Every request must carry it. Keep it on servers and never send it to a browser.",
        ),
        scope: |access: &crate::api::access::Access| access.scope(),
        conventions: Conventions { scoped: true, rate_limited: true },
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
            "The operator's token. Every request must carry it. It gives access to every business.",
        ),
        scope: |_| None,
        conventions: Conventions { scoped: false, rate_limited: false },
    };
    describe(&api, &crate::admin::table(), Schemas::default())
}

fn describe<A: Send + Sync + 'static>(api: &Api<A>, table: &[Route<A>], mut schemas: Schemas) -> Value {
    schemas.of::<Body<'_>>();
    let mut responses = errors::for_unknown_paths(api.conventions);
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
            "parameters": components::parameters(),
            "headers": components::headers(api.conventions),
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

        The service accepts instants in RFC 3339 with an offset or `Z`, and returns them in UTC with milliseconds. A
        request body is a JSON object of at most {} KiB. The service refuses a body with an unknown, repeated or invalid
        property, and `details` names every problem and its property. No text may contain U+0000.

        To read a list page by page, send the `next_cursor` of the previous page as `cursor`. A request reads a bounded
        number of rows: a page may be short or empty while `has_more` is true. Each key has a limit of requests per minute
        (120 unless the operator sets another), which `X-RateLimit-Limit` contains. Every response carries
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

        Bodies, errors and lists are those of the public API: a body is a JSON object of at most {} KiB, lists have a
        `cursor`, and every response carries `X-Request-Id`. An `Idempotency-Key` is separate for each business and from
        the keys of API clients. A repeated response does not contain a key or a webhook secret again: that field is null.
        Every request needs the operator's token. Only requests with a wrong token count against a limit: after {} of
        them from one address within a minute, the service answers further wrong ones with 429 until the minute is over.
        Every GET operation also supports HEAD.",
        BODY_BYTES_MAX / 1024,
        crate::admin::FAILURES_MAX
    )])
}

#[cfg(test)]
mod tests;
