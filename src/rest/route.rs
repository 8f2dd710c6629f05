//! The row of a table of routes: where a request goes, who may come, who handles it, and what the document says of it
//! beside what the handler's signature says.

use std::pin::Pin;
use std::sync::Arc;

use axum::http::Method;
use axum::response::Response;

use super::context::Incoming;
use super::error::{ApiError, Code};
use super::handler::{Handler, Signature};
use crate::http::schemas::Schemas;

/// What a handler comes to.
pub(crate) type Handled = Result<Response, ApiError>;

type Handle = Arc<dyn Fn(Incoming) -> Pin<Box<dyn Future<Output = Handled> + Send>> + Send + Sync>;

/// One row of the table; `A` says who may come.
pub(crate) struct Route<A> {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) access: A,
    /// The name by which generated clients call it; it never changes.
    pub(crate) id: &'static str,
    /// What it does, in a few words.
    pub(crate) summary: &'static str,
    /// What else there is to know, in sentences.
    pub(crate) details: &'static str,
    /// The errors it can give beyond those that follow from its method, its path and its handler.
    pub(crate) refuses: &'static [Code],
    /// Whether a deletion by it goes by `If-Match`, as every change of a record does.
    pub(crate) conditional: bool,
    /// What its handler takes and gives.
    pub(crate) describe: fn(&mut Schemas) -> Signature,
    /// Its handler.
    pub(super) handle: Handle,
}

impl<A> Route<A> {
    /// The same with what else there is to know.
    pub(crate) fn details(self, details: &'static str) -> Self {
        Self { details, ..self }
    }

    /// The same of a deletion that goes by `If-Match`.
    pub(crate) fn conditional(self) -> Self {
        Self { conditional: true, ..self }
    }

    /// The same with the errors it can give beyond those that follow from its method, its path and its handler.
    pub(crate) fn refuses(self, refuses: &'static [Code]) -> Self {
        Self { refuses, ..self }
    }
}

/// The beginning of a row: where it is, who may come, who handles it. It still needs its name.
#[must_use]
pub(crate) struct MethodRoute<A> {
    method: Method,
    path: &'static str,
    access: A,
    describe: fn(&mut Schemas) -> Signature,
    handle: Handle,
}

impl<A> MethodRoute<A> {
    /// The operation's name, and what it does in a few words.
    pub(crate) fn named(self, id: &'static str, summary: &'static str) -> Route<A> {
        let Self { method, path, access, describe, handle } = self;
        Route {
            method,
            path,
            access,
            id,
            summary,
            details: "",
            refuses: &[],
            conditional: false,
            describe,
            handle,
        }
    }
}

macro_rules! methods {
    ($($name:ident $method:ident),* $(,)?) => {$(
        #[doc = concat!("A row for ", stringify!($method), ".")]
        pub(crate) fn $name<A, H: Handler<I>, I>(path: &'static str, access: impl Into<A>, handler: H) -> MethodRoute<A> {
            method_route(Method::$method, path, access.into(), handler)
        }
    )*};
}

methods!(get GET, post POST, put PUT, patch PATCH, delete DELETE);

fn method_route<A, H: Handler<I>, I>(
    method: Method,
    path: &'static str,
    access: A,
    handler: H,
) -> MethodRoute<A> {
    let handler = Arc::new(handler);
    let handle = move |incoming| -> Pin<Box<dyn Future<Output = Handled> + Send>> {
        let handler = Arc::clone(&handler);
        Box::pin(async move { handler.handle(incoming).await })
    };
    MethodRoute { method, path, access, describe: H::describe, handle: Arc::new(handle) }
}
