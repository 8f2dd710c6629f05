//! The rows of the route table, for [`crate::http::router`].

use axum::http::Method;
use axum::response::Response;

use super::input::PageInput;
use super::refused::Refused;
use crate::http::router::{self, Handler, Surface};

pub(super) enum Site {}

impl Surface for Site {
    type Access = At;
    type Incoming = Box<PageInput>;
    type Refused = Refused;
    type About = FormOf;
}

pub(super) type Route = router::Route<Site>;

pub(super) type Answered = Result<Response, Refused>;

/// The kind of a path, which determines the checks before the handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// A path without a slug. The handler finds the business.
    Anywhere,
    /// The path contains the slug of a business whose booking page is enabled.
    Page,
    /// Like `Page`, but bodies and responses are JSON.
    Chat,
    /// Like `Page`, but other sites may embed the page in a frame.
    Frame,
}

#[derive(Default)]
pub(super) struct FormOf {
    /// Whether the form is accepted from any site. Mail programs send such a form for one-click unsubscribing (RFC
    /// 8058).
    pub(super) from_anywhere: bool,
}

impl Route {
    pub(super) fn sent_from_anywhere(mut self) -> Self {
        self.about.from_anywhere = true;
        self
    }
}

impl<F, Fut> Handler<Site, (PageInput,)> for F
where
    F: Fn(PageInput) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Answered> + Send,
{
    async fn handle(&self, asked: Box<PageInput>) -> Answered {
        self(*asked).await
    }
}

pub(super) fn get(path: &'static str, at: At, handler: impl Handler<Site, (PageInput,)>) -> Route {
    Route::new(Method::GET, path, at, FormOf::default(), handler)
}

pub(super) fn post(path: &'static str, at: At, handler: impl Handler<Site, (PageInput,)>) -> Route {
    Route::new(Method::POST, path, at, FormOf::default(), handler)
}
