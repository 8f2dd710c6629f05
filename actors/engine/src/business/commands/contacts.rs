//! Creates and changes contacts.

use domain::{
    AuditAction, Contact, ContactDetails, ContactId, ContactPatch, Email, EventType, Named, Phone, Refusal,
    Right, check_unique,
};
use store::{StoreError, Weight, keys};
use view::{ContactView, OperatorContactView, SomeContactView};

use super::for_both;
use crate::business::{Change, Context, Decision, Gives, New, Removed, Shown, Write};
use crate::error::Result;

#[derive(Clone, Debug)]
pub struct CreateContact {
    /// Contains at least a name, a phone number or an e-mail address.
    pub details: ContactDetails,
}

impl CreateContact {
    fn decide_as<V: SomeContactView>(self, context: &mut Context<'_>) -> Result<Decision<New<V>>> {
        let contact = self.details.into_contact(context.mint(), context.at);
        check_free(context, &contact)?;
        Ok(Decision::answering(V::from(&contact)).with_new_contact(context, contact))
    }
}

#[derive(Clone, Debug)]
pub struct PatchContact {
    pub id: ContactId,
    pub patch: ContactPatch,
}

impl PatchContact {
    fn decide_as<V: SomeContactView>(self, context: &mut Context<'_>) -> Result<Decision<Shown<V>>> {
        let before = context.contact(self.id)?.ok_or(Refusal::NotFound(Named::Contact))?;
        let shown = V::from(&before);
        context.check_match(&shown)?;
        let mut after = self.patch.apply(&before)?;
        if after == before {
            return Ok(Decision::answering(shown));
        }
        check_free(context, &after)?;
        // `updated_at` changes only if integrations can see the change.
        if ContactView::from(&after) != ContactView::from(&before) {
            after.updated_at = context.at;
        }
        Ok(Decision::answering(V::from(&after))
            .note_change_from(AuditAction::ContactUpdated, self.id, &shown)
            .write(Write::Contact { before: Some(before), after }))
    }
}

/// Records in the audit log that a member or the operator gets a file of records.
#[derive(Clone, Copy, Debug)]
pub struct NoteExport(pub AuditAction);

impl Change for NoteExport {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Keeps;
    const RIGHT: Option<Right> = Some(Right::Data);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Removed>> {
        Ok(Decision::gone().note(self.0, context.state.id))
    }
}

for_both! {
    CreateContact => New<ContactView, OperatorContactView>, Grows;
    PatchContact => Shown<ContactView, OperatorContactView>, Grows;
}

fn check_free(context: &Context<'_>, contact: &Contact) -> Result<()> {
    let of = context.state.id;
    let holder = |row| Ok::<_, StoreError>(context.contact_at(&row)?.map(|holder| holder.id));
    let phone = contact.phone.as_ref().map(|phone| holder(keys::contact_by_phone(of, phone)));
    let email = contact.email.as_ref().map(|email| holder(keys::contact_by_email(of, email)));
    Ok(check_unique(Some(contact.id), phone.transpose()?.flatten(), email.transpose()?.flatten())?)
}

pub(super) fn find(
    context: &Context<'_>,
    phone: Option<&Phone>,
    email: Option<&Email>,
) -> Result<Option<Contact>, StoreError> {
    let of = context.state.id;
    if let Some(phone) = phone
        && let Some(contact) = context.contact_at(&keys::contact_by_phone(of, phone))?
    {
        return Ok(Some(contact));
    }
    match email {
        Some(email) => context.contact_at(&keys::contact_by_email(of, email)),
        None => Ok(None),
    }
}

impl<G: Gives> Decision<G> {
    #[must_use]
    pub(super) fn with_new_contact(mut self, context: &Context<'_>, contact: Contact) -> Self {
        if context.announces(EventType::ContactCreated) {
            self = self.announce_too(EventType::ContactCreated, &ContactView::from(&contact));
        }
        self.note(AuditAction::ContactCreated, contact.id)
            .write(Write::Contact { before: None, after: contact })
    }
}
