//! The content of mails and their transport to the relay. The queue is in the engine (`engine::mail`).

mod compose;
mod page;
mod settings;
mod smtp;
#[cfg(test)]
mod tests;
mod wire;
mod words;

pub(crate) use self::compose::Letters;
pub use self::settings::{MailFrom, MailSettings, Relay};
pub(crate) use self::smtp::Smtp;
