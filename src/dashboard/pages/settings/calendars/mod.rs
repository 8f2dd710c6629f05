//! The calendars of other services: the addresses from which they fetch appointments (feeds).

pub(in crate::dashboard) mod connected;
pub(in crate::dashboard) mod feeds;
