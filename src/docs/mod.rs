//! The documentation: topics in Markdown, shown by `receptionist help TOPIC` and by the pages of `/docs`.
//!
//! Invariants: the pages need no session, cookie or script, and contain no data of a business.

mod markdown;
mod pages;
mod pictures;
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
