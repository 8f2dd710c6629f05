//! Erases contacts, sets the retention and deletes the business.

use domain::{AuditAction, ContactId, ErasureId, Named, Refusal, ResourceId, Retention, RetentionSet, Right};
use store::{Batch, Weight, keys};
use view::{EndedView, RetentionView};

use crate::business::Write;
use crate::business::change::Change;
use crate::business::context::Context;
use crate::business::decision::Decision;
use crate::business::request::{Ended, Idempotency, Removed, Shown};
use crate::business::undecodable::remember_end;
use crate::error::EngineError;
use crate::maintenance::erasure;

/// Erases a contact. This change deletes the contact's own record. A background job deletes the contact's
/// data in other records.
#[derive(Clone, Copy, Debug)]
pub struct EraseContact {
    pub id: ContactId,
}

impl Change for EraseContact {
    type Gives = Removed;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let of = context.business_id();
        let read = context.contact(self.id);
        let gone = match context.usable(&keys::contact(of, self.id), read)? {
            Some(contact) => Write::NoContact(contact.ok_or(Refusal::NotFound(Named::Contact))?),
            None => Write::NoUndecodableContact(self.id),
        };
        let phone = if let Write::NoContact(contact) = &gone { contact.phone.as_deref() } else { None };
        let rows = erasure::row(of, (self.id, phone), context.mint::<ErasureId>());
        Ok(Decision::gone().note(AuditAction::ContactErase, self.id).write(gone).write(Write::Rows(rows)))
    }

    fn needs(&self) -> Option<Right> {
        Some(Right::Data)
    }

    fn weight(&self) -> Weight {
        Weight::Frees
    }
}

/// Changes the given retention times. The inner `None` keeps records forever.
#[derive(Clone, Copy, Debug, Default)]
pub struct PatchRetention {
    /// Days from the creation.
    pub calls_days: Option<Option<u32>>,
    /// Days from the creation.
    pub messages_days: Option<Option<u32>>,
    /// Days from the creation.
    pub audit_days: Option<Option<u32>>,
    /// Days from the end of the appointment.
    pub appointments_days: Option<Option<u32>>,
}

impl Change for PatchRetention {
    type Gives = Shown<RetentionView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let before = context.retention();
        let shown = RetentionView::from(&before);
        context.check_match(&shown)?;
        let mut after = Retention {
            calls_days: self.calls_days.unwrap_or(before.calls_days),
            messages_days: self.messages_days.unwrap_or(before.messages_days),
            audit_days: self.audit_days.unwrap_or(before.audit_days),
            appointments_days: self.appointments_days.unwrap_or(before.appointments_days),
            set: before.set,
        };
        if after == before {
            return Ok(Decision::answering(shown));
        }
        let before_this = context.mint::<ErasureId>().uuid();
        after.set = Some(RetentionSet { at: context.now(), steady: context.steady(), before: before_this });
        let now_shown = RetentionView::from(&after);
        Ok(Decision::answering(now_shown)
            .note_change_from(AuditAction::RetentionUpdated, context.business_id(), &shown)
            .write(Write::Retention(after)))
    }

    fn needs(&self) -> Option<Right> {
        // The audit log records the members' actions for the owner, so only an owner may change its
        // retention.
        Some(if self.audit_days.is_some() { Right::Ownership } else { Right::Data })
    }

    fn weight(&self) -> Weight {
        // Allowed on a nearly full disk, because it lets the service delete more.
        Weight::Keeps
    }
}

/// Deletes the business. A background job deletes its rows afterwards.
#[derive(Clone, Copy, Debug)]
pub struct EndBusiness {
    /// The idempotency key. The answer is stored in the rows of the installation, because the rows of the
    /// business are deleted.
    pub once: Option<Idempotency>,
}

impl Change for EndBusiness {
    type Gives = Ended;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let of = context.business_id();
        let shown = EndedView { id: of };
        let mut decision =
            Decision::answering(shown).note(AuditAction::BusinessEnded, of).write(Write::NoBusiness);
        for endpoint in context.webhooks() {
            decision = decision.write(Write::NoWebhook(endpoint.id));
        }
        if let Some(once) = self.once {
            let mut rows = Batch::default();
            remember_end(of, context.steady(), once, &mut rows);
            decision = decision.write(Write::Rows(rows));
        }
        Ok(decision)
    }

    fn needs(&self) -> Option<Right> {
        Some(Right::Operation)
    }

    fn weight(&self) -> Weight {
        Weight::Frees
    }
}
