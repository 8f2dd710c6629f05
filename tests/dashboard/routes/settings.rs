//! What a business sets: profile, hours, services, staff, data.

use super::Row;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
];
