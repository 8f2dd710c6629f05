//! What every page shows with: words, looks, and the ids of its forms.

use std::any::Any;
use std::sync::Arc;

use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::{ProblemCode, Refusal};

use super::assets;
use super::desk::Desk;
use super::form::SessionKey;
use super::parts;
use super::route::Answered;
use super::words::{problems, refusals};
use crate::rest::error::ApiError;
use crate::words::{Value, Words};

/// What every page shows with.
#[derive(Clone)]
pub(super) struct View {
    pub(super) words: &'static Words,
    /// `light` or `dark`, where that was chosen.
    pub(super) theme: Option<&'static str>,
    /// The session that the browser says it has.
    pub(super) session: SessionKey,
    pub(super) desk: Arc<Desk>,
}

impl View {
    /// The page's language, as HTML names it.
    pub(super) fn lang(&self) -> &'static str {
        self.words.locale.as_str()
    }

    /// Where the stylesheet and the scripts are.
    pub(super) fn assets(&self) -> &'static str {
        assets::base()
    }

    /// Words.
    pub(super) fn t(&self, id: &str) -> String {
        self.words.say(id, &[])
    }

    /// Words with a text in them.
    pub(super) fn with(&self, id: &str, name: &str, text: &str) -> String {
        self.words.say(id, &[(name, Value::Text(text))])
    }

    /// Words about a number.
    pub(super) fn count(&self, id: &str, count: u64) -> String {
        self.words.say(id, &[("count", Value::Count(count))])
    }

    /// Why something was refused, in the page's language.
    pub(super) fn refusal(&self, refusal: &Refusal) -> String {
        refusals::refusal(self.words, refusal)
    }

    /// What the engine says is wrong, in the page's language.
    pub(super) fn problem(&self, code: &ProblemCode) -> String {
        problems::problem(self.words, code)
    }

    /// An icon, as markup of ours.
    pub(super) fn icon(&self, name: &str) -> &'static str {
        parts::icon(name)
    }

    /// A new form's one-use id.
    pub(super) fn form_id(&self) -> String {
        self.desk.form_id(&self.session)
    }
}

/// What marks an answer to a form by which nothing was done: the same form may be sent again.
#[derive(Clone, Copy)]
pub(super) struct NothingDone;

/// The same answer, to a form that only asked to be shown otherwise.
pub(super) fn nothing_done(mut response: Response) -> Response {
    response.extensions_mut().insert(NothingDone);
    response
}

/// A page that shows what was asked for.
pub(super) fn page(template: &impl Template) -> Answered {
    page_as(StatusCode::OK, template)
}

/// A page with this status.
pub(super) fn page_as(status: StatusCode, template: &impl Template) -> Answered {
    Ok(render(status, template)?)
}

/// A page. The title of one that shows a refused form begins with that.
///
/// # Errors
/// When the template fails, which is a fault of ours.
pub(super) fn render(status: StatusCode, template: &impl Template) -> Result<Response, ApiError> {
    let is_refused = matches!(status, StatusCode::UNPROCESSABLE_ENTITY | StatusCode::CONFLICT);
    let is_refused: &dyn Any = &is_refused;
    let html = template.render_with_values(&("refused", is_refused)).map_err(ApiError::internal)?;
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    Ok((status, [(header::CONTENT_TYPE, kind)], html).into_response())
}

/// Leads to another page, which is asked for with GET.
pub(super) fn see_other(path: &str) -> Response {
    let location = HeaderValue::from_str(path).unwrap_or(HeaderValue::from_static("/dashboard"));
    (StatusCode::SEE_OTHER, [(header::LOCATION, location)]).into_response()
}
