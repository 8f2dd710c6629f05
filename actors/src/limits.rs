//! The bounds of an engine that a simulation sets lower than the service runs with, so that few records reach them.

use crate::scans::SCAN_ROWS_MAX;

/// What bounds an engine. The default is what the service runs with.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many rows a request for part of a list reads at most, [`SCAN_ROWS_MAX`]; at least 1.
    pub scan_rows: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { scan_rows: SCAN_ROWS_MAX }
    }
}
