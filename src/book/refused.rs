//! Error pages. The module [`crate::rest::error`] maps the engine's errors to statuses.
//!
//! Invariant: the page depends only on the status and the language, so it discloses nothing about a business.

use askama::Template;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{Named, Refusal};

use super::view::{View, render};
use crate::rest::error::ApiError;

#[derive(Debug)]
pub(super) struct Refused(ApiError);

impl<E: Into<ApiError>> From<E> for Refused {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl Refused {
    pub(super) fn not_found() -> Self {
        Refusal::NotFound(Named::Page).into()
    }

    /// A limit is reached. `seconds` is the time until the limit permits another request.
    pub(super) fn too_many(seconds: u64) -> Self {
        Self(ApiError::RateLimited(seconds.max(1)))
    }

    fn status(&self) -> StatusCode {
        match &self.0 {
            ApiError::Refusal(Refusal::Invalid(_)) => StatusCode::UNPROCESSABLE_ENTITY,
            fault => fault.status().0,
        }
    }

    /// Returns the error as JSON, for requests from the script of the chat.
    pub(super) fn json(self) -> Response {
        self.0.into_response()
    }

    pub(super) fn page(&self, view: View) -> Response {
        let status = self.status();
        let known = known(status);
        let shown = Page {
            title: view.t(&format!("error-{known}")),
            text: view.t(&format!("error-{known}-text")),
            view,
        };
        self.0.log();
        let mut response = render(status, &shown).unwrap_or_else(IntoResponse::into_response);
        response.headers_mut().extend(self.0.header().map(|(name, value)| (Some(name), value)));
        response
    }
}

/// The page has texts for a few statuses only. Returns the status whose text the page shows for `status`.
fn known(status: StatusCode) -> u16 {
    match status.as_u16() {
        known @ (403 | 404 | 409 | 413 | 415 | 429 | 503) => known,
        405 => 404,
        other if other >= 500 => 500,
        _ => 422,
    }
}

#[derive(Template)]
#[template(path = "book/refused.html", config = "src/askama.toml")]
struct Page {
    view: View,
    title: String,
    text: String,
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::http::header;
    use domain::Locale;
    use engine::EngineError;
    use http_body_util::BodyExt;
    use store::DiskFull;

    use super::*;
    use crate::book::words::words;

    #[tokio::test]
    async fn an_overloaded_service_and_a_full_disk_have_the_same_page() {
        for (locale, says) in [(Locale::En, "Try again in a few minutes."), (Locale::Fr, "quelques minutes")]
        {
            let mut pages = Vec::new();
            for error in [
                EngineError::Overloaded,
                EngineError::Stopping,
                EngineError::Resting(Duration::from_secs(3)),
                EngineError::DiskFull(DiskFull),
            ] {
                let response = Refused::from(error).page(View::new(words(locale)));
                assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
                assert!(response.headers().contains_key(header::RETRY_AFTER));
                let bytes = response.into_body().collect().await.unwrap().to_bytes();
                pages.push(String::from_utf8(bytes.to_vec()).unwrap());
            }
            assert!(pages[0].contains(says), "{}", pages[0]);
            assert!(pages.iter().all(|page| *page == pages[0]), "{pages:?}");
        }
    }
}
