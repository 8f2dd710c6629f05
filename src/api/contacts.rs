//! `/contacts`: list, get, create and change.

use std::convert::identity;

use actors::business::ContactFilter;
use actors::business::commands::contacts::{CreateContact, PatchContact};
use actors::domain::{
    ContactDetails, ContactId, ContactPatch, Email, Locale, Phone, Refusal, Text, Timestamp,
};
use chrono_tz::Tz;

use crate::http::call::Call;
use crate::http::cursor::CursorText;
use crate::http::query::Limit;
use crate::http::read::{Patch, Path, Problems, Properties};
use crate::http::routes::Handled;
use crate::{json_object, query_object};

json_object! {
    /// A contact as it is created: with a name, a phone or an email at least.
    pub(crate) struct NewContactBody {
        /// Their name.
        name: Option<Text<1, 200>>,
        /// Their phone number, E.164 or national; no other contact has it.
        phone: Option<Phone>,
        /// Their email address; no other contact has it.
        email: Option<Email>,
        /// The language they speak.
        locale: Option<Locale>,
        /// Their IANA time zone.
        timezone: Option<Tz>,
    }
    check name_phone_or_email
}

json_object! {
    /// What of a contact is to change: what is absent stays, null clears. A name, a phone or an email must remain.
    pub(crate) struct ContactPatchBody {
        /// Their name.
        name: Patch<Option<Text<1, 200>>>,
        /// Their phone number, E.164 or national; no other contact has it.
        phone: Patch<Option<Phone>>,
        /// Their email address; no other contact has it.
        email: Patch<Option<Email>>,
        /// The language they speak.
        locale: Patch<Option<Locale>>,
        /// Their IANA time zone.
        timezone: Patch<Option<Tz>>,
    }
    check crate::http::read::not_empty
}

query_object! {
    /// Which contacts are asked for.
    pub(super) struct ContactsQuery {
        /// Only the one with this number, E.164 or national.
        phone: Option<Phone>,
        /// Only the one with this address.
        email: Option<Email>,
        /// Only those with this in their name, in any case.
        q: Option<Text<1, 200>>,
        /// Only those changed at or after this instant, in the order of their changes.
        updated_since: Option<Timestamp>,
        /// At most so many.
        limit: Limit<50, 100>,
        /// Where an earlier page ended.
        cursor: Option<CursorText>,
    }
}

/// A contact with none of the three could never be told from another.
fn name_phone_or_email(properties: &Properties<'_>, at: &Path<'_>, problems: &mut Problems) {
    if !["name", "phone", "email"].iter().any(|name| properties.has(name)) {
        problems.add(at, "must have one of name, phone, email");
    }
}

pub(super) async fn list(call: Call) -> Handled {
    let query: ContactsQuery = call.query()?;
    let binding = call
        .binding("contacts")?
        .with_filter(query.phone.as_ref().map(Phone::as_str))
        .with_filter(query.email.as_ref().map(Email::as_str))
        .with_filter(query.q.as_ref().map(Text::as_str))
        .with_filter(query.updated_since);
    let page = call.page(query.limit.get(), query.cursor.as_ref(), &binding)?;
    let filter = ContactFilter {
        phone: query.phone,
        email: query.email,
        name_part: query.q.map(Text::into_string),
        updated_since: query.updated_since,
    };
    let found = call.business()?.contacts(&filter, &page).await?;
    call.list(found, &binding, identity)
}

pub(super) async fn show(call: Call) -> Handled {
    call.no_query()?;
    let id: ContactId = call.id("contact_id", "contact")?;
    let contact = call.business()?.contact(id).await?;
    call.one(&contact.ok_or(Refusal::NotFound("contact"))?)
}

pub(super) async fn create(mut call: Call) -> Handled {
    let body: NewContactBody = call.body().await?;
    let details = ContactDetails {
        name: body.name,
        phone: body.phone,
        email: body.email,
        locale: body.locale,
        zone: body.timezone,
    };
    call.change(CreateContact { details }).await
}

pub(super) async fn update(mut call: Call) -> Handled {
    let body: ContactPatchBody = call.body().await?;
    let id = call.id("contact_id", "contact")?;
    let patch = ContactPatch {
        name: body.name.set(),
        phone: body.phone.set(),
        email: body.email.set(),
        locale: body.locale.set(),
        zone: body.timezone.set(),
    };
    call.change(PatchContact { id, patch }).await
}
