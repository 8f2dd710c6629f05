//! Erases contacts, sets retention periods and deletes businesses. A business whose profile cannot be decoded has no
//! actor, but can be deleted too.

use domain::{
    Alias, AuditAction, Business, BusinessId, ContactId, ENDPOINTS_MAX, ErasureId, Named, Refusal,
    ResourceId, Retention, RetentionSet, Right, SteadyTime, Timestamp, WebhookId, Website,
};
use store::keys::kind;
use store::records::ErasureRecord;
use store::{Batch, Order, Record, Store, StoreError, Tombstone, Weight, keys};
use view::{EndedView, RetentionView};

use super::website::release;
use crate::business::{
    Change, Context, Decision, Ended, Gives, Idempotency, Removed, Shown, Write, remember, survivor,
};
use crate::error::Result;
use crate::maintenance::erasure;

super::listed!(EndBusiness, EraseContact, PatchRetention);

/// Deletes the record of a contact, and the aliases of the contacts that were merged into it. A background job
/// then deletes the data of all these contacts in other records.
#[derive(Clone, Copy, Debug)]
pub struct EraseContact {
    pub id: ContactId,
}

impl Change for EraseContact {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Frees;
    const RIGHT: Option<Right> = Some(Right::Data);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let (state, of) = (context.state, context.state.id);
        let id = survivor(state, of, self.id)?.ok_or(Refusal::NotFound(Named::Contact))?;
        let read = context.contact(id);
        let gone = match state.store.usable(&keys::contact(of, id), read)? {
            Some(contact) => Write::NoContact(contact.ok_or(Refusal::NotFound(Named::Contact))?),
            None => Write::NoUndecodableContact(id),
        };
        let known = if let Write::NoContact(contact) = &gone { Some(contact) } else { None };
        let erasure_id = context.mint::<ErasureId>();
        let mut rows = erasure::row(of, (id, known), erasure_id);
        for merged in state.merged_into(id)? {
            let alias = state.find::<Alias>(&keys::alias(of, merged))?;
            let former = alias.map(|alias| (alias.id, alias.former));
            let record = ErasureRecord { id: erasure_id, phone: None, email: None, former };
            rows.put(keys::erasure(of, merged), record.encode());
            rows.add_tombstone(Tombstone::ErasedContact(of, merged));
            rows.delete(keys::alias(of, merged));
            rows.delete(keys::alias_of(of, id, merged));
        }
        if context.has(Some(keys::merging(of, id)))? {
            rows.delete(keys::merging(of, id));
        }
        Ok(Decision::gone().note(AuditAction::ContactErase, id).write(gone).write(Write::Rows(rows)))
    }
}

/// Changes the given retention periods, in days. An inner `None` means that the records are never deleted.
#[derive(Clone, Copy, Debug, Default)]
pub struct PatchRetention {
    pub calls_days: Option<Option<u32>>,
    pub messages_days: Option<Option<u32>>,
    pub audit_days: Option<Option<u32>>,
    pub appointments_days: Option<Option<u32>>,
}

impl Change for PatchRetention {
    type Gives = Shown<RetentionView>;
    /// The change is allowed on a nearly full disk, because a shorter retention lets the service delete
    /// records.
    const WEIGHT: Weight = Weight::Keeps;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = context.state.retention;
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
        after.set = Some(RetentionSet {
            at: context.now,
            steady: context.state.clocks.steady(),
            before: before_this,
        });
        let now_shown = RetentionView::from(&after);
        Ok(Decision::answering(now_shown)
            .note_change_from(AuditAction::RetentionUpdated, context.state.id, &shown)
            .write(Write::Retention(after)))
    }

    fn needs(&self) -> Option<Right> {
        // The audit log records the members' actions, so only an owner may change the retention period of the audit
        // log.
        Some(if self.audit_days.is_some() { Right::Ownership } else { Right::Data })
    }
}

/// Deletes the profile of a business, so the business no longer exists. A background job then deletes the other rows.
#[derive(Clone, Copy, Debug)]
pub struct EndBusiness {
    /// The idempotency key with which the answer is stored. The answer is stored in rows of the installation,
    /// because the rows of the business are deleted.
    pub once: Option<Idempotency>,
}

impl Change for EndBusiness {
    type Gives = Ended;
    const WEIGHT: Weight = Weight::Frees;
    const RIGHT: Option<Right> = Some(Right::Operation);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let of = context.state.id;
        let shown = EndedView { id: of };
        let mut decision =
            Decision::answering(shown).note(AuditAction::BusinessEnded, of).write(Write::NoBusiness);
        for endpoint in context.state.webhooks.values() {
            decision = decision.write(Write::NoWebhook(endpoint.id));
        }
        let mut rows = Batch::default();
        release(of, &context.state.website, context.at, &mut rows);
        if let Some(once) = self.once {
            remember_end(of, context.state.clocks.steady(), once, &mut rows);
        }
        if !rows.is_empty() {
            decision = decision.write(Write::Rows(rows));
        }
        Ok(decision)
    }
}

pub(crate) fn is_undecodable(store: &Store, of: BusinessId) -> Result<bool, StoreError> {
    Ok(store.look::<Business>(&keys::profile(of))?.is_none())
}

pub(crate) fn end_undecodable(
    store: &Store,
    of: BusinessId,
    now: Timestamp,
) -> Result<(Batch, Vec<WebhookId>), StoreError> {
    let (mut batch, mut endpoints) = (Batch::default(), Vec::new());
    Write::NoBusiness.encode(of, &mut batch);
    if let Some(website) = store.find::<Website>(&keys::website(of))? {
        release(of, &website, now, &mut batch);
    }
    for row in store.rows().scan(&keys::of_kind(of, kind::WEBHOOK), Order::Ascending).take(ENDPOINTS_MAX) {
        let key = row?.0;
        if let Some(id) = store.usable(&key, keys::id_at_end(&key))? {
            Write::NoWebhook(id).encode(of, &mut batch);
            endpoints.push(id);
        }
    }
    Ok((batch, endpoints))
}

/// Stores the answer to the deletion of a business, for a repeated request. The answer is stored as rows of the
/// installation, because all rows of the business are deleted.
pub(crate) fn remember_end(of: BusinessId, now: SteadyTime, once: Idempotency, batch: &mut Batch) {
    let kept = Ended::render(&EndedView { id: of });
    remember(BusinessId::INSTALLATION, now, once, (Ended::STATUS, kept), batch);
}
