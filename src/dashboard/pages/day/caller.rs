//! Contacts on the pages of the day: who they are, how they are reached, and looking for one.

use actors::business::{ContactFilter, PageRequest};
use actors::domain::{Email, Phone};
use actors::view::ContactView;

use crate::dashboard::asked::Member;
use crate::dashboard::parts::initials;
use crate::dashboard::refused::Refused;
use crate::dashboard::view::View;
use crate::http::query::FromQuery;
use crate::rest::values::phone::PhoneRegion;

/// How many contacts are offered of those that are looked for.
const OFFERED: usize = 8;
/// What is looked for is at most so long, as contacts' names are.
const LOOKED_FOR_CHARS_MAX: usize = 200;

/// A contact as a page shows them.
pub(super) struct Caller {
    pub(super) id: String,
    /// Their name, else how they are reached.
    pub(super) name: String,
    pub(super) initials: String,
    pub(super) phone: String,
    pub(super) email: String,
    /// Where one calls and writes them; empty where there is no safe way.
    pub(super) tel: String,
    pub(super) mailto: String,
    /// Their page; empty where there is none.
    pub(super) path: String,
}

impl Caller {
    pub(super) fn new(member: &Member, view: &View, contact: &ContactView) -> Self {
        let given = |text: &Option<String>| text.clone().unwrap_or_default();
        let (phone, email) = (given(&contact.phone), given(&contact.email));
        let known = [given(&contact.name), phone.clone(), email.clone()];
        let name = known.into_iter().find(|name| !name.trim().is_empty());
        let name = name.unwrap_or_else(|| view.t("somebody"));
        Self {
            id: contact.id.to_string(),
            initials: initials(&name),
            name,
            tel: tel(&phone).unwrap_or_default(),
            mailto: mailto(&email).unwrap_or_default(),
            phone,
            email,
            path: member.way_to("contacts", contact.id).unwrap_or_default(),
        }
    }

    /// How they are reached, on one line.
    pub(super) fn reached(&self) -> String {
        let both = [&self.phone, &self.email].into_iter().filter(|one| !one.is_empty() && **one != self.name);
        both.map(String::as_str).collect::<Vec<_>>().join(" · ")
    }
}

/// Where one calls a number: only one of E.164 form leads anywhere.
pub(super) fn tel(phone: &str) -> Option<String> {
    let digits = phone.strip_prefix('+')?;
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then(|| format!("tel:{phone}"))
}

/// Where one writes to an address. One with characters that say something in such a link leads nowhere.
fn mailto(email: &str) -> Option<String> {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"@.-_+".contains(&b);
    (email.contains('@') && email.bytes().all(is_plain)).then(|| format!("mailto:{email}"))
}

/// The contacts that somebody looks for by a part of the name, a phone number or an email, newest first.
pub(super) async fn look_for(member: &Member, wanted: &str) -> Result<Vec<ContactView>, Refused> {
    let wanted = wanted.trim();
    if wanted.is_empty() || wanted.chars().count() > LOOKED_FOR_CHARS_MAX {
        return Ok(Vec::new());
    }
    let mut filter = ContactFilter::default();
    if let Ok(phone) = Phone::from_query(wanted, &PhoneRegion::reading(&member.profile)) {
        filter.phone = Some(phone);
    } else if let Ok(email) = Email::new(wanted) {
        filter.email = Some(email);
    } else {
        filter.name_part = Some(wanted.to_owned());
    }
    let found = member.business.contacts(&filter, &PageRequest { limit: OFFERED, after: None }).await?;
    Ok(found.items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_plainly_a_number_or_an_address_leads_there() {
        assert_eq!(tel("+33612345678").as_deref(), Some("tel:+33612345678"));
        for none in ["", "+", "0612345678", "+33;phone-context=x", "javascript:alert(1)"] {
            assert_eq!(tel(none), None, "{none}");
        }
        assert_eq!(mailto("zoe.b+x@example.com").as_deref(), Some("mailto:zoe.b+x@example.com"));
        for none in
            ["", "zoe", "a?bcc=x@example.com", "a&b@example.com", "\"a b\"@example.com", "é@example.com"]
        {
            assert_eq!(mailto(none), None, "{none}");
        }
    }
}
