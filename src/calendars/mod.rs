//! The calendars of other services.
//!
//! ```text
//! ics      calendar files
//! feeds    the addresses from which calendar services fetch appointments
//! written  the events that are written to connected calendars
//! ```

pub(crate) mod feeds;
pub(crate) mod ics;
mod written;

pub use written::Written;
