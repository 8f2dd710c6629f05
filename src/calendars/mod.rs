//! The calendars of other services.
//!
//! ```text
//! ics     calendar files
//! feeds   the addresses from which calendar services fetch appointments
//! ```

pub(crate) mod feeds;
pub(crate) mod ics;
