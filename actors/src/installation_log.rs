//! The audit log of the installation: what was done to accounts, which exports and backups were begun, which businesses were
//! ended.
//!
//! What always holds: an entry stands in the lane of what it is about, so whoever reads the log waits for that; it names
//! nothing of an account or a business but the id, for what is erased must not stay here. A business that is ended writes
//! its entry itself, in the batch that ends it.

use crate::domain::{Actor, AuditAction, AuditEntry, AuditId, BusinessId, ResourceId, Timestamp};
use crate::shared::Shared;
use crate::store::records::AuditRecord;
use crate::store::{Batch, Record, keys};

/// Adds an entry: who did what, to what.
pub(crate) fn note(
    shared: &Shared,
    (by, action): (Actor, AuditAction),
    id: impl ResourceId,
    now: Timestamp,
    batch: &mut Batch,
) {
    shared.clocks.note(now, &shared.store);
    let entry = AuditEntry {
        id: shared.mint_id::<AuditId>(now),
        at: now,
        actor: by,
        action,
        resource_type: action.kind(),
        resource_id: id.uuid(),
        changes: Vec::new(),
    };
    batch.put(keys::audit(BusinessId::INSTALLATION, entry.id), AuditRecord { entry, usage: None }.encode());
}
