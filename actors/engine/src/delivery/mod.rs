//! Deliveries of events to webhook endpoints: one actor per endpoint with work in progress, and one
//! dispatcher that schedules all attempts.
//!
//! The business actor writes an event and one delivery per subscribed endpoint in the batch of the change.
//! From then on the delivery belongs to the endpoint's actor.
//!
//! Invariants:
//!
//! - The store contains the waiting deliveries with their due times, so a restart loses no schedule. The memory of an
//!   actor contains only the attempts in progress and the due times of the next deliveries.
//! - A delivery is sent only after its change is durable.
//! - The outcome of an attempt and the next due time are written in one batch. If the outcome disables the
//!   endpoint, the same batch contains this change.
//! - Each attempt reads the endpoint's address, status and secret again.
//! - No attempt begins while the endpoint is disabled or its business is suspended.
//! - After a crash an event may be sent twice, with the same id and bytes. No event is lost.

mod actor;
mod attempts;
mod dispatch;
mod due;
mod handle;
mod resend;
mod schedule;
mod service;
mod signature;
mod state;
#[cfg(test)]
mod tests;
pub(crate) mod trial;

pub(crate) use actor::DeliveryActor;
pub(crate) use dispatch::PERMITS;
use domain::{BusinessId, WebhookId};
pub(crate) use due::write_delivery;
pub use handle::{ATTEMPTS_MAX, DeliveryFilter, DeliveryTally, SentDelivery};
pub use schedule::RETRY_AFTER;
pub(crate) use schedule::{LOG_DAYS, delay_before};
pub(crate) use service::Deliveries;
pub(crate) use signature::reveal;
pub use signature::sign;
pub(crate) use state::Reached;
pub use trial::WebhookTrial;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EndpointKey {
    pub(crate) business: BusinessId,
    pub(crate) endpoint: WebhookId,
}
