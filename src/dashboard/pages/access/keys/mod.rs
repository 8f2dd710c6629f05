//! API keys: which there are, another one, and one that stops.

mod list;
mod new;
mod revoke;
mod scopes;

pub(crate) use list::show;
pub(crate) use new::{create, form};
pub(crate) use revoke::{ask, revoke};
