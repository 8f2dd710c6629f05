//! The people with access to a business: the list, invitations, one person, and changes to access.
//!
//! Invariants:
//! - Before a person accepts, the pages show only the invited address.
//! - A change to access requires a recently entered password.
//! - The pages do not offer admins changes to owners.

pub(crate) mod change;
mod fields;
pub(crate) mod invite;
pub(crate) mod list;
pub(crate) mod one;
