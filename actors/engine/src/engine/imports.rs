//! Imports while the engine runs. Only one import can run at a time.
//!
//! Invariants:
//! - The businesses of an import become visible only after all its records are valid and durable.
//! - The batch that marks the whole import as valid also stores the response for a repeat of the request.
//! - An interrupted import, even one of an earlier process, is removed or finished
//!   ([`crate::maintenance::installation_jobs`]) before another import begins.

use std::sync::Arc;

use domain::{Actor, ProblemCode, Refusal, UnderWay};
use store::{Batch, Weight};
use view::ImportedView;

use super::Engine;
use super::once::Once;
use crate::business::{Answer, Idempotency, Shown};
use crate::error::Result;
use crate::maintenance::installation_jobs::until_opened;
use crate::moving::{Import, ImportOptions, claim_slugs, finish, is_unfinished};

impl Engine {
    /// Begins an import. Fails with [`Refusal::UnderWay`] while another import runs, or while an interrupted import is
    /// not finished yet.
    pub fn import(&self, options: ImportOptions) -> Result<Import> {
        let moving = &self.parts.moving;
        moving.check_imports()?;
        let under_way = |detail: ProblemCode| Refusal::under_way(UnderWay::Import, "", detail);
        let Some(permit) = moving.try_import() else {
            return Err(under_way(ProblemCode::ImportRuns).into());
        };
        let permit = moving.notifying(permit);
        if is_unfinished(&self.shared().store)? {
            return Err(under_way(ProblemCode::ImportUnfinished).into());
        }
        self.shared().store.check_room(Weight::Grows)?;
        Import::begin(Arc::clone(moving), permit, options)
    }

    /// Refuses new imports. If all lines of a running import have been read, the import finishes. If some lines have
    /// not been read, the import fails, and a background job removes its rows, now or after the next start.
    pub fn end_imports(&self) {
        self.parts.moving.imports_end.send_replace(true);
    }

    pub async fn imports_end(&self) {
        let _ = self.parts.moving.imports_end.subscribe().wait_for(|ends| *ends).await;
    }

    /// Returns the response to an earlier import with the same key, or `None` if there is none. Fails with
    /// [`Refusal::IdempotencyKeyReused`] if the options or lines of the earlier import differ. Before it returns the
    /// response, it waits until the businesses of the import are open.
    pub async fn imported_before(&self, asked: Idempotency) -> Result<Option<Answer<ImportedView>>> {
        let answered = Once::answered::<Shown<ImportedView>>(self.shared(), asked)?;
        if answered.is_some() {
            until_opened(&self.parts.moving).await?;
        }
        Ok(answered)
    }

    /// Reserves an idempotency key until the returned value is dropped. Fails with [`Refusal::IdempotencyInProgress`]
    /// if the key is already reserved.
    pub fn import_once(&self, key: [u8; 32]) -> Result<Once> {
        Once::begin(self.shared(), key)
    }
}

impl Import {
    /// Opens the businesses of a [valid](Import::is_good) import. If `once` is set, stores the response.
    pub async fn finish(
        self,
        mut imported: ImportedView,
        by: Actor,
        once: Option<Idempotency>,
    ) -> Result<Answer<ImportedView>> {
        let shared = &self.moving.shared;
        shared.check_open()?;
        let (claim, lost_slugs) = claim_slugs(&self.moving).await?;
        imported.lost_slugs = lost_slugs;
        let mut rows = Batch::default();
        if let Some(once) = once {
            Once::remember::<Shown<ImportedView>>(shared, once, &imported, &mut rows)?;
        }
        finish(&self.moving, rows, &claim).await?;
        tracing::info!(
            ?by,
            businesses = imported.businesses,
            records = imported.records,
            "businesses were imported"
        );
        Ok(Answer { value: imported, replayed: false })
    }
}
