//! The audit log: the list of changes with their actors.

mod entry;
mod filters;
mod list;
mod values;

pub(crate) use list::show;
