//! What a business sets: profile, hours, services, staff, data.

use super::{Row, SIGN_IN};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
];
