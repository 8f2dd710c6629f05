//! The rows of the table of pages: those of [`crate::http::router`]. What a row lets in decides what its handler is given.

use axum::http::Method;
use axum::response::Response;
use domain::Right;

use super::asked::{Asked, Member, Visit};
use super::refused::Refused;
use crate::http::router::{self, Handler, Surface};
use crate::rest::error::ApiError;

/// The pages for people.
pub(super) enum Pages {}

impl Surface for Pages {
    type Access = Who;
    type Incoming = Admitted;
    type Refused = Refused;
    type About = FormOf;
}

/// One row of the table.
pub(super) type Route = router::Route<Pages>;

/// What a handler comes to.
pub(super) type Answered = Result<Response, Refused>;

/// Who may come.
#[derive(Clone, Copy, Debug)]
pub(super) enum Who {
    Anybody,
    /// Whoever has a session, if only one that may set a password.
    Restricted,
    /// Whoever is signed in.
    Person,
    /// The members of the business in the path whose role goes far enough: to change it where the method is POST, else
    /// to see it.
    Member(Right),
}

/// A request that was let in.
pub(super) enum Admitted {
    Anybody(Box<Asked>),
    Person(Box<Visit>),
    Member(Box<Member>),
}

/// What the table says of the form of a row.
#[derive(Default)]
pub(super) struct FormOf {
    /// Whether programs of others send it: one-click unsubscribing (RFC 8058).
    pub(super) from_anywhere: bool,
    /// Whether it is shown once more where the business was suspended meanwhile.
    pub(super) kept: bool,
}

impl Route {
    /// The same, whose form programs of others send.
    pub(super) fn sent_from_anywhere(mut self) -> Self {
        self.about.from_anywhere = true;
        self
    }

    /// The same, whose form is typed at length: where the business was suspended meanwhile its page shows it once more.
    pub(super) fn kept(mut self) -> Self {
        self.about.kept = true;
        self
    }
}

impl Who {
    /// In a word, for tests that walk the table.
    pub(super) fn word(self) -> String {
        match self {
            Self::Anybody => "anybody".into(),
            Self::Restricted => "restricted".into(),
            Self::Person => "person".into(),
            Self::Member(right) => format!("member {right:?}"),
        }
    }
}

/// Who may come, by what the handler is given.
pub(super) trait Admits<Given>: Into<Who> {}

/// Anybody.
pub(super) struct Anybody;

/// Whoever has a session of any kind.
pub(super) struct Restricted;

/// Whoever is signed in.
pub(super) struct Person;

impl Admits<Asked> for Anybody {}
impl Admits<Visit> for Restricted {}
impl Admits<Visit> for Person {}
impl Admits<Member> for Right {}

impl From<Anybody> for Who {
    fn from(_: Anybody) -> Self {
        Self::Anybody
    }
}

impl From<Restricted> for Who {
    fn from(_: Restricted) -> Self {
        Self::Restricted
    }
}

impl From<Person> for Who {
    fn from(_: Person) -> Self {
        Self::Person
    }
}

impl From<Right> for Who {
    fn from(right: Right) -> Self {
        Self::Member(right)
    }
}

/// What a handler is given.
pub(super) trait Given: Sized + Send + 'static {
    /// The request, where it was let in as this.
    fn of(admitted: Admitted) -> Option<Self>;
}

impl Given for Asked {
    fn of(admitted: Admitted) -> Option<Self> {
        if let Admitted::Anybody(asked) = admitted { Some(*asked) } else { None }
    }
}

impl Given for Visit {
    fn of(admitted: Admitted) -> Option<Self> {
        if let Admitted::Person(visit) = admitted { Some(*visit) } else { None }
    }
}

impl Given for Member {
    fn of(admitted: Admitted) -> Option<Self> {
        if let Admitted::Member(member) = admitted { Some(*member) } else { None }
    }
}

impl<G: Given, F, Fut> Handler<Pages, (G,)> for F
where
    F: Fn(G) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Answered> + Send,
{
    async fn handle(&self, admitted: Admitted) -> Answered {
        let given = G::of(admitted).ok_or_else(|| ApiError::internal("a row let in somebody else"))?;
        self(given).await
    }
}

/// A row of a page.
pub(super) fn get<G: Given, W: Admits<G>>(
    path: &'static str,
    who: W,
    handler: impl Handler<Pages, (G,)>,
) -> Route {
    Route::new(Method::GET, path, who.into(), FormOf::default(), handler)
}

/// A row of a form.
pub(super) fn post<G: Given, W: Admits<G>>(
    path: &'static str,
    who: W,
    handler: impl Handler<Pages, (G,)>,
) -> Route {
    Route::new(Method::POST, path, who.into(), FormOf::default(), handler)
}
