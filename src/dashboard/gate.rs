//! The gate of the dashboard. It checks each request, calls the handler of the page, and adds the security
//! headers to the response.
//!
//! Invariants:
//! - A request with an unknown Host, or a form from another site, has no effect.
//! - A handler that needs a session runs only after the session was checked.
//! - Every response has the same security headers, even after a panic.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use domain::{Access, BusinessId};
use engine::people::{SignedIn, Token};
use sha2::{Digest, Sha256};
use tracing::Instrument;

use super::assets;
use super::cookies::Cookie;
use super::desk::Desk;
use super::drafts::DraftReason;
use super::form::{Form, FormId};
use super::input::{PageInput, SessionInput, sign_in_path, view};
use super::once::{self, Acting, KEPT, Sent, Turn};
use super::refused::Refused;
use super::route::{Admitted, Answered, Pages, Route, Who};
use super::table::{ASSETS, REST, ROOTS, table};
use super::view::{NothingDone, nothing_done, see_other};
use crate::http::body::BODY_BYTES_MAX;
use crate::http::request_id::X_REQUEST_ID;
use crate::http::router::{self, Noted, PathParams, PathRoutes, caught};
use crate::rest::error::ApiError;
use crate::tables::{self, FILE_BYTES_MAX};

const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);
/// The maximum length of a form with a file, in bytes. The preview of an import sends the file in base64, which needs
/// four bytes for every three bytes of the file.
const FORM_BYTES_MAX: usize = FILE_BYTES_MAX / 3 * 4 + BODY_BYTES_MAX;
const HTTPS_ONLY: HeaderValue = HeaderValue::from_static("max-age=31536000");

pub(crate) fn router(desk: Desk) -> Router {
    let mut places = PathRoutes::all(table());
    let shown =
        places.iter().filter(|place| place.row(&Method::GET).is_some()).map(|place| place.path).collect();
    let others = ROOTS.into_iter().chain([ASSETS, REST]);
    places.extend(others.map(|path| PathRoutes { path, rows: Vec::new() }));
    let gate = Gate { desk: Arc::new(desk), shown };
    router::router(places, move |place, request| serve(gate.clone(), place, request))
}

