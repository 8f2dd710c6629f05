//! The pages about keys, webhooks, people, notifications, the mail log and the audit log. Each page has a template
//! next to its file.

pub(crate) mod audit;
pub(crate) mod keys;
pub(crate) mod mail;
pub(crate) mod notifications;
pub(crate) mod people;
pub(crate) mod webhooks;
