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

impl View {
    /// The contact's name, else the phone number or email address.
    pub(super) fn name_to_choose(&self, contact: &ContactView) -> String {
        let known = [&contact.name, &contact.phone, &contact.email].into_iter().flatten();
        let name = known.into_iter().find(|name| !name.trim().is_empty()).cloned();
        name.unwrap_or_else(|| self.t("somebody"))
    }

    /// The phone number and the email, without the one that is shown as the name.
    pub(super) fn reached(&self, contact: &ContactView) -> String {
        let name = self.name_to_choose(contact);
        let phone = contact.phone.as_ref().filter(|phone| **phone != name).map(|phone| self.phone(phone));
        let email = contact.email.clone().filter(|email| *email != name);
        phone.into_iter().chain(email).collect::<Vec<_>>().join(" · ")
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
