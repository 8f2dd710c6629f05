//! The outermost layer of both APIs: gives every request an id, logs and counts it once, and turns a panic into a 500.
//!
//! What always holds: every response carries `X-Request-Id`, everything logged meanwhile stands in a span with that
//! id, and of the headers of a request only that one is ever logged.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use actors::domain::KeyId;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::time::Instant;
use tracing::Instrument;
use uuid::Uuid;

use super::error::ApiError;
use crate::metrics::Metrics;

/// The header.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The greatest number of characters of an id that a client chose.
pub const REQUEST_ID_CHARS_MAX: usize = 128;

/// How many characters of a path that no route has are logged.
const PATH_CHARS_MAX: usize = 200;

/// The id of a request, in its extensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(HeaderValue);

impl RequestId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        // Only visible ASCII is ever taken.
        self.0.to_str().unwrap_or_default()
    }

    /// The client's id when it is one, else a new one.
    fn of(headers: &HeaderMap) -> Self {
        let given = headers.get(X_REQUEST_ID).filter(|value| {
            (1..=REQUEST_ID_CHARS_MAX).contains(&value.len())
                && value.as_bytes().iter().all(u8::is_ascii_graphic)
        });
        Self(given.cloned().unwrap_or_else(|| {
            let id = Uuid::new_v4().to_string();
            HeaderValue::from_str(&id).unwrap_or(HeaderValue::from_static("-"))
        }))
    }
}

/// The key that a request was authenticated with; authentication sets it in the response's extensions for the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedKey(pub KeyId);

/// The layer, for [`axum::middleware::from_fn_with_state`]. Must wrap routes and fallbacks alike (`Router::layer`, added last).
pub(crate) async fn identify(
    State(metrics): State<Arc<Metrics>>,
    mut request: Request,
    next: Next,
) -> Response {
    let id = RequestId::of(request.headers());
    request.extensions_mut().insert(id.clone());
    // An error's span, so that the id stands beside errors whatever the log's filter is.
    let span = tracing::error_span!("request", request.id = id.as_str());
    async move {
        let start = Instant::now();
        let method = request.method().clone();
        let matched = request.extensions().get::<MatchedPath>().cloned();
        let route = matched.as_ref().map(MatchedPath::as_str);
        // Whoever has no key can ask for any path; the log does not repeat it at length.
        let shown = |path: &str| path.chars().take(PATH_CHARS_MAX).collect();
        let unmatched: String = if route.is_none() { shown(request.uri().path()) } else { String::new() };
        let mut response = caught(next.run(request)).await;
        response.headers_mut().insert(X_REQUEST_ID, id.0);
        let took = start.elapsed();
        metrics.answered(route, &method, response.status(), took);
        tracing::info!(
            http.method = method.as_str(),
            http.path = route.unwrap_or(&unmatched),
            http.status = response.status().as_u16(),
            duration_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            key.id = response.extensions().get::<LoggedKey>().map(|key| tracing::field::display(key.0)),
            "request answered"
        );
        response
    }
    .instrument(span)
    .await
}

/// The answer, or a 500 when finding it panicked. A handler keeps no state that a panic could leave half-changed:
/// state lives behind the engine's handles.
pub(crate) async fn caught(answer: impl Future<Output = Response>) -> Response {
    let mut answer = pin!(answer);
    let outcome: Result<Response, Box<dyn Any + Send>> =
        poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(cx))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(response)) => Poll::Ready(Ok(response)),
            Err(panic) => Poll::Ready(Err(panic)),
        })
        .await;
    outcome.unwrap_or_else(|_| ApiError::Panicked.into_response())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::routing::get;
    use axum::{Extension, Router, middleware};
    use serde_json::json;
    use tower::ServiceExt;

    use super::*;
    use crate::http::error::tests::parts;

    fn router() -> Router {
        async fn echo(Extension(id): Extension<RequestId>) -> String {
            json!(id.as_str()).to_string()
        }
        async fn panics() -> String {
            panic!("a fault for the test")
        }
        Router::new()
            .route("/echo", get(echo))
            .route("/panic", get(panics))
            .fallback(|| async { ApiError::NoSuchPath("/x".into()) })
            .layer(middleware::from_fn_with_state(Arc::new(Metrics::new([])), identify))
    }

    async fn get_with(path: &str, id: Option<&[u8]>) -> (u16, HeaderMap, serde_json::Value) {
        let mut request = Request::get(path).body(Body::empty()).unwrap();
        if let Some(id) = id {
            request.headers_mut().insert(X_REQUEST_ID, HeaderValue::from_bytes(id).unwrap());
        }
        parts(router().oneshot(request).await.unwrap()).await
    }

    #[tokio::test]
    async fn a_good_id_of_the_client_is_kept() {
        for id in ["x".to_owned(), "~".repeat(REQUEST_ID_CHARS_MAX)] {
            let (_, headers, body) = get_with("/echo", Some(id.as_bytes())).await;
            assert_eq!((headers[X_REQUEST_ID].to_str().unwrap(), body), (id.as_str(), json!(id)));
        }
    }

    #[tokio::test]
    async fn any_other_id_is_replaced_by_a_new_one() {
        let long = "x".repeat(REQUEST_ID_CHARS_MAX + 1);
        for id in [None, Some(&b""[..]), Some(b"a b"), Some("é".as_bytes()), Some(long.as_bytes())] {
            let (_, headers, body) = get_with("/echo", id).await;
            let new: Uuid = headers[X_REQUEST_ID].to_str().unwrap().parse().unwrap();
            assert_eq!(body, json!(new.to_string()));
        }
        assert_ne!(get_with("/echo", None).await.2, get_with("/echo", None).await.2);
    }

    #[tokio::test]
    async fn unknown_paths_and_panics_carry_the_id_too() {
        let (status, headers, _) = get_with("/nowhere", Some(b"abc")).await;
        assert_eq!((status, &headers[X_REQUEST_ID]), (404, &HeaderValue::from_static("abc")));
        let (status, headers, body) = get_with("/panic", Some(b"abc")).await;
        assert_eq!((status, &headers[X_REQUEST_ID]), (500, &HeaderValue::from_static("abc")));
        assert_eq!(
            body,
            json!({"error": {"code": "internal_error", "message": "an internal error occurred"}})
        );
    }
}
