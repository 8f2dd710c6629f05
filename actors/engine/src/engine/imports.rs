//! Imports while the engine runs: one at a time, written in the lanes of the businesses that come, beside everything else.
//!
//! What always holds: until all of it is good and on the disk nobody finds anything of it; then all of it is opened, and the
//! request that asked for it is remembered with the batch that decides on that. What an import leaves that broke off, in this
//! life of the engine or in an earlier one, is settled first ([`crate::settling`]); until then no other begins.

use std::sync::Arc;

use domain::{Actor, Refusal, UnderWay};
use store::{Batch, Weight};
use view::ImportedView;

use super::Engine;
use super::once::Once;
use crate::business::{Answer, Idempotency, Shown};
use crate::error::EngineError;
use crate::moving::{Import, ImportOptions, finish, is_unfinished};
use crate::settling::until_opened;
use crate::shared::ImportPlace;

impl Engine {
    /// Begins an import.
    ///
    /// # Errors
    /// [`Refusal::UnderWay`] while another one is, or what one that broke off has left is being settled;
    /// [`EngineError::DiskFull`], and what says that the engine takes no requests.
    pub fn import(&self, options: ImportOptions) -> Result<Import, EngineError> {
        let shared = Arc::clone(&self.shared);
        shared.check_imports()?;
        let under_way = |detail: &str| Refusal::under_way(UnderWay::Import, "", detail);
        let Ok(place) = Arc::clone(&shared.imports).try_acquire_owned() else {
            return Err(under_way(
                "one is made at a time, and what one has left that broke off is settled first",
            )
            .into());
        };
        let place = ImportPlace::new(&shared, place);
        if is_unfinished(&shared.store)? {
            return Err(under_way("what one has left that broke off is settled first").into());
        }
        shared.store.check_room(Weight::Grows)?;
        Import::begin(shared, place, options)
    }

    /// Lets no import begin any more, and has those end that are being read: [`Engine::imports_end`] comes back. What is read
    /// whole is finished; what the others have written is taken back by the next engine, or by this one if it lasts.
    pub fn end_imports(&self) {
        self.shared.imports_end.send_replace(true);
    }

    /// Waits until no more lines of imports are taken.
    pub async fn imports_end(&self) {
        let mut ends = self.shared.imports_end.subscribe();
        // The engine is there as long as this is.
        let _ = ends.wait_for(|ends| *ends).await;
    }

    /// The answer to an import that was made once already under this key, if it was asked for in the same way and by the
    /// same lines. It is known from the moment when all was good, so whoever asks waits until the businesses are there.
    ///
    /// # Errors
    /// [`Refusal::IdempotencyKeyReused`] when it was asked for by others; the store's failure.
    pub async fn imported_before(
        &self,
        asked: Idempotency,
    ) -> Result<Option<Answer<ImportedView>>, EngineError> {
        let answered = Once::answered::<Shown<ImportedView>>(&self.shared, asked)?;
        if answered.is_some() {
            until_opened(&self.shared).await?;
        }
        Ok(answered)
    }

    /// Takes hold of the key of an import that shall be made once, until what is given is dropped.
    ///
    /// # Errors
    /// [`Refusal::IdempotencyInProgress`] while somebody else holds it.
    pub fn import_once(&self, key: [u8; 32]) -> Result<Once, EngineError> {
        Once::begin(&self.shared, key)
    }
}

impl Import {
    /// Opens the businesses of an import that [is good](Import::is_good), and answers; with `once`, whenever the same is
    /// asked again.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn finish(
        self,
        imported: ImportedView,
        by: Actor,
        once: Option<Idempotency>,
    ) -> Result<Answer<ImportedView>, EngineError> {
        self.shared.check_open()?;
        let mut rows = Batch::default();
        if let Some(once) = once {
            Once::remember::<Shown<ImportedView>>(&self.shared, once, &imported, &mut rows)?;
        }
        finish(&self.shared.store, rows).await?;
        tracing::info!(
            ?by,
            businesses = imported.businesses,
            records = imported.records,
            "businesses were imported"
        );
        Ok(Answer { value: imported, replayed: false })
    }
}
