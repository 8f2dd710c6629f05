//! The rows of the dashboard's route table, for [`crate::http::router`]. The access of a row determines the
//! type that its handler receives.

use axum::http::Method;
use axum::response::Response;
use domain::Right;

use super::input::{Member, PageInput, SessionInput};
use super::refused::Refused;
use crate::http::router::{self, Handler, Surface};
use crate::rest::error::ApiError;

pub(super) enum Pages {}

impl Surface for Pages {
    type Access = Who;
    type Incoming = Admitted;
    type Refused = Refused;
    type About = FormOf;
}

pub(super) type Route = router::Route<Pages>;

pub(super) type Answered = Result<Response, Refused>;

#[derive(Clone, Copy, Debug)]
pub(super) enum Who {
    Anybody,
    /// Any session, even a restricted session, which may only set a password.
    Restricted,
    Person,
    /// An active membership of the business in the path. The member must be permitted to read the data that the right
    /// covers. For a POST, the member must also be permitted to change the data.
    Member(Right),
}

pub(super) enum Admitted {
    Anybody(Box<PageInput>),
    Person(Box<SessionInput>),
    Member(Box<Member>),
}

#[derive(Default)]
pub(super) struct FormOf {
    /// Whether the form is accepted from any site. Mail programs send it for one-click unsubscribing (RFC
    /// 8058).
    pub(super) from_anywhere: bool,
    /// Whether the form is kept as a draft if the business is suspended when the form is submitted.
    pub(super) kept: bool,
    /// Whether the form has a file. Such a form has a higher size limit than other forms.
    pub(super) has_file: bool,
}

impl Route {
    /// Marks a route whose form has a file.
    pub(super) fn with_file(mut self) -> Self {
        self.about.has_file = true;
        self
    }

    pub(super) fn sent_from_anywhere(mut self) -> Self {
        self.about.from_anywhere = true;
        self
    }

    /// Marks a route with a long form. If the business is suspended when the form is submitted, the form is kept as a
    /// draft.
    pub(super) fn kept(mut self) -> Self {
        self.about.kept = true;
        self
    }
}

impl Who {
    pub(super) fn word(self) -> String {
        match self {
            Self::Anybody => "anybody".into(),
            Self::Restricted => "restricted".into(),
            Self::Person => "person".into(),
            Self::Member(right) => format!("member {right:?}"),
        }
    }
}

pub(super) trait Given: Sized + Send + 'static {
    type Access: Copy;

    fn who(access: Self::Access) -> Who;

    /// Returns the input, or `None` if the access rule of the route requires another type of input.
    fn of(admitted: Admitted) -> Option<Self>;
}

#[derive(Clone, Copy)]
pub(super) struct Anybody;

#[derive(Clone, Copy)]
pub(super) enum Session {
    Restricted,
    Full,
}

impl Given for PageInput {
    type Access = Anybody;

    fn who(_: Anybody) -> Who {
        Who::Anybody
    }

    fn of(admitted: Admitted) -> Option<Self> {
        if let Admitted::Anybody(asked) = admitted { Some(*asked) } else { None }
    }
}

impl Given for SessionInput {
    type Access = Session;

    fn who(session: Session) -> Who {
        match session {
            Session::Restricted => Who::Restricted,
            Session::Full => Who::Person,
        }
    }

    fn of(admitted: Admitted) -> Option<Self> {
        if let Admitted::Person(visit) = admitted { Some(*visit) } else { None }
    }
}

impl Given for Member {
    type Access = Right;

    fn who(right: Right) -> Who {
        Who::Member(right)
    }

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
        let given = G::of(admitted).ok_or_else(|| ApiError::internal("the route has another access"))?;
        self(given).await
    }
}

pub(super) fn get<G: Given>(
    path: &'static str,
    access: G::Access,
    handler: impl Handler<Pages, (G,)>,
) -> Route {
    Route::new(Method::GET, path, G::who(access), FormOf::default(), handler)
}

pub(super) fn post<G: Given>(
    path: &'static str,
    access: G::Access,
    handler: impl Handler<Pages, (G,)>,
) -> Route {
    Route::new(Method::POST, path, G::who(access), FormOf::default(), handler)
}

pub(super) fn form<G: Given>(
    path: &'static str,
    access: G::Access,
    page: impl Handler<Pages, (G,)>,
    change: impl Handler<Pages, (G,)>,
) -> [Route; 2] {
    [get(path, access, page), post(path, access, change)]
}
