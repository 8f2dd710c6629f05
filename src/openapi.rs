//! The published documents of the public and of the operator API, OpenAPI 3.1: each made from the table of routes that
//! serves requests and from what the handlers' signatures say.
//!
//! What always holds: paths are relative to the server's URL, which ends in the version; an operation is described
//! with every status and header it can answer with, and each error with the very body that is sent.

mod components;
mod errors;
mod examples;
mod operation;
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

/// What stands before every path of the public table and in `servers` instead.
pub const BASE_PATH: &str = "/v1";
/// The same of the operator API.
pub const OPERATOR_BASE_PATH: &str = "/admin/v1";

/// The document of the public API.
pub fn document() -> Value {
    let api = Api {
        title: "Receptionist",
        about: about(),
        base_path: BASE_PATH,
        server: "Where this document was fetched from.",
        security: ("apiKey", "An API key of one business, on every request. It belongs on servers only."),
        scope: |access: &crate::api::access::Access| access.scope(),
        conventions: Conventions { scoped: true, rate_limited: true },
    };
    let mut schemas = Schemas::default();
    let webhooks = webhooks::all(&mut schemas);
    let mut document = describe(&api, &crate::api::table(), schemas);
    document["webhooks"] = webhooks;
    if let Some(tags) = document["tags"].as_array_mut() {
        tags.push(
            json!({"name": webhooks::TAG, "description": "The calls that the service makes to endpoints."}),
        );
    }
    document
}

/// Takes the section `webhooks` and its tag out of the document of the public API.
pub fn without_webhooks(document: &mut Value) {
    if let Some(document) = document.as_object_mut() {
        document.remove("webhooks");
    }
    if let Some(tags) = document["tags"].as_array_mut() {
        tags.retain(|tag| tag["name"] != webhooks::TAG);
    }
}

/// The document of the operator API.
pub fn operator_document() -> Value {
    let api = Api {
        title: "Receptionist, operator API",
        about: operator_about(),
        base_path: OPERATOR_BASE_PATH,
        server: "The operator's listener.",
        security: ("operatorToken", "The operator's token, on every request. It opens every business."),
        scope: |_| None,
        conventions: Conventions { scoped: false, rate_limited: false },
    };
    describe(&api, &crate::admin::table(), Schemas::default())
}

fn describe<A: Send + Sync + 'static>(api: &Api<A>, table: &[Route<A>], mut schemas: Schemas) -> Value {
    schemas.of::<Body<'_>>();
    let mut responses = errors::of_no_operation(api.conventions);
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

        Instants are RFC 3339 with an offset or `Z` in, and UTC with milliseconds out. A body is a JSON object of at
        most {} KiB; an unknown, repeated or wrong property is refused, and `details` names every problem with its
        place. No text may contain U+0000.

        A list is walked with `cursor`, which is the `next_cursor` of the page before. A request reads a bounded number
        of rows: a page may be short or empty while `has_more` is true. Each key may make a number of requests per minute (120 unless the operator sets another), which `X-RateLimit-Limit` tells. Every answer
        carries `X-Request-Id`: the request's own, if it sent one of 1 to {REQUEST_ID_CHARS_MAX} visible ASCII
        characters. GET answers HEAD as well.

        Schemas of requests are closed: they list every property there is. Schemas of responses are open in time: a later
        version of the service may add properties, event types and error codes, so a client ignores those that it does not
        know. Nothing else of `/v1` changes in a way that breaks a client; the topic `changelog` of the documentation has the
        policy and the changes.

        No response has CORS headers, since a key belongs on servers only: a web page calls its own server, which calls the
        API. `GET /availability` answers for at most 7 days in one request.",
        BODY_BYTES_MAX / 1024
    )])
}

fn operator_about() -> String {
    paragraph(&[&format!(
        "What the command line, telephony adapters and a back office call: every business, its records and its keys.
        What is done here is the team's own doing, so a booking mode never stands in its way.

        Bodies, errors and lists are those of the public API: a body is a JSON object of at most {} KiB, a list is
        walked with `cursor`, and every answer carries `X-Request-Id`. An `Idempotency-Key` is the operator's own, for
        each business apart, and does not bring a key or a secret of a webhook back: that field is null when the answer is
        given again. Nothing is answered without the operator's
        token, and requests are not counted but for those with a wrong one: an address that has sent {} of them within a
        minute is answered 429 to further wrong ones until the minute is over. GET answers HEAD as well.",
        BODY_BYTES_MAX / 1024,
        crate::admin::FAILURES_MAX
    )])
}

#[cfg(test)]
mod tests;
