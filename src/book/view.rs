//! The values that every booking page needs, such as its texts and its business.

use std::sync::Arc;

use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::{Email, Locale, Phone};

use super::assets;
use super::input::Shop;
use super::route::Answered;
use crate::dashboard::mailto;
use crate::rest::error::ApiError;
use crate::rest::values::phone::in_groups;
use crate::words::{Value, Words};

#[derive(Clone)]
pub(super) struct View {
    pub(super) words: &'static Words,
    /// The business of the page. Error pages have none.
    pub(super) shop: Option<Arc<Shop>>,
    /// Whether the page is shown in a frame of another site.
    pub(super) framed: bool,
    /// Whether search engines may list the page.
    pub(super) is_listed: bool,
    /// The page in the other languages: language tag, name and path.
    pub(super) languages: Vec<(&'static str, &'static str, String)>,
}

impl View {
    pub(super) fn new(words: &'static Words) -> Self {
        Self { words, shop: None, framed: false, is_listed: false, languages: Vec::new() }
    }

    /// Adds the links to the page in the other languages.
    pub(super) fn with_languages(self, link: impl Fn(&str) -> String) -> Self {
        let others = Locale::ALL.iter().filter(|locale| **locale != self.words.locale);
        let name = |locale: &Locale| match locale {
            Locale::En => "English",
            Locale::Fr => "Français",
        };
        let languages = others.map(|locale| (locale.as_str(), name(locale), link(locale.as_str())));
        Self { languages: languages.collect(), ..self }
    }

    pub(super) fn lang(&self) -> &'static str {
        self.words.locale.as_str()
    }

    pub(super) fn assets(&self) -> &'static str {
        assets::base()
    }

    /// The path of the stylesheet with the colour of the business.
    pub(super) fn theme(&self) -> Option<String> {
        let website = &self.shop.as_ref()?.website;
        let (slug, color) = (website.slug.as_ref()?, website.color?.to_string());
        Some(format!("/book/{}/theme.css?{}", slug.as_str(), color.trim_start_matches('#')))
    }

    /// The path to which the script of the chat sends requests. It is `None` if the booking page has no chat.
    pub(super) fn chat(&self) -> Option<String> {
        let shop = self.shop.as_ref().filter(|shop| shop.chats)?;
        Some(format!("/book/{}/conversations", shop.slug()))
    }

    pub(super) fn t(&self, id: &str) -> String {
        self.words.say(id, &[])
    }

    pub(super) fn with(&self, id: &str, name: &str, text: &str) -> String {
        self.words.say(id, &[(name, Value::Text(text))])
    }

    pub(super) fn count(&self, id: &str, count: u64) -> String {
        self.words.say(id, &[("count", Value::Count(count))])
    }

    pub(super) fn phone(&self, phone: &Phone) -> String {
        in_groups(phone.as_str())
    }

    pub(super) fn mailto(&self, email: &Email) -> String {
        mailto(email.as_str())
    }
}

pub(super) fn page(template: &impl Template) -> Answered {
    page_as(StatusCode::OK, template)
}

pub(super) fn page_as(status: StatusCode, template: &impl Template) -> Answered {
    Ok(render(status, template)?)
}

pub(super) fn render(status: StatusCode, template: &impl Template) -> Result<Response, ApiError> {
    let html = template.render().map_err(ApiError::internal)?;
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    Ok((status, [(header::CONTENT_TYPE, kind)], html).into_response())
}

pub(super) fn see_other(path: &str) -> Answered {
    let location = HeaderValue::from_str(path).map_err(ApiError::internal)?;
    Ok((StatusCode::SEE_OTHER, [(header::LOCATION, location)]).into_response())
}
