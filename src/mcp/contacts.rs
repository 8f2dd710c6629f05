//! `find_contacts`, `get_contact`, `create_contact` and `update_contact`.

use std::borrow::Cow;

use domain::{Conflict, ContactDetails, ContactId, ContactPatch, Email, Locale, Phone, Refusal, Text};
use engine::business::ContactFilter;
use engine::business::commands::contacts::{CreateContact, PatchContact};
use schemars::JsonSchema;
use serde::Serialize;
use view::ContactView;

use super::asking::Asking;
use super::lists::{Listed, page};
use super::refused::Refused;
use super::values::{IdText, IdempotencyKey};
use crate::english;
use crate::http::cursor::CursorText;
use crate::json_object;
use crate::rest::values::RecordId;
use crate::rest::values::time::Zone;

const NOBODY: &str = "Nobody was found. All that is sent must fit, and accents count: try one of phone and email alone, \
    or part of the surname.";

json_object! {
    /// Which contacts are asked for.
    pub(super) struct Wanted {
        /// Part of the name.
        query: Option<Text<1, 200>>,
        /// Whole number.
        phone: Option<Phone>,
        /// Whole address.
        email: Option<Email>,
        /// next_cursor of the page before.
        cursor: Option<CursorText>,
    }
}

json_object! {
    /// Which contact is asked for.
    pub(super) struct One {
        /// Their id.
        contact_id: IdText,
    }
}

json_object! {
    /// A contact as it is created.
    pub(super) struct NewContact {
        /// Their name.
        name: Option<Text<1, 200>>,
        /// Any usual form.
        phone: Option<Phone>,
        /// Their address.
        email: Option<Email>,
        /// What they speak.
        locale: Option<Locale>,
        /// IANA name.
        timezone: Option<Zone>,
        /// The same key again gives the first answer.
        idempotency_key: Option<IdempotencyKey>,
    }
}

json_object! {
    /// What of a contact is to change.
    pub(super) struct Change {
        /// Their id.
        contact_id: IdText,
        /// Their name.
        name: Option<Text<1, 200>>,
        /// Any usual form.
        phone: Option<Phone>,
        /// Their address.
        email: Option<Email>,
        /// What they speak.
        locale: Option<Locale>,
        /// IANA name.
        timezone: Option<Zone>,
    }
}

/// A contact, as a model reads it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Contact {
    id: String,
    name: Option<String>,
    phone: Option<String>,
    email: Option<String>,
    locale: Option<String>,
    timezone: Option<String>,
}

/// A page of contacts.
#[derive(Serialize, JsonSchema)]
pub(super) struct Contacts {
    contacts: Vec<Contact>,
    next_cursor: Option<String>,
    search_incomplete: Option<bool>,
    /// What to try if no contact is found.
    note: Option<String>,
}

impl From<ContactView> for Contact {
    fn from(view: ContactView) -> Self {
        Self {
            id: view.id.to_string(),
            name: view.name,
            phone: view.phone,
            email: view.email,
            locale: view.locale.map(|locale| locale.to_string()),
            timezone: view.timezone.map(Cow::into_owned),
        }
    }
}

pub(super) async fn find(asking: Asking, wanted: Wanted) -> Result<Contacts, Refused> {
    let filter = ContactFilter {
        phone: wanted.phone,
        email: wanted.email,
        name_part: wanted.query.map(Text::into_string),
        updated_since: None,
    };
    let (business, filter) = (&asking.business, &filter);
    let read = |request| async move { business.contacts(filter, &request).await };
    let Listed { items, next_cursor, search_incomplete } =
        page(&asking, wanted.cursor.as_ref(), read, |view| Ok(Contact::from(view))).await?;
    let is_nobody = items.is_empty() && next_cursor.is_none() && wanted.cursor.is_none();
    let note = is_nobody.then(|| NOBODY.to_owned());
    Ok(Contacts { contacts: items, next_cursor, search_incomplete, note })
}

pub(super) async fn get(asking: Asking, one: One) -> Result<Contact, Refused> {
    let found = asking.business.contact(one.contact_id.get()?).await?;
    Ok(found.ok_or(ContactId::NOT_FOUND)?.into())
}

pub(super) async fn create(asking: Asking, new: NewContact) -> Result<Contact, Refused> {
    if new.name.is_none() && new.phone.is_none() && new.email.is_none() {
        return Err(Refused::told("A contact needs a name, a phone or an email: send at least one of them."));
    }
    let details = ContactDetails {
        name: new.name,
        phone: new.phone,
        email: new.email,
        locale: new.locale,
        zone: new.timezone.map(Zone::get),
    };
    let answer = asking.change(new.idempotency_key.as_ref(), CreateContact { details }).await;
    Ok(answer.map_err(known)?.value.into())
}

pub(super) async fn update(asking: Asking, change: Change) -> Result<Contact, Refused> {
    let id: ContactId = change.contact_id.get()?;
    let properties = [
        change.name.is_some(),
        change.phone.is_some(),
        change.email.is_some(),
        change.locale.is_some(),
        change.timezone.is_some(),
    ];
    if !properties.contains(&true) {
        return Err(Refused::told(
            "Nothing was asked for: beside contact_id send at least one of name, phone, email, locale, timezone.",
        ));
    }
    // Null is the same as absent, and both keep the value.
    let patch = ContactPatch {
        name: change.name.map(Some),
        phone: change.phone.map(Some),
        email: change.email.map(Some),
        locale: change.locale.map(Some),
        zone: change.timezone.map(|zone| Some(zone.get())),
        ..ContactPatch::default()
    };
    let answer = asking.change(None, PatchContact { id, patch }).await;
    Ok(answer.map_err(known)?.value.into())
}

/// Adds the next step to the refusal of a phone number or email address of another contact.
fn known(refused: Refused) -> Refused {
    match refused {
        Refused::Rules(Refusal::Conflict { conflict: conflict @ Conflict::ContactTaken { .. }, details }) => {
            let message = english::conflict(&conflict);
            let told: Vec<String> = details
                .iter()
                .map(|detail| format!("{} {}", detail.path, english::problem(&detail.code)))
                .collect();
            Refused::told(format!(
                "Nothing was done: {message} ({}). `get_contact` shows that one, and `update_contact` changes it.",
                told.join("; ")
            ))
        }
        refused => refused,
    }
}
