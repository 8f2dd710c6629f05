//! Keys, webhooks, people, notifications, the mail log and the audit log. One file per page, beside its template.

pub(crate) mod audit;
mod code;
pub(crate) mod keys;
pub(crate) mod webhooks;
mod when;
