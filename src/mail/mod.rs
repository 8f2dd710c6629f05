//! Mails to people, on their way out: the words, head and body of them, and the relay. What waits, and when it goes,
//! is the engine's (`actors::mail`).

mod compose;
mod page;
mod settings;
mod smtp;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use self::compose::Letters;
pub use self::settings::{MailFrom, MailSettings, Relay};
pub(crate) use self::smtp::Smtp;
