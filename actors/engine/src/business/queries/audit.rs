//! Reads the audit log of a business.

use domain::{Actor, AuditAction, AuditEntry, AuditedKind, Timestamp};
use store::{Order, Record, keys};
use uuid::Uuid;

use super::{Page, PageRequest, collect};
use crate::business::BusinessHandle;
use crate::error::Result;

#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    pub actor: Option<Actor>,
    pub action: Option<AuditAction>,
    pub resource_type: Option<AuditedKind>,
    pub resource_id: Option<Uuid>,
    /// Lists only entries at or after this instant.
    pub from: Option<Timestamp>,
    /// Lists only entries before this instant.
    pub until: Option<Timestamp>,
}

impl AuditFilter {
    fn admits(&self, entry: &AuditEntry) -> bool {
        self.actor.is_none_or(|actor| actor == entry.actor)
            && self.action.is_none_or(|action| action == entry.action)
            && self.resource_type.is_none_or(|kind| kind == entry.resource_type)
            && self.resource_id.is_none_or(|id| id == entry.resource_id)
    }
}

impl BusinessHandle {
    pub async fn audit(&self, page: &PageRequest) -> Result<Page<AuditEntry>> {
        self.audit_of(AuditFilter::default(), page).await
    }

    pub async fn audit_of(&self, filter: AuditFilter, page: &PageRequest) -> Result<Page<AuditEntry>> {
        let range = keys::audit_within(self.id, filter.from, filter.until);
        self.list(page, move |reader, page| {
            collect(reader, range, Order::Descending, page, |_, value| {
                let entry = AuditEntry::decode(value)?;
                Ok(filter.admits(&entry).then_some(entry))
            })
        })
        .await
    }
}
