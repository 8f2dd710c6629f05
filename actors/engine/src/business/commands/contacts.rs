//! Creates, changes and merges contacts.

use domain::{
    Alias, AuditAction, Conflict, Contact, ContactDetails, ContactId, ContactPatch, Email, EmailConsent,
    EventType, MERGES_MAX, Named, Phone, ProblemCode, Refusal, Right, TextConsent, check_unique,
};
use store::{Batch, StoreError, Weight, keys};
use view::{ContactView, OperatorContactView, SomeContactView};

use super::for_both;
use crate::business::{Change, Context, Decision, Gives, New, Removed, Shown, Write};
use crate::error::Result;
use crate::mail::{consent_of, write_email_consent, write_text_consent};

super::listed!(CreateContact, MergeContacts, NoteExport, PatchContact);

#[derive(Clone, Debug)]
pub struct CreateContact {
    /// The details contain at least a name, a phone number or an email address.
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
            .note_change_from(AuditAction::ContactUpdated, before.id, &shown)
            .write(Write::Contact { before: Some(before), after }))
    }
}

/// Writes an audit entry: a member or the operator has downloaded records as a file.
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

/// Merges the contact `from` into the contact `id`, which keeps its id and gets the given phone number and
/// email address. See [`Contact::merged`] for the other fields. A background job then moves the records of
/// `from`.
#[derive(Clone, Debug)]
pub struct MergeContacts {
    pub id: ContactId,
    pub from: ContactId,
    pub phone: Option<Phone>,
    pub email: Option<Email>,
}

impl Change for MergeContacts {
    type Gives = Shown<OperatorContactView>;
    const RIGHT: Option<Right> = Some(Right::Data);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Self { id, from, phone, email } = self;
        let (state, of) = (context.state, context.state.id);
        let before = to_merge(context, id, "contact_id")?.ok_or(Refusal::NotFound(Named::Contact))?;
        let gone = to_merge(context, from, "from")?
            .ok_or_else(|| Refusal::invalid("from", ProblemCode::NotOfTheBusiness(Named::Contact)))?;
        let shown = OperatorContactView::from(&before);
        context.check_match(&shown)?;
        if before.id == gone.id {
            return Err(Refusal::invalid("from", ProblemCode::SameContact).into());
        }
        let mut after = before.merged(&gone, phone, email)?;
        if ContactView::from(&after) != ContactView::from(&before) {
            after.updated_at = context.at;
        }
        let merged_earlier = state.merged_into(gone.id)?;
        if state.merged_into(before.id)?.len() + merged_earlier.len() >= MERGES_MAX {
            let is_full = Conflict::MergesFull(MERGES_MAX);
            return Err(Refusal::conflict(is_full, "from", ProblemCode::ValuesMax(MERGES_MAX)).into());
        }
        let identifiers =
            |it: &Contact| [it.phone.as_deref(), it.email.as_deref()].map(|it| it.map(str::to_owned));
        let kept = identifiers(&after);
        let of_both = identifiers(&before).into_iter().chain(identifiers(&gone));
        let former = of_both.filter(|it| !kept.contains(it)).flatten();
        let alias = Alias {
            from: gone.id,
            into: before.id,
            id: context.mint(),
            former: former.map(|it| keys::identifier_digest(&it)).collect(),
            is_moving: true,
        };
        let mut decision = Decision::answering(OperatorContactView::from(&after))
            .note_change_from(AuditAction::ContactMerged, before.id, &shown)
            .merged(gone.id);
        for earlier in merged_earlier {
            let known = state.find::<Alias>(&keys::alias(of, earlier))?;
            // If the alias cannot be decoded, it is written again with the two ids from its index row.
            let lost = || Alias {
                from: earlier,
                into: gone.id,
                id: context.mint(),
                former: Vec::new(),
                is_moving: false,
            };
            let alias = known.unwrap_or_else(lost);
            let leads_on = Alias { into: before.id, ..alias.clone() };
            decision = decision.write(Write::put(of, Some(&alias), &leads_on));
        }
        let consents = stricter_consents(context, [&before, &gone], &after)?;
        if !consents.is_empty() {
            decision = decision.write(Write::Rows(consents));
        }
        // The merged contact is deleted first, because the survivor may get its phone number or email address.
        Ok(decision.write(Write::Merged(gone, alias)).write(Write::Contact { before: Some(before), after }))
    }
}

/// Builds the rows of the consents for the email address and the phone number of the survivor of a merge. Each row
/// contains the stricter of the two contacts' consents. For example, if the customer stopped the emails to one of the
/// two addresses, the survivor's address gets no emails.
fn stricter_consents(context: &Context<'_>, both: [&Contact; 2], after: &Contact) -> Result<Batch> {
    let (state, of, secret) = (context.state, context.state.id, &context.state.outbox.secret);
    let consent = |contact: &Contact| consent_of(|key| state.find(key), secret, of, contact);
    let (one, other, kept) = (consent(both[0])?, consent(both[1])?, consent(after)?);
    let mut rows = Batch::default();
    let strict = [EmailConsent::None, EmailConsent::NoReminders];
    let strict = strict.into_iter().find(|strict| [one.email, other.email].contains(&Some(*strict)));
    if let (Some(address), Some(strict)) = (&after.email, strict)
        && kept.email != Some(strict)
    {
        write_email_consent(&mut rows, (secret, of), address.as_str(), strict);
    }
    let is_refused = [one.texts, other.texts].contains(&Some(TextConsent::Refused));
    if let Some(phone) = after.phone.as_deref()
        && is_refused
        && kept.texts != Some(TextConsent::Refused)
    {
        write_text_consent(&mut rows, (secret, of), phone, TextConsent::Refused);
    }
    Ok(rows)
}

/// Returns the contact, or `None` if it is unknown. Refuses a contact that was erased, or that still gets the records
/// of an earlier merge. The refusal names the field `path`.
fn to_merge(context: &Context<'_>, id: ContactId, path: &str) -> Result<Option<Contact>> {
    let of = context.state.id;
    let Some(contact) = context.contact(id)? else {
        if context.has(Some(keys::erasure(of, id)))? {
            return Err(Refusal::conflict(Conflict::ContactErased, path, ProblemCode::ContactErased).into());
        }
        return Ok(None);
    };
    if context.has(Some(keys::merging(of, contact.id)))? {
        return Err(Refusal::conflict(Conflict::ContactMerging, path, ProblemCode::ContactMerging).into());
    }
    Ok(Some(contact))
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

pub(in crate::business) fn find(
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
