//! Deliveries of events to webhook endpoints (spec §6): an actor for each endpoint at which something is under way, and
//! one dispatcher that decides whose turn it is.
//!
//! The business actor writes an event, and a delivery for each subscribed endpoint, in the batch of the change that
//! they tell of. From then on a delivery belongs to the endpoint's delivery actor. What always holds:
//!
//! - what waits stands in the store with the time at which it is due; an actor keeps in memory only what is under way,
//!   so any number of events may wait, and a restart neither forgets nor restarts a schedule;
//! - nothing is sent before the change it tells of is on the disk;
//! - what came of an attempt, and when the next one is due, is one batch; turning the endpoint off is in it too;
//! - the endpoint's address, status and secret are read anew for each attempt;
//! - nothing begins at an endpoint that is off, or while its business is suspended;
//! - an attempt may be repeated after a crash, with the same id and the same bytes; it is never lost.

mod actor;
mod attempts;
mod clean;
mod dispatch;
mod due;
mod handle;
mod key;
mod log;
mod message;
mod post;
mod resend;
pub(crate) mod sample;
mod schedule;
mod signature;
mod start;
mod state;
mod target;
#[cfg(test)]
mod tests;
mod trial;
mod turn;
mod wake;
mod write;

pub(crate) use actor::DeliveryActor;
pub(crate) use dispatch::{Dispatcher, PLACES};
pub(crate) use key::EndpointKey;
pub use log::{ATTEMPTS_MAX, DeliveryFilter, DeliveryTally, SentDelivery};
pub(crate) use message::Message;
pub use schedule::RETRY_AFTER;
pub(crate) use schedule::{LOG_DAYS, delay_before};
pub(crate) use signature::reveal;
pub use signature::sign;
pub use trial::WebhookTrial;
pub(crate) use write::write_delivery;
