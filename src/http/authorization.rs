//! The credentials that a request carries.

use axum::http::{HeaderMap, header};

/// The token of an `Authorization: Bearer` header (RFC 6750 §2.1), when there is exactly one.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next()?.to_str().ok()?;
    if values.next().is_some() {
        return None;
    }
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("Bearer").then(|| token.trim_matches(' '))
}
