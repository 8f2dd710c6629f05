//! Backups, for the operator.

use std::path::Path;
use std::sync::Arc;

use domain::{Actor, AuditAction, BackupId, ResourceId};
use store::{Batch, StoreError, Weight};

use super::Engine;
use crate::backup::BackupState;
use crate::error::EngineError;
use crate::installation_log::note;

impl Engine {
    /// Begins a backup into a directory that is not there or empty, and gives its id. It goes on beside everything else;
    /// [`Engine::backup`] tells how far it has come. The audit log of the installation says who made it.
    ///
    /// # Errors
    /// [`EngineError::Refused`] when the directory cannot be used or another backup is being made,
    /// [`EngineError::DiskFull`], and what else says that the engine takes no requests.
    pub fn begin_backup(&self, by: Actor, to: &Path) -> Result<BackupId, EngineError> {
        let shared = &self.shared;
        shared.check_open()?;
        shared.store.check_room(Weight::Frees)?;
        let id = shared.mint_id(self.now());
        let clocks = Arc::downgrade(shared);
        // A backup holds no engine: it outlives none.
        let began = self.now();
        let now = move || clocks.upgrade().map_or(began, |shared| shared.clocks.now());
        shared.backups.begin((&shared.store, shared.limits.backup_rows), to, id, now)?;
        let mut batch = Batch::default();
        note(shared, (by, AuditAction::BackupBegun), id, began, &mut batch);
        // A backup ends with the process, so nobody waits for this.
        shared.store.submit(id.uuid().into(), batch, Box::new(|| ())).ok_or(StoreError::Stopped)?;
        Ok(id)
    }

    /// How far a backup has come that was begun since the engine started; of the first ones of many nothing is known.
    pub fn backup(&self, id: BackupId) -> Option<BackupState> {
        self.shared.backups.state(id)
    }
}
