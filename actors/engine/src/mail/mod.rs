//! Mails to people (contract, second part, §3): the outbox, one actor with stored due times.
//!
//! A mail's row stands in the batch of the change that it tells of. From then on it belongs to the outbox. What always
//! holds:
//!
//! - what waits stands in the store with the time at which it is due; the outbox keeps in memory for whom something
//!   waits, and what is under way, so any number of mails may wait, and a restart neither forgets nor restarts a
//!   schedule;
//! - nothing is sent before it is on the disk;
//! - a row names a person and what it tells of by their ids. Address, name, language and membership are looked up when
//!   the mail is made, and so is what it tells: what was erased, and who may not see it any more, is in no mail;
//! - what came of an attempt, and when the next one is due, is one batch;
//! - a mail may be sent twice after a crash, with the same `Message-ID`; it is never lost;
//! - a relay that fails is asked with one mail at a time, so that what waits behind it costs nobody anything.

mod actor;
mod daily;
mod handle;
pub mod letter;
mod limits;
mod look;
mod message;
mod new;
mod order;
mod outside;
mod pace;
mod schedule;
mod send;
mod start;
mod state;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod told;
mod turn;
pub mod unsubscribe;
mod write;

pub use daily::next_daily;
pub use handle::TestedMail;
pub use limits::Forgotten;
pub(crate) use limits::{WAITING_MAX, wait};
pub use new::NewMail;
pub(crate) use outside::Outbox;
pub use outside::{MailFigures, MailPorts};
pub(crate) use schedule::LOG_DAYS;
pub(crate) use told::read as read_about;
pub(crate) use write::write_mail;
