//! The application of a listener: a router that gives each response an id, logs and counts it once, and
//! turns a panic of a handler into a 500.
//!
//! Invariants: every response carries `X-Request-Id`, and all log lines of the request are in a span with that id. The
//! log contains no request headers except this id and the client address that a trusted proxy forwards. If the server
//! has marked a request as `Unfit`, the request is refused before routing and authentication. There is one exception:
//! if the mark is `Unfit::NoSlot`, the paths in `ALWAYS_ANSWERED` are still served.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::response::{IntoResponse, Response};
use domain::FeedId;
use futures_util::FutureExt;
use tokio::time::Instant;
use tower::util::BoxCloneSyncService;
use tower::{ServiceExt, service_fn};
use tracing::Instrument;

use crate::http::request_id::{X_REQUEST_ID, request_id};
use crate::http::router::Noted;
use crate::metrics::Metrics;
use crate::rest::error::ApiError;
use crate::rest::router::caught_open;
use crate::server::{ClientAddr, Unfit};

/// The paths that are answered even on connections beyond the connection limit, for supervisors and
/// monitoring.
const ALWAYS_ANSWERED: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

const PATH_CHARS_MAX: usize = 200;
/// The maximum length of a logged path segment that is not an id, in bytes. Tokens are longer (at least 22
/// bytes), so they are never logged.
const PART_BYTES_MAX: usize = 21;

/// The application of a listener. It is cheap to clone.
pub type App = BoxCloneSyncService<Request, Response, Infallible>;

/// Wraps a router with the steps that are common to all responses.
pub(crate) fn app(router: Router, metrics: Arc<Metrics>) -> App {
    BoxCloneSyncService::new(service_fn(move |mut request: Request| {
        let (router, metrics) = (router.clone(), Arc::clone(&metrics));
        let id = request_id(request.headers());
        // The id is added to the request, because error pages of the dashboard show it.
        request.headers_mut().insert(X_REQUEST_ID, id.clone());
        // The span has the level `error`, so that every log filter keeps the id in the lines of errors. The
        // conversion to text cannot fail, since the id contains visible ASCII only.
        let span = tracing::error_span!("request", request.id = id.to_str().unwrap_or_default());
        answer(router, metrics, id, request).map(Ok).instrument(span)
    }))
}

async fn answer(router: Router, metrics: Arc<Metrics>, id: HeaderValue, request: Request) -> Response {
    let start = Instant::now();
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let client = request.extensions().get::<ClientAddr>().map(|client| client.0);
    let mut response = match unfit(&request) {
        Some(error) => error.into_response(),
        None => caught_open(router.oneshot(request).map(|Ok(response)| response)).await,
    };
    let took = start.elapsed();
    response.headers_mut().insert(X_REQUEST_ID, id);
    let Noted { route, key, business, person } = response.extensions().get().copied().unwrap_or_default();
    metrics.answered(route, &method, response.status(), took);
    // A path that is in no route table may contain anything, for example a token, so it is shortened.
    let path = route.map_or_else(|| shorten(uri.path()), str::to_owned);
    tracing::info!(
        http.method = method.as_str(),
        http.path = path,
        http.status = response.status().as_u16(),
        duration_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        key.id = key.map(tracing::field::display),
        business.id = business.map(tracing::field::display),
        person.id = person.map(tracing::field::display),
        client.address = client.map(tracing::field::display),
        "request answered"
    );
    response
}

fn unfit(request: &Request) -> Option<ApiError> {
    match request.extensions().get::<Unfit>()? {
        Unfit::Malformed(problem) => Some(ApiError::Malformed(problem)),
        Unfit::NoSlot if ALWAYS_ANSWERED.contains(&request.uri().path()) => None,
        Unfit::NoSlot => Some(ApiError::Unavailable),
    }
}

/// Shortens a path for the log. Replaces each long segment that is not an id, since such a segment may be a token in a
/// mistyped path.
fn shorten(path: &str) -> String {
    let is_shown = |part: &str| part.len() <= PART_BYTES_MAX || part.parse::<FeedId>().is_ok();
    let part = |part| if is_shown(part) { part } else { "…" };
    let parts = path.split('/').map(part).collect::<Vec<_>>().join("/");
    parts.chars().take(PATH_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::HeaderMap;
    use axum::routing::get;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::http::request_id::REQUEST_ID_CHARS_MAX;
    use crate::http::testing::parts;

    fn app() -> App {
        async fn panics() -> String {
            panic!("a fault for the test")
        }
        let router = Router::new()
            .route("/hello", get(|| async {}))
            .route("/panic", get(panics))
            .fallback(|| async { ApiError::NoSuchPath(None) });
        super::app(router, Arc::new(Metrics::new([], vec![])))
    }

    async fn get_with(path: &str, id: Option<&[u8]>) -> (u16, HeaderMap, serde_json::Value) {
        let mut request = Request::get(path).body(Body::empty()).unwrap();
        if let Some(id) = id {
            request.headers_mut().insert(X_REQUEST_ID, HeaderValue::from_bytes(id).unwrap());
        }
        parts(app().oneshot(request).await.unwrap()).await
    }

    #[tokio::test]
    async fn a_good_id_of_the_client_is_kept() {
        for id in ["x".to_owned(), "~".repeat(REQUEST_ID_CHARS_MAX)] {
            let (_, headers, _) = get_with("/hello", Some(id.as_bytes())).await;
            assert_eq!(headers[X_REQUEST_ID].to_str().unwrap(), id);
        }
    }

    #[tokio::test]
    async fn any_other_id_is_replaced_by_a_new_one() {
        let long = "x".repeat(REQUEST_ID_CHARS_MAX + 1);
        for id in [None, Some(&b""[..]), Some(b"a b"), Some("é".as_bytes()), Some(long.as_bytes())] {
            let (_, headers, _) = get_with("/hello", id).await;
            headers[X_REQUEST_ID].to_str().unwrap().parse::<Uuid>().unwrap();
        }
        let [one, other] = [get_with("/hello", None).await, get_with("/hello", None).await];
        assert_ne!(one.1[X_REQUEST_ID], other.1[X_REQUEST_ID]);
    }

    #[test]
    fn a_token_in_a_path_that_no_route_has_is_not_logged() {
        let token = "Zk3v_9dQ-".repeat(5)[..43].to_owned();
        for (path, expected) in [
            (format!("/dashboard/enter/{token}"), "/dashboard/enter/…".to_owned()),
            (format!("/dashboard/enter/{token}/"), "/dashboard/enter/…/".into()),
            (format!("//dashboard//unsubscribe/{token}{token}"), "//dashboard//unsubscribe/…".into()),
            (format!("/{token}.?"), "/…".into()),
            (format!("/v1/{}", uuid::Uuid::nil()), format!("/v1/{}", uuid::Uuid::nil())),
            ("/é".repeat(150), "/é".repeat(100)),
        ] {
            assert_eq!(shorten(&path), expected);
        }
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
