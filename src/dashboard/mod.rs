//! The dashboard: HTML pages for the members of businesses. The server renders the pages, and they work
//! without JavaScript.
//!
//! ```text
//! table     every route with the access it needs
//! gate      the checks of a request: Host, origin of forms, session, role; then the handler
//! input     the requests that handlers receive
//! once      a form makes its change once, even if it is submitted several times
//! drafts    forms that were not accepted and are kept for their page
//! filled    forms for records: parsed like API bodies, shown again when refused
//! listing   pages of lists; `days` has dates and times in the zone of a business
//! notices   the log of notices to customers, for the settings and the page of an appointment
//! view      the values that every page needs, with the formats of names, phone numbers and email addresses;
//!           `parts` has fields and icons, `frame` the navigation
//! refused   error pages
//! undo      the form that undoes a change
//! waiting   the counts of tasks in the navigation
//! who       the names of actors
//! words     the texts, in English and French
//! assets    stylesheet, scripts and icon, under a path with their digest
//! stream    server-sent events for open pages
//! pages/    the pages, in files by kind of record; each page has a template next to its file
//! ```
//!
//! Invariants:
//! - A page calls the engine's handles, never the service's own API.
//! - Text from people and programs reaches a page only through an escaping template. Pages have no inline
//!   script or style, and the content security policy forbids both.
//! - A change is a POST from this site with a one-use form id. The response is a redirect or, after a
//!   refusal, the page with the submitted values.
//! - A person without access to a record receives the same response as for a missing record.

mod assets;
mod cookies;
mod days;
mod desk;
mod drafts;
mod filled;
mod form;
mod frame;
mod gate;
mod input;
mod listing;
mod notices;
mod once;
mod pages;
mod parts;
mod refused;
mod route;
mod stream;
mod table;
mod undo;
mod view;
mod waiting;
mod who;
mod words;

pub(crate) use assets::base as assets;
pub(crate) use desk::Desk;
pub(crate) use gate::{router, seal};
pub(crate) use table::{paths, routes};
pub(crate) use view::mailto;
