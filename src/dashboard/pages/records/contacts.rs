//! The contacts of a business, with one search field for name, phone number and email.

use domain::{Email, Phone, Right};
use engine::business::ContactFilter;
use view::ContactView;

use crate::dashboard::listing::Part;
use crate::dashboard::pages::prelude::*;
use crate::http::query::FromQuery;
use crate::rest::through::Through;
use crate::rest::values::phone::PhoneRegion;

const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "dashboard/pages/records/contacts.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: String,
    q: &'a str,
    pages: Pages,
    found: Through<ContactView>,
}

pub(crate) async fn show(member: Member) -> Answered {
    let q = member.query.get("q").trim();
    let part = member.part("contacts", SHOWN, &["q"]);
    let found = find(&member, &part, q).await?;
    page(&Page {
        sheet: member.sheet("contacts"),
        done: member.done(&[("erased", "contacts-erased")]),
        q,
        pages: part.pages(found.next.as_deref()),
        found,
    })
}

/// The contact with this phone number or email, else the contacts with this text in their names.
async fn find(member: &Member, part: &Part, q: &str) -> Result<Through<ContactView>, Refused> {
    let business = &member.business;
    let read = async |filter: ContactFilter| {
        let filter = &filter;
        part.read(|page| async move { business.contacts(filter, &page).await }).await
    };
    if q.is_empty() {
        return read(ContactFilter::default()).await;
    }
    let phone = Phone::from_query(q, &PhoneRegion::reading(&member.profile)).ok();
    let of_phone = phone.map(|phone| ContactFilter { phone: Some(phone), ..ContactFilter::default() });
    let of_email =
        Email::new(q).ok().map(|email| ContactFilter { email: Some(email), ..ContactFilter::default() });
    // At most one contact has it, and it is on the first page.
    for exact in of_phone.into_iter().chain(of_email).filter(|_| part.request.after.is_none()) {
        let found = read(exact).await?;
        if !found.items.is_empty() {
            return Ok(found);
        }
    }
    read(ContactFilter { name_part: Some(q.to_owned()), ..ContactFilter::default() }).await
}
