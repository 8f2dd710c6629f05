//! Imports records into a store and checks each record against the earlier records.
//!
//! Invariants:
//!
//! - An invalid record is not written. If any record is invalid, the import opens no business.
//! - The records after an invalid record are still checked, so that one request reports all problems.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use domain::{Business, BusinessId, ContactId, ImportProblem, Problem, ProblemCode, Timestamp};
use store::{Order, Store, StoreError, TakenBack, keys};
use tokio::time::Instant;

use super::checks::stamps;
use super::finish;
use super::imported_business::ImportedBusiness;
use super::record::{Moved, Wrong};
use super::service::{ImportPermit, Moving};
use crate::error::EngineError;

/// When an import has worked for longer than this since its last pause, it pauses before the next record. The work
/// between two pauses is a *turn*.
const TURN_MAX: Duration = Duration::from_millis(2);
/// The maximum pause after a turn. A pause is as long as the turn before it, but at most this long. So an import uses
/// about half of one core.
const REST_MAX: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// If true, contacts who were erased in this store are erased again. If false, the records of these contacts are
    /// refused.
    pub erase_again: bool,
}

/// An import in progress. If this value is dropped, the import is rolled back: its rows are deleted.
pub struct Import {
    pub(crate) moving: Arc<Moving>,
    now: Timestamp,
    options: ImportOptions,
    pace: Pace,
    /// The contacts who were erased in this store, by business. A business is removed when the import reaches it.
    erased: BTreeMap<BusinessId, BTreeSet<ContactId>>,
    /// The business that is being imported. It is `None` between two businesses, and while an invalid business is
    /// skipped.
    imported: Option<ImportedBusiness>,
    all_good: bool,
    businesses: u64,
    records: u64,
    /// This field is last, so that the permit is dropped after the other fields.
    _permit: ImportPermit,
}

impl Import {
    /// Begins an import. The store must have no unfinished import. Returns an error if the list of tombstones is
    /// unreadable.
    pub(crate) fn begin(
        moving: Arc<Moving>,
        permit: ImportPermit,
        options: ImportOptions,
    ) -> Result<Self, EngineError> {
        let shared = &moving.shared;
        let erased = TakenBack::by(&shared.store.tombstones()?).businesses.into_iter();
        Ok(Self {
            now: shared.clocks.now(),
            options,
            pace: Pace::new(Arc::clone(&moving)),
            erased: erased.map(|(of, taken_back)| (of, taken_back.erased)).collect(),
            imported: None,
            all_good: true,
            businesses: 0,
            records: 0,
            _permit: permit,
            moving,
        })
    }

    /// Must be called for a line that is not a valid record. The import then fails: it opens none of the businesses in
    /// the file. If the line was meant to begin a business, the records of this business are skipped.
    pub fn not_a_record(&mut self, was_business: bool) {
        self.all_good = false;
        if was_business {
            self.imported = None;
        }
    }

    /// Pauses between two records if the turn has lasted longer than `TURN_MAX`. Returns an error if the engine is
    /// closing.
    pub async fn rest(&mut self) -> Result<(), EngineError> {
        self.pace.rest().await
    }

    /// Imports the record of a line. Returns the problems of an invalid record.
    pub async fn take(&mut self, line: u64, moved: Moved) -> Result<Vec<Wrong>, EngineError> {
        let found = match moved {
            Moved::Business(business) => self.business(&business).await?,
            Moved::End { records } => return self.end(line, records).await,
            record => match &mut self.imported {
                Some(imported) => imported.record(line, record, self.now).await?,
                None => self.of_no_business(),
            },
        };
        Ok(self.problems(line, found))
    }

    fn problems(&mut self, line: u64, found: Vec<Problem>) -> Vec<Wrong> {
        self.all_good &= found.is_empty();
        found.into_iter().map(|problem| Wrong { line, problem }).collect()
    }

