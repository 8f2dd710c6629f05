//! All routes of the booking pages, with the checks that each one needs.

use super::route::{At, Route, get, post};
use super::{booking, chat, manage, widget};

pub(super) const ASSETS: &str = "/book/assets/{digest}/{name}";
pub(super) const WIDGET: &str = "/widget.js";
/// The patterns of paths without a page. `*rest` never matches an empty text, so `/book/{slug}/` has its own
/// pattern.
pub(super) const REST: [&str; 4] = ["/book", "/book/", "/book/{slug}/", "/book/{slug}/{*rest}"];

#[rustfmt::skip]
pub(super) fn table() -> Vec<Route> {
    vec![
        get("/book/{slug}", At::Page, booking::show),
        post("/book/{slug}", At::Page, booking::sent),
        get("/book/{slug}/frame", At::Frame, booking::show),
        post("/book/{slug}/frame", At::Frame, booking::sent),
        get("/book/{slug}/theme.css", At::Page, booking::theme),
        post("/book/{slug}/conversations", At::Chat, chat::start),
        get("/book/{slug}/conversations/{conversation_id}", At::Chat, chat::show),
        post("/book/{slug}/conversations/{conversation_id}/turns", At::Chat, chat::say),
        get("/book/{slug}/frame/done/{token}", At::Frame, manage::framed),
        get("/book/manage/{token}", At::Anywhere, manage::show),
        get("/book/manage/{token}/move", At::Anywhere, manage::times),
        post("/book/manage/{token}/move", At::Anywhere, manage::moved),
        post("/book/manage/{token}/cancel", At::Anywhere, manage::cancelled),
        get("/book/manage/{token}/appointment.ics", At::Anywhere, manage::calendar),
        get("/book/manage/{token}/unsubscribe", At::Anywhere, manage::choose),
        post("/book/manage/{token}/unsubscribe", At::Anywhere, manage::stopped).sent_from_anywhere(),
        get(WIDGET, At::Anywhere, widget::script),
    ]
}

pub(crate) fn paths() -> impl Iterator<Item = &'static str> {
    table().into_iter().map(|row| row.path).chain(REST).chain([ASSETS])
}
