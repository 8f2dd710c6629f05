//! Messages, calls, contacts and knowledge.

use super::Row;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
];
