//! The gate of the booking pages. It checks each request, calls the handler of the page, and adds the
//! security headers to the response.
//!
//! Invariants:
//! - A form from another site has no effect, except the form of one-click unsubscribing, which mail programs
//!   send.
//! - Every response has the same security headers, even after a panic. Only the frame pages of a business and
//!   their error pages can be embedded, and only by the sites in its settings.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::response::Response;
use domain::{Locale, Slug};

use super::assets;
use super::front::Front;
use super::input::{PageInput, Shop, chosen_locale, query};
use super::refused::Refused;
use super::route::{Answered, At, Site};
use super::table::{ASSETS, REST, WIDGET, table};
use super::view::View;
use super::words::words;
use crate::dashboard;
use crate::http::body::{self, BodyError, check_media_type};
use crate::http::form::{Form, MEDIA_TYPE};
use crate::http::json::Json;
use crate::http::router::{self, Noted, PathParams, PathRoutes, caught};
use crate::rate_limit::Verdict;
use crate::rest::error::ApiError;
use crate::server::ClientAddr;

/// The maximum size of a form in bytes.
const FORM_BYTES_MAX: usize = 16 * 1024;
/// The content security policy. The sites that may embed the page are appended after `frame-ancestors`. All other
/// directives are the same as in the policy of the dashboard.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors ";
const CROSS_ORIGIN_EMBEDDER_POLICY: HeaderName = HeaderName::from_static("cross-origin-embedder-policy");
pub(super) const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");

pub(crate) fn router(front: Front) -> Router {
    let mut places = PathRoutes::all(table());
    places.extend(REST.into_iter().chain([ASSETS]).map(|path| PathRoutes { path, rows: Vec::new() }));
    let front = Arc::new(front);
    router::router(places, move |place, request| serve(Arc::clone(&front), place, request))
}

async fn serve(front: Arc<Front>, place: Arc<PathRoutes<Site>>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let params = PathParams::of(&mut parts).await;
    let head = Arc::new(parts);
    let mut known = Known { shop: None, locale: chosen_locale(&head, &query(&head), &Form::default()) };
    let answer = answer(&front, &place, head, params.clone(), body, &mut known);
    let answered = caught(Box::pin(answer)).await;
    if known.shop.is_none() && is_frame(&place) {
        // The error page may be embedded by the same sites as the page of the business. The request was refused before
        // the business was looked up, so the business is looked up now.
        known.shop = caught(Box::pin(shop(&front, &params, At::Frame))).await.ok();
    }
    let mut response = answered.unwrap_or_else(|refused| {
        if place.rows.iter().any(|row| row.access == At::Chat) {
            return refused.json();
        }
        let own = known.shop.as_ref().map(|shop| shop.profile.locale);
        refused.page(View::new(words(known.locale.or(own).unwrap_or(Locale::En))))
    });
    let embedded_by = known.shop.as_deref().filter(|_| is_frame(&place));
    seal(&mut response, front.is_https(), embedded_by);
    if let Some(shop) = known.shop {
        response.extensions_mut().get_or_insert_default::<Noted>().business = Some(shop.business.id());
    }
    response
}

/// The facts that are known about a request when it is refused.
struct Known {
    shop: Option<Arc<Shop>>,
    /// The language that the visitor chose.
    locale: Option<Locale>,
}

fn is_frame(place: &PathRoutes<Site>) -> bool {
    place.rows.iter().any(|row| row.access == At::Frame)
}

/// Adds the security headers. The sites in the settings of `embedded_by` may embed the page.
fn seal(response: &mut Response, is_https: bool, embedded_by: Option<&Shop>) {
    dashboard::seal(response, is_https);
    let headers = response.headers_mut();
    let origins = embedded_by.map(|shop| &shop.website.origins).filter(|origins| !origins.is_empty());
    let Some(origins) = origins else {
        headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
        return;
    };
    let origins: Vec<_> = origins.iter().map(domain::SiteOrigin::as_str).collect();
    // An origin is visible ASCII, so it is valid in a header.
    if let Ok(policy) = HeaderValue::try_from(format!("{POLICY}{}", origins.join(" "))) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(CROSS_ORIGIN_EMBEDDER_POLICY, HeaderValue::from_static("require-corp"));
    headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
}

