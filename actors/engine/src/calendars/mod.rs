//! Appointments for the calendars of other services.

pub mod feeds;
