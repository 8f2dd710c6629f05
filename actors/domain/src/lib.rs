//! The types and rules of the domain: businesses, availability, appointments, contacts, people, keys.
//!
//! The rules are pure functions. A rule takes the state, a request, the current instant and new ids. It returns the new
//! state and the events to announce, or a [`Refusal`]. Invariants:
//!
//! - The crate does no input or output, reads no clock and no random numbers, and has no async code. Its dependencies
//!   are serde, chrono, chrono-tz and uuid; sha2 for membership ids; url, http and ipnet for web addresses;
//!   unicode-normalization and memchr for searches; schemars for the schemas.
//! - Request types ([`Text`], [`Phone`], [`WeeklyHours`] …) have one constructor each, so rules receive only valid
//!   values.
//! - An instant is a [`Timestamp`], in whole milliseconds of UTC. Only `calendar` and `wall` convert local
//!   times to instants.

mod address;
mod alert;
mod alerting;
mod appointment;
mod attempt;
mod audit;
pub mod availability;
mod blocked;
pub mod booking;
mod budget;
mod business;
mod busy;
mod calendar;
mod calendars;
mod call;
mod catalog;
mod contact;
mod conversation;
pub mod diary;
mod hours;
mod ids;
mod insights;
mod key;
mod knowledge;
mod link;
mod mail;
mod membership;
mod message;
mod notice;
mod person;
mod problem;
mod public;
mod receptionist;
mod refusal;
mod retention;
mod role;
pub mod schema;
mod search;
mod spans;
mod taker;
mod text;
mod time;
mod wall;
mod webhook;
mod webhook_url;
mod website;
mod words;

pub use self::{
    address::*, alert::*, alerting::*, appointment::*, attempt::*, audit::*, blocked::*, budget::*,
    business::*, busy::*, calendar::*, calendars::*, call::*, catalog::*, contact::*, conversation::*,
    hours::*, ids::*, insights::*, key::*, knowledge::*, link::*, mail::*, membership::*, message::*,
    notice::*, person::*, problem::*, public::*, receptionist::*, refusal::*, retention::*, role::*,
    search::*, spans::*, text::*, time::*, webhook::*, webhook_url::*, website::*,
};
