//! Who may sign in to a business: the list, inviting, one person, and ending or giving back their access.
//!
//! What always holds: of whoever has not accepted nothing is shown but whom it was offered to; what changes somebody's
//! access asks for the password where it was given too long ago; what an admin may not do to an owner is not offered.

pub(crate) mod change;
mod fields;
pub(crate) mod invite;
pub(crate) mod list;
pub(crate) mod one;
