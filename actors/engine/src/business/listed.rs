//! The list of all changes that a request can make. A test compares the table of rights with this list.
//!
//! Invariant: a change that is not listed does not compile, because [`super::Change`] requires [`Listed`]. Each file of
//! [`commands`] lists its own changes.

use super::commands::{self, ForOperator};

pub trait Listed {}

impl<C: Listed> Listed for ForOperator<C> {}

/// Implements [`Listed`] for the changes in a file, and defines the list of their names.
macro_rules! listed {
    ($($change:ident $(<$of:ident>)?),+ $(,)?) => {
        $(impl $crate::business::Listed for $change $(<$of>)? {})+

        /// The names of the changes of this file.
        pub(in crate::business) const CHANGES: &[&str] =
            &[$(concat!(stringify!($change) $(, "<", stringify!($of), ">")?)),+];
    };
}
pub(super) use listed;

macro_rules! modules {
    ($($module:ident),+ $(,)?) => {
        /// The names of all changes: for each file of [`commands`], the list of the changes in the file.
        pub const CHANGES: &[&[&str]] = &[$(commands::$module::CHANGES),+];
    };
}

modules! {
    alerts, appointments, budget, calendars, calls, catalog, contacts, conversations, customers, diary, endings, erasure, feeds, guarded, keys, knowledge, mails, messages, notices, offers, people, profile, receptionist, webhooks, website, writing,
}
