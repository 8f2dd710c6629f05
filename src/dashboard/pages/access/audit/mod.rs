//! The audit log: who changed what.

mod entry;
mod filters;
mod list;
mod values;

pub(crate) use list::show;
