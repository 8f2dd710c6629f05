//! The pages about calendars of other services: feeds, from which such a service fetches appointments, and connected
//! calendars.

pub(in crate::dashboard) mod connected;
pub(in crate::dashboard) mod feeds;
pub(in crate::dashboard) mod one;
pub(in crate::dashboard) mod pending;
