//! Webhooks: the endpoints of a business, an endpoint with its log, a delivery, and the changes to them.

pub(crate) mod actions;
pub(crate) mod delivery;
mod endpoint;
pub(crate) mod form;
pub(crate) mod one;
mod receivers;
