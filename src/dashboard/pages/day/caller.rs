//! Contacts on the pages of a day: display and search.

use domain::{Email, Phone};
use engine::business::{ContactFilter, PageRequest};
use view::ContactView;

use crate::dashboard::pages::prelude::*;
use crate::http::query::FromQuery;
use crate::rest::through::{Through, read_through};
use crate::rest::values::phone::PhoneRegion;

const OFFERED: usize = 8;
/// The maximum length of a search text, in characters. It equals the limit of contact names.
const LOOKED_FOR_CHARS_MAX: usize = 200;

pub(super) struct Caller {
    pub(super) id: String,
    /// The name, else the phone number or email address.
    pub(super) name: String,
    pub(super) initials: String,
    pub(super) phone: Option<Number>,
    pub(super) email: Option<Mailbox>,
    pub(super) path: String,
}

impl Caller {
    pub(super) fn new(member: &Member, view: &View, contact: &ContactView) -> Self {
        let known = [&contact.name, &contact.phone, &contact.email].into_iter().flatten();
        let name = known.into_iter().find(|name| !name.trim().is_empty()).cloned();
        let name = name.unwrap_or_else(|| view.t("somebody"));
        Self {
            id: contact.id.to_string(),
            initials: initials(&name),
            name,
            phone: Number::of(contact.phone.as_ref()),
            email: Mailbox::of(contact.email.as_ref()),
            path: member.way_to("contacts", contact.id).unwrap_or_default(),
        }
    }

    pub(super) fn reached(&self) -> String {
        let phone = self.phone.as_ref().filter(|phone| phone.e164 != self.name);
        let email = self.email.as_ref().filter(|email| email.email != self.name);
        let both =
            phone.map(|phone| phone.shown.as_str()).into_iter().chain(email.map(|email| &*email.email));
        both.collect::<Vec<_>>().join(" · ")
    }
}

/// Searches contacts by a part of the name, a phone number or an email, newest first.
pub(super) async fn look_for(member: &Member, wanted: &str) -> Result<Through<ContactView>, Refused> {
    let wanted = wanted.trim();
    if wanted.is_empty() || wanted.chars().count() > LOOKED_FOR_CHARS_MAX {
        return Ok(Through { items: Vec::new(), next: None, is_incomplete: false });
    }
    let mut filter = ContactFilter::default();
    if let Ok(phone) = Phone::from_query(wanted, &PhoneRegion::reading(&member.profile)) {
        filter.phone = Some(phone);
    } else if let Ok(email) = Email::new(wanted) {
        filter.email = Some(email);
    } else {
        filter.name_part = Some(wanted.to_owned());
    }
    let (business, filter) = (&member.business, &filter);
    let read = |page| async move { business.contacts(filter, &page).await };
    Ok(read_through(PageRequest { limit: OFFERED, after: None }, read).await?)
}
