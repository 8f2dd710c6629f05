//! Writing records into a store, each held against those before it.
//!
//! What always holds: of a record that is not good nothing is written, and after one that is not good no business is
//! opened; those that follow are still looked at, so that one run tells what is wrong everywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::{Business, BusinessId, ContactId, ImportProblem, Problem, ProblemCode, Timestamp};
use store::{Order, Store, StoreError, TakenBack, keys};

use super::arriving::Arriving;
use super::checks::stamps;
use super::pace::Pace;
use super::record::{Moved, Wrong};
use super::settle;
use crate::error::EngineError;
use crate::shared::{ImportPlace, Shared};

/// How an import is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Whether contacts who were erased here are erased again, instead of being refused: they are passed over, and what
    /// names them comes without what tells of them.
    pub erase_again: bool,
}

/// An import under way. Dropped before its end, it is taken back.
pub struct Import {
    pub(crate) shared: Arc<Shared>,
    now: Timestamp,
    options: ImportOptions,
    pace: Pace,
    /// Who was erased here, of businesses that have not come.
    erased: BTreeMap<BusinessId, BTreeSet<ContactId>>,
    /// The business whose records come now; `None` before the first one, and where one is passed over.
    arriving: Option<Arriving>,
    /// Whether everything was good so far.
    all_good: bool,
    businesses: u64,
    records: u64,
    /// Given back behind everything else.
    _place: ImportPlace,
}

impl Import {
    /// Begins an import in a store on which nothing is left of an earlier one.
    ///
    /// # Errors
    /// When the list beside the store cannot be read.
    pub(crate) fn begin(
        shared: Arc<Shared>,
        place: ImportPlace,
        options: ImportOptions,
    ) -> Result<Self, EngineError> {
        let erased = TakenBack::by(&shared.store.buried()?).businesses.into_iter();
        Ok(Self {
            now: shared.clocks.now(),
            options,
            pace: Pace::new(Arc::clone(&shared)),
            erased: erased.map(|(of, taken_back)| (of, taken_back.erased)).collect(),
            arriving: None,
            all_good: true,
            businesses: 0,
            records: 0,
            shared,
            _place: place,
        })
    }

    /// Says that what stood on a line is no record: nothing will be opened. What follows a business that is none is
    /// passed over up to the next one.
    pub fn not_a_record(&mut self, was_business: bool) {
        self.all_good = false;
        if was_business {
            self.arriving = None;
        }
    }

    /// To be called between two records: gives others their turn.
    ///
    /// # Errors
    /// [`EngineError::Stopping`] when the engine takes no more of it.
    pub async fn rest(&mut self) -> Result<(), EngineError> {
        self.pace.rest().await
    }

    /// Takes the record of a line.
    ///
    /// # Errors
    /// When the store fails or the disk is full, and as [`Import::rest`]. What is wrong with the record is no error: it is
    /// given back.
    pub async fn take(&mut self, line: u64, moved: Moved) -> Result<Vec<Wrong>, EngineError> {
        let found = match moved {
            Moved::Business(business) => self.business(business).await?,
            Moved::End { records } => return self.end(line, records).await,
            record => match &mut self.arriving {
                Some(arriving) => arriving.record(line, record, self.now).await?,
                None => self.of_no_business(),
            },
        };
        Ok(self.told(line, found))
    }

    fn told(&mut self, line: u64, found: Vec<Problem>) -> Vec<Wrong> {
        self.all_good &= found.is_empty();
        found.into_iter().map(|problem| Wrong { line, problem }).collect()
    }

    /// What is wrong with a line before the first business. Behind a business that is passed over nothing is told.
    fn of_no_business(&self) -> Vec<Problem> {
        if self.all_good { vec![Problem::new("kind", ImportProblem::NoBusiness)] } else { Vec::new() }
    }

    async fn business(&mut self, business: Business) -> Result<Vec<Problem>, EngineError> {
        let mut problems = Vec::new();
        if self.arriving.take().is_some() {
            problems.push(Problem::new("kind", ImportProblem::BusinessNotEnded));
        }
        let stamped = (business.created_at, business.updated_at);
        stamps(business.id, stamped, self.now, &mut problems);
        let store = &self.shared.store;
        if store.contains(&keys::ending(business.id))? {
            problems.push(Problem::new("id", ImportProblem::BusinessEnding));
        } else if is_there(store, business.id)? {
            problems.push(Problem::new("id", ImportProblem::BusinessExists));
        }
        if !problems.is_empty() {
            return Ok(problems);
        }
        let erased = (self.erased.remove(&business.id).unwrap_or_default(), self.options.erase_again);
        self.arriving = Some(Arriving::begin(store, business, self.now, erased).await?);
        Ok(problems)
    }

    async fn end(&mut self, line: u64, records: u64) -> Result<Vec<Wrong>, EngineError> {
        let Some(mut arriving) = self.arriving.take() else {
            let found = self.of_no_business();
            return Ok(self.told(line, found));
        };
        if !self.all_good {
            return Ok(Vec::new());
        }
        if records != arriving.records() {
            let code = ProblemCode::from(ImportProblem::Count(arriving.records()));
            return Ok(self.told(line, vec![Problem::new("records", code)]));
        }
        let wrong = arriving.calls_of_no_message(&self.shared.store, &mut self.pace, line).await?;
        if !wrong.is_empty() {
            self.all_good = false;
            return Ok(wrong);
        }
        arriving.close(&self.shared).await?;
        self.businesses += 1;
        self.records += records;
        Ok(Vec::new())
    }

    /// Whether everything was good so far, and each business came to its end.
    pub fn is_good(&self) -> bool {
        self.all_good && self.arriving.is_none()
    }

    /// How many businesses came to their end, with how many records.
    pub fn count(&self) -> (u64, u64) {
        (self.businesses, self.records)
    }

    /// Takes everything back, and waits until that is done.
    ///
    /// # Errors
    /// The store's failure, and [`EngineError::Stopping`]; the next start of the engine comes to the end of it.
    pub async fn take_back(self) -> Result<(), EngineError> {
        settle::take_back(&self.shared).await?;
        Ok(())
    }
}

/// Whether a business is there: as an open one, one that is not open yet, or by anything that one left behind.
fn is_there(store: &Store, id: BusinessId) -> Result<bool, StoreError> {
    let index = store.contains(&keys::business_index(id))? || store.contains(&keys::moving(id))?;
    Ok(index || store.scan(&keys::all(id), Order::Ascending).next().transpose()?.is_some())
}

impl std::fmt::Debug for Import {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Import").field("records", &self.records).finish_non_exhaustive()
    }
}
