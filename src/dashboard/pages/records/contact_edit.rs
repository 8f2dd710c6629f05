//! The pages that add, change and erase a contact. Before an erasure, a page shows the consequences. The
//! operator API erases contacts in the same way.

use domain::{AppointmentStatus, Conflict, Locale, ProblemCode, Refusal, Right};
use engine::business::PageRequest;
use engine::business::commands::ForOperator;
use engine::business::commands::contacts::{CreateContact, PatchContact};
use engine::business::commands::erasure::EraseContact;
use view::{ContactView, OperatorContactView};

use super::contact::{Filters, found};
use super::rows::Row;
use crate::api::contacts::{NewContactBody, OperatorContactPatchBody};
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/records/contact_edit.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    is_new: bool,
    back: String,
    filled: Filled,
    others: Vec<Crumb>,
    versions: Versions,
    tag: String,
    fields: [Field; 3],
    halves: [Field; 2],
    team: Vec<Field>,
}

/// The form for a new contact. The query may contain initial values.
pub(crate) async fn new(member: Member) -> Answered {
    let draft = member.kept_form();
    member.must_or_kept(Right::Day, draft.as_ref())?;
    let filled = Filled::kept(&member.view, draft.as_ref(), member.path(), || member.query.clone());
    shown(&member, None, filled, Vec::new())
}

pub(crate) async fn add(member: Member) -> Answered {
    let done = async {
        let details = body(&member).read::<NewContactBody>()?.into();
        let made = member.change(CreateContact { details }).await?.value.id;
        Ok(member.path_to(&format!("contacts/{made}?done=added")))
    };
    let done = done.await;
    let others = holders(&member, &done).await?;
    member.answered(done, |filled| ready(shown(&member, None, filled, others))).await
}

pub(crate) async fn edit(member: Member) -> Answered {
    let draft = member.kept_form();
    member.must_or_kept(Right::Day, draft.as_ref())?;
    let contact = found(&member).await?;
    let values = || Form::of(values(&contact));
    let filled = Filled::kept(&member.view, draft.as_ref(), member.path(), values);
    shown(&member, Some(&contact), filled, Vec::new())
}

pub(crate) async fn save(member: Member) -> Answered {
    let id = found(&member).await?.contact.id;
    let done = async {
        let patch =
            body(&member).optional("notes").optional("alert").read::<OperatorContactPatchBody>()?.into();
        member.change(ForOperator(PatchContact { id, patch })).await?;
        Ok(member.path_to(&format!("contacts/{id}?done=saved")))
    };
    let done = done.await;
    let others = holders(&member, &done).await?;
    let again = |filled| async {
        // The contact is read again, since another person may have changed it.
        let contact = found(&member).await?;
        shown(&member, Some(&contact), filled, others)
    };
    member.answered(done, again).await
}

fn body(member: &Member) -> Body<'_> {
    let names = ["name", "phone", "email", "locale", "timezone"];
    names.iter().fold(member.body(), |body, name| body.optional(name))
}

