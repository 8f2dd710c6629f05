//! The settings pages of a business. They cover its profile, hours, services, staff, booking page, notices,
//! calendars and data. Each page has a template next to its file.
//!
//! Invariants:
//! - A member who is not allowed to change the settings sees the values and no form.
//! - After a change that leaves appointments outside the bookable times, the page lists these appointments.

pub(in crate::dashboard) mod business;
pub(in crate::dashboard) mod calendars;
pub(in crate::dashboard) mod data;
pub(in crate::dashboard) mod deletion;
pub(in crate::dashboard) mod holidays;
pub(in crate::dashboard) mod hours;
pub(in crate::dashboard) mod notices;
pub(in crate::dashboard) mod receptionist;
pub(in crate::dashboard) mod service;
pub(in crate::dashboard) mod special_day;
pub(in crate::dashboard) mod staff_member;
pub(in crate::dashboard) mod start;
pub(in crate::dashboard) mod times_off;
pub(in crate::dashboard) mod website;
pub(in crate::dashboard) mod week;

mod parts;
