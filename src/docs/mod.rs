//! The documentation: topics in Markdown, shown by `receptionist help TOPIC` and by the pages of `/docs`.
//!
//! ```text
//! topics     the topics and the groups in which they are listed
//! markdown   Markdown as HTML, with anchors and links between topics
//! terminal   Markdown as plain text
//! reference  the API reference from the OpenAPI document; `samples` its examples
//! search     the search over sections and operations
//! pages      every page, rendered once
//! router     from a request to a page
//! ```
//!
//! Invariants: the pages need neither session, cookie nor script; they contain nothing of a business.

mod markdown;
mod pages;
mod reference;
mod router;
mod samples;
mod search;
mod terminal;
mod topics;

pub use markdown::anchors;
pub(crate) use router::{PATHS, router};
pub(crate) use terminal::text as terminal_text;
pub use topics::{GROUPS, Topic, topic, topics};
