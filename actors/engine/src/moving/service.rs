//! The limits on concurrent exports and imports, and on concurrent reads of snapshots of the store.

use std::sync::Arc;

use domain::{Actor, BusinessId};
use store::{SNAPSHOTS_MAX, StoreError};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};

use crate::claims::Claims;
use crate::error::EngineError;
use crate::mail::Outbox;
use crate::quota::{Quota, QuotaPermit};
use crate::shared::Shared;

/// The maximum number of concurrent exports. Each export needs a snapshot of the store. One further snapshot
/// is reserved for a backup and one for the daily count.
const EXPORTS_MAX: usize = SNAPSHOTS_MAX - 2;
/// The maximum number of exports and daily counts that read the store at the same time.
const READERS_MAX: usize = EXPORTS_MAX + 1;

pub(crate) struct Moving {
    pub(crate) shared: Arc<Shared>,
    pub(crate) outbox: Arc<Outbox>,
    exports: Arc<Semaphore>,
    /// The permits for exports by members, at most one per business. This quota has one permit fewer than `exports`, so
    /// that members cannot take all permits and the operator can still export.
    exports_of_people: Arc<Quota>,
    readers: Arc<Semaphore>,
    /// The single permit. Each import holds it, and so does the job that finishes an interrupted import.
    imports: Arc<Semaphore>,
    /// Notified when the permit for an import is released. The notified job deletes the rows of interrupted imports.
    pub(crate) import_left: Arc<Notify>,
    pub(crate) imports_end: watch::Sender<bool>,
    pub(crate) slugs: Claims,
}

/// The permit of an export. If a person requests the export, there is also a permit from the business's quota of such
/// exports.
pub(crate) type ExportPermit = (OwnedSemaphorePermit, Option<QuotaPermit<BusinessId, Arc<Quota>>>);

impl Moving {
    pub(crate) fn new(shared: &Arc<Shared>, slugs: Claims, outbox: &Arc<Outbox>) -> Arc<Self> {
        Arc::new(Self {
            shared: Arc::clone(shared),
            outbox: Arc::clone(outbox),
            exports: Arc::new(Semaphore::new(EXPORTS_MAX)),
            exports_of_people: Arc::new(Quota::new(EXPORTS_MAX - 1, 1)),
            readers: Arc::new(Semaphore::new(READERS_MAX)),
            imports: Arc::new(Semaphore::new(1)),
            import_left: Arc::default(),
            imports_end: watch::Sender::new(false),
            slugs,
        })
    }

    /// Takes the permits for an export. Fails with [`EngineError::Overloaded`] if too many exports are in progress.
    pub(crate) fn begin_export(
        &self,
        by: Actor,
        one: Option<BusinessId>,
    ) -> Result<ExportPermit, EngineError> {
        let of_person = match (by, one) {
            (Actor::Person(_), Some(one)) => {
                Some(self.exports_of_people.take_owned(one).ok_or(EngineError::Overloaded)?)
            }
            _ => None,
        };
        let permit = Arc::clone(&self.exports).try_acquire_owned().map_err(|_| EngineError::Overloaded)?;
        Ok((permit, of_person))
    }

    /// Runs `read` on a thread that may block. The engine waits for the thread before it closes. Fails with
    /// [`EngineError::Failed`] if `read` panics. The panic is already logged.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
    ) -> Result<Result<T, StoreError>, EngineError> {
        let permit = Arc::clone(&self.readers).acquire_owned().await.map_err(|_| EngineError::Stopping)?;
        self.shared.check_open()?;
        if self.shared.store.is_simulated() {
            tokio::task::yield_now().await;
            return Ok(read());
        }
        let done = tokio::task::spawn_blocking(move || {
            let done = read();
            drop(permit);
            done
        });
        done.await.map_err(|_| EngineError::Failed)
    }

    /// Waits until no export and no daily count reads the store, and prevents further reads.
    pub(crate) async fn end_reads(&self) {
        #[allow(clippy::cast_possible_truncation, reason = "the constant is small")]
        let all = self.readers.acquire_many(READERS_MAX as u32).await;
        self.readers.close();
        drop(all);
    }

    /// Takes the permit that an import, or the job that finishes an interrupted import, must hold. Returns `None` if
    /// the permit is not free.
    pub(crate) fn try_import(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.imports).try_acquire_owned().ok()
    }

    pub(crate) async fn import(&self) -> Result<ImportPermit, EngineError> {
        let permit = Arc::clone(&self.imports).acquire_owned().await.map_err(|_| EngineError::Stopping)?;
        Ok(self.notifying(permit))
    }

    pub(crate) fn notifying(&self, permit: OwnedSemaphorePermit) -> ImportPermit {
        ImportPermit { permit: Some(permit), left: Arc::clone(&self.import_left) }
    }

    pub(crate) fn check_imports(&self) -> Result<(), EngineError> {
        self.shared.check_open()?;
        if *self.imports_end.borrow() { Err(EngineError::Stopping) } else { Ok(()) }
    }
}

/// The permit that an import must hold. When it is dropped, the job that finishes interrupted imports is notified.
pub(crate) struct ImportPermit {
    permit: Option<OwnedSemaphorePermit>,
    left: Arc<Notify>,
}

impl Drop for ImportPermit {
    fn drop(&mut self) {
        // The permit is released before the job is notified, because the job needs the permit.
        self.permit = None;
        self.left.notify_one();
    }
}
