//! The scenarios of the parent module that need no webhook receivers.

use super::connecting::{self, Connecting};
use super::scanning::{self, Scanning};
use super::{conversing, log_unread, long_values};
use crate::error::Result;
use crate::group::{Context, Group};
use crate::measure::Measured;
use crate::table::Row;

/// The data that was prepared, and the notes to print at the end.
pub(crate) struct Neighbours {
    scanning: Option<Scanning>,
    notes: Vec<String>,
}

impl Group for Neighbours {
    fn rows(_context: &Context) -> Vec<Row> {
        [scanning::rows(), connecting::rows(), log_unread::rows(), long_values::rows(), conversing::rows()]
            .concat()
    }

    async fn set_up(context: &Context, rows: &[Row]) -> Result<Self> {
        let scans = rows.iter().any(|row| Scanning::has(row.name));
        let scanning = if scans { Some(Scanning::fill(context).await?) } else { None };
        Ok(Self { scanning, notes: Vec::new() })
    }

    async fn measure(&mut self, context: &Context, row: &'static str) -> Result<Measured> {
        match &self.scanning {
            Some(scanning) if Scanning::has(row) => scanning.measure(context, row).await,
            _ if Connecting::has(row) => Connecting::measure(context, row, &mut self.notes).await,
            _ if log_unread::has(row) => log_unread::measure(context, row, &mut self.notes).await,
            _ if conversing::has(row) => conversing::measure(context, row, &mut self.notes).await,
            _ => long_values::measure(context, row, &mut self.notes).await,
        }
    }

    async fn finish(mut self, _context: &Context) -> Result<Vec<String>> {
        self.notes.sort();
        self.notes.dedup();
        Ok(self.notes)
    }
}
