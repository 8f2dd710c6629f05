//! People: accounts, sign-in links, sessions and passwords. A person is an actor of its own, the only writer of the
//! account with its sessions and its link; a membership belongs to its business.
//!
//! What always holds:
//!
//! - an e-mail address, in lower case, is that of one person: whoever makes an account, gives one another address or
//!   deletes one holds the address's [claim](Claims) until that is on the disk;
//! - a person and the rows that lead to it, by e-mail address and by the tokens of sessions and of the link, are one
//!   batch;
//! - of tokens and passwords only hashes are kept;
//! - what is done to an account stands in the installation's audit log, in the batch of the change.

mod actor;
mod attempts;
mod claims;
mod handle;
mod invite;
mod known;
mod message;
mod offers;
mod password;
mod sessions;
mod sign_in;
mod state;
mod sweep;
mod token;
mod write;

pub use handle::{Belongs, People};
pub use invite::{Invitation, Invited, Linked, Mailing, NewLink};
pub use password::Hashing;
pub use sessions::{LinkSeen, Opened, SignedIn};
pub use sign_in::{From, SignIn};
pub use token::Token;

pub(crate) use actor::PersonActor;
pub(crate) use attempts::Attempts;
pub(crate) use claims::Claims;
pub(crate) use known::Known;
pub(crate) use message::Message;
pub(crate) use password::Hasher;
pub(crate) use sweep::{sweep_people, write_uses};
pub(crate) use write::write_person;
