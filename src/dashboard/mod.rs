//! The dashboard: pages for the people of businesses, from the server, which work without script.
//!
//! ```text
//! table     every route with who may come: the one place that lists them
//! gate      from a request to a page: Host, where a form comes from, the session, the role, then the handler
//! asked     a request as handlers get it: of anybody, of somebody who is signed in, of a member of a business
//! once      forms act once, however often they are sent
//! drafts    forms that could not be taken are kept for the page that they come from
//! filled    forms that say what a record is to be: read as the APIs read bodies, shown again when they are refused
//! listing   parts of lists, and the ways to the others; `days` what the clocks of a business show
//! view      what every page shows with; `parts` the small pieces of pages, `frame` what stands around one
//! refused   why there is no such page, as a page
//! who       who did something, in words; `reach` how somebody is called and written to
//! words     what is said, in both languages
//! assets    the stylesheet, the scripts and the mark, under a path that tells their content
//! stream    what changes, for the pages that are open
//! pages/    one file per page, beside its template
//! ```
//!
//! What always holds in it:
//!
//! - a page calls the engine's handles, never the service's own API;
//! - text from outside goes through an escaping template, and nowhere else, so it can make no markup; no page holds
//!   script or style of its own, and the policy that every answer bears forbids both;
//! - what changes something is a POST that was not sent by another site, bears a form's one-use id, and is answered by
//!   a redirect or by the form filled in again;
//! - who may not see something is told the same as if it were not there.

mod asked;
mod assets;
mod cookies;
mod days;
mod desk;
mod drafts;
mod filled;
mod form;
mod frame;
mod gate;
mod language;
mod limits;
mod listing;
mod once;
mod pages;
mod parts;
mod reach;
mod refused;
mod route;
mod stream;
mod table;
mod view;
mod who;
mod words;

pub(crate) use assets::base as assets;
pub(crate) use desk::Desk;
pub(crate) use gate::{router, seal};
pub(crate) use table::{paths, routes};
