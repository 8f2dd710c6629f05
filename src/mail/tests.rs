//! Mails as others read them, and relays as they are.

mod letters;
mod relays;
mod server;
