//! Checks that apply to every response.

use std::sync::LazyLock;

use hyper::Method;
use serde_json::Value;

use super::answer::Answer;
use super::conformance::Conformance;
use super::{fields, shapes};

/// The document of the public API. Every response of that API must match it.
static DOCUMENT: LazyLock<Conformance> =
    LazyLock::new(|| Conformance::new(&receptionist::openapi::document()));

/// The document of the operator API. Every response of that API must match it.
static OPERATOR_DOCUMENT: LazyLock<Conformance> =
    LazyLock::new(|| Conformance::new(&receptionist::openapi::operator_document()));

/// Every error code with the statuses that it can have.
const CODES: [(&str, &[u16]); 15] = [
    ("invalid_request", &[400, 408, 413, 415]),
    ("unauthorized", &[401]),
    ("forbidden", &[403]),
    ("insufficient_scope", &[403]),
    ("not_found", &[404]),
    ("conflict", &[409]),
    ("idempotency_key_reused", &[422]),
    ("idempotency_request_in_progress", &[409]),
    ("booking_disabled", &[409]),
    ("booking_requires_confirmation", &[409]),
    ("slot_unavailable", &[409]),
    ("rate_limited", &[429]),
    ("rate_limit_unavailable", &[503]),
    ("method_not_allowed", &[405]),
    ("internal_error", &[500, 503]),
];

pub(super) fn check(answer: &Answer, method: &Method, path: &str) {
    assert_ne!(answer.status, 500, "{answer}");
    if path.starts_with("/book/") {
        return; // pages for browsers have their own tests
    }
    // On the public listener, a path of the operator API gets a 404 error. The document of the operator API
    // does not contain this error, so the response is not compared with the document.
    let nowhere = answer.body["error"]["message"] == "There is no such path." && !path.starts_with("/v1");
    let of_operator = (!nowhere).then_some(&OPERATOR_DOCUMENT);
    for document in of_operator.into_iter().chain([&DOCUMENT]) {
        let documented = document.check(method.as_str(), path, answer.status, &answer.headers, &answer.bytes);
        assert!(documented.is_ok(), "{documented:?}: {answer}");
    }
    let id = answer.header("x-request-id");
    assert!((1..=128).contains(&id.len()), "{answer}");
    headers_of_the_status(answer);
    if path == "/mcp" {
        of_the_protocol(answer);
        return;
    }
    if path.starts_with("/book") {
        of_the_booking_pages(answer);
        return;
    }
    if path.starts_with("/v1/") || path == "/v1" {
        rate_limit_headers(answer);
    }
    if method == Method::HEAD || matches!(answer.status, 204 | 304) {
        assert!(answer.bytes.is_empty(), "{answer}");
        return;
    }
    if answer.status == 200 && path.split('?').next().is_some_and(|path| path.ends_with("/export")) {
        assert_eq!(answer.header("content-type"), "application/x-ndjson", "{answer}");
        assert!(!answer.has("etag") && answer.bytes.ends_with(b"\n"), "{answer}");
        return;
    }
    if answer.status == 200 && path.split('?').next().is_some_and(|path| path.ends_with(".csv")) {
        assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8", "{answer}");
        assert!(answer.header("content-disposition").starts_with("attachment; filename=\""), "{answer}");
        assert!(!answer.has("etag") && answer.bytes.starts_with("\u{feff}".as_bytes()), "{answer}");
        return;
    }
    if answer.status == 200 && path.starts_with("/calendar/") {
        assert_eq!(answer.header("content-type"), "text/calendar; charset=utf-8", "{answer}");
        assert!(answer.header("etag").starts_with('"'), "{answer}");
        return;
    }
    assert_eq!(answer.header("content-type"), "application/json", "{answer}");
    assert!(answer.body.is_object(), "{answer}");
    if answer.status >= 400 {
        error_body(answer);
    } else if !["/healthz", "/readyz"].contains(&path) {
        success_body(answer, method, path);
    }
}

fn of_the_booking_pages(answer: &Answer) {
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                  connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors ";
    let ancestors = answer.header("content-security-policy").strip_prefix(policy).unwrap();
    let is_frame = ancestors != "'none'";
    assert_eq!(answer.has("x-frame-options"), !is_frame, "{answer}");
    assert_eq!(answer.has("cross-origin-embedder-policy"), is_frame, "{answer}");
    assert_eq!(answer.has("cross-origin-resource-policy"), is_frame, "{answer}");
    assert_eq!(answer.header("x-content-type-options"), "nosniff", "{answer}");
    assert_eq!(answer.header("referrer-policy"), "same-origin", "{answer}");
    assert!(!answer.has("set-cookie"), "{answer}");
    if answer.status == 303 {
        assert!(answer.header("location").starts_with("/book/"), "{answer}");
    }
    if answer.bytes.starts_with(b"<!doctype html>") {
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8", "{answer}");
        assert_eq!(answer.header("cache-control"), "no-store", "{answer}");
    }
}

