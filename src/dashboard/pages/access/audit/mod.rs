//! The audit log: the list of changes with their actors.

mod entry;
mod filters;
pub(crate) mod list;
