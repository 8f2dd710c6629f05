//! The booking pages: HTML pages for the customers of businesses. The server renders the pages, and they work
//! without JavaScript.
//!
//! ```text
//! table     every route, with the checks that it needs
//! gate      the checks of a request: limit, origin of forms, business of the path; then the handler
//! input     the requests that handlers receive
//! front     the state that all pages share
//! form_id   the one-use ids of forms
//! view      the values that every page needs
//! refused   error pages
//! words     the texts, in English and French
//! assets    stylesheet and scripts, under a path with their digest
//! chat      the chat of a booking page, as JSON
//! booking/  the page on which a customer books
//! manage/   the pages of a manage link, which shows a customer their appointment
//! widget    the script that other sites embed
//! ```
//!
//! Invariants:
//! - An unknown slug, a disabled page and a suspended business give the same response.
//! - Text from customers and businesses reaches a page only through an escaping template. Pages have no inline script
//!   or style, and the content security policy forbids both.
//! - GET and HEAD change nothing. A change is a POST from this site with a one-use form id.
//! - No response sets a cookie. No page shows whether a contact exists.

mod assets;
mod booking;
mod chat;
mod form_id;
mod front;
mod gate;
mod input;
mod manage;
mod refused;
mod route;
mod table;
mod view;
mod widget;
mod words;

pub(crate) use front::Front;
pub(crate) use gate::router;
pub(crate) use table::paths;
