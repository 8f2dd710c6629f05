//! Writing records into a store, each held against those before it.
//!
//! What always holds: of a record that is not good nothing is written, and after one that is not good no business is
//! opened; those that follow are still looked at, so that one run tells what is wrong everywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::arriving::Arriving;
use super::checks::stamps;
use super::pace::Pace;
use super::record::{MoveError, Moved, Wrong};
use super::settle::{self, check_finished, check_store, is_there};
use crate::clock::Clocks;
use crate::domain::{Business, BusinessId, ContactId, Problem, Timestamp};
use crate::meta;
use crate::ports::Ports;
use crate::store::{Batch, Store, TakenBack, keys};

/// How an import is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Whether contacts who were erased here are erased again, instead of being refused: they are passed over, and what
    /// names them comes without what tells of them.
    pub erase_again: bool,
}

/// An import under way.
pub struct Import {
    store: Store,
    ports: Ports,
    now: Timestamp,
    options: ImportOptions,
    /// The clock of the store: that of the engine, or one once a business has come that keeps something for a time.
    clocks: Option<Clocks>,
    pace: Pace,
    /// Who was erased here, of businesses that have not come.
    erased: BTreeMap<BusinessId, BTreeSet<ContactId>>,
    /// The business whose records come now; `None` before the first one, and where one is passed over.
    arriving: Option<Arriving>,
    /// Whether everything was good so far.
    all_good: bool,
    businesses: u64,
    records: u64,
}

impl Import {
    /// Begins an import, in a store that [`settle`](super::settle()) has left; one that was never used is made ready.
    ///
    /// # Errors
    /// When the store fails, or was left half-way, or the list beside it cannot be read.
    pub async fn begin(store: &Store, ports: &Ports, options: ImportOptions) -> Result<Self, MoveError> {
        Self::begin_by((None, Pace::alone()), store, ports, options).await
    }

    /// The same by the clock of the engine that runs on the store, at this pace.
    pub(crate) async fn begin_by(
        (clocks, pace): (Option<Clocks>, Pace),
        store: &Store,
        ports: &Ports,
        options: ImportOptions,
    ) -> Result<Self, MoveError> {
        check_store(store)?;
        check_finished(store)?;
        let now = clocks.as_ref().map_or_else(|| ports.clock.now(), Clocks::now);
        meta::read_or_make(store, ports, now).await?;
        let erased = TakenBack::by(&store.buried()?).businesses.into_iter();
        let erased = erased.map(|(of, taken_back)| (of, taken_back.erased)).collect();
        let (store, ports) = (store.clone(), ports.clone());
        Ok(Self {
            store,
            ports,
            now,
            options,
            clocks,
            pace,
            erased,
            arriving: None,
            all_good: true,
            businesses: 0,
            records: 0,
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

    /// To be called between two records: gives others their turn, where there are any.
    ///
    /// # Errors
    /// [`MoveError::Stopping`] when the engine that goes on beside it takes no more.
    pub async fn rest(&mut self) -> Result<(), MoveError> {
        self.pace.rest().await
    }

    /// Takes the record of a line.
    ///
    /// # Errors
    /// When the store fails or the disk is full, and as [`Import::rest`]. What is wrong with the record is no error: it is
    /// given back.
    pub async fn take(&mut self, line: u64, moved: Moved) -> Result<Vec<Wrong>, MoveError> {
        let found = match moved {
            Moved::Business(business) => self.business(business).await?,
            Moved::End { records } => return self.end(line, records).await,
            record => match &mut self.arriving {
                Some(arriving) => arriving.record(line, record, self.now).await?,
                None if self.all_good => vec![Problem::new("kind", "must stand behind a business")],
                None => Vec::new(),
            },
        };
        Ok(self.told(line, found))
    }

    fn told(&mut self, line: u64, found: Vec<Problem>) -> Vec<Wrong> {
        self.all_good &= found.is_empty();
        found.into_iter().map(|problem| Wrong { line, problem }).collect()
    }

    async fn business(&mut self, business: Business) -> Result<Vec<Problem>, MoveError> {
        let mut problems = Vec::new();
        if let Some(before) = self.arriving.take() {
            let message = format!("must stand behind the end of business {}", before.of());
            problems.push(Problem::new("kind", message));
        }
        let stamped = (business.created_at, business.updated_at);
        stamps(business.id, stamped, self.now, &mut problems);
        if self.store.contains(&keys::ending(business.id))? {
            let message = "is that of a business that was ended here and of which rows are left: start the service until they are gone";
            problems.push(Problem::new("id", message));
        } else if is_there(&self.store, business.id)? {
            problems.push(Problem::new("id", "is that of a business that is here already"));
        }
        if !problems.is_empty() {
            return Ok(problems);
        }
        let erased = (self.erased.remove(&business.id).unwrap_or_default(), self.options.erase_again);
        self.arriving = Some(Arriving::begin(&self.store, business, self.now, erased).await?);
        Ok(problems)
    }

    async fn end(&mut self, line: u64, records: u64) -> Result<Vec<Wrong>, MoveError> {
        let Some(mut arriving) = self.arriving.take() else {
            let message = "must stand behind a business, which it ends";
            let found = if self.all_good { vec![Problem::new("kind", message)] } else { Vec::new() };
            return Ok(self.told(line, found));
        };
        if !self.all_good {
            return Ok(Vec::new());
        }
        if records != arriving.records() {
            let message =
                format!("must be {}: lines are missing, or more than there were", arriving.records());
            return Ok(self.told(line, vec![Problem::new("records", message)]));
        }
        let wrong = arriving.calls_of_no_message(&self.store, &mut self.pace, line).await?;
        if !wrong.is_empty() {
            self.all_good = false;
            return Ok(wrong);
        }
        if arriving.has_retention() && self.clocks.is_none() {
            self.clocks = Some(Clocks::open(&self.store, Arc::clone(&self.ports.clock)).await?);
        }
        arriving.close(&self.ports, self.clocks.as_ref()).await?;
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

    /// Opens the businesses, if everything was good and each came to its end; else takes everything back. Whether they
    /// are open.
    ///
    /// # Errors
    /// When the store fails; the next [`settle`](super::settle()) comes to the end of it.
    pub async fn finish(self) -> Result<bool, MoveError> {
        if !self.is_good() {
            self.take_back().await?;
            return Ok(false);
        }
        self.finish_with(Batch::default()).await?;
        Ok(true)
    }

    /// Opens the businesses of an import that [is good](Import::is_good), and writes rows of the installation with the
    /// batch that decides on that.
    pub(crate) async fn finish_with(self, rows: Batch) -> Result<(), MoveError> {
        settle::finish(&self.store, rows).await?;
        Ok(())
    }

    /// Takes everything back.
    ///
    /// # Errors
    /// As [`Import::finish`].
    pub async fn take_back(self) -> Result<(), MoveError> {
        settle::take_back(&self.store, || Ok(())).await?;
        Ok(())
    }
}

impl std::fmt::Debug for Import {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Import").field("records", &self.records).finish_non_exhaustive()
    }
}
