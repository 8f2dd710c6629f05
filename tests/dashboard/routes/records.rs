//! Messages, calls, contacts and knowledge.

use super::{Row, SIGN_IN};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
];
