//! What the files of the document share: the API that is described, references, and the headers of every answer.

use actors::domain::Scope;
use serde_json::{Map, Value, json};

/// An API as its document tells of it, beside its table.
pub(super) struct Api<A> {
    pub(super) title: &'static str,
    pub(super) about: String,
    pub(super) base_path: &'static str,
    /// Which server the base path is relative to.
    pub(super) server: &'static str,
    /// The name of how it authenticates, and what is needed.
    pub(super) security: (&'static str, &'static str),
    /// The scope that an operation needs, where there are scopes.
    pub(super) scope: fn(&A) -> Option<Scope>,
    pub(super) conventions: Conventions,
}

/// What differs in the answers of the APIs.
#[derive(Clone, Copy)]
pub(super) struct Conventions {
    /// Whether there are scopes, and businesses that are shut out.
    pub(super) scoped: bool,
    /// Whether every request is counted, and every answer tells what is left.
    pub(super) rate_limited: bool,
}

/// A reference to a component.
pub(super) fn component(kind: &str, name: &str) -> Value {
    json!({"$ref": format!("#/components/{kind}/{name}")})
}

/// The headers of every answer, and these.
pub(super) fn headers_sent(conventions: Conventions, more: &[&str]) -> Map<String, Value> {
    let always: &[&str] = if conventions.rate_limited {
        &["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"]
    } else {
        &["X-Request-Id"]
    };
    always.iter().chain(more).map(|name| ((*name).to_owned(), component("headers", name))).collect()
}
