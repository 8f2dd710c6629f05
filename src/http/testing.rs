//! Helpers for tests of responses.

use axum::response::Response;
use http_body_util::BodyExt;
use serde_json::Value;

/// Returns the status, the headers and the JSON body of a response.
pub(crate) async fn parts(response: Response) -> (u16, axum::http::HeaderMap, Value) {
    let (head, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    let json = if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes).unwrap() };
    (head.status.as_u16(), head.headers, json)
}
