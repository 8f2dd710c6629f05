//! The `Idempotency-Key` and the fingerprint of a request. The fingerprint is a hash of the request. With
//! it, the service detects that a key was used for another request.
//!
//! Invariant: two requests have the same fingerprint if and only if their methods, paths, query texts
//! and canonical bodies are the same.

use axum::http::request::Parts;
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderName};
use domain::{Problem, ProblemCode};
use sha2::{Digest, Sha256};

pub(crate) const IDEMPOTENCY_KEY_CHARS_MAX: usize = 255;

pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
pub(crate) const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// The key of the request, if any. Refuses a malformed or repeated header.
pub(crate) fn key(headers: &HeaderMap) -> Result<Option<&[u8]>, Problem> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let bytes = value.as_bytes();
    if !is_key(bytes) || values.next().is_some() {
        return Err(Problem::new("Idempotency-Key", ProblemCode::HeaderAscii(IDEMPOTENCY_KEY_CHARS_MAX)));
    }
    Ok(Some(bytes))
}

pub(crate) fn is_key(bytes: &[u8]) -> bool {
    (1..=IDEMPOTENCY_KEY_CHARS_MAX).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_graphic)
}

pub(crate) fn fingerprint(parts: &Parts, canonical_body: &[u8]) -> [u8; 32] {
    // A path contains no `?`, so the first `?` of this text is always where the query begins.
    let target = parts.uri.path_and_query().map_or(parts.uri.path(), PathAndQuery::as_str);
    fingerprint_of([parts.method.as_str().as_bytes(), target.as_bytes(), canonical_body])
}

/// The fingerprint of the three parts of a request. For an HTTP request, the first part is the method.
pub(crate) fn fingerprint_of(parts: [&[u8]; 3]) -> [u8; 32] {
    let mut fingerprint = Sha256::new();
    for part in parts {
        fingerprint.update((part.len() as u64).to_be_bytes());
        fingerprint.update(part);
    }
    fingerprint.finalize().into()
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn of(method: &str, uri: &str, body: &str) -> [u8; 32] {
        let (parts, ()) = Request::builder().method(method).uri(uri).body(()).unwrap().into_parts();
        fingerprint(&parts, body.as_bytes())
    }

    #[test]
    fn the_fingerprint_depends_on_method_path_query_and_body() {
        let one = of("POST", "/a?x=1&y=2", "{}");
        assert_eq!(one, of("POST", "/a?x=1&y=2", "{}"));
        let others = [
            of("PATCH", "/a?x=1&y=2", "{}"),
            of("POST", "/b?x=1&y=2", "{}"),
            of("POST", "/a", "{}"),
            of("POST", "/a?x=1", "{}"),
            of("POST", "/a?x=1&y=3", "{}"),
            of("POST", "/a%3Fx=1&y=2", "{}"),
            of("POST", "/a?x=1&y=2", "[]"),
            of("POST", "/a", "?x=1&y=2{}"),
        ];
        for (at, other) in others.iter().enumerate() {
            assert!(*other != one && !others[..at].contains(other), "number {at}");
        }
    }

    /// Earlier versions ignored the query. Their fingerprints of requests without a query must still match.
    #[test]
    fn without_a_query_the_fingerprint_is_that_of_earlier_versions() {
        assert_eq!(of("POST", "/a", "{}"), fingerprint_of([b"POST", b"/a", b"{}"]));
    }
}
