//! The router of the documentation's pages.

use axum::Router;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;

use super::pages::{Page, missing, page, search};
use super::pictures::{PICTURES, picture};
use crate::dashboard::seal;
use crate::http::etag;
use crate::http::query::pairs;
use crate::http::router::Noted;
use crate::rest::error::ApiError;
use crate::rest::router::caught_open;

/// The paths of the documentation, as logs and metrics show them.
pub(crate) const PATHS: [&str; 5] =
    ["/docs", "/docs/reference", "/docs/search", "/docs/{topic}", "/docs/pictures/{digest}/{name}"];

/// The browser must ask the service whether its cached copy is still current.
const REVALIDATED: HeaderValue = HeaderValue::from_static("no-cache");

/// The router of `/docs`. `is_secure` says whether browsers reach the service by HTTPS.
pub(crate) fn router(is_secure: bool) -> Router {
    let serve = move |request: Request| async move {
        let (head, _) = request.into_parts();
        let mut response = caught_open(async { answer(&head) }).await;
        seal(&mut response, is_secure);
        let path = head.uri.path();
        let other = if path.starts_with(PICTURES) { &PATHS[4] } else { &PATHS[3] };
        let route = PATHS.iter().find(|route| **route == path).unwrap_or(other);
        response.extensions_mut().get_or_insert_default::<Noted>().route = Some(route);
        response
    };
    ["/docs", "/docs/", "/docs/{*page}"]
        .into_iter()
        .fold(Router::new(), |router, path| router.route(path, any(serve)))
}

fn answer(head: &Parts) -> Response {
    if !matches!(head.method, Method::GET | Method::HEAD) {
        return ApiError::MethodNotAllowed("GET, HEAD", "").into_response();
    }
    match head.uri.path() {
        "/docs/" => (StatusCode::SEE_OTHER, [(header::LOCATION, "/docs")]).into_response(),
        "/docs/search" => {
            let mut pairs = pairs(head.uri.query().unwrap_or_default().as_bytes());
            let (_, query) = pairs.find(|(name, _)| name == "q").unwrap_or_default();
            html(StatusCode::OK, search(&query))
        }
        path => match (picture(path, &head.headers), page(path)) {
            (Some(picture), _) => picture,
            (None, Some(page)) => kept(page, &head.headers),
            (None, None) => html(StatusCode::NOT_FOUND, missing()),
        },
    }
}

