//! Which request it was: the id that a client chose, or one of ours.
//!
//! What always holds: an id is 1 to [`REQUEST_ID_CHARS_MAX`] characters of visible ASCII, so it can stand in a header
//! and in a line of the log as it is. `tower-http` would keep any id that a client sends.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use uuid::Uuid;

/// The header.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The greatest number of characters of an id that a client chose.
pub const REQUEST_ID_CHARS_MAX: usize = 128;

/// The id of a request: the client's when it is one, else a new one.
pub(crate) fn request_id(headers: &HeaderMap) -> HeaderValue {
    let given = headers.get(X_REQUEST_ID).filter(|value| {
        (1..=REQUEST_ID_CHARS_MAX).contains(&value.len()) && value.as_bytes().iter().all(u8::is_ascii_graphic)
    });
    given.cloned().unwrap_or_else(|| {
        let id = Uuid::new_v4().to_string();
        HeaderValue::from_str(&id).unwrap_or(HeaderValue::from_static("-"))
    })
}
