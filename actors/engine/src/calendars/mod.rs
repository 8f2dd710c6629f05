//! The calendars of other services.

pub mod feeds;
