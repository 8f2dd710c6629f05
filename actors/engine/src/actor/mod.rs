//! The parts that are common to every kind of actor: a [directory](Directory) of the running ones, which
//! sends messages to them, and the [reply](Reply) of each message.
//!
//! Invariant: a message that needs an answer holds permits until it is answered. The permits bound the
//! mailboxes, which ractor does not bound.

mod back_off;
mod directory;
mod message;
mod use_order;

pub(crate) use directory::{Bounds, Directory, Running, Start};
pub(crate) use message::{Claim, Reply};
