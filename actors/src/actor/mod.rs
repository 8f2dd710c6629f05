//! What every kind of actor has: a [directory](Directory) of those that run, and permits and a way of the answer for
//! each message. What always holds: a message that somebody waits for holds permits until it is answered, so they bound
//! the mailboxes, which have no bound of their own.

mod back_off;
mod directory;
mod message;
mod use_order;

pub(crate) use directory::{Bounds, Directory, Running, Start};
pub(crate) use message::{Held, Permits, Reply};
