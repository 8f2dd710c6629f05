//! Connected calendars: their checks and their reads.

pub mod connecting;
pub mod feeds;
pub(crate) mod reading;
