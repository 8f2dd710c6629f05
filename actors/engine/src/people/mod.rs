//! People: accounts, sign-in links, sessions and passwords. Only a person's actor changes the account, with its
//! sessions and its link. The memberships are changed by the actors of the businesses.
//!
//! Invariants:
//!
//! - A lower-case email address belongs to at most one person. A change that gives an address to a person
//!   holds the address's [claim](crate::claims::Claims) until the change is durable.
//! - A person and the index rows by email address and by token are written in one batch.
//! - Tokens and passwords are stored as hashes only.
//! - A change to an account and its entry in the installation's audit log are written in one batch.

mod actor;
mod attempts;
mod handle;
mod invite;
mod offers;
mod password;
mod session_cache;
mod sessions;
mod sign_in;
mod state;
mod token;
mod write;

pub use handle::{MembershipSummary, People};
pub use invite::{Invitation, Invited, Linked, NewLink};
pub use password::Hashing;
pub use sessions::{LinkSeen, Opened, SignedIn};
pub use sign_in::{From, SignIn};
pub use token::Token;

pub(crate) use actor::PersonActor;
pub(crate) use sessions::write_uses;
pub(crate) use state::Persons;
pub(crate) use write::write_person;
