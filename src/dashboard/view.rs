//! The values that every page needs: texts, theme, and the ids of its forms.

use std::any::Any;
use std::sync::Arc;

use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::{CustomerWord, Locale, ProblemCode, Refusal, Role};
use view::PersonView;

use super::desk::Desk;
use super::form::SessionKey;
use super::route::Answered;
use super::words::{problems, refusals};
use super::{assets, parts};
use crate::rest::error::ApiError;
use crate::rest::values::phone::in_groups;
use crate::words::{Value, Words};

#[derive(Clone)]
pub(super) struct View {
    pub(super) words: &'static Words,
    /// `light` or `dark`, or `None` for the browser's setting.
    pub(super) theme: Option<&'static str>,
    /// The session of the browser's cookie. It may be invalid.
    pub(super) session: SessionKey,
    pub(super) desk: Arc<Desk>,
    /// The word for customers in the texts of the pages of a business.
    pub(super) customer: CustomerWord,
}

impl View {
    pub(super) fn lang(&self) -> &'static str {
        self.words.locale.as_str()
    }

    pub(super) fn assets(&self) -> &'static str {
        assets::base()
    }

    pub(super) fn t(&self, id: &str) -> String {
        self.say(id, Vec::new())
    }

    pub(super) fn with(&self, id: &str, name: &str, text: &str) -> String {
        self.say(id, vec![(name, Value::Text(text))])
    }

    pub(super) fn count(&self, id: &str, count: u64) -> String {
        self.say(id, vec![("count", Value::Count(count))])
    }

    pub(super) fn says<T: AsRef<str>>(&self, id: &str, values: &[(&str, T)]) -> String {
        self.say(id, values.iter().map(|(name, text)| (*name, Value::Text(text.as_ref()))).collect())
    }

    /// Formats a message. Every message can use the word for customers.
    fn say<'a>(&'a self, id: &str, mut values: Vec<(&'a str, Value<'a>)>) -> String {
        values.push(("customer", Value::Text(self.customer.as_str())));
        self.words.say(id, &values)
    }

    pub(super) fn refusal(&self, refusal: &Refusal) -> String {
        refusals::refusal(self.words, refusal)
    }

    pub(super) fn problem(&self, code: &ProblemCode) -> String {
        problems::problem(self.words, code)
    }

    /// The name of a language, in the language itself.
    pub(super) fn language(&self, locale: Locale) -> &'static str {
        match locale {
            Locale::En => "English",
            Locale::Fr => "Français",
        }
    }

    pub(super) fn role_word(&self, role: Role) -> String {
        self.t(&format!("role-{role}"))
    }

    pub(super) fn name_of<'a>(&self, person: &'a PersonView) -> &'a str {
        if person.name.trim().is_empty() { &person.email } else { &person.name }
    }

    pub(super) fn initials(&self, name: &str) -> String {
        parts::initials(name)
    }

    /// Returns the name or, without a name, the phone number in groups of digits. Returns `unknown` if both are
    /// missing.
    pub(super) fn named(&self, (name, phone): (Option<&str>, Option<&str>), unknown: &str) -> String {
        let name = name.filter(|name| !name.trim().is_empty()).map(str::to_owned);
        name.or_else(|| phone.map(in_groups)).unwrap_or_else(|| self.t(unknown))
    }

    pub(super) fn phone(&self, e164: &str) -> String {
        in_groups(e164)
    }

    pub(super) fn mailto(&self, email: &str) -> String {
        mailto(email)
    }

    pub(super) fn form_id(&self) -> String {
        self.desk.form_id(&self.session)
    }
}

/// Marks the response to a form that changed nothing. The gate then permits the same form to be submitted again.
#[derive(Clone, Copy)]
pub(super) struct NothingDone;

pub(super) fn nothing_done(mut response: Response) -> Response {
    response.extensions_mut().insert(NothingDone);
    response
}

pub(super) fn page(template: &impl Template) -> Answered {
    page_as(StatusCode::OK, template)
}

pub(super) fn page_as(status: StatusCode, template: &impl Template) -> Answered {
    Ok(render(status, template)?)
}

/// Renders a page. With status 409 or 422 the template's title says that the form was refused.
pub(super) fn render(status: StatusCode, template: &impl Template) -> Result<Response, ApiError> {
    let is_refused = matches!(status, StatusCode::UNPROCESSABLE_ENTITY | StatusCode::CONFLICT);
    let is_refused: &dyn Any = &is_refused;
    let html = template.render_with_values(&("refused", is_refused)).map_err(ApiError::internal)?;
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    Ok((status, [(header::CONTENT_TYPE, kind)], html).into_response())
}

pub(super) fn see_other(path: &str) -> Response {
    let location = HeaderValue::from_str(path).unwrap_or(HeaderValue::from_static("/dashboard"));
    (StatusCode::SEE_OTHER, [(header::LOCATION, location)]).into_response()
}

/// A `mailto:` link. The address is percent-encoded, so it cannot add headers.
pub(crate) fn mailto(email: &str) -> String {
    let mut link = String::from("mailto:");
    for byte in email.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'@' | b'.' | b'-' | b'_' | b'+' => {
                link.push(byte.into());
            }
            _ => link.push_str(&format!("%{byte:02X}")),
        }
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_cannot_add_headers_to_its_link() {
        assert_eq!(mailto("zoe.b+x@example.com"), "mailto:zoe.b+x@example.com");
        assert_eq!(mailto("a?bcc=b&c@example.com"), "mailto:a%3Fbcc%3Db%26c@example.com");
        assert_eq!(mailto("a?bcc=b&c%20@é.fr"), "mailto:a%3Fbcc%3Db%26c%2520@%C3%A9.fr");
    }
}
