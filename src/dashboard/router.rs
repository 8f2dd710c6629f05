//! From a request to a page.
//!
//! What always holds: nothing is done for a request with a Host that is not the service's, nor for a form that another
//! site sent; of a page that needs somebody nothing runs before it is known who asks; every answer bears the same
//! headers, and a panic is a page too.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::Access;
use actors::people::{SignedIn, Token};
use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use axum::routing::any;
use sha2::{Digest, Sha256};
use tracing::Instrument;

use super::asked::{Asked, Visit, locale, sign_in_path, view};
use super::assets;
use super::cookies::Cookie;
use super::desk::Desk;
use super::drafts::Why;
use super::form::Form;
use super::once::{Acting, KEPT, Sent, Turn};
use super::refused::Refused;
use super::route::{Handle, Route};
use super::table::{ASSETS, REST, ROOTS, table};
use super::view::{NothingDone, nothing_done, see_other};
use crate::http::request_id::X_REQUEST_ID;
use crate::rest::error::ApiError;
use crate::rest::noted::Noted;
use crate::rest::panics::caught;

/// What a page may load and do: nothing that is not of this origin, and neither script nor style of its own.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);
/// For a year browsers come by https alone.
const HTTPS_ONLY: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// The router of the dashboard.
pub(crate) fn router(mut desk: Desk) -> Router {
    let all = table();
    let of_business = all.iter().filter_map(|row| row.path.strip_prefix("/dashboard/b/{business_id}/"));
    desk.pages = of_business.collect();
    let desk = Arc::new(desk);
    let mut paths: BTreeMap<&'static str, Vec<Route>> = BTreeMap::new();
    for row in all {
        paths.entry(row.path).or_default().push(row);
    }
    let pages: Arc<[&'static str]> = paths
        .iter()
        .filter(|(_, rows)| rows.iter().any(|row| row.method == Method::GET))
        .map(|(path, _)| *path)
        .collect();
    for path in ROOTS.into_iter().chain([ASSETS, REST]) {
        paths.insert(path, Vec::new());
    }
    paths.into_iter().fold(Router::new(), |router, (path, rows)| {
        let place = Arc::new(Place { path, rows, pages: Arc::clone(&pages), desk: Arc::clone(&desk) });
        router.route(path, any(move |request| serve(Arc::clone(&place), request)))
    })
}

/// One path, with what stands behind it.
struct Place {
    path: &'static str,
    rows: Vec<Route>,
    /// The paths that have a page to see.
    pages: Arc<[&'static str]>,
    desk: Arc<Desk>,
}

impl Place {
    /// The methods of the path as `Allow` lists them.
    fn allow(&self) -> &'static str {
        if self.rows.iter().any(|row| row.method == Method::POST) { "GET, HEAD, POST" } else { "GET, HEAD" }
    }

    /// The nearest page at or above the path that was asked for: the one that shows the form that was sent there.
    fn page_of(&self, path: &str) -> String {
        let (mut template, mut page) = (self.path, path);
        while !self.pages.contains(&template) {
            let (Some((above, _)), Some((page_above, _))) =
                (template.rsplit_once('/'), page.rsplit_once('/'))
            else {
                return "/dashboard".into();
            };
            (template, page) = (above, page_above);
        }
        page.to_owned()
    }
}

async fn serve(place: Arc<Place>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let params = RawPathParams::from_request_parts(&mut parts, &()).await;
    let params = params.iter().flatten().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let (head, desk) = (Arc::new(parts), &place.desk);
    let answered = caught(async {
        let answer = Box::pin(answer(&place, Arc::clone(&head), params, body)).await;
        Ok::<_, ApiError>(answer)
    });
    let answered = answered.await.unwrap_or_else(|fault| Err(fault.into()));
    let mut response = answered.unwrap_or_else(|refused| {
        let query = Form::parse(head.uri.query().unwrap_or_default().as_bytes());
        refused.page(view(desk, &head, locale(desk, &head, &query)), id(&head.headers))
    });
    seal(&mut response, desk.cookies.secure);
    noted(response, |noted| noted.route = Some(place.path))
}

/// The id of the request, as the log and its answer have it.
fn id(headers: &HeaderMap) -> &str {
    headers.get(X_REQUEST_ID).and_then(|id| id.to_str().ok()).unwrap_or_default()
}

/// The headers of every answer.
fn seal(response: &mut Response, secure: bool) {
    let headers = response.headers_mut();
    let fixed: [(HeaderName, HeaderValue); 3] = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    ];
    headers.extend(fixed);
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if secure {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HTTPS_ONLY);
    }
}

