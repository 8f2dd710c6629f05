//! Keys, webhooks, people, notifications, the mail log and the audit log.

use super::{Row, SIGN_IN};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
];
