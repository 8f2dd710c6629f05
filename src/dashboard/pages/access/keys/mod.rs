//! API keys: the list, a new key, and revoking a key.

mod list;
mod new;
mod revoke;
mod scopes;

pub(crate) use list::show;
pub(crate) use new::{create, form};
pub(crate) use revoke::{ask, revoke};
