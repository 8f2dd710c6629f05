//! Feeds for calendar services. A calendar service fetches a feed to show the appointments in it.

mod feeds;

pub use feeds::*;
