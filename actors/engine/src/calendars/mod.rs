//! The exchange with the calendars of others.

pub mod connecting;
pub mod feeds;
pub(crate) mod reading;
