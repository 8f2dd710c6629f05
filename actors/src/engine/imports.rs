//! Imports while the engine runs: one at a time, written in the lanes of the businesses that come, beside everything else.
//!
//! What always holds: until all of it is good and on the disk nobody finds anything of it; then all of it is opened, and the
//! request that asked for it is remembered with the batch that decides on that. What an import leaves that broke off, in this
//! life of the engine or in an earlier one, is settled first ([`crate::settling`]); until then no other begins.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::Engine;
use super::once::Once;
use crate::business::{Answer, AnswerStatus, Idempotency};
use crate::domain::{Actor, Refusal};
use crate::error::EngineError;
use crate::moving::{Import, ImportOptions, is_unfinished};
use crate::shared::Shared;
use crate::store::{Batch, Weight};
use crate::view::{self, ImportedView};

/// For how long an import reads and checks before others have their turn.
const TURN_MAX: Duration = Duration::from_millis(2);
/// The longest rest behind a turn; usually as long as it took, so that an import takes half of one core at most.
const REST_MAX: Duration = Duration::from_millis(100);

/// An import under way. Dropped before its end, it is taken back.
pub struct Importing {
    shared: Arc<Shared>,
    import: Option<Import>,
    turn_began: Instant,
    place: Option<OwnedSemaphorePermit>,
}

impl Engine {
    /// Begins an import.
    ///
    /// # Errors
    /// [`Refusal::Conflict`] while another one is under way, or what one that broke off has left is being settled;
    /// [`EngineError::DiskFull`], and what says that the engine takes no requests.
    pub async fn import(&self, options: ImportOptions) -> Result<Importing, EngineError> {
        let shared = Arc::clone(&self.shared);
        shared.check_open()?;
        let conflict = |detail: &str| Refusal::conflict("an import is under way", "", detail);
        let Ok(place) = Arc::clone(&shared.imports).try_acquire_owned() else {
            return Err(conflict(
                "one is made at a time, and what one has left that broke off is settled first",
            )
            .into());
        };
        if is_unfinished(&shared.store)? {
            drop(place);
            shared.import_left.notify_one();
            return Err(conflict("what one has left that broke off is settled first").into());
        }
        shared.store.check_room(Weight::Grows)?;
        let clocks = Some(shared.clocks.clone());
        let import = Import::begin_by(clocks, &shared.store, &shared.ports, options).await?;
        Ok(Importing { shared, import: Some(import), turn_began: Instant::now(), place: Some(place) })
    }

    /// The answer to an import that was made once already under this key, if it was asked for by the same lines.
    ///
    /// # Errors
    /// [`Refusal::IdempotencyKeyReused`] when it was asked for by others; the store's failure.
    pub fn imported_before(&self, asked: Idempotency) -> Result<Option<Answer>, EngineError> {
        Once::answered(&self.shared, asked)
    }

    /// Takes hold of the key of an import that shall be made once, until what is given is dropped.
    ///
    /// # Errors
    /// [`Refusal::IdempotencyInProgress`] while somebody else holds it.
    pub fn import_once(&self, key: [u8; 32]) -> Result<Once, EngineError> {
        Once::begin(&self.shared, key)
    }
}

impl Importing {
    /// The import, to be given records.
    ///
    /// # Panics
    /// Never: it is there until the end.
    pub fn import(&mut self) -> &mut Import {
        self.import.as_mut().expect("it is taken by the end alone")
    }

    /// To be called between two records: gives others their turn.
    ///
    /// # Errors
    /// [`EngineError::Stopping`] when the engine closes.
    pub async fn rest(&mut self) -> Result<(), EngineError> {
        self.shared.check_open()?;
        let took = self.turn_began.elapsed();
        if self.shared.store.is_simulated() {
            tokio::task::yield_now().await;
        } else if took > TURN_MAX {
            tokio::time::sleep(took.min(REST_MAX)).await;
        } else {
            return Ok(());
        }
        self.turn_began = Instant::now();
        Ok(())
    }

    /// Opens the businesses of an import that [is good](Import::is_good), and answers; with `once`, whenever the same is
    /// asked again.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn finish(
        mut self,
        imported: &ImportedView,
        by: Actor,
        once: Option<Idempotency>,
    ) -> Result<Answer, EngineError> {
        self.shared.check_open()?;
        let body = view::render(imported);
        let mut rows = Batch::default();
        if let Some(once) = once {
            Once::remember(&self.shared, once, AnswerStatus::Done, &body, &mut rows)?;
        }
        if let Some(import) = self.import.take() {
            import.finish_with(rows).await?;
        }
        tracing::info!(
            ?by,
            businesses = imported.businesses,
            records = imported.records,
            "businesses were imported"
        );
        Ok(Answer { status: AnswerStatus::Done, body: body.into(), replayed: false })
    }

    /// Takes everything back, and waits until that is done.
    ///
    /// # Errors
    /// The store's failure; the next start of the engine comes to the end of it.
    pub async fn take_back(mut self) -> Result<(), EngineError> {
        if let Some(import) = self.import.take() {
            import.take_back().await?;
        }
        Ok(())
    }
}

impl Drop for Importing {
    fn drop(&mut self) {
        // Before whoever settles looks.
        self.place = None;
        self.shared.import_left.notify_one();
    }
}

impl std::fmt::Debug for Importing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Importing").finish_non_exhaustive()
    }
}
