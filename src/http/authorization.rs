use axum::http::{HeaderMap, header};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadCredential {
    Missing,
    Repeated,
    NotBearer,
    /// The token does not have the format of an API key.
    Malformed,
    Unknown,
}

/// The token of an `Authorization: Bearer` header (RFC 6750 §2.1).
pub(crate) fn bearer(headers: &HeaderMap) -> Result<&str, BadCredential> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next().ok_or(BadCredential::Missing)?;
    if values.next().is_some() {
        return Err(BadCredential::Repeated);
    }
    let (scheme, token) =
        value.to_str().ok().and_then(|value| value.split_once(' ')).ok_or(BadCredential::NotBearer)?;
    if scheme.eq_ignore_ascii_case("Bearer") {
        Ok(token.trim_matches(' '))
    } else {
        Err(BadCredential::NotBearer)
    }
}
