//! The tools `find_contacts`, `get_contact`, `create_contact` and `update_contact`.

use domain::{Conflict, ContactDetails, ContactId, ContactPatch, Email, Locale, Phone, Refusal, Text};
use engine::business::ContactFilter;
use engine::business::commands::contacts::{CreateContact, PatchContact};
use schemars::JsonSchema;
use serde::Serialize;
use view::ContactView;

use super::bounds::{Paging, page, text};
use super::refused::{Refused, listed};
use super::tool_call::ToolCall;
use super::values::{IdempotencyKey, id};
use crate::english;
use crate::http::cursor::CursorText;
use crate::json_object;
use crate::rest::values::RecordId;
use crate::rest::values::time::Zone;

const NONE_FOUND: &str = "No contact matches. All arguments must match, and accents count: try the phone or the email alone, \
    or a part of the surname.";

json_object! {
    pub(super) struct FindContactsArgs {
        /// A part of the name.
        query: Option<Text<1, 200>>,
        /// The complete phone number.
        phone: Option<Phone>,
        /// The complete email address.
        email: Option<Email>,
        /// The next_cursor of the previous page.
        cursor: Option<CursorText>,
    }
}

json_object! {
    pub(super) struct One {
        /// The id of the contact.
        contact_id: String,
    }
}

json_object! {
    pub(super) struct NewContact {
        /// The contact's name.
        name: Option<Text<1, 200>>,
        /// The phone number, in E.164 or national form.
        phone: Option<Phone>,
        /// The email address.
        email: Option<Email>,
        /// The language that the contact speaks.
        locale: Option<Locale>,
        /// The contact's IANA time zone.
        timezone: Option<Zone>,
        /// A repeated call with the same key returns the first result.
        idempotency_key: Option<IdempotencyKey>,
    }
}

json_object! {
    pub(super) struct Change {
        /// The id of the contact.
        contact_id: String,
        /// The contact's name.
        name: Option<Text<1, 200>>,
        /// The phone number, in E.164 or national form.
        phone: Option<Phone>,
        /// The email address.
        email: Option<Email>,
        /// The language that the contact speaks.
        locale: Option<Locale>,
        /// The contact's IANA time zone.
        timezone: Option<Zone>,
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Contact {
    id: String,
    name: Option<String>,
    phone: Option<String>,
    email: Option<String>,
    locale: Option<String>,
    timezone: Option<String>,
}

impl From<&ContactView> for Contact {
    fn from(view: &ContactView) -> Self {
        Self {
            id: view.id.to_string(),
            name: view.name.clone(),
            phone: text(view.phone.as_ref()),
            email: text(view.email.as_ref()),
            locale: text(view.locale.as_ref()),
            timezone: text(view.timezone.as_ref()),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Contacts {
    contacts: Vec<Contact>,
    #[serde(flatten)]
    paging: Paging,
    /// A hint if no contact is found.
    note: Option<String>,
}

pub(super) async fn find(asking: ToolCall, wanted: FindContactsArgs) -> Result<Contacts, Refused> {
    let filter = ContactFilter {
        phone: wanted.phone,
        email: wanted.email,
        name_part: wanted.query.map(Text::into_string),
        ..ContactFilter::default()
    };
    let (business, filter) = (&asking.business, &filter);
    let read = |request| async move { business.contacts(filter, &request).await };
    let show = |view: ContactView| Ok(Contact::from(&view));
    let (contacts, paging) = page(&asking, wanted.cursor.as_ref(), read, show).await?;
    let is_none = contacts.is_empty() && paging.next_cursor.is_none() && wanted.cursor.is_none();
    Ok(Contacts { contacts, paging, note: is_none.then(|| NONE_FOUND.to_owned()) })
}

pub(super) async fn get(asking: ToolCall, one: One) -> Result<Contact, Refused> {
    let found = asking.business.contact(id(&one.contact_id)?).await?;
    Ok(Contact::from(&found.ok_or(ContactId::NOT_FOUND)?))
}

pub(super) async fn create(asking: ToolCall, new: NewContact) -> Result<Contact, Refused> {
    if new.name.is_none() && new.phone.is_none() && new.email.is_none() {
        return Err(Refused::with_text(
            "A contact needs a name, a phone or an email: send at least one of them.",
        ));
    }
    let details = ContactDetails {
        name: new.name,
        phone: new.phone,
        email: new.email,
        locale: new.locale,
        zone: new.timezone.map(Zone::get),
    };
    let answer = asking.change(new.idempotency_key.as_ref(), CreateContact { details }).await;
    Ok(Contact::from(&answer.map_err(known)?.value))
}

pub(super) async fn update(asking: ToolCall, change: Change) -> Result<Contact, Refused> {
    let id: ContactId = id(&change.contact_id)?;
    // If a property is null or absent, the contact keeps its value.
    let patch = ContactPatch {
        name: change.name.map(Some),
        phone: change.phone.map(Some),
        email: change.email.map(Some),
        locale: change.locale.map(Some),
        zone: change.timezone.map(|zone| Some(zone.get())),
        ..ContactPatch::default()
    };
    if matches!(patch, ContactPatch { name: None, phone: None, email: None, locale: None, zone: None, .. }) {
        return Err(Refused::with_text(
            "Nothing was done: besides contact_id, send at least one of name, phone, email, locale, timezone.",
        ));
    }
    let answer = asking.change(None, PatchContact { id, patch }).await;
    Ok(Contact::from(&answer.map_err(known)?.value))
}

/// If the phone number or the email address belongs to another contact, adds the next step to the refusal.
fn known(refused: Refused) -> Refused {
    match refused {
        Refused::Rules(Refusal::Conflict { conflict: conflict @ Conflict::ContactTaken { .. }, details }) => {
            Refused::with_text(format!(
                "Nothing was done: {} ({}). `get_contact` shows that contact, and `update_contact` changes it.",
                english::conflict(&conflict),
                listed(&details)
            ))
        }
        refused => refused,
    }
}
