//! All routes of the booking pages, with the checks that each one needs.

use super::route::{At, Route, get};
use super::{booking, widget};

pub(super) const ASSETS: &str = "/book/assets/{digest}/{name}";
pub(super) const WIDGET: &str = "/widget.js";
pub(super) const REST: [&str; 2] = ["/book", "/book/{slug}/{*rest}"];

#[rustfmt::skip]
pub(super) fn table() -> Vec<Route> {
    vec![
        get("/book/{slug}", At::Page, booking::show),
        get("/book/{slug}/frame", At::Frame, booking::show),
        get("/book/{slug}/theme.css", At::Page, booking::theme),
        get(WIDGET, At::Anywhere, widget::script),
    ]
}

pub(crate) fn paths() -> impl Iterator<Item = &'static str> {
    table().into_iter().map(|row| row.path).chain(REST).chain([ASSETS])
}