async fn answer(
    front: &Arc<Front>,
    place: &PathRoutes<Site>,
    head: Arc<Parts>,
    params: PathParams,
    body: Body,
    known: &mut Known,
) -> Answered {
    let reads = matches!(head.method, Method::GET | Method::HEAD);
    if reads && place.path == ASSETS {
        let of = |name: &str| params.get(name).unwrap_or_default();
        return assets::asset(of("digest"), of("name"), &head.headers).ok_or_else(Refused::not_found);
    }
    if front.public.is_none() {
        return Err(ApiError::NoPublicUrl.into());
    }
    let row = place.row(&head.method);
    let from_anywhere = row.is_some_and(|row| row.about.from_anywhere);
    if !reads && !from_anywhere && front.origins.is_cross_site(&head.headers) {
        return Err(ApiError::ForeignOrigin("Origin").into());
    }
    let now = front.engine.now();
    if place.path != WIDGET {
        match front.requests.count(ClientAddr::of(&head.extensions), now) {
            Verdict::Within(_) => {}
            Verdict::Over(allowance) => return Err(Refused::too_many(allowance.seconds_left.unsigned_abs())),
            Verdict::Unavailable(allowance) => {
                return Err(ApiError::RateLimitUnavailable(allowance.seconds_left.unsigned_abs()).into());
            }
        }
    }
    if place.rows.is_empty() {
        return Err(Refused::not_found());
    }
    let row = row.ok_or_else(|| {
        let methods = place.rows.iter().map(|row| &row.method);
        let allow = match methods.clone().any(|method| method == Method::GET) {
            true if methods.clone().any(|method| method == Method::POST) => "GET, HEAD, POST",
            true => "GET, HEAD",
            false => "POST",
        };
        ApiError::MethodNotAllowed(allow, "")
    })?;
    if row.access != At::Anywhere {
        known.shop = Some(shop(front, &params, row.access).await?);
    }
    let mut json = None;
    let form = match (reads, from_anywhere) {
        (true, _) => Form::default(),
        (false, _) if row.access == At::Chat => {
            let bytes = body::read_within(FORM_BYTES_MAX, body::JSON, &head.headers, body).await?;
            json = Some(Json::parse(&bytes)?);
            Form::default()
        }
        (false, true) => Form::read_any(&head.headers, body, FORM_BYTES_MAX).await?,
        (false, false) if !head.headers.contains_key(header::CONTENT_TYPE) => {
            return Err(BodyError::UnsupportedMediaType(MEDIA_TYPE).into());
        }
        (false, false) => {
            check_media_type(&head.headers, MEDIA_TYPE)?;
            Form::read(&head.headers, body, FORM_BYTES_MAX).await?
        }
    };
    known.locale = chosen_locale(&head, &query(&head), &form);
    let mut asked = PageInput::new(Arc::clone(front), head, params, form, known.shop.clone());
    asked.json = json;
    asked.view.framed = row.access == At::Frame;
    row.answer(Box::new(asked)).await
}

/// The business with the slug in the path, if its booking page is enabled and the business is not suspended. If the
/// page is requested for a frame on another website, the business must also allow at least one site to embed the page.
async fn shop(front: &Front, params: &PathParams, at: At) -> Result<Arc<Shop>, Refused> {
    let slug = params.get("slug").and_then(Slug::new).ok_or_else(Refused::not_found)?;
    let business = front.engine.booking_page(slug.as_str()).await?.ok_or_else(Refused::not_found)?;
    let (profile, website) = (business.business().await?, business.website().await?);
    let is_open = website.enabled && !profile.suspended && (at != At::Frame || !website.origins.is_empty());
    let chats = business.receptionist().await?.channels.website;
    let shop = Shop { business, profile, website, chats };
    is_open.then(|| Arc::new(shop)).ok_or_else(Refused::not_found)
}
