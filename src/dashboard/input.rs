//! The requests that handlers receive: without a session ([`PageInput`]), with a session ([`SessionInput`]), or with a
//! session of a member of the business in the path ([`Member`]).

use std::net::IpAddr;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use axum::http::header;
use axum::http::request::Parts;
use axum::response::Response;
use domain::{Business, BusinessId, CustomerWord, Locale, Membership, ProblemCode, Refusal};
use engine::BusinessHandle;
use engine::people::{From as SignInFrom, MembershipSummary, People, SignIn, SignedIn, Token};

use super::cookies::Cookie;
use super::desk::Desk;
use super::drafts::{Draft, DraftReason};
use super::form::{Form, keepable, session_key};
use super::parts::Field;
use super::refused::Refused;
use super::view::{View, see_other};
use super::waiting::Waiting;
use super::words::words;
use crate::http::router::PathParams;
use crate::server::{ClientAddr, network};
use crate::tables::FilePermit;
use crate::words::accepted;

/// The form field in which a person enters the password again.
const PASSWORD: &str = "current_password";

pub(super) struct PageInput {
    pub(super) view: View,
    pub(super) head: Arc<Parts>,
    pub(super) params: PathParams,
    pub(super) form: Form,
    pub(super) query: Form,
    /// The permit to hold the form's file in memory, if the form has a file.
    pub(super) _permit: Option<FilePermit>,
}

pub(super) struct SessionInput {
    asked: PageInput,
    pub(super) token: Token,
    pub(super) signed_in: SignedIn,
    pub(super) belongs: Vec<MembershipSummary>,
}

pub(super) struct Member {
    pub(super) visit: SessionInput,
    pub(super) business: BusinessHandle,
    pub(super) profile: Business,
    pub(super) membership: Membership,
    /// The number of unread alerts, up to a maximum.
    pub(super) unread: usize,
    pub(super) waiting: Waiting,
    /// The change marker of the business, taken before the page reads anything; see [`Desk::as_of`].
    pub(super) as_of: String,
}

impl Deref for PageInput {
    type Target = View;

    fn deref(&self) -> &View {
        &self.view
    }
}

impl Deref for SessionInput {
    type Target = PageInput;

    fn deref(&self) -> &PageInput {
        &self.asked
    }
}

impl Deref for Member {
    type Target = SessionInput;

    fn deref(&self) -> &SessionInput {
        &self.visit
    }
}

impl PageInput {
    pub(super) fn new(desk: Arc<Desk>, head: Arc<Parts>, params: PathParams, form: Form) -> Self {
        let query = Form::parse(head.uri.query().unwrap_or_default().as_bytes());
        Self { view: view(desk, &head, &query), head, params, form, query, _permit: None }
    }

    pub(super) fn people(&self) -> People {
        self.desk.engine.people()
    }

    pub(super) fn path(&self) -> &str {
        self.head.uri.path()
    }

    /// A parameter of the path, or `None` if its text is invalid.
    pub(super) fn param<T: FromStr>(&self, name: &str) -> Option<T> {
        self.params.get(name)?.parse().ok()
    }

    /// The id of the page's record, from this parameter of the path. A request with an invalid id gets a 404.
    pub(super) fn id<T: FromStr>(&self, name: &str) -> Result<T, Refused> {
        self.param(name).ok_or_else(Refused::not_found)
    }

    /// The message for the word in `?done=`. It is empty if the word is unknown or absent.
    pub(super) fn done(&self, messages: &[(&str, &str)]) -> String {
        let word = self.query.get("done");
        let message = messages.iter().find(|(known, _)| *known == word);
        message.map(|(_, id)| self.t(id)).unwrap_or_default()
    }

    pub(super) fn link_token(&self) -> Option<Token> {
        self.param::<String>("token").and_then(|text| Token::parse(&text))
    }

    pub(super) fn session_token(&self) -> Option<Token> {
        Token::parse(self.desk.cookies.get(&self.head.headers, Cookie::Session)?)
    }

    fn address(&self) -> IpAddr {
        self.head.extensions.get::<ClientAddr>().map_or(IpAddr::from([0; 4]), |client| client.0)
    }

    /// The network of the client. Rate limits count the requests of each network.
    pub(super) fn network(&self) -> IpAddr {
        network(self.address())
    }

    pub(super) fn comes_from(&self) -> SignInFrom {
        let browser = self.head.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
        SignInFrom::new(self.address(), self.network(), browser.unwrap_or_default())
    }

    pub(super) async fn signed_in(&self) -> Result<Option<(Token, SignedIn)>, Refused> {
        let Some(token) = self.session_token() else { return Ok(None) };
        Ok(self.people().session(&token).await?.map(|signed_in| (token, signed_in)))
    }

    pub(super) async fn of(self, token: Token, signed_in: SignedIn) -> Result<SessionInput, Refused> {
        let belongs = self.people().belongs(signed_in.person.id).await?;
        let view = View { words: words(signed_in.person.locale), ..self.view };
        Ok(SessionInput { asked: Self { view, ..self }, token, signed_in, belongs })
    }

