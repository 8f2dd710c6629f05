//! Mails to people: the outbox, one actor with stored due times. The batch of a change contains the rows of
//! its mails. After the commit, the mails belong to the outbox.
//!
//! Invariants:
//!
//! - Waiting mails are in the store with their due times. Memory holds only their lanes and the mails that
//!   are being sent, so a restart loses no schedule.
//! - A mail is sent only after its row is durable.
//! - A row contains ids only. The recipient and the content are read when the mail is composed, so a mail
//!   contains no erased data, and only data that its recipient may see.
//! - The outcome of an attempt and the next due time are written in one batch.
//! - A mail may be sent twice after a crash, with the same `Message-ID`. No mail is lost.
//! - A failing relay gets one mail at a time, so the other mails use up no attempts.

mod actor;
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
    appointment, consent_of, email_consent_key, recipient, write_email_consent, write_text_consent,
};
pub(crate) use outbox::Outbox;
pub use outbox::{MailFigures, MailPorts};
pub(crate) use schedule::LOG_DAYS;
pub use schedule::next_daily;
pub use write::NewMail;
pub(crate) use write::{delete_mail, mail_rows, write_mail};
