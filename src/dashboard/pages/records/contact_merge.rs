//! The page on which a person merges a second contact into the contact of the page. First, the person searches for
//! the second contact. Then the page shows both contacts, and the person chooses the phone number and the email to
//! keep.

use domain::{ContactId, Right};
use engine::business::commands::contacts::MergeContacts;
use view::{ContactView, OperatorContactView};

use super::contact::{find, found};
use crate::api::contacts::MergeBody;
use crate::dashboard::pages::prelude::*;
use crate::rest::through::Through;

const SHOWN: usize = 20;

#[derive(Template)]
#[template(path = "dashboard/pages/records/contact_merge.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    path: String,
    name: String,
    q: &'a str,
    filled: Filled,
    found: Option<Through<ContactView>>,
    pages: Option<Pages>,
    pair: Option<Pair>,
}

/// The values of both contacts, and the fields that choose the phone number and the email to keep.
struct Pair {
    from: ContactId,
    lines: [Vec<Line>; 2],
    fields: [Field; 2],
}

pub(crate) async fn ask(member: Member) -> Answered {
    member.must(Right::Data)?;
    let contact = found(&member).await?;
    let other = other(&member, &contact, member.query.get("from")).await?;
    let filled = member.filled(member.path(), || match &other {
        None => Form::default(),
        Some(other) => {
            let (own, theirs) = (&contact.contact, &other.contact);
            let first = |own: &Option<String>, theirs: &Option<String>| own.clone().or(theirs.clone());
            Form::of([
                ("from", theirs.id.to_string()),
                ("phone", first(&own.phone, &theirs.phone).unwrap_or_default()),
                ("email", first(&own.email, &theirs.email).unwrap_or_default()),
            ])
        }
    });
    shown(&member, contact, filled).await
}

pub(crate) async fn merge(member: Member) -> Answered {
    let contact = found(&member).await?;
    let id = contact.contact.id;
    let done = async {
        let body = member.body().text("from").optional("phone").optional("email");
        let MergeBody { from, phone, email } = body.read()?;
        member.change(MergeContacts { id, from, phone, email }).await?;
        Ok(member.path_to(&format!("contacts/{id}?done=merged")))
    };
    member.answered(done.await, |filled| shown(&member, contact, filled)).await
}

/// Returns the contact with the id `id`, if it exists and is not `contact` itself.
async fn other(
    member: &Member,
    contact: &OperatorContactView,
    id: &str,
) -> Result<Option<OperatorContactView>, Refused> {
    let Ok(id) = id.parse::<ContactId>() else { return Ok(None) };
    let other = member.business.contact_as::<OperatorContactView>(id).await?;
    Ok(other.filter(|other| other.contact.id != contact.contact.id))
}

async fn shown(member: &Member, contact: OperatorContactView, mut filled: Filled) -> Answered {
    let id = contact.contact.id;
    let name = member.called(&contact.contact);
    let own = member.path_to(&format!("contacts/{id}"));
    let other = other(member, &contact, filled.get("from")).await?;
    let q = member.query.get("q").trim();
    let (mut found, mut pages) = (None, None);
    if other.is_none() && !q.is_empty() {
        let part = member.part(&format!("merge {id}"), SHOWN, &["q"]);
        let mut page = find(member, &part, q).await?;
        page.items.retain(|one| one.id != id);
        pages = Some(part.pages(page.next.as_deref()));
        found = Some(page);
    }
    let crumbs = vec![member.crumb("contacts"), Crumb { label: name.clone(), path: own.clone() }];
    let shown = Page {
        sheet: member.sheet("contacts/one").under(crumbs),
        path: format!("{own}/merge"),
        q,
        found,
        pages,
        pair: other.map(|other| pair(member, &mut filled, [&contact, &other])),
        name,
        filled,
    };
    page_as(shown.filled.status, &shown)
}

fn pair(member: &Member, filled: &mut Filled, both: [&OperatorContactView; 2]) -> Pair {
    let view = &member.view;
    let choices = |name: &str, label: String, values: [Option<String>; 2], shown: &dyn Fn(&str) -> String| {
        let [own, theirs] = values;
        let theirs = theirs.filter(|theirs| Some(theirs) != own.as_ref());
        let values = own.into_iter().chain(theirs).map(|value| Choice::new(value.clone(), shown(&value)));
        let none = Choice::new("", view.t("merge-none"));
        Field::choices(name, "radio", label, values.chain([none]))
    };
    let phones = both.map(|seen| seen.contact.phone.clone());
    let emails = both.map(|seen| seen.contact.email.clone());
    let phone = choices("phone", view.t("contact-phone"), phones, &|phone: &str| view.phone(phone));
    let email = choices("email", view.t("contact-email"), emails, &str::to_owned);
    Pair {
        from: both[1].contact.id,
        lines: both.map(|seen| lines(member, seen)),
        fields: [filled.field(view, phone), filled.field(view, email)],
    }
}

fn lines(member: &Member, seen: &OperatorContactView) -> Vec<Line> {
    let (view, contact) = (&member.view, &seen.contact);
    let lines = [
        ("name", contact.name.clone()),
        ("contact-phone", contact.phone.as_deref().map(|phone| view.phone(phone))),
        ("contact-email", contact.email.clone()),
        ("contact-alert", seen.alert.clone().flatten()),
        ("notes", seen.notes.get().map(str::to_owned)),
    ];
    lines.map(|(label, value)| (view.t(label), value.unwrap_or_else(|| view.t("nothing-there")))).into()
}
