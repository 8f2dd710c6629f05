//! Keys, webhooks, people, notifications, the mail log and the audit log. One file per page, beside its template.

pub(crate) mod audit;
mod code;
pub(crate) mod keys;
pub(crate) mod mail;
pub(crate) mod notifications;
pub(crate) mod people;
pub(crate) mod webhooks;
mod when;
