//! The row of the table of pages: where it is, who may come, what stands behind it.

use std::pin::Pin;

use actors::domain::Right;
use axum::http::Method;
use axum::response::Response;

use super::asked::{Asked, Member, Visit};
use super::refused::Refused;

/// What a handler comes to.
pub(super) type Answered = Result<Response, Refused>;

type Pinned = Pin<Box<dyn Future<Output = Answered> + Send>>;
type Handler<T> = Box<dyn Fn(T) -> Pinned + Send + Sync>;

/// Who may come, and what then answers.
pub(super) enum Handle {
    /// Anybody.
    Anybody(Handler<Asked>),
    /// Whoever has a session, if only one that may set a password.
    Restricted(Handler<Visit>),
    /// Whoever is signed in.
    Person(Handler<Visit>),
    /// The members of the business in the path whose role goes far enough: to change it where the method is POST, else
    /// to see it.
    Member(Right, Handler<Member>),
}

/// What is done about a form that is sent twice, or by another site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sending {
    /// It acts once, and only where it is known that it has not.
    Once,
    /// Acting twice does no harm, so one whose id is not known acts too.
    HarmlessTwice,
    /// The same, and programs of others send it: one-click unsubscribing (RFC 8058).
    FromAnywhere,
}

/// One row of the table.
pub(super) struct Route {
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) sending: Sending,
    pub(super) handle: Handle,
}

impl Route {
    fn new(method: Method, path: &'static str, handle: Handle) -> Self {
        Self { method, path, sending: Sending::Once, handle }
    }

    /// The same, whose form is sent so.
    pub(super) fn sent(self, sending: Sending) -> Self {
        Self { sending, ..self }
    }

    /// Who may come, in a word, for tests that walk the table.
    pub(super) fn access(&self) -> String {
        match &self.handle {
            Handle::Anybody(_) => "anybody".into(),
            Handle::Restricted(_) => "restricted".into(),
            Handle::Person(_) => "person".into(),
            Handle::Member(right, _) => format!("member {right:?}"),
        }
    }
}

fn boxed<T, F>(handler: impl Fn(T) -> F + Send + Sync + 'static) -> Handler<T>
where
    F: Future<Output = Answered> + Send + 'static,
{
    Box::new(move |asked| Box::pin(handler(asked)))
}

/// A row for anybody.
pub(super) fn anybody<F>(
    method: Method,
    path: &'static str,
    handler: impl Fn(Asked) -> F + Send + Sync + 'static,
) -> Route
where
    F: Future<Output = Answered> + Send + 'static,
{
    Route::new(method, path, Handle::Anybody(boxed(handler)))
}

/// A row for whoever has a session of any kind.
pub(super) fn restricted<F>(
    method: Method,
    path: &'static str,
    handler: impl Fn(Visit) -> F + Send + Sync + 'static,
) -> Route
where
    F: Future<Output = Answered> + Send + 'static,
{
    Route::new(method, path, Handle::Restricted(boxed(handler)))
}

/// A row for whoever is signed in.
pub(super) fn person<F>(
    method: Method,
    path: &'static str,
    handler: impl Fn(Visit) -> F + Send + Sync + 'static,
) -> Route
where
    F: Future<Output = Answered> + Send + 'static,
{
    Route::new(method, path, Handle::Person(boxed(handler)))
}

/// A row for the members of a business.
pub(super) fn member<F>(
    method: Method,
    path: &'static str,
    right: Right,
    handler: impl Fn(Member) -> F + Send + Sync + 'static,
) -> Route
where
    F: Future<Output = Answered> + Send + 'static,
{
    Route::new(method, path, Handle::Member(right, boxed(handler)))
}
