//! Backups for the operator.

use std::path::Path;
use std::sync::Arc;

use domain::{Actor, AuditAction, BackupId, ResourceId};
use store::{Batch, StoreError, Weight};

use super::Engine;
use crate::backup::BackupState;
use crate::error::EngineError;
use crate::installation_log::note;

impl Engine {
    /// Begins a backup into a new or empty directory and returns its id. The backup runs in the background;
    /// [`Engine::backup`] returns its progress. The audit log of the installation records it.
    ///
    /// # Errors
    /// - [`EngineError::Refused`]: the directory is unusable or another backup runs.
    /// - [`EngineError::DiskFull`], or an error of a closing engine.
    pub fn begin_backup(&self, by: Actor, to: &Path) -> Result<BackupId, EngineError> {
        let shared = self.shared();
        shared.check_open()?;
        shared.store.check_room(Weight::Frees)?;
        let id = shared.mint_id(self.now());
        let clocks = Arc::downgrade(&self.parts.shared);
        // A weak reference: a backup must not keep the engine alive.
        let began = self.now();
        let now = move || clocks.upgrade().map_or(began, |shared| shared.clocks.now());
        self.parts.backups.begin((&shared.store, self.parts.limits.backup_rows), to, id, now)?;
        let mut batch = Batch::default();
        note(shared, (by, AuditAction::BackupBegun), id, began, &mut batch);
        // A backup ends with the process, so no caller waits for this write.
        shared.store.submit(id.uuid().into(), batch, Box::new(|| ())).ok_or(StoreError::Stopped)?;
        Ok(id)
    }

    /// The state of a backup since the engine started. The oldest of many backups are forgotten.
    pub fn backup(&self, id: BackupId) -> Option<BackupState> {
        self.parts.backups.state(id)
    }
}
