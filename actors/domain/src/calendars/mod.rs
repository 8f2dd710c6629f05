//! The calendars of other services: feeds, which these services fetch.

mod feeds;

pub use feeds::*;
