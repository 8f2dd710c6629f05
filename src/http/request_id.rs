//! The request id: the client's own id or a new one.
//!
//! Invariant: an id has 1 to [`REQUEST_ID_CHARS_MAX`] visible ASCII characters, so headers and logs can
//! contain it unescaped. `tower-http` is not used for ids, since it accepts any id.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use uuid::Uuid;

pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

pub const REQUEST_ID_CHARS_MAX: usize = 128;

/// The request id that the client has sent, if it is valid, otherwise a new id.
pub(crate) fn request_id(headers: &HeaderMap) -> HeaderValue {
    let given = headers.get(X_REQUEST_ID).filter(|value| {
        (1..=REQUEST_ID_CHARS_MAX).contains(&value.len()) && value.as_bytes().iter().all(u8::is_ascii_graphic)
    });
    given.cloned().unwrap_or_else(|| {
        let id = Uuid::new_v4().to_string();
        HeaderValue::from_str(&id).unwrap_or(HeaderValue::from_static("-"))
    })
}
