//! A request to the booking pages, as its handler receives it.

use std::net::IpAddr;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use axum::http::request::Parts;
use domain::{Business, Locale, Slug, Website};
use engine::BusinessHandle;

use super::front::Front;
use super::refused::Refused;
use super::view::View;
use super::words::words;
use crate::http::form::Form;
use crate::http::json::Json;
use crate::http::router::PathParams;
use crate::server::ClientAddr;
use crate::words::accepted;

pub(super) struct PageInput {
    pub(super) view: View,
    pub(super) front: Arc<Front>,
    pub(super) head: Arc<Parts>,
    pub(super) params: PathParams,
    pub(super) query: Form,
    pub(super) form: Form,
    /// The JSON body of a request from the chat.
    pub(super) json: Option<Json>,
    /// The business with the slug in the path, or `None` for a path without a slug.
    pub(super) shop: Option<Arc<Shop>>,
}

/// A business with the settings of its booking page.
pub(super) struct Shop {
    pub(super) business: BusinessHandle,
    pub(super) profile: Business,
    pub(super) website: Website,
    /// Whether the booking page has a chat with the receptionist.
    pub(super) chats: bool,
}

impl Deref for PageInput {
    type Target = View;

    fn deref(&self) -> &View {
        &self.view
    }
}

impl Shop {
    pub(super) fn slug(&self) -> &str {
        self.website.slug.as_ref().map(Slug::as_str).unwrap_or_default()
    }
}

impl PageInput {
    pub(super) fn new(
        front: Arc<Front>,
        head: Arc<Parts>,
        params: PathParams,
        form: Form,
        shop: Option<Arc<Shop>>,
    ) -> Self {
        let query = query(&head);
        let locale = chosen_locale(&head, &query, &form);
        let own = shop.as_ref().map(|shop| shop.profile.locale);
        let locale = locale.or(own).unwrap_or(Locale::En);
        let view = View { shop: shop.clone(), ..View::new(words(locale)) };
        Self { view, front, head, params, query, form, json: None, shop }
    }

    pub(super) fn shop(&self) -> Result<Arc<Shop>, Refused> {
        self.shop.clone().ok_or_else(Refused::not_found)
    }

    /// The path of the page, without the query.
    pub(super) fn page_path(&self) -> &str {
        self.head.uri.path()
    }

    /// The language that the visitor chose on the page. Links keep it.
    pub(super) fn locale(&self) -> Option<&'static str> {
        named_locale(&self.query, &self.form).map(Locale::as_str)
    }

    /// A parameter of the path, or `None` if its text is invalid.
    pub(super) fn param<T: FromStr>(&self, name: &str) -> Option<T> {
        self.params.get(name)?.parse().ok()
    }

    pub(super) fn address(&self) -> IpAddr {
        ClientAddr::of(&self.head.extensions)
    }
}

pub(super) fn query(head: &Parts) -> Form {
    Form::parse(head.uri.query().unwrap_or_default().as_bytes())
}

/// The language of the page: the visitor's choice (`locale`) or, without a choice, the language that the browser
/// prefers.
pub(super) fn chosen_locale(head: &Parts, query: &Form, form: &Form) -> Option<Locale> {
    named_locale(query, form).or_else(|| accepted(&head.headers))
}

fn named_locale(query: &Form, form: &Form) -> Option<Locale> {
    [query, form].into_iter().find_map(|fields| Locale::from_word(fields.get("locale")))
}
