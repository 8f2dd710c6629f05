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

/// One row of the table.
pub(super) struct Route {
    pub(super) method: Method,
    pub(super) path: &'static str,
    /// Whether programs of others send its form: one-click unsubscribing (RFC 8058).
    pub(super) from_anywhere: bool,
    /// Whether its form is shown once more where the business was suspended meanwhile.
    pub(super) kept: bool,
    pub(super) handle: Handle,
}

impl Route {
    /// The same, whose form programs of others send.
    pub(super) fn sent_from_anywhere(self) -> Self {
        Self { from_anywhere: true, ..self }
    }

    /// The same, whose form is typed at length: where the business was suspended meanwhile its page shows it once more.
    pub(super) fn kept(self) -> Self {
        Self { kept: true, ..self }
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

/// Who may come to a page: what its handler is given, and the handle that holds it.
pub(super) trait Who {
    /// What the handler is given.
    type Given;

    /// The handle with this handler.
    fn handle(self, handler: Handler<Self::Given>) -> Handle;
}

/// Anybody.
pub(super) struct Anybody;

/// Whoever has a session of any kind.
pub(super) struct Restricted;

/// Whoever is signed in.
pub(super) struct Person;

impl Who for Anybody {
    type Given = Asked;

    fn handle(self, handler: Handler<Asked>) -> Handle {
        Handle::Anybody(handler)
    }
}

impl Who for Restricted {
    type Given = Visit;

    fn handle(self, handler: Handler<Visit>) -> Handle {
        Handle::Restricted(handler)
    }
}

impl Who for Person {
    type Given = Visit;

    fn handle(self, handler: Handler<Visit>) -> Handle {
        Handle::Person(handler)
    }
}

/// The members of the business in the path whose role has the right.
impl Who for Right {
    type Given = Member;

    fn handle(self, handler: Handler<Member>) -> Handle {
        Handle::Member(self, handler)
    }
}

/// A row.
pub(super) fn route<W: Who, F>(
    who: W,
    method: Method,
    path: &'static str,
    handler: impl Fn(W::Given) -> F + Send + Sync + 'static,
) -> Route
where
    F: Future<Output = Answered> + Send + 'static,
{
    let handle = who.handle(Box::new(move |given| Box::pin(handler(given))));
    Route { method, path, from_anywhere: false, kept: false, handle }
}