async fn answer(
    place: &Arc<Place>,
    head: Arc<axum::http::request::Parts>,
    params: Arc<[(String, String)]>,
    body: Body,
) -> Result<Response, Refused> {
    let desk = &place.desk;
    let reads = matches!(head.method, Method::GET | Method::HEAD);
    if reads && ROOTS.contains(&place.path) {
        return Ok(see_other("/dashboard"));
    }
    if reads && place.path == ASSETS {
        let of = |name: &str| params.iter().find(|(param, _)| param == name).map_or("", |(_, of)| of);
        let found = assets::asset(of("digest"), of("name"), &head.headers);
        return found.ok_or_else(Refused::not_found);
    }
    if desk.public.is_none() {
        return Err(Refused::NoPublicUrl);
    }
    if !desk.origins.knows_host(&head.headers) {
        return Err(ApiError::ForeignOrigin("Host").into());
    }
    if place.rows.is_empty() {
        return Err(Refused::not_found());
    }
    let method = if reads { Method::GET } else { head.method.clone() };
    let at = place.rows.iter().position(|row| row.method == method);
    if reads && at.is_none() {
        // The address of a form that was refused, asked for anew.
        return Ok(see_other(&place.page_of(head.uri.path())));
    }
    let at = at.ok_or(ApiError::MethodNotAllowed(place.allow(), ""))?;
    let row = &place.rows[at];
    if reads {
        let asked = Asked::new(Arc::clone(desk), head, params, Form::default());
        let chosen = asked.query.find("lang").is_some_and(|lang| lang == asked.locale.as_str());
        let language = chosen.then(|| desk.cookies.set(Cookie::Language, asked.locale.as_str()));
        let needs_session = !matches!(row.handle, Handle::Anybody(_));
        let signed_in = if needs_session { asked.signed_in().await? } else { None };
        let mut response = admitted(place, row, asked, signed_in, false).await?;
        response.headers_mut().extend(language.map(|value| (header::SET_COOKIE, value)));
        return Ok(response);
    }
    if !row.from_anywhere && desk.origins.is_cross_site(&head.headers) {
        return Err(Refused::CrossSite);
    }
    // No field of such a form is used, so it may be of any media type that forms have.
    let form = if row.from_anywhere { Ok(Form::default()) } else { Form::read(&head.headers, body).await };
    let form = form.map_err(ApiError::from)?;
    let asked = Asked::new(Arc::clone(desk), head, params, form);
    post(place, at, asked).await
}

/// Has a form act: once, where it needs a session.
async fn post(place: &Arc<Place>, at: usize, asked: Asked) -> Result<Response, Refused> {
    let (desk, row) = (&place.desk, &place.rows[at]);
    let (signed_in, now) = (asked.signed_in().await?, desk.engine.now());
    let Some((_, signed)) = &signed_in else {
        desk.limits.address(asked.network(), now).map_err(Refused::too_many)?;
        return admitted(place, row, asked, None, false).await;
    };
    desk.limits.person(signed.person.id, now).map_err(Refused::too_many)?;
    if matches!(row.handle, Handle::Anybody(_)) {
        return admitted(place, row, asked, signed_in, false).await;
    }
    let Some(sent) = sent(&asked) else { return admitted(place, row, asked, signed_in, true).await };
    match desk.once.turn(&sent, now.millis()) {
        Turn::Acted(again) => again.answer().await.ok_or_else(|| ApiError::Unavailable.into()),
        Turn::SentBefore => Err(Refused::SentBefore),
        Turn::Stale => admitted(place, row, asked, signed_in, true).await,
        // It goes on though the browser goes away: whoever sends the form again waits for what comes of it.
        Turn::Act(acting) => {
            let place = Arc::clone(place);
            let acts = async move { act(&place, at, asked, signed_in, acting, &sent).await };
            tokio::spawn(acts.in_current_span()).await.map_err(|error| ApiError::internal(error).into())
        }
    }
}

