//! The outbox: it sends mails to people. One actor sends them, each at its stored due time. If a change causes mails,
//! the batch of the change contains the rows of the mails. After the commit, only the outbox changes the rows of
//! waiting mails.
//!
//! Invariants:
//!
//! - The store contains the waiting mails with their due times, so a restart loses no mail. Memory contains
//!   only the groups of waiting mails (lanes) and the mails that are being sent.
//! - A mail is sent only after its row is durable.
//! - A row contains ids instead of the mail's content. The recipient and the content are read when the mail is
//!   composed. Therefore a mail contains no erased data, and only data that its recipient may see.
//! - The outcome of an attempt and the next due time are written in one batch.
//! - A mail may be sent twice after a crash, with the same `Message-ID`. No mail is lost.
//! - While the relay fails, the outbox sends it only one mail at a time. The other mails wait, and use up no attempts.

mod actor;
pub(crate) mod code;
mod content;
mod handle;
pub mod letter;
mod limits;
mod notice;
mod order;
mod outbox;
mod pace;
mod schedule;
mod send;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod turn;
pub mod unsubscribe;
mod write;

pub(crate) use content::read as read_about;
pub(crate) use handle::Mails;
pub use handle::TestedMail;
pub use limits::Forgotten;
pub(crate) use limits::{WAITING_MAX, wait};
pub(crate) use notice::{
    appointment, consent_of, count_key, email_consent_key, recipient, write_email_consent, write_text_consent,
};
pub(crate) use outbox::Outbox;
pub use outbox::{MailFigures, MailPorts};
pub(crate) use schedule::LOG_DAYS;
pub use schedule::next_daily;
pub use write::NewMail;
pub(crate) use write::{delete_mail, mail_rows, write_mail};
