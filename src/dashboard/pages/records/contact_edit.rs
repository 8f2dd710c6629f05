//! Adding and changing a contact.

use std::future::ready;

use domain::{Conflict, Locale, Refusal, Right};
use engine::business::commands::ForOperator;
use engine::business::commands::contacts::{CreateContact, PatchContact};
use view::OperatorContactView;

use super::contact::found;
use super::said::{called, language};
use crate::api::contacts::{NewContactBody, OperatorContactPatchBody};
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/records/contact_edit.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    title: String,
    sub: String,
    action: String,
    back: String,
    filled: Filled,
    others: Vec<Crumb>,
    versions: Versions,
    /// The tag of the changed version. It is empty for a new contact.
    tag: String,
    fields: Vec<Field>,
    halves: Vec<Field>,
    notes: Option<Field>,
    /// The label of the button, if the person may make changes.
    does: Option<String>,
}

/// The form for a new contact. The query may contain initial values.
pub(crate) async fn new(member: Member) -> Answered {
    let draft = member.kept_form();
    member.must_or_kept(Right::Day, draft.as_ref())?;
    let filled = Filled::kept(&member.view(), draft.as_ref(), member.path(), || member.query.clone());
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
    let filled = Filled::kept(&member.view(), draft.as_ref(), member.path(), values);
    shown(&member, Some(&contact), filled, Vec::new())
}

pub(crate) async fn save(member: Member) -> Answered {
    let id = found(&member).await?.contact.id;
    let done = async {
        let patch = body(&member).optional("notes").read::<OperatorContactPatchBody>()?.into();
        member.change(ForOperator(PatchContact { id, patch })).await?;
        Ok(member.path_to(&format!("contacts/{id}?done=saved")))
    };
    let done = done.await;
    let others = holders(&member, &done).await?;
    let again = |filled| async {
        // The current version, which may be newer than the one that was read before.
        let contact = found(&member).await?;
        shown(&member, Some(&contact), filled, others)
    };
    member.answered(done, again).await
}

fn body(member: &Member) -> Body<'_> {
    let names = ["name", "phone", "email", "locale", "timezone"];
    names.iter().fold(member.body(), |body, name| body.optional(name))
}

fn values(seen: &OperatorContactView) -> [(&'static str, String); 6] {
    let contact = &seen.contact;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    [
        ("name", text(&contact.name)),
        ("phone", text(&contact.phone)),
        ("email", text(&contact.email)),
        ("locale", contact.locale.map(|locale| locale.to_string()).unwrap_or_default()),
        ("timezone", contact.timezone.clone().unwrap_or_default().into_owned()),
        ("notes", seen.notes.get().unwrap_or_default().to_owned()),
    ]
}

/// The contacts that already have the phone number or the email.
async fn holders(member: &Member, done: &Result<String, Refused>) -> Result<Vec<Crumb>, Refused> {
    let Err(Refused::Undone(Undone::Conflict(Refusal::Conflict {
        conflict: Conflict::ContactTaken { phone, email },
        ..
    }))) = done
    else {
        return Ok(Vec::new());
    };
    let (view, mut others) = (member.view(), Vec::new());
    for id in [*phone, email.filter(|_| email != phone)].into_iter().flatten() {
        let Some(other) = member.business.contact(id).await? else { continue };
        let path = member.path_to(&format!("contacts/{}", other.id));
        others.push(Crumb { label: called(&view, &other), path });
    }
    Ok(others)
}

fn shown(
    member: &Member,
    contact: Option<&OperatorContactView>,
    mut filled: Filled,
    others: Vec<Crumb>,
) -> Answered {
    let view = member.view();
    let mut crumbs = vec![member.crumb("contacts")];
    let back = match contact {
        Some(contact) => {
            let path = member.path_to(&format!("contacts/{}", contact.contact.id));
            crumbs.push(Crumb { label: called(&view, &contact.contact), path: path.clone() });
            path
        }
        None => member.path_to("contacts"),
    };
    let versions = contact.filter(|_| filled.stale).map(|contact| versions(&view, &filled, contact));
    let [name, phone, email, locale, zone, notes] =
        fields(member, &view).map(|field| filled.field(&view, field));
    let shown = Page {
        sheet: member.sheet("contacts/one").under(crumbs),
        title: view.t(if contact.is_some() { "contact-edit" } else { "contacts-add" }),
        sub: view.t("contact-one-is-enough"),
        action: member.path().to_owned(),
        back,
        others,
        versions: versions.unwrap_or_default(),
        tag: contact.map(|contact| filled.tag(contact)).unwrap_or_default(),
        filled,
        fields: vec![name, phone, email],
        halves: vec![locale, zone],
        notes: contact.map(|_| notes),
        does: member
            .may(Right::Day)
            .then(|| view.t(if contact.is_some() { "save" } else { "contact-add-do" })),
    };
    page_as(shown.filled.status, &shown)
}

fn fields(member: &Member, view: &View) -> [Field; 6] {
    let mut languages = vec![Choice::new("", view.t("contact-language-unknown"))];
    languages.extend(Locale::ALL.iter().map(|one| Choice::new(one.as_str(), language(*one))));
    let phone = Field::new("phone", "tel", "off", view.t("contact-phone"));
    let zone = Field::line("timezone", view.t("contact-zone"));
    [
        Field::line("name", view.t("name")).optional(),
        phone.optional().hint(view.with("contact-phone-hint", "region", &member.profile.phone_region)),
        // A text field, since browsers accept fewer email addresses than the service.
        Field::line("email", view.t("contact-email")).optional(),
        Field::select("locale", view.t("language"), languages).hint(view.t("contact-language-hint")),
        zone.optional().hint(view.with("contact-zone-hint", "zone", member.profile.zone.name())),
        Field::area("notes", view.t("notes")).optional().hint(view.t("contact-notes-hint")),
    ]
}

fn versions(view: &View, filled: &Filled, contact: &OperatorContactView) -> Versions {
    let labels = ["name", "contact-phone", "contact-email", "language", "contact-zone", "notes"];
    let said = |name: &str, value: &str| match (name, Locale::from_word(value)) {
        ("locale", Some(locale)) => language(locale).to_owned(),
        _ if value.is_empty() => view.t("nothing-there"),
        _ => value.to_owned(),
    };
    let both = labels.iter().zip(values(contact)).map(|(label, (name, theirs))| {
        (view.t(label), said(name, filled.get(name).trim()), said(name, &theirs))
    });
    Versions::new(both)
}
