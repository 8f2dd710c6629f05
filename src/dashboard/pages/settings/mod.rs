//! What a business sets: profile, hours, services, staff, data. One file per page, beside its template.
//!
//! What always holds: whoever may only look at a page is shown what it says and no form; a change that leaves appointments
//! where they could not be booked says which.

pub(in crate::dashboard) mod business;
pub(in crate::dashboard) mod data;
pub(in crate::dashboard) mod deletion;
pub(in crate::dashboard) mod hours;
pub(in crate::dashboard) mod service;
pub(in crate::dashboard) mod services;
pub(in crate::dashboard) mod special_day;
pub(in crate::dashboard) mod staff;
pub(in crate::dashboard) mod staff_member;

mod catalog;
mod choices;
mod done;
mod facts;
mod regions;
mod times_off;
mod week;