fn headers_of_the_status(answer: &Answer) {
    match answer.status {
        401 => assert_eq!(answer.header("www-authenticate"), "Bearer", "{answer}"),
        405 => assert!(!answer.header("allow").is_empty(), "{answer}"),
        429 | 503 => assert!(answer.number("retry-after") >= 1, "{answer}"),
        _ => {}
    }
    if answer.code() == "idempotency_request_in_progress" {
        assert_eq!(answer.header("retry-after"), "1", "{answer}");
    }
    if answer.has("idempotent-replayed") {
        assert_eq!(answer.header("idempotent-replayed"), "true", "{answer}");
    }
}

/// Checks a response of `/mcp`. The response must be JSON-RPC on a single line, or have the error body of
/// `/v1`.
fn of_the_protocol(answer: &Answer) {
    // A request that is refused because of its `Host` or `Origin` does not count against the rate limit, so
    // the response has no rate limit headers.
    if answer.status != 403 || answer.has("x-ratelimit-limit") {
        rate_limit_headers(answer);
    }
    if answer.status == 202 {
        assert!(answer.bytes.is_empty(), "{answer}");
        return;
    }
    assert_eq!(answer.header("content-type"), "application/json", "{answer}");
    if answer.body["jsonrpc"] == "2.0" {
        assert!(!answer.bytes.contains(&b'\n'), "{answer}");
        assert!(answer.body.get("result").is_some() != answer.body.get("error").is_some(), "{answer}");
        let chars = String::from_utf8_lossy(&answer.bytes).chars().count();
        assert!(chars < 100_000, "the response has too many characters: {chars}");
    } else {
        assert!(answer.status >= 400, "{answer}");
        error_body(answer);
    }
}

fn rate_limit_headers(answer: &Answer) {
    let [limit, remaining, reset] =
        ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"].map(|name| answer.number(name));
    assert!(limit >= 1 && (0..limit).contains(&remaining), "{answer}");
    assert_eq!(reset % 60, 0, "the rate limit window must end at a full minute: {answer}");
    if answer.status == 429 {
        assert_eq!(remaining, 0, "{answer}");
        assert!((1..=60).contains(&answer.number("retry-after")), "{answer}");
    }
}

fn error_body(answer: &Answer) {
    assert_eq!(keys(&answer.body), ["error"], "{answer}");
    let error = &answer.body["error"];
    let statuses = CODES.iter().find(|(code, _)| error["code"] == **code).map(|(_, statuses)| statuses);
    assert!(statuses.is_some_and(|statuses| statuses.contains(&answer.status)), "{answer}");
    assert!(!answer.message().is_empty(), "{answer}");
    match error.get("details") {
        None => assert_eq!(keys(error), ["code", "message"], "{answer}"),
        Some(details) => {
            assert_eq!(keys(error), ["code", "details", "message"], "{answer}");
            for detail in details.as_array().expect("`details` must be a list") {
                assert_eq!(keys(detail), ["message", "path"], "{answer}");
                assert!(detail["path"].is_string() && detail["message"].is_string(), "{answer}");
            }
        }
    }
}

fn success_body(answer: &Answer, method: &Method, path: &str) {
    let shape = shapes::of(method, path);
    match &answer.body["data"] {
        Value::Array(items) => {
            assert_eq!(keys(&answer.body), ["data", "has_more", "next_cursor"], "{answer}");
            let more = answer.body["has_more"].as_bool().expect("`has_more` must be a boolean");
            let next = &answer.body["next_cursor"];
            assert!(if more { next.is_string() } else { next.is_null() }, "{answer}");
            assert!(!answer.has("etag"), "{answer}");
            for item in items {
                fields::check(item, shape, answer);
            }
        }
        resource => {
            assert_eq!(keys(&answer.body), ["data"], "{answer}");
            // A response that describes an action or contains figures is not a resource, so it has no `ETag`.
            let untagged = [
                "/insights",
                "/backup",
                "/import",
                "/test",
                "/resend",
                "/resend-missed",
                "/try-now",
                "/send-again",
                "/rotate-secret",
                "/link",
                "/read",
                "/write",
                "/turns",
            ];
            let removed = method == Method::DELETE;
            let plain = path.split('?').next().unwrap_or(path);
            if removed || untagged.iter().any(|end| plain.ends_with(end)) {
                assert!(!answer.has("etag"), "{answer}");
            } else {
                let tag = answer.header("etag");
                assert!(tag.len() > 2 && tag.starts_with('"') && tag.ends_with('"'), "{answer}");
            }
            fields::check(resource, shape, answer);
        }
    }
}

/// The names of the properties of an object, sorted.
fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<_> =
        value.as_object().map(|object| object.keys().map(String::as_str).collect()).unwrap_or_default();
    keys.sort_unstable();
    keys
}
