//! The calendars of other services: the addresses from which they fetch appointments (feeds), and connected calendars.

pub(in crate::dashboard) mod connected;
pub(in crate::dashboard) mod feeds;
pub(in crate::dashboard) mod one;
pub(in crate::dashboard) mod pending;