/// The form of a session; nothing where its id was not made for the session.
fn sent(asked: &Asked) -> Option<Sent> {
    let session = asked.view().session;
    let id = asked.form.id(&asked.desk.cursors, &session)?;
    let content = Sha256::new().chain_update(asked.form.digest()).chain_update(asked.path()).finalize();
    Some(Sent { session, id, content: content.into() })
}

/// The answer to a form that acts, for whoever sends it again, too. What was refused has done nothing, and may be sent
/// again.
async fn act(
    place: &Place,
    at: usize,
    asked: Asked,
    signed_in: Option<(Token, SignedIn)>,
    acting: Acting,
    sent: &Sent,
) -> Response {
    let (view, head) = (asked.view(), Arc::clone(&asked.head));
    let answer =
        caught(async { Ok::<_, ApiError>(admitted(place, &place.rows[at], asked, signed_in, false).await) })
            .await;
    let answer = answer.unwrap_or_else(|fault| Err(fault.into()));
    let answer = answer.unwrap_or_else(|refused| refused.page(view, id(&head.headers)));
    let status = answer.status();
    let is_undone = answer.extensions().get::<NothingDone>().is_some()
        || status.is_client_error()
        || status == StatusCode::SERVICE_UNAVAILABLE;
    if is_undone {
        place.desk.once.take_back(sent);
    }
    let response = acting.answered(answer, place.desk.cookies).await;
    let desk = Arc::downgrade(&place.desk);
    // Whether or not another form comes until then.
    tokio::spawn(async move {
        tokio::time::sleep(KEPT).await;
        if let Some(desk) = desk.upgrade() {
            desk.once.forget();
        }
    });
    response
}

/// Has the row answer whoever may come to it. A form that is `stale` goes back to its page.
async fn admitted(
    place: &Place,
    row: &Route,
    asked: Asked,
    signed_in: Option<(Token, SignedIn)>,
    stale: bool,
) -> Result<Response, Refused> {
    let posts = row.method == Method::POST;
    if let Handle::Anybody(handler) = &row.handle {
        return handler(asked).await;
    }
    let Some((token, signed_in)) = signed_in else {
        if posts {
            return Ok(asked.keep_form(&place.page_of(asked.path()), Why::SignedOut));
        }
        let next = asked.head.uri.path_and_query().map_or("/dashboard", |next| next.as_str());
        return Ok(see_other(&sign_in_path(next)));
    };
    if signed_in.session.restricted && !matches!(row.handle, Handle::Restricted(_)) {
        return Ok(see_other("/dashboard/password"));
    }
    let visit = asked.of(token, signed_in).await?;
    let person = visit.signed_in.person.id;
    let response = visited(place, row, visit, stale).await?;
    Ok(noted(response, |noted| noted.person = Some(person)))
}

/// Has the row answer somebody with a session.
async fn visited(place: &Place, row: &Route, visit: Visit, stale: bool) -> Result<Response, Refused> {
    let posts = row.method == Method::POST;
    let kept_as_stale = |visit: &Visit| visit.keep_form(&place.page_of(visit.path()), Why::Stale);
    match &row.handle {
        Handle::Anybody(handler) => handler((*visit).clone()).await,
        Handle::Restricted(_) | Handle::Person(_) if stale => Ok(kept_as_stale(&visit)),
        Handle::Restricted(handler) | Handle::Person(handler) => handler(visit).await,
        Handle::Member(right, handler) => {
            let member = Visit::member(visit).await?;
            if member.membership.role.access(*right) == Access::Hidden {
                return Err(Refused::not_found());
            }
            if posts {
                let (business, now) = (member.business.id(), place.desk.engine.now());
                place.desk.limits.business(business, now).map_err(Refused::too_many)?;
                match member.must(*right) {
                    Err(Refused::Suspended) if row.kept => {
                        let page = place.page_of(member.path());
                        return Ok(nothing_done(member.keep_form(&page, Why::Suspended)));
                    }
                    may => may?,
                }
            }
            let business = member.business.id();
            let response = if stale { kept_as_stale(&member) } else { handler(member).await? };
            Ok(noted(response, |noted| noted.business = Some(business)))
        }
    }
}

/// An answer, with more for the log.
fn noted(mut response: Response, note: impl FnOnce(&mut Noted)) -> Response {
    note(response.extensions_mut().get_or_insert_default());
    response
}