    /// Returns the problem of a record that belongs to no business, because the line with the business is missing. If
    /// an earlier record was invalid, returns no problem: the invalid record may have been the line with the business.
    fn of_no_business(&self) -> Vec<Problem> {
        if self.all_good { vec![Problem::new("kind", ImportProblem::NoBusiness)] } else { Vec::new() }
    }

    async fn business(&mut self, business: &Business) -> Result<Vec<Problem>, EngineError> {
        let mut problems = Vec::new();
        if self.imported.take().is_some() {
            problems.push(Problem::new("kind", ImportProblem::BusinessNotEnded));
        }
        let stamped = (business.created_at, business.updated_at);
        stamps(business.id, stamped, self.now, &mut problems);
        let store = &self.moving.shared.store;
        if store.contains(&keys::ending(business.id))? {
            problems.push(Problem::new("id", ImportProblem::BusinessEnding));
        } else if is_there(store, business.id)? {
            problems.push(Problem::new("id", ImportProblem::BusinessExists));
        }
        if !problems.is_empty() {
            return Ok(problems);
        }
        let erased = (self.erased.remove(&business.id).unwrap_or_default(), self.options.erase_again);
        self.imported = Some(ImportedBusiness::begin(&self.moving, business, self.now, erased).await?);
        Ok(problems)
    }

    async fn end(&mut self, line: u64, records: u64) -> Result<Vec<Wrong>, EngineError> {
        let Some(mut imported) = self.imported.take() else {
            let found = self.of_no_business();
            return Ok(self.problems(line, found));
        };
        if !self.all_good {
            return Ok(Vec::new());
        }
        if records != imported.records {
            let code = ProblemCode::from(ImportProblem::Count(imported.records));
            return Ok(self.problems(line, vec![Problem::new("records", code)]));
        }
        let wrong = imported.calls_of_no_message(&self.moving.shared.store, &mut self.pace, line).await?;
        if !wrong.is_empty() {
            self.all_good = false;
            return Ok(wrong);
        }
        imported.close(&self.moving.shared).await?;
        self.businesses += 1;
        self.records += records;
        Ok(Vec::new())
    }

    /// True if all records were valid and each business was followed by its `end` line.
    pub fn is_good(&self) -> bool {
        self.all_good && self.imported.is_none()
    }

    pub fn count(&self) -> (u64, u64) {
        (self.businesses, self.records)
    }

    /// The slugs that the imported booking pages lose because another business has them.
    pub async fn lost_slugs(&self) -> Result<Vec<String>, EngineError> {
        Ok(finish::claim_slugs(&self.moving).await?.1)
    }

    /// Rolls the import back, and waits until its rows are deleted. If the rollback is interrupted, a job
    /// continues it.
    pub async fn take_back(self) -> Result<(), EngineError> {
        finish::take_back(&self.moving.shared).await?;
        Ok(())
    }
}

/// The pace of an import: after each turn, the import pauses for as long as the turn took.
pub(super) struct Pace {
    moving: Arc<Moving>,
    turn_began: Instant,
}

impl Pace {
    pub(super) fn new(moving: Arc<Moving>) -> Self {
        Self { moving, turn_began: Instant::now() }
    }

    pub(super) async fn rest(&mut self) -> Result<(), EngineError> {
        self.moving.check_imports()?;
        let took = self.turn_began.elapsed();
        if self.moving.shared.store.is_simulated() {
            tokio::task::yield_now().await;
        } else if took > TURN_MAX {
            tokio::time::sleep(took.min(REST_MAX)).await;
        } else {
            return Ok(());
        }
        self.turn_began = Instant::now();
        Ok(())
    }
}

/// True if a business exists, is being imported, or has rows that have not been deleted yet.
fn is_there(store: &Store, id: BusinessId) -> Result<bool, StoreError> {
    let index = store.contains(&keys::business_index(id))? || store.contains(&keys::moving(id))?;
    Ok(index || store.scan(&keys::all(id), Order::Ascending).next().transpose()?.is_some())
}

impl std::fmt::Debug for Import {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Import").field("records", &self.records).finish_non_exhaustive()
    }
}
