//! Webhooks: the endpoints of a business, an endpoint with its log, a delivery, and the changes to them.

pub(crate) mod actions;
pub(crate) mod delivery;
pub(crate) mod edit;
mod endpoint;
pub(crate) mod list;
mod log;
pub(crate) mod new;
pub(crate) mod one;
mod receivers;
pub(crate) mod trial;