fn html(status: StatusCode, rendered: askama::Result<String>) -> Response {
    match rendered {
        Ok(html) => (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response(),
        Err(error) => ApiError::internal(error).into_response(),
    }
}

/// The response with a rendered page, or a 304 if the client has the page.
fn kept(page: &Page, headers: &HeaderMap) -> Response {
    let mut response = if etag::is_known(headers, &page.tag).unwrap_or_default() {
        (StatusCode::NOT_MODIFIED, [(header::VARY, "Accept-Encoding")]).into_response()
    } else {
        page.body.response(headers)
    };
    // The ETag is weak, because the compressed and the uncompressed page have the same ETag.
    response.headers_mut().insert(header::ETAG, etag::header(&format!("W/{}", page.tag)));
    response.headers_mut().insert(header::CACHE_CONTROL, REVALIDATED);
    response
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use http_body_util::BodyExt;
    use tower::ServiceExt;

    use super::*;
    use crate::docs::topics::topics;

    async fn ask(method: &str, path: &str, headers: &[(&str, &str)]) -> (u16, HeaderMap, Vec<u8>) {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = router(true).oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let (head, body) = response.into_parts();
        (head.status.as_u16(), head.headers, body.collect().await.unwrap().to_bytes().to_vec())
    }

    #[tokio::test]
    async fn every_page_is_served_with_the_policy_and_without_a_cookie() {
        let names = topics().map(|topic| topic.name).chain(["reference", "search?q=retries"]);
        for path in names.map(|name| format!("/docs/{name}")).chain(["/docs".to_owned()]) {
            for method in ["GET", "HEAD"] {
                let (status, headers, body) = ask(method, &path, &[]).await;
                assert_eq!(
                    (status, &headers["content-type"]),
                    (200, &"text/html; charset=utf-8".parse().unwrap()),
                    "{path}"
                );
                assert!(
                    headers["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'")
                );
                assert!(
                    headers.contains_key("strict-transport-security") && !headers.contains_key("set-cookie")
                );
                let body = String::from_utf8(body).unwrap();
                let is_shown = body.contains("<h1") && !body.contains(" style=") && !body.contains("<style");
                assert!(is_shown || method == "HEAD", "{path}");
            }
        }
    }

    #[tokio::test]
    async fn a_cached_page_gives_304_and_a_page_is_sent_compressed() {
        let (_, headers, plain) = ask("GET", "/docs/webhooks", &[]).await;
        let tag = headers["etag"].to_str().unwrap();
        assert_eq!((&headers["cache-control"], &tag[..3]), (&REVALIDATED, "W/\""));
        let (status, same, body) = ask("GET", "/docs/webhooks", &[("if-none-match", tag)]).await;
        assert_eq!((status, &same["etag"], body.len()), (304, &headers["etag"], 0));
        let (status, other, packed) =
            ask("GET", "/docs/webhooks", &[("if-none-match", "\"other\""), ("accept-encoding", "gzip")])
                .await;
        assert_eq!((status, &other["content-encoding"]), (200, &HeaderValue::from_static("gzip")));
        assert!(packed.len() < plain.len() / 2, "{} of {}", packed.len(), plain.len());
    }

    #[tokio::test]
    async fn pictures_are_cached_forever_at_the_path_of_their_version() {
        let (_, _, page) = ask("GET", "/docs/dashboard", &[]).await;
        let page = String::from_utf8(page).unwrap();
        let pictures: Vec<_> =
            page.split("<img src=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(pictures.len(), 5);
        for path in pictures {
            let (status, headers, body) = ask("GET", path, &[]).await;
            assert_eq!((status, &headers["content-type"]), (200, &HeaderValue::from_static("image/webp")));
            assert!(headers["cache-control"].to_str().unwrap().contains("immutable"), "{path}");
            assert!(headers.contains_key("content-security-policy") && body.starts_with(b"RIFF"), "{path}");
        }
        let (status, headers, _) = ask("GET", "/docs/pictures/0000000000000000/today.webp", &[]).await;
        assert_eq!((status, &headers["cache-control"]), (404, &HeaderValue::from_static("no-store")));
    }

    #[tokio::test]
    async fn other_paths_and_methods_are_refused() {
        for path in
            ["/docs/nothing", "/docs/webhooks/more", "/docs/Webhooks", "/docs/webhooks.md", "/docs/%ff"]
        {
            let (status, headers, body) = ask("GET", path, &[]).await;
            assert_eq!(
                (status, &headers["cache-control"]),
                (404, &HeaderValue::from_static("no-store")),
                "{path}"
            );
            assert!(String::from_utf8(body).unwrap().contains("There is no such page"), "{path}");
        }
        assert_eq!(ask("GET", "/docs/", &[]).await.1["location"], "/docs");
        let (status, headers, _) = ask("POST", "/docs/webhooks", &[]).await;
        assert_eq!((status, &headers["allow"]), (405, &HeaderValue::from_static("GET, HEAD")));
    }

    #[tokio::test]
    async fn a_query_is_shown_as_text() {
        let (status, _, body) = ask("GET", "/docs/search?q=%3Cscript%3Ealert(1)%3C/script%3E&q=x", &[]).await;
        let body = String::from_utf8(body).unwrap();
        assert!(status == 200 && !body.contains("<script>alert"), "{body}");
        let (_, _, body) = ask("GET", "/docs/search?q=resend-missed", &[]).await;
        assert!(String::from_utf8(body).unwrap().contains("/docs/webhooks#delivery-log"));
        let (_, _, body) = ask("GET", "/docs/search?q=Book+an+appointment", &[]).await;
        assert!(String::from_utf8(body).unwrap().contains("/docs/reference#bookAppointment"));
    }
}
