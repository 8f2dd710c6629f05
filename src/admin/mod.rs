//! The operator API, under `/admin/v1`: what the command line, telephony adapters and a dashboard's back office call.
//!
//! What always holds: nothing is answered without the operator's token; what is done here is the team's own doing, so
//! a booking mode never stands in its way; envelopes, errors and lists are those of the public API.

mod appointments;
mod audit;
mod backup;
mod budget;
pub(crate) mod businesses;
mod calls;
mod contacts;
pub(crate) mod diary;
mod gate;
mod hosts;
pub(crate) mod keys;
pub(crate) mod knowledge;
mod mail;
pub(crate) mod messages;
mod moving;
pub(crate) mod people;
pub(crate) mod retention;
mod router;
pub(crate) mod services;
pub(crate) mod staff;
mod webhooks;

pub(crate) use appointments::{AppointmentPatchBody, TeamBookBody, TeamRescheduleBody};
pub(crate) use gate::FAILURES_MAX;
pub(crate) use hosts::AdminHosts;
pub(crate) use router::{router, table};
