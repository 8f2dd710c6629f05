//! Counts the records of businesses and compares the numbers with the recorded usage in the newest entry of
//! each business's audit log. The records and this entry are read as of one point in time.
//!
//! Invariants:
//!
//! - A business is compared only if the newest entry of its audit log contains the usage. Early versions wrote no
//!   usage.
//! - Waiting deliveries and mails are not in the usage, so they are not compared.
//! - An undecodable row may or may not be part of the usage. Therefore the recorded number must be at least
//!   the number of decodable rows and at most the number of all rows.
//! - A business with neither a profile nor a list entry is being deleted or imported. It is not compared.

mod one;
mod tally;
#[cfg(test)]
mod tests;

use domain::{BudgetKind, BusinessId, Usage};
use serde::{Deserialize, Serialize};
use store::kept::{COUNTED, counted};
use store::keys::kind;
use store::records::AuditRecord;
use store::{Key, Order, Rows, StoreError, is_head, keys, record_at};

pub(crate) use self::one::{Counting, ROWS_TO_BEGIN};
pub(crate) use self::tally::Tally;

/// The maximum number of listed differences. Further differences are only counted.
pub const DIFFERENCES_MAX: usize = 1_000;
/// The [`Difference::kind`] of a difference that concerns the whole business.
const BUSINESS: &str = "business";

/// A kind of records of a business whose recorded number differs from the number of rows found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    pub business_id: BusinessId,
    /// The budget kind, or `business` for the whole business: its profile and its records.
    pub kind: String,
    /// The recorded number, or `None` if it cannot be read.
    pub recorded: Option<u64>,
    pub found: u64,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { business_id, kind, recorded, found } = self;
        let recorded = recorded.map_or("an unknown number".into(), |recorded| recorded.to_string());
        write!(f, "business {business_id}: {kind}: {recorded} recorded, {found} found")
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// The first differences, at most [`DIFFERENCES_MAX`].
    pub listed: Vec<Difference>,
    /// The number of all differences, listed or not.
    pub count: u64,
}

impl Differences {
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn add(&mut self, difference: Difference) {
        self.count += 1;
        if self.listed.len() < DIFFERENCES_MAX {
            self.listed.push(difference);
        }
    }
}

impl std::fmt::Display for Differences {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, difference) in self.listed.iter().enumerate() {
            write!(f, "{}{difference}", if at == 0 { "" } else { "; " })?;
        }
        match self.count - self.listed.len() as u64 {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct FoundOf {
    decodable: u64,
    undecodable: u64,
}

/// The number of rows found for each kind, in the order of [`COUNTED`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found([FoundOf; COUNTED.len()]);

impl Found {
    /// Counts a row of this kind. Does nothing if the usage has no count for the kind.
    pub(crate) fn add(&mut self, kind: u8, decodes: bool) {
        let Some((place, _)) = counted(kind) else { return };
        let found = &mut self.0[place];
        *(if decodes { &mut found.decodable } else { &mut found.undecodable }) += 1;
    }

    fn rows(&self) -> u64 {
        self.0.iter().map(|found| found.decodable + found.undecodable).sum()
    }

    /// Lists the kinds whose recorded number differs from the number of rows found. Skips the kind `without`.
    pub(crate) fn differences(
        &self,
        of: BusinessId,
        recorded: &Usage,
        without: Option<BudgetKind>,
    ) -> Vec<Difference> {
        let kinds = COUNTED.iter().zip(&self.0).filter(|(counted, _)| Some(counted.budget) != without);
        let differences = kinds.filter_map(|(counted, FoundOf { decodable, undecodable })| {
            let recorded = recorded.of(counted.budget).rows;
            let found = if *decodable > recorded { *decodable } else { decodable + undecodable };
            let (business_id, kind) = (of, counted.budget.to_string());
            (*decodable > recorded || found < recorded).then_some(Difference {
                business_id,
                kind,
                recorded: Some(recorded),
                found,
            })
        });
        differences.collect()
    }
}

/// True if a row's value decodes as a record of the key's kind. A value in pieces counts as decodable. Must not be
/// called for the row of an API key in a business, because this row contains only the prefix of the API key.
fn decodes(kind: u8, key: &[u8], row: &[u8]) -> bool {
    let decodes = counted(kind).and_then(|(_, counted)| counted.decodes);
    keys::has_width(key, kind) && (is_head(row) || decodes.is_some_and(|decodes| decodes(row)))
}

/// Returns the usage in the newest audit entry, or `None` if the entry has no usage or cannot be decoded.
pub(crate) fn recorded_usage(rows: &dyn Rows, of: BusinessId) -> Result<Option<Usage>, StoreError> {
    let log = keys::of_kind(of, kind::AUDIT);
    let Some((key, _)) = rows.scan(&log, Order::Descending).next().transpose()? else { return Ok(None) };
    match record_at::<AuditRecord>(rows, &Key::new(&key)) {
        Ok(record) => Ok(record.and_then(|record| record.usage)),
        Err(StoreError::Damaged { .. } | StoreError::Version { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
