//! The audit log of the installation: accounts, exports, backups and the deletion of businesses.
//!
//! Invariants: an entry is in the lane of its subject, so a reader of the log waits for it. It contains no
//! data of an account or a business except the id, because erased data must not remain here. A business that
//! is ended writes its entry in the batch that ends it.

use domain::{Actor, AuditAction, AuditEntry, AuditId, BusinessId, ResourceId, Timestamp};
use store::records::AuditRecord;
use store::{Batch, Record, keys};

use crate::shared::Shared;

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
