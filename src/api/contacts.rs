//! `/contacts` lists, shows, creates and changes contacts.

use domain::{ContactDetails, ContactId, ContactPatch, Email, Locale, Phone, ProblemCode, Text, Timestamp};
use engine::business::ContactFilter;
use engine::business::commands::contacts::{CreateContact, PatchContact};
use view::{ContactView, SomeContactView};

use crate::http::patch::Patch;
use crate::http::problems::{FieldPath, Problems};
use crate::http::read::Properties;
use crate::rest::prelude::*;
use crate::rest::values::time::Zone;
use crate::{json_object, list_query};

json_object! {
    /// A new contact, with at least a name, a phone or an email.
    pub(crate) struct NewContactBody {
        /// The contact's name.
        name: Option<Text<1, 200>>,
        /// The phone number, in E.164 or national form. No other contact may have it.
        phone: Option<Phone>,
        /// The email address. No other contact may have it.
        email: Option<Email>,
        /// The contact's language.
        locale: Option<Locale>,
        /// The contact's IANA time zone.
        timezone: Option<Zone>,
    }
    check name_phone_or_email
}

json_object! {
    /// A change to a contact. A property that is absent keeps its value; null clears it. The contact must
    /// keep a name, a phone or an email.
    pub(crate) struct ContactPatchBody {
        /// The contact's name.
        name: Patch<Option<Text<1, 200>>>,
        /// The phone number, in E.164 or national form. No other contact may have it.
        phone: Patch<Option<Phone>>,
        /// The email address. No other contact may have it.
        email: Patch<Option<Email>>,
        /// The contact's language.
        locale: Patch<Option<Locale>>,
        /// The contact's IANA time zone.
        timezone: Patch<Option<Zone>>,
    }
}

json_object! {
    /// A change that the team makes to a contact. A property that is absent keeps its value; null clears it. The
    /// contact must keep a name, a phone or an email.
    pub(crate) struct OperatorContactPatchBody {
        /// The contact's name.
        name: Patch<Option<Text<1, 200>>>,
        /// The phone number, in E.164 or national form. No other contact may have it.
        phone: Patch<Option<Phone>>,
        /// The email address. No other contact may have it.
        email: Patch<Option<Email>>,
        /// The contact's language.
        locale: Patch<Option<Locale>>,
        /// The contact's IANA time zone.
        timezone: Patch<Option<Zone>>,
        /// The team's notes. A change to the notes alone keeps `updated_at`.
        notes: Patch<Option<Text<1, 1000>>>,
        /// The text that the team sees next to the name. A change to the alert alone keeps `updated_at`.
        alert: Patch<Option<Text<1, 100>>>,
    }
}

json_object! {
    /// A merge of the contact `from` into the contact in the path.
    pub(crate) struct MergeBody {
        /// The id of the contact to merge. After the merge, this id also identifies the contact in the path.
        from: ContactId,
        /// The phone number of the contact in the path after the merge: the number of one of the two contacts, or null.
        phone: Option<Phone>,
        /// The email address of the contact in the path after the merge: the address of one of the two contacts, or
        /// null.
        email: Option<Email>,
    }
}

list_query! {
    /// The filters of a list of contacts.
    pub(crate) struct ContactsQuery => ContactFilter {
        /// Only the contact with this number, E.164 or national.
        phone: Option<Phone>,
        /// Only the contact with this email address.
        email: Option<Email>,
        /// Only contacts whose name contains this text, in any letter case.
        name_part as "q": Option<Text<1, 200>>,
        /// Only contacts changed at or after this instant, in the order of their changes.
        updated_since: Option<Timestamp>,
    }
}

impl From<NewContactBody> for ContactDetails {
    fn from(body: NewContactBody) -> Self {
        Self {
            name: body.name,
            phone: body.phone,
            email: body.email,
            locale: body.locale,
            zone: body.timezone.map(Zone::get),
        }
    }
}

impl From<ContactPatchBody> for ContactPatch {
    fn from(body: ContactPatchBody) -> Self {
        Self {
            name: body.name.set(),
            phone: body.phone.set(),
            email: body.email.set(),
            locale: body.locale.set(),
            zone: body.timezone.set().map(|zone| zone.map(Zone::get)),
            ..Self::default()
        }
    }
}

impl From<OperatorContactPatchBody> for ContactPatch {
    fn from(body: OperatorContactPatchBody) -> Self {
        let OperatorContactPatchBody { name, phone, email, locale, timezone, notes, alert } = body;
        let seen = ContactPatchBody { name, phone, email, locale, timezone };
        Self { notes: notes.set(), alert: alert.set(), ..seen.into() }
    }
}

/// Reports a problem if the name, the phone and the email are all absent.
pub(crate) fn name_phone_or_email(properties: &Properties<'_>, at: &FieldPath<'_>, problems: &mut Problems) {
    if !["name", "phone", "email"].iter().any(|name| properties.has(name)) {
        problems.add(at, ProblemCode::NamePhoneOrEmail);
    }
}

pub(super) async fn list(
    context: Context,
    Query(query): Query<ContactsQuery>,
    business: Business,
) -> Result<Listed<ContactView>, ApiError> {
    let asked = query.open(&context, business.list("contacts"))?;
    Ok(asked.listed(business.contacts(&asked.filter, &asked.page).await?))
}

pub(crate) async fn show<V: SomeContactView>(
    _: Context,
    Path(id): Path<ContactId>,
    business: Business,
) -> Result<One<V>, ApiError> {
    Ok(One::of(&business.contact_as::<V>(id).await?.ok_or(ContactId::NOT_FOUND)?))
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<NewContactBody>,
) -> Result<Created<ContactView>, ApiError> {
    context.change(CreateContact { details: body.into() }).await
}

pub(super) async fn update(
    context: Context,
    Body(body): Body<ContactPatchBody>,
    Path(id): Path<ContactId>,
) -> Result<Changed<ContactView>, ApiError> {
    context.change(PatchContact { id, patch: body.into() }).await
}