    pub(super) async fn begin_session(&self, token: &Token, path: &str) -> Result<Response, Refused> {
        if let Some(before) = self.session_token().filter(|before| before != token) {
            self.people().sign_out(&before).await?;
        }
        let mut response = see_other(path);
        let headers = response.headers_mut();
        headers.append(header::SET_COOKIE, self.desk.cookies.set(Cookie::Session, &token.reveal()));
        if let Some(signed_in) = self.people().session(token).await? {
            // The language cookie keeps the person's language after they sign out.
            let language = self.desk.cookies.set(Cookie::Language, signed_in.person.locale.as_str());
            headers.append(header::SET_COOKIE, language);
        }
        Ok(response)
    }

    /// Keeps the form as a draft. Redirects to `page`, or to the sign-in page if the person is signed out.
    pub(super) fn keep_form(&self, page: &str, why: DraftReason) -> Response {
        let to = if why == DraftReason::SignedOut { sign_in_path(page) } else { page.to_owned() };
        let draft =
            Draft { page: page.to_owned(), action: self.path().to_owned(), form: keepable(&self.form), why };
        self.keep(draft, &to)
    }

    pub(super) fn keep(&self, draft: Draft, to: &str) -> Response {
        let mut response = see_other(to);
        if let Some(token) = self.desk.token()
            && self.desk.drafts.keep(token.clone(), self.network(), draft)
        {
            let cookie = self.desk.cookies.set(Cookie::Draft, &token.reveal());
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
        response
    }

    pub(super) fn kept_form(&self) -> Option<Draft> {
        self.desk.drafts.take(&self.draft_token()?, self.path())
    }

    pub(super) fn keeps_form(&self, page: &str) -> bool {
        self.draft_token().is_some_and(|token| self.desk.drafts.holds(&token, page))
    }

    fn draft_token(&self) -> Option<Token> {
        Token::parse(self.desk.cookies.get(&self.head.headers, Cookie::Draft)?)
    }
}

impl SessionInput {
    /// Adds the business in the path and the person's membership in it to the request. A person who is not an active
    /// member gets a 404.
    pub(super) async fn member(mut self) -> Result<Member, Refused> {
        let id: BusinessId = self.param("business_id").ok_or_else(Refused::not_found)?;
        let belongs = self.belongs.iter().find(|one| one.business_id == id && one.membership.is_active());
        if belongs.is_none() {
            self.people().check_set_aside(self.signed_in.person.id, id)?;
        }
        let membership = belongs.ok_or_else(Refused::not_found)?.membership.clone();
        let business = self.desk.engine.business(id);
        let as_of = self.desk.as_of(&business);
        let profile = business.business().await?;
        let unread = business.unread_alerts(self.signed_in.person.id).await?;
        self.asked.view.customer = profile.customer_word;
        let waiting = Waiting::read(&business, membership.role).await?;
        Ok(Member { visit: self, business, profile, membership, unread, waiting, as_of })
    }

    pub(super) fn active(&self) -> impl Iterator<Item = &MembershipSummary> {
        self.belongs.iter().filter(|one| one.membership.is_active())
    }

    pub(super) fn password_field(&self) -> Option<Field> {
        let (view, known) = (&self.view, self.signed_in.person.password.is_some());
        let field = Field::new(PASSWORD, "password", "current-password", view.t("current-password"));
        let hint = view.t(if known { "password-first-hint" } else { "password-needs-link" });
        (!self.signed_in.fresh).then(|| field.hint(hint))
    }

    /// If the person has not entered the password recently, checks the password in the form. Returns the problem that
    /// the page shows at the password field, or `None` if there is none. For a protected change, the engine checks
    /// again that the password was entered recently.
    pub(super) async fn freshen(&mut self) -> Result<Option<ProblemCode>, Refused> {
        if self.signed_in.fresh {
            return Ok(None);
        }
        let given = self.form.get(PASSWORD);
        if given.is_empty() {
            return Ok(Some(ProblemCode::PasswordAgain));
        }
        match self.people().give_password(&self.token, given, self.network()).await? {
            SignIn::Known | SignIn::In(_) => {
                let signed_in = self.people().session(&self.token).await?;
                self.signed_in = signed_in.ok_or(Refusal::Expired)?;
                Ok(None)
            }
            SignIn::Wrong => Ok(Some(ProblemCode::PasswordWrong)),
            SignIn::TooMany(left) => Err(Refused::too_many(left.as_secs())),
        }
    }
}

/// The view for a request, with the language, the theme and the session of the browser. The language comes from the
/// first of these that names one: the query, the cookie, the browser's settings.
pub(super) fn view(desk: Arc<Desk>, head: &Parts, query: &Form) -> View {
    let cookie = |cookie| desk.cookies.get(&head.headers, cookie);
    let chosen = query.find("lang").and_then(Locale::from_word);
    let chosen = chosen.or_else(|| cookie(Cookie::Language).and_then(Locale::from_word));
    let locale = chosen.or_else(|| accepted(&head.headers)).unwrap_or(Locale::En);
    let theme = cookie(Cookie::Theme);
    let theme = ["light", "dark"].into_iter().find(|known| theme == Some(*known));
    let session = cookie(Cookie::Session).map(session_key).unwrap_or_default();
    View { words: words(locale), theme, session, desk, customer: CustomerWord::Client }
}

pub(super) fn sign_in_path(next: &str) -> String {
    let next: String = url::form_urlencoded::byte_serialize(next.as_bytes()).collect();
    format!("/dashboard/sign-in?next={next}")
}
