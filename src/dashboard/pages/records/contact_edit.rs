//! Adding a contact, and changing one.

use actors::business::commands::ForOperator;
use actors::business::commands::contacts::{CreateContact, PatchContact};
use actors::domain::{Conflict, Locale, Refusal, Right};
use actors::view::OperatorContactView;
use askama::Template;
use axum::http::StatusCode;

use super::contact::found;
use super::said::{called, language};
use crate::api::contacts::{NewContactBody, OperatorContactPatchBody};
use crate::dashboard::asked::Member;
use crate::dashboard::filled::{Body, Filled, Undone};
use crate::dashboard::form::Form;
use crate::dashboard::frame::Frame;
use crate::dashboard::parts::{Choice, Crumb, Field, Versions};
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page, see_other};

#[derive(Template)]
#[template(path = "dashboard/pages/records/contact_edit.html", config = "src/askama.toml")]
struct Page {
    view: View,
    frame: Frame,
    crumbs: Vec<Crumb>,
    title: String,
    sub: String,
    action: String,
    back: String,
    filled: Filled,
    rest: Vec<String>,
    /// Those in whose way it stands.
    others: Vec<Crumb>,
    versions: Versions,
    /// The version that is changed; empty for a new contact.
    tag: String,
    fields: Vec<Field>,
    halves: Vec<Field>,
    notes: Option<Field>,
    /// What the button does; there is none for whoever may not.
    does: Option<String>,
}

/// A form that is empty, or begun with what the way there tells.
pub(crate) async fn new(member: Member) -> Answered {
    let draft = member.kept_form();
    member.must_or_kept(Right::Day, draft.as_ref())?;
    let begun = || member.query.clone();
    let filled = Filled::kept(&member.view(), draft.as_ref(), member.path(), begun);
    shown(&member, None, filled, Vec::new(), StatusCode::OK)
}

/// Adds a contact.
pub(crate) async fn add(member: Member) -> Answered {
    let undone = match body(&member).read::<NewContactBody>() {
        Ok(body) => match member.change(CreateContact { details: body.into() }).await? {
            Ok(answer) => {
                let made = answer.value.id;
                return Ok(see_other(&member.path_to(&format!("contacts/{made}?done=added"))));
            }
            Err(undone) => undone,
        },
        Err(undone) => undone,
    };
    refused(&member, None, undone).await
}

/// The contact in a form.
pub(crate) async fn edit(member: Member) -> Answered {
    let draft = member.kept_form();
    member.must_or_kept(Right::Day, draft.as_ref())?;
    let contact = found(&member).await?;
    let values = || Form::of(values(&contact));
    let filled = Filled::kept(&member.view(), draft.as_ref(), member.path(), values);
    shown(&member, Some(&contact), filled, Vec::new(), StatusCode::OK)
}

/// Changes the contact.
pub(crate) async fn save(member: Member) -> Answered {
    let contact = found(&member).await?;
    let id = contact.contact.id;
    let undone = match body(&member).optional("notes").read::<OperatorContactPatchBody>() {
        Ok(body) => match member.change(ForOperator(PatchContact { id, patch: body.into() })).await? {
            Ok(_) => return Ok(see_other(&member.path_to(&format!("contacts/{id}?done=saved")))),
            Err(undone) => undone,
        },
        Err(undone) => undone,
    };
    // What is there now, which may be newer than what was read before.
    let contact = found(&member).await?;
    refused(&member, Some(&contact), undone).await
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

/// The form again, with who has the phone or the email that another contact has.
async fn refused(member: &Member, contact: Option<&OperatorContactView>, mut undone: Undone) -> Answered {
    let (view, status, mut others) = (member.view(), undone.status(), Vec::new());
    if let Undone::Conflict(Refusal::Conflict {
        conflict: Conflict::ContactTaken { phone, email },
        details,
    }) = &mut undone
    {
        for problem in details {
            let holder = if problem.path == "phone" { *phone } else { *email };
            let Some(id) = holder else { continue };
            let Some(other) = member.business.contact(id).await? else { continue };
            let label = called(&view, &other);
            problem.code = view.t("contact-taken").into();
            let path = member.path_to(&format!("contacts/{}", other.id));
            if others.iter().all(|one: &Crumb| one.path != path) {
                others.push(Crumb { label, path });
            }
        }
    }
    let filled = Filled::refused(&view, &member.form, undone);
    shown(member, contact, filled, others, status)
}

fn shown(
    member: &Member,
    contact: Option<&OperatorContactView>,
    mut filled: Filled,
    others: Vec<Crumb>,
    status: StatusCode,
) -> Answered {
    let view = member.view();
    let mut crumbs = vec![Crumb { label: view.t("contacts"), path: member.path_to("contacts") }];
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
        frame: member.frame("contacts/one"),
        crumbs,
        title: view.t(if contact.is_some() { "contact-edit" } else { "contacts-add" }),
        sub: view.t("contact-one-is-enough"),
        action: member.path().to_owned(),
        back,
        rest: filled.rest(&view),
        others,
        versions: versions.unwrap_or_default(),
        tag: contact.map(|contact| filled.tag(contact)).unwrap_or_default(),
        filled,
        fields: vec![name, phone, email],
        halves: vec![locale, zone],
        // A new contact has none yet.
        notes: contact.map(|_| notes),
        does: member
            .may(Right::Day)
            .then(|| view.t(if contact.is_some() { "save" } else { "contact-add-do" })),
        view,
    };
    Ok(page(status, &shown)?)
}

fn fields(member: &Member, view: &View) -> [Field; 6] {
    let mut languages = vec![Choice::new("", view.t("contact-language-unknown"))];
    languages.extend(Locale::ALL.iter().map(|one| Choice::new(one.as_str(), language(*one))));
    let phone = Field::new("phone", "tel", "off", view.t("contact-phone"));
    let zone = Field::line("timezone", view.t("contact-zone"));
    [
        Field::line("name", view.t("name")).optional(),
        phone.optional().hint(view.with("contact-phone-hint", "region", &member.profile.phone_region)),
        // As text: a browser's own idea of an address is narrower than what is taken.
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
