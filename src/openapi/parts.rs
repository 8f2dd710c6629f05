//! Types and helpers that the files of the document share.

use axum::http::Method;
use domain::Scope;
use serde_json::{Map, Value, json};

use crate::rest::input::PathId;
use crate::rest::output::Kind;
use crate::rest::route::Signature;

pub(super) struct Api<A> {
    pub(super) title: &'static str,
    pub(super) about: String,
    pub(super) base_path: &'static str,
    /// A description of the server to which the base path is relative.
    pub(super) server: &'static str,
    /// The name and the description of the authentication scheme.
    pub(super) security: (&'static str, &'static str),
    pub(super) scope: fn(&A) -> Option<Scope>,
    pub(super) conventions: Conventions,
}

/// Differences between the responses of the two APIs.
#[derive(Clone, Copy)]
pub(super) struct Conventions {
    /// Whether keys have scopes and businesses can be suspended.
    pub(super) scoped: bool,
    /// Whether requests are rate limited, and responses carry the rate limit headers.
    pub(super) rate_limited: bool,
}

/// One row of a route table.
pub(super) struct Operation<'a> {
    pub(super) method: &'a Method,
    pub(super) signature: Signature,
    /// Whether the operation reads `If-Match`.
    pub(super) conditional: bool,
    /// The ids in the path, in the path's order.
    pub(super) ids: Vec<PathId>,
}

impl Operation<'_> {
    /// Whether the operation changes or creates records. Such an operation takes an `Idempotency-Key`.
    pub(super) fn changes(&self) -> bool {
        matches!(
            self.signature.answers,
            Kind::Changed | Kind::Created | Kind::Done | Kind::Ending | Kind::Gone
        )
    }
}

pub(super) fn component(kind: &str, name: &str) -> Value {
    json!({"$ref": format!("#/components/{kind}/{name}")})
}

/// The headers of every response, and `more`.
pub(super) fn headers_sent(conventions: Conventions, more: &[&str]) -> Map<String, Value> {
    let always: &[&str] = if conventions.rate_limited {
        &["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"]
    } else {
        &["X-Request-Id"]
    };
    always.iter().chain(more).map(|name| ((*name).to_owned(), component("headers", name))).collect()
}
