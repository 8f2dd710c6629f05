//! Error pages. The module [`crate::rest::error`] maps the engine's errors to statuses.

use askama::Template;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{Named, Problem, Refusal};

use super::filled::FormError;
use super::view::{View, render};
use crate::config::variables;
use crate::rest::error::ApiError;

#[derive(Debug)]
pub(super) enum Refused {
    Fault(ApiError),
    CrossSite,
    /// The business is suspended, so it is read-only.
    Suspended,
    /// A form with the same id was already applied. The service cannot repeat the response to that form, because that
    /// form had other content or because its response is no longer stored.
    SentBefore,
    LinkGone,
    /// The change that a form requested was not made. The page of the form shows the reason.
    FormError(FormError),
}

impl<E: Into<ApiError>> From<E> for Refused {
    fn from(error: E) -> Self {
        Self::Fault(error.into())
    }
}

impl From<FormError> for Refused {
    fn from(undone: FormError) -> Self {
        Self::FormError(undone)
    }
}

impl Refused {
    /// The page does not exist, or the person is not allowed to see it.
    pub(super) fn not_found() -> Self {
        Refusal::NotFound(Named::Page).into()
    }

    /// The same error, with the path of each problem mapped to a form field.
    pub(super) fn beside(self, field: impl Fn(Problem) -> Problem) -> Self {
        match self {
            Self::FormError(FormError::Invalid(problems)) => {
                Self::FormError(FormError::Invalid(problems.into_iter().map(field).collect()))
            }
            refused => refused,
        }
    }

    /// Too many attempts came from a network. `seconds` is the time until another attempt is possible.
    pub(super) fn too_many(seconds: u64) -> Self {
        Self::Fault(ApiError::RateLimited(seconds.max(1)))
    }

    fn status(&self) -> StatusCode {
        match self {
            // Pages that show the problems next to the form fields do not return this error.
            Self::Fault(ApiError::Refusal(Refusal::Invalid(_))) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Fault(fault) => fault.status().0,
            Self::CrossSite | Self::Suspended => StatusCode::FORBIDDEN,
            Self::SentBefore => StatusCode::CONFLICT,
            Self::LinkGone => StatusCode::GONE,
            Self::FormError(undone) => undone.status(),
        }
    }

    fn text(&self, view: &View, status: StatusCode) -> String {
        match self {
            Self::CrossSite => view.t("cross-site"),
            Self::Suspended => view.t("suspended"),
            Self::SentBefore => view.t("sent-before"),
            Self::FormError(undone) => undone.message(view, "versions-text"),
            Self::Fault(ApiError::RateLimited(retry_after)) => {
                view.count("error-429-text", retry_after.div_ceil(60))
            }
            Self::Fault(ApiError::NoPublicUrl) => {
                view.with("no-public-url", "setting", variables::PUBLIC_URL)
            }
            Self::Fault(ApiError::ForeignOrigin(_)) => {
                view.with("foreign-host", "setting", variables::PUBLIC_URL)
            }
            Self::Fault(ApiError::Refusal(
                refusal @ (Refusal::NotAllowed(_) | Refusal::Conflict { .. } | Refusal::Invalid(_)),
            )) => view.refusal(refusal),
            _ => view.t(&format!("error-{}-text", known(status))),
        }
    }

    pub(super) fn page(&self, view: View, id: &str) -> Response {
        let status = self.status();
        let known = known(status);
        let has_address = !matches!(self, Self::Fault(ApiError::NoPublicUrl));
        let shown = Page {
            title: view.t(&format!("error-{known}-title")),
            text: self.text(&view, status),
            reference: if status.is_server_error() && has_address { id } else { "" },
            forgotten: matches!(self, Self::LinkGone),
            leads_on: has_address,
            status: status.as_u16(),
            view,
        };
        let mut response = render(status, &shown).unwrap_or_else(IntoResponse::into_response);
        if let Self::Fault(fault) = self {
            fault.log();
            response.headers_mut().extend(fault.header().map(|(name, value)| (Some(name), value)));
        }
        response
    }
}

/// Returns the status for which the page has a title and a text. It may differ from the status of the response.
fn known(status: StatusCode) -> u16 {
    match status.as_u16() {
        known @ (403 | 404 | 409 | 410 | 413 | 422 | 429 | 500 | 503) => known,
        405 => 404,
        other if other >= 500 => 500,
        _ => 422,
    }
}

#[derive(Template)]
#[template(path = "dashboard/refused.html", config = "src/askama.toml")]
struct Page<'a> {
    view: View,
    status: u16,
    title: String,
    text: String,
    reference: &'a str,
    forgotten: bool,
    leads_on: bool,
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::sync::Arc;

    use axum::http::header;
    use domain::{Conflict, Denied, Locale, ProblemCode};
    use engine::{Engine, EngineError};
    use http_body_util::BodyExt;
    use net::Ports;

    use super::*;
    use crate::dashboard::desk::Desk;
    use crate::dashboard::form::SessionKey;
    use crate::dashboard::words::words;
    use crate::http::body::BodyError;
    use crate::origins::Origins;

    #[tokio::test]
    async fn every_error_is_a_page_in_the_persons_language() {
        let dir = tempfile::tempdir().unwrap();
        let engine = Engine::open(dir.path(), Ports::system().unwrap(), |_| {}).await.unwrap();
        let desk = Arc::new(Desk::new(
            engine,
            None,
            Origins::new(None),
            NonZeroU32::MIN,
            tokio::sync::watch::channel(false).1,
        ));
        let refusal = |refusal: Refusal| -> Refused { refusal.into() };
        let all = || {
            [
                (Refused::CrossSite, 403),
                (Refused::Suspended, 403),
                (ApiError::ForeignOrigin("Host").into(), 403),
                (refusal(Refusal::NotAllowed(Denied::ReadOnly)), 403),
                (Refused::not_found(), 404),
                (EngineError::NotFound.into(), 404),
                (ApiError::MethodNotAllowed("GET, HEAD", "").into(), 405),
                (Refused::SentBefore, 409),
                (refusal(Refusal::conflict(Conflict::AddressTaken, "email", ProblemCode::Taken)), 409),
                (Refused::LinkGone, 410),
                (BodyError::TooLarge(1).into(), 413),
                (refusal(Refusal::invalid("name", ProblemCode::Required)), 422),
                (Refused::too_many(61), 429),
                (EngineError::Failed.into(), 500),
                (ApiError::Panicked.into(), 500),
                (EngineError::Overloaded.into(), 503),
                (EngineError::Stopping.into(), 503),
                (ApiError::NoPublicUrl.into(), 503),
            ]
        };
        for locale in Locale::ALL {
            for (refused, status) in all() {
                let view = View {
                    words: words(*locale),
                    theme: None,
                    session: SessionKey::default(),
                    desk: Arc::clone(&desk),
                    customer: domain::CustomerWord::Client,
                };
                let response = refused.page(view, "the-id-of-the-request");
                assert_eq!(response.status(), status, "{refused:?}");
                let waits = response.headers().contains_key(header::RETRY_AFTER);
                assert_eq!(waits, status == 429 || status == 503, "{refused:?}");
                let body = response.into_body().collect().await.unwrap().to_bytes();
                let body = String::from_utf8(body.to_vec()).unwrap();
                assert!(body.contains(&format!("<html lang=\"{locale}\"")), "{refused:?}");
                assert!(body.contains(&format!(">{status}<")), "{refused:?}");
                assert_eq!(
                    body.contains("the-id-of-the-request"),
                    status >= 500 && !body.contains("PUBLIC_URL"),
                    "{refused:?}"
                );
            }
        }
    }
}
