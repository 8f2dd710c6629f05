//! The script that other sites embed. It adds a button, which opens the booking page in a frame.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::IntoResponse;

use super::assets;
use super::gate::CROSS_ORIGIN_RESOURCE_POLICY;
use super::input::PageInput;
use super::refused::Refused;
use super::route::Answered;
use crate::http::etag;

const CACHED: HeaderValue = HeaderValue::from_static("public, max-age=3600");

pub(super) async fn script(asked: PageInput) -> Answered {
    let headers = &asked.head.headers;
    // The entity tag contains the digest of all assets. It is a weak tag, because the body is sent both with
    // and without gzip.
    let digest = assets::base().rsplit('/').next().unwrap_or_default();
    let tag = format!("\"{digest}\"");
    let mut response = match etag::is_known(headers, &tag) {
        Ok(true) => StatusCode::NOT_MODIFIED.into_response(),
        _ => assets::asset(digest, "widget.js", headers).ok_or_else(Refused::not_found)?,
    };
    let sent = response.headers_mut();
    sent.insert(header::ETAG, etag::header(&format!("W/{tag}")));
    sent.insert(header::CACHE_CONTROL, CACHED);
    sent.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    Ok(response)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderMap;
    use hyper::body::Body;

    use super::*;

    const SCRIPT_BYTES_MAX: u64 = 6 * 1024;

    #[test]
    fn the_script_is_small() {
        let takes_gzip = HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"))]);
        let digest = assets::base().rsplit('/').next().unwrap();
        let response = assets::asset(digest, "widget.js", &takes_gzip).unwrap();
        assert_eq!(response.headers()[header::CONTENT_ENCODING], "gzip");
        let bytes = response.body().size_hint().exact().unwrap();
        assert!(bytes <= SCRIPT_BYTES_MAX, "{bytes} bytes");
    }
}
