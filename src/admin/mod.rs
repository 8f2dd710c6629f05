//! The operator API under `/admin/v1`, for the command line and telephony adapters.
//!
//! Invariants:
//! - Every request needs the operator token.
//! - Bookings and moves by the operator count as made by the team, so they are confirmed in every booking mode.
//! - Envelopes, errors and lists have the same format as in the public API.

mod appointments;
mod audit;
mod backup;
pub(crate) mod budget;
pub(crate) mod businesses;
pub(crate) mod calendars;
pub(crate) mod calls;
mod contacts;
pub(crate) mod conversations;
pub(crate) mod diary;
pub(crate) mod feeds;
mod gate;
mod hosts;
pub(crate) mod insights;
pub(crate) mod keys;
pub(crate) mod knowledge;
mod mail;
pub(crate) mod messages;
mod moving;
mod notices;
pub(crate) mod people;
pub(crate) mod receptionist;
pub(crate) mod retention;
mod router;
mod search;
pub(crate) mod services;
pub(crate) mod staff;
mod webhooks;
pub(crate) mod website;

pub(crate) use appointments::{AppointmentPatchBody, TeamBookBody, TeamRescheduleBody};
pub(crate) use gate::FAILURES_MAX;
pub(crate) use hosts::AdminHosts;
pub(crate) use router::{router, table};