/// The checks before every page. The value is cheap to clone.
#[derive(Clone)]
struct Gate {
    desk: Arc<Desk>,
    shown: Arc<[&'static str]>,
}

impl Gate {
    /// Returns the path of the page that shows a form. `page` is the path to which the form is sent. If this path
    /// answers GET requests, it is returned. Otherwise the nearest path above it that answers GET requests is returned.
    /// If there is no such path, returns `/dashboard`.
    fn page_of(&self, mut template: &str, mut page: &str) -> String {
        while !self.shown.contains(&template) {
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

async fn serve(gate: Gate, place: Arc<PathRoutes<Pages>>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let params = PathParams::of(&mut parts).await;
    let (head, desk) = (Arc::new(parts), &gate.desk);
    let answered = caught(Box::pin(answer(&gate, &place, Arc::clone(&head), params, body))).await;
    let mut response = answered.unwrap_or_else(|refused| {
        let query = Form::parse(head.uri.query().unwrap_or_default().as_bytes());
        refused.page(view(Arc::clone(desk), &head, &query), id(&head.headers))
    });
    seal(&mut response, desk.cookies.secure);
    response
}

fn id(headers: &HeaderMap) -> &str {
    headers.get(X_REQUEST_ID).and_then(|id| id.to_str().ok()).unwrap_or_default()
}

pub(crate) fn seal(response: &mut Response, secure: bool) {
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
    gate: &Gate,
    place: &Arc<PathRoutes<Pages>>,
    head: Arc<Parts>,
    params: PathParams,
    body: Body,
) -> Answered {
    let desk = &gate.desk;
    let reads = matches!(head.method, Method::GET | Method::HEAD);
    if reads && ROOTS.contains(&place.path) {
        return Ok(see_other("/dashboard"));
    }
    if reads && place.path == ASSETS {
        let of = |name: &str| params.get(name).unwrap_or_default();
        let found = assets::asset(of("digest"), of("name"), &head.headers);
        return found.ok_or_else(Refused::not_found);
    }
    if desk.public.is_none() {
        return Err(ApiError::NoPublicUrl.into());
    }
    if !desk.origins.knows_host(&head.headers) {
        return Err(ApiError::ForeignOrigin("Host").into());
    }
    if place.rows.is_empty() {
        return Err(Refused::not_found());
    }
    let Some(row) = place.row(&head.method) else {
        if reads {
            // After a refused form, the address bar shows the path of the form. If the person reloads or
            // enters this path, the browser sends a GET, which gets a redirect to the page of the form.
            return Ok(see_other(&gate.page_of(place.path, head.uri.path())));
        }
        let posts = place.row(&Method::POST).is_some();
        let allow = if posts { "GET, HEAD, POST" } else { "GET, HEAD" };
        return Err(ApiError::MethodNotAllowed(allow, "").into());
    };
    if reads {
        let asked = PageInput::new(Arc::clone(desk), head, params, Form::default());
        let chosen = asked.query.find("lang").is_some_and(|lang| lang == asked.lang());
        let language = chosen.then(|| desk.cookies.set(Cookie::Language, asked.lang()));
        let needs_session = !matches!(row.access, Who::Anybody);
        let signed_in = if needs_session { asked.signed_in().await? } else { None };
        let mut response = admitted(gate, row, asked, signed_in, false).await?;
        response.headers_mut().extend(language.map(|value| (header::SET_COOKIE, value)));
        return Ok(response);
    }
    let from_anywhere = row.about.from_anywhere;
    if !from_anywhere && desk.origins.is_cross_site(&head.headers) {
        return Err(Refused::CrossSite);
    }
    if row.about.has_file {
        let asked = PageInput::new(Arc::clone(desk), head, params, Form::default());
        // A form with a file may be long, so it is read only if a member of the business sends it.
        let Some((_, signed)) = asked.signed_in().await? else { return post(gate, place, row, asked).await };
        let belongs = asked.people().belongs(signed.person.id).await?;
        let business = asked.param::<BusinessId>("business_id");
        let business = business.filter(|id| belongs.iter().any(|one| one.business_id == *id));
        let Some(business) = business else { return post(gate, place, row, asked).await };
        // A form with a file counts twice towards the person's limit: once here, before the upload, and once in `post`.
        // A refusal here prevents slow uploads from occupying the permits for files in memory.
        desk.limits.people.count(signed.person.id, desk.engine.now()).map_err(Refused::too_many)?;
        let _permit = Some(tables::permit(business).await?);
        let form = Form::read_with_file(&asked.head.headers, body, FORM_BYTES_MAX).await?;
        return post(gate, place, row, PageInput { form, _permit, ..asked }).await;
    }
    // Only the form for mail programs is accepted from any site. Its handler needs no content, so the body is not read.
    let form = match from_anywhere {
        true => Ok(Form::default()),
        false => Form::read(&head.headers, body, BODY_BYTES_MAX).await,
    };
    post(gate, place, row, PageInput::new(Arc::clone(desk), head, params, form?)).await
}

async fn post(gate: &Gate, place: &Arc<PathRoutes<Pages>>, row: &Route, asked: PageInput) -> Answered {
    let desk = &gate.desk;
    let (signed_in, now) = (asked.signed_in().await?, desk.engine.now());
    let Some((_, signed)) = &signed_in else {
        desk.limits.networks.count(asked.network(), now).map_err(Refused::too_many)?;
        return admitted(gate, row, asked, None, false).await;
    };
    desk.limits.people.count(signed.person.id, now).map_err(Refused::too_many)?;
    if matches!(row.access, Who::Anybody) {
        return admitted(gate, row, asked, signed_in, false).await;
    }
    let Some(sent) = sent(&asked) else { return admitted(gate, row, asked, signed_in, true).await };
    match desk.once.turn(&sent, now.millis()) {
        Turn::Acted(outcome) => once::answer(outcome).await.ok_or_else(|| ApiError::Unavailable.into()),
        Turn::SentBefore => Err(Refused::SentBefore),
        Turn::Stale => admitted(gate, row, asked, signed_in, true).await,
        // The form is handled in its own task, which continues if the client disconnects. If the client then sends the
        // form again, it receives the response.
        Turn::Act(acting) => {
            let (gate, place) = (gate.clone(), Arc::clone(place));
            let acts = async move { act(&gate, &place, asked, signed_in, acting, &sent).await };
            tokio::spawn(acts.in_current_span()).await.map_err(|error| ApiError::internal(error).into())
        }
    }
}

/// The submitted form, or `None` if its one-use id does not belong to the session.
fn sent(asked: &PageInput) -> Option<Sent> {
    let id = FormId::of(&asked.form, &asked.desk.cursors, &asked.session)?;
    let content = Sha256::new().chain_update(asked.form.digest()).chain_update(asked.path()).finalize();
    Some(Sent { session: asked.session, id, content: content.into() })
}

/// Runs a form's handler and keeps the response for repeats. A refused form may be submitted again.
async fn act(
    gate: &Gate,
    place: &PathRoutes<Pages>,
    asked: PageInput,
    signed_in: Option<(Token, SignedIn)>,
    acting: Acting,
    sent: &Sent,
) -> Response {
    let (view, head, desk) = (asked.view.clone(), Arc::clone(&asked.head), &gate.desk);
    let answer = caught(async {
        let row = place.row(&asked.head.method).ok_or_else(Refused::not_found)?;
        admitted(gate, row, asked, signed_in, false).await
    });
    let answer = answer.await.unwrap_or_else(|refused| refused.page(view, id(&head.headers)));
    let status = answer.status();
    let is_undone = answer.extensions().get::<NothingDone>().is_some()
        || status.is_client_error()
        || status == StatusCode::SERVICE_UNAVAILABLE;
    if is_undone {
        desk.once.take_back(sent);
    }
    let response = acting.answered(answer, desk.cookies).await;
    let desk = Arc::downgrade(desk);
    // Stored responses are normally removed when the next form arrives. If no form arrives, this task
    // removes them.
    tokio::spawn(async move {
        tokio::time::sleep(KEPT).await;
        if let Some(desk) = desk.upgrade() {
            desk.once.forget();
        }
    });
    response
}

/// Checks the access rule of the route and calls its handler. If the form is `stale`, it becomes a draft, and the
/// handler is not called.
async fn admitted(
    gate: &Gate,
    row: &Route,
    asked: PageInput,
    signed_in: Option<(Token, SignedIn)>,
    stale: bool,
) -> Answered {
    if matches!(row.access, Who::Anybody) {
        return row.answer(Admitted::Anybody(Box::new(asked))).await;
    }
    let Some((token, signed_in)) = signed_in else {
        if row.method == Method::POST {
            return Ok(asked.keep_form(&gate.page_of(row.path, asked.path()), DraftReason::SignedOut));
        }
        let next = asked.head.uri.path_and_query().map_or("/dashboard", |next| next.as_str());
        return Ok(see_other(&sign_in_path(next)));
    };
    if signed_in.session.restricted && !matches!(row.access, Who::Restricted) {
        return Ok(see_other("/dashboard/password"));
    }
    let visit = asked.of(token, signed_in).await?;
    let person = visit.signed_in.person.id;
    let response = visited(gate, row, visit, stale).await?;
    Ok(noted(response, |noted| noted.person = Some(person)))
}

async fn visited(gate: &Gate, row: &Route, visit: SessionInput, stale: bool) -> Answered {
    let page = gate.page_of(row.path, visit.path());
    let Who::Member(right) = row.access else {
        return match stale {
            true => Ok(visit.keep_form(&page, DraftReason::Stale)),
            false => row.answer(Admitted::Person(Box::new(visit))).await,
        };
    };
    let member = visit.member().await?;
    if member.membership.role.access(right) == Access::Hidden {
        return Err(Refused::not_found());
    }
    let business = member.business.id();
    if row.method == Method::POST {
        let now = gate.desk.engine.now();
        gate.desk.limits.businesses.count(business, now).map_err(Refused::too_many)?;
        match member.must(right) {
            Err(Refused::Suspended) if row.about.kept => {
                return Ok(nothing_done(member.keep_form(&page, DraftReason::Suspended)));
            }
            may => may?,
        }
    }
    let response = match stale {
        true => member.keep_form(&page, DraftReason::Stale),
        false => row.answer(Admitted::Member(Box::new(member))).await?,
    };
    Ok(noted(response, |noted| noted.business = Some(business)))
}

fn noted(mut response: Response, note: impl FnOnce(&mut Noted)) -> Response {
    note(response.extensions_mut().get_or_insert_default());
    response
}
