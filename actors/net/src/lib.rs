//! The outgoing connections: the address guard, the resolver, TLS, and the clients for webhooks, calendars and a
//! chat model.
//!
//! Invariants:
//!
//! - No other crate under `actors` uses an HTTP client, TLS or a DNS resolver.
//! - A connection is opened only to an address that the [guard] has just checked.
//! - No receiver can delay the end of an attempt beyond its deadline, or make it use unbounded memory.

pub mod client;
mod connection;
pub mod fetch;
pub mod guard;
mod log_throttle;
pub mod model;
pub mod named;
pub mod outage;
mod pool;
mod resolver;
pub mod shares;
mod shortage;
mod system;
#[cfg(test)]
pub(crate) mod testing;
pub mod trust;

pub use client::{Attempt, DELIVERY_TIME_MAX, Outcome, Post, Rest, WebhookClient};
pub use fetch::{Fetch, FetchClient, FetchFailure, Fetched};
pub use guard::{Guard, GuardError, LookupStage, Purpose, Reach};
pub use model::{ModelAddress, ModelClient};
pub use named::NamedHosts;
pub use outage::Network;
pub use shares::{Share, Shares};
pub use system::Ports;
pub use trust::{Trust, TrustError};
