//! The bodies of successful responses. A resource is sent as `{"data": …}`, with an entity tag in the header `ETag`. A
//! list is sent as `{"data": […], "next_cursor", "has_more"}`.
//!
//! Invariant: the entity tag is computed from the bytes of the resource, without any secret.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::Problem;
use schemars::JsonSchema;
use serde::Serialize;

use super::etag;

/// A response with one value.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{V}Answer", description = "")]
pub struct Answer<V> {
    /// The value. The API document takes the description from the type of the value.
    #[schemars(description = "")]
    pub data: V,
}

/// A page of a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{V}Page", description = "")]
pub struct Page<'a, V> {
    /// The items. The API document takes the description from their type.
    #[schemars(description = "")]
    pub data: &'a [V],
    /// Whether there is another page. A short or empty page may have a next page.
    pub has_more: bool,
    /// The `cursor` of the next page; null exactly when there is no next page.
    pub next_cursor: Option<String>,
}

pub fn tagged(status: StatusCode, rendered: &[u8], tag: &str) -> Response {
    let mut response = plain(status, rendered);
    response.headers_mut().insert(header::ETAG, etag::header(tag));
    response
}

/// The response with a resource, or a 304 without a body if the client has this version.
pub fn found(rendered: &[u8], tag: &str, headers: &HeaderMap) -> Result<Response, Problem> {
    Ok(if etag::is_known(headers, tag)? {
        (StatusCode::NOT_MODIFIED, [(header::ETAG, etag::header(tag))]).into_response()
    } else {
        tagged(StatusCode::OK, rendered, tag)
    })
}

pub fn plain(status: StatusCode, rendered: &[u8]) -> Response {
    let body = [br#"{"data":"#, rendered, b"}"].concat();
    json(status, body)
}

/// A page of a list. `has_more` is true if and only if there is a cursor.
pub fn list<T: Serialize>(items: &[T], next_cursor: Option<String>) -> Result<Response, serde_json::Error> {
    let page = Page { data: items, has_more: next_cursor.is_some(), next_cursor };
    // A rough estimate of the size, so that the buffer rarely grows.
    let mut body = Vec::with_capacity((64 + 2 * size_of::<T>()) * (items.len() + 1));
    serde_json::to_writer(&mut body, &page)?;
    Ok(json(StatusCode::OK, body))
}

fn json(status: StatusCode, body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::http::testing::parts;

    #[tokio::test]
    async fn a_resource_has_an_entity_tag_and_is_not_sent_again() {
        let rendered = br#"{"id":1}"#;
        let (status, headers, body) =
            parts(tagged(StatusCode::CREATED, rendered, &view::etag(rendered))).await;
        assert_eq!((status, body), (201, json!(Answer { data: json!({"id": 1}) })));
        assert_eq!(headers["content-type"], "application/json");

        let mut known = HeaderMap::new();
        known.insert("if-none-match", headers["etag"].clone());
        let (status, again, body) = parts(found(rendered, &view::etag(rendered), &known).unwrap()).await;
        assert_eq!((status, &again["etag"], body), (304, &headers["etag"], Value::Null));
        assert_eq!(parts(found(b"{}", &view::etag(b"{}"), &known).unwrap()).await.0, 200);
        assert_eq!(parts(found(b"{}", &view::etag(b"{}"), &HeaderMap::new()).unwrap()).await.0, 200);
    }

    #[tokio::test]
    async fn has_more_is_true_exactly_if_there_is_a_cursor() {
        let (status, headers, body) = parts(list(&[1, 2], Some("next".into())).unwrap()).await;
        assert_eq!((status, body), (200, json!({"data": [1, 2], "next_cursor": "next", "has_more": true})));
        assert!(!headers.contains_key("etag"));
        let (_, _, body) = parts(list::<u8>(&[], None).unwrap()).await;
        assert_eq!(body, json!({"data": [], "next_cursor": null, "has_more": false}));
    }
}