fn values(seen: &OperatorContactView) -> [(&'static str, String); 7] {
    let contact = &seen.contact;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    [
        ("name", text(&contact.name)),
        ("phone", text(&contact.phone)),
        ("email", text(&contact.email)),
        ("locale", contact.locale.map(|locale| locale.to_string()).unwrap_or_default()),
        ("timezone", contact.timezone.clone().unwrap_or_default().into_owned()),
        ("alert", seen.alert.clone().flatten().unwrap_or_default()),
        ("notes", seen.notes.get().unwrap_or_default().to_owned()),
    ]
}

async fn holders(member: &Member, done: &Result<String, Refused>) -> Result<Vec<Crumb>, Refused> {
    let Err(Refused::FormError(FormError::Conflict(Refusal::Conflict {
        conflict: Conflict::ContactTaken { phone, email },
        ..
    }))) = done
    else {
        return Ok(Vec::new());
    };
    let mut others = Vec::new();
    for id in [*phone, email.filter(|_| email != phone)].into_iter().flatten() {
        let Some(other) = member.business.contact(id).await? else { continue };
        let path = member.path_to(&format!("contacts/{}", other.id));
        others.push(Crumb { label: member.called(&other), path });
    }
    Ok(others)
}

fn shown(
    member: &Member,
    contact: Option<&OperatorContactView>,
    mut filled: Filled,
    others: Vec<Crumb>,
) -> Answered {
    let view = &member.view;
    let mut crumbs = vec![member.crumb("contacts")];
    crumbs.extend(contact.map(|seen| Crumb {
        label: view.called(&seen.contact),
        path: member.path_to(&format!("contacts/{}", seen.contact.id)),
    }));
    let [name, phone, email, locale, zone, alert, notes] =
        fields(member).map(|field| filled.field(view, field));
    let shown = Page {
        is_new: contact.is_none(),
        back: crumbs.last().map(|crumb| crumb.path.clone()).unwrap_or_default(),
        sheet: member.sheet("contacts/one").under(crumbs),
        others,
        versions: contact.map(|contact| versions(view, &filled, contact)).unwrap_or_default(),
        tag: contact.map(|contact| filled.tag(contact)).unwrap_or_default(),
        filled,
        fields: [name, phone, email],
        halves: [locale, zone],
        team: if contact.is_some() { vec![alert, notes] } else { Vec::new() },
    };
    page_as(shown.filled.status, &shown)
}

fn fields(member: &Member) -> [Field; 7] {
    let view = &member.view;
    let phone = Field::new("phone", "tel", "off", view.t("contact-phone"));
    let zone = Field::line("timezone", view.t("contact-zone"));
    let locale = Field::languages(view).or_empty(view.t("contact-language-unknown"));
    [
        Field::line("name", view.t("name")).optional(),
        phone.optional().hint(view.with("contact-phone-hint", "region", &member.profile.phone_region)),
        // The field has the type `text` and not `email`, since browsers refuse some email addresses that the service
        // accepts.
        Field::line("email", view.t("contact-email")).optional(),
        locale.hint(view.t("contact-language-hint")),
        zone.optional().hint(view.with("contact-zone-hint", "zone", member.profile.zone.name())),
        Field::line("alert", view.t("contact-alert")).optional().hint(view.t("contact-alert-hint")),
        Field::area("notes", view.t("notes")).optional().hint(view.t("contact-notes-hint")),
    ]
}

fn versions(view: &View, filled: &Filled, contact: &OperatorContactView) -> Versions {
    let labels =
        ["name", "contact-phone", "contact-email", "language", "contact-zone", "contact-alert", "notes"];
    let said = |name: &str, value: &str| match (name, Locale::from_word(value)) {
        ("locale", Some(locale)) => view.language(locale).to_owned(),
        _ if value.is_empty() => view.t("nothing-there"),
        _ => value.to_owned(),
    };
    let both = labels.iter().zip(values(contact)).map(|(label, (name, theirs))| {
        (view.t(label), said(name, filled.get(name).trim()), said(name, &theirs))
    });
    filled.versions(both)
}

const SURE: &str = "sure";
/// The maximum number of appointments that the page reads to find the contact's future appointments. It reads the
/// appointments with the latest starts, so it may not show the earliest future appointments.
const LOOKED_AT: usize = 50;

#[derive(Template)]
#[template(path = "dashboard/pages/records/contact_erase.html", config = "src/askama.toml")]
struct Erase<'a> {
    sheet: Sheet<'a>,
    back: String,
    name: String,
    problem: String,
    filled: Filled,
    ahead: Vec<Row>,
}

pub(crate) async fn ask_erase(member: Member) -> Answered {
    member.must(Right::Data)?;
    let contact = found(&member).await?.contact;
    let filled = member.filled(member.path(), Form::default);
    erasure(&member, &contact, filled).await
}

pub(crate) async fn erase(member: Member) -> Answered {
    let contact = found(&member).await?.contact;
    let done = async {
        member.form.find(SURE).ok_or_else(|| FormError::at(SURE, ProblemCode::NotTicked))?;
        member.change(EraseContact { id: contact.id }).await?;
        Ok(member.path_to("contacts?done=erased"))
    };
    member.answered(done.await, |filled| erasure(&member, &contact, filled)).await
}

async fn erasure(member: &Member, contact: &ContactView, mut filled: Filled) -> Answered {
    let (name, back) = (member.called(contact), member.path_to(&format!("contacts/{}", contact.id)));
    let crumbs = vec![member.crumb("contacts"), Crumb { label: name.clone(), path: back.clone() }];
    let shown = Erase {
        sheet: member.sheet("contacts/one").under(crumbs),
        back,
        name,
        problem: filled.problem(&member.view, SURE),
        filled,
        ahead: ahead(member, contact).await?,
    };
    page_as(shown.filled.status, &shown)
}

/// The future appointments that are not cancelled, in order of their start.
async fn ahead(member: &Member, contact: &ContactView) -> Result<Vec<Row>, Refused> {
    let mut latest = Filters::of(contact.id).appointments;
    latest.status = vec![AppointmentStatus::Pending, AppointmentStatus::Confirmed];
    let page = PageRequest { limit: LOOKED_AT, after: None };
    let found = member.business.appointments(&latest, &page).await?.items;
    let now = member.business.now();
    let ahead = found.iter().take_while(|one| one.starts_at >= now);
    let mut rows: Vec<_> = ahead.map(|one| member.row_with_day(one)).collect();
    rows.reverse();
    Ok(rows)
}
