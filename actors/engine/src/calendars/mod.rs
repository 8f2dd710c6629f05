//! Connected calendars: their checks, their reads, and the appointments that are written to them.

pub mod connecting;
pub mod feeds;
pub(crate) mod reading;

pub use reading::{EventWriter, WrittenEvent};
