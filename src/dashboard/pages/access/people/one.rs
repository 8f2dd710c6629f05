//! One person: who they are here, and changing that.
//!
//! What a form was filled in from is their role and staff member alone: that they signed in meanwhile is no reason to
//! refuse it.

use actors::business::{IfMatch, Request};
use actors::domain::{Access, MembershipPatch, MembershipStatus, Right, Role, StaffId, StaffMember};
use actors::view::PersonView;
use askama::Template;
use axum::http::StatusCode;
use serde::Serialize;

use super::fields::{
    called, check_may_change, crumb, freshened, may_change, password, person, roles, signed_in, staff,
    staff_field, staff_name, status,
};
use crate::admin::people::PersonPatch;
use crate::dashboard::asked::Member;
use crate::dashboard::days::Moment;
use crate::dashboard::filled::{Filled, Undone, tag};
use crate::dashboard::form::Form;
use crate::dashboard::frame::Frame;
use crate::dashboard::parts::{Choices, Crumb, Field, Versions};
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page, see_other};

#[derive(Template)]
#[template(path = "dashboard/pages/access/people/one.html", config = "src/askama.toml")]
struct Page {
    view: View,
    frame: Frame,
    crumbs: Vec<Crumb>,
    path: String,
    done: String,
    name: String,
    /// Empty where that is the name already.
    email: String,
    role: String,
    staff: String,
    status: (&'static str, String),
    signed_in: Option<Moment>,
    own: bool,
    /// What whoever invited may do where no answer came; empty once it did.
    waits: String,
    /// Why nothing can be changed here; empty where it can.
    fixed: String,
    edit: Option<Edit>,
    ends: Ends,
}

/// The form.
struct Edit {
    filled: Filled,
    rest: Vec<String>,
    versions: Versions,
    tag: String,
    role: Choices,
    staff: Field,
    password: Option<Field>,
}

/// What may be done about their access.
struct Ends {
    disable: bool,
    enable: bool,
    remove: bool,
    /// Whether what is removed is an invitation.
    invited: bool,
}

/// What the form is about.
#[derive(Serialize)]
struct Place {
    role: Role,
    staff_id: Option<StaffId>,
}

impl Place {
    fn of(person: &PersonView) -> Self {
        Self { role: person.role, staff_id: person.staff_id }
    }

    fn form(&self) -> Form {
        let staff = self.staff_id.map(|id| id.to_string()).unwrap_or_default();
        Form::of([("role", self.role.to_string()), ("staff_id", staff)])
    }
}

impl Page {
    fn new(
        member: &Member,
        person: &PersonView,
        staff: &[StaffMember],
        form: Option<(Filled, Option<Field>)>,
    ) -> Self {
        let view = member.view();
        let may = may_change(member, person);
        let edit = form.filter(|_| may);
        let (is, sends) = (|status| person.status == status, member.people().sends_mail());
        Self {
            frame: member.frame("settings/people"),
            crumbs: vec![crumb(member, &view)],
            path: member.path_to(&format!("settings/people/{}", person.membership_id)),
            done: match member.query.get("done") {
                "saved" => view.t("saved"),
                "disabled" => view.t("people-done-disabled"),
                "enabled" => view.t("people-done-enabled"),
                _ => String::new(),
            },
            name: called(person).to_owned(),
            email: if called(person) == person.email { String::new() } else { person.email.clone() },
            role: view.t(&format!("role-{}", person.role)),
            staff: staff_name(staff, person.staff_id).to_owned(),
            status: status(&view, person.status),
            signed_in: signed_in(member, &view, person),
            own: person.id == member.signed_in.person.id,
            waits: match (is(MembershipStatus::Invited), sends) {
                (true, true) => view.t("people-waits"),
                (true, false) => view.t("people-waits-no-mail"),
                _ => String::new(),
            },
            fixed: if may || member.profile.suspended { String::new() } else { view.t("people-fixed") },
            edit: edit.map(|(filled, asks)| Edit::new(member, &view, (person, staff), filled, asks)),
            ends: Ends {
                disable: may && is(MembershipStatus::Active),
                enable: may && is(MembershipStatus::Disabled),
                remove: may,
                invited: is(MembershipStatus::Invited),
            },
            view,
        }
    }
}

impl Edit {
    fn new(
        member: &Member,
        view: &View,
        (person, staff): (&PersonView, &[StaffMember]),
        mut filled: Filled,
        asks: Option<Field>,
    ) -> Self {
        let sent_staff: Option<StaffId> = filled.get("staff_id").parse().ok();
        let versions = filled.stale.then(|| {
            let role = |role: Role| view.t(&format!("role-{role}"));
            let one = |id| match staff_name(staff, id) {
                "" => view.t("people-nobody"),
                name => name.to_owned(),
            };
            let sent_role = Role::from_word(filled.get("role")).map(role).unwrap_or_default();
            Versions::new([
                (view.t("people-role"), sent_role, role(person.role)),
                (view.t("people-staff"), one(sent_staff), one(person.staff_id)),
            ])
        });
        Self {
            versions: versions.unwrap_or_default(),
            tag: filled.tag(&Place::of(person)),
            role: filled.choices(view, roles(member, view)),
            staff: filled.field(view, staff_field(view, staff, sent_staff)),
            password: password(&mut filled, view, asks),
            rest: filled.rest(view),
            filled,
        }
    }
}

/// The page.
pub(crate) async fn show(member: Member) -> Answered {
    let (_, person) = person(&member).await?;
    let (view, kept) = (member.view(), member.kept_form());
    let filled = Filled::kept(&view, kept.as_ref(), member.path(), || Place::of(&person).form());
    let shown = Page::new(&member, &person, &staff(&member).await?, Some((filled, member.password_field())));
    Ok(page(StatusCode::OK, &shown)?)
}

/// Changes what they are.
pub(crate) async fn sent(mut member: Member) -> Answered {
    let (before, person) = person(&member).await?;
    check_may_change(&member, &person)?;
    let patch = match member.body().text("role").optional("staff_id").read::<PersonPatch>() {
        Ok(PersonPatch { role, staff_id, .. }) => {
            MembershipPatch { role: role.set(), active: None, staff_id: staff_id.set() }
        }
        Err(undone) => return again(&member, &person, undone, member.password_field()).await,
    };
    if member.form.find("tag").is_some_and(|sent| sent != tag(&Place::of(&person))) {
        return again(&member, &person, Undone::Stale, member.password_field()).await;
    }
    if let Err(undone) = freshened(&mut member).await? {
        return again(&member, &person, undone, member.password_field()).await;
    }
    // What it goes by from here on is the person as they were read above.
    let request = Request { if_match: Some(IfMatch::Tags(vec![tag(&person)])), ..member.request() };
    if let Err(error) =
        member.people().patch_member(&member.business, request, (before.id, patch, None)).await
    {
        let undone = Undone::of(error)?;
        return again(&member, &person, undone, None).await;
    }
    let own = before.id == member.signed_in.person.id;
    let sees = patch.role.is_none_or(|role| role.access(Right::People) != Access::Hidden);
    Ok(see_other(&match own && !sees {
        true => member.path_to("today"),
        false => format!("{}?done=saved", member.path()),
    }))
}

/// The form as it was sent, with why it was refused.
async fn again(member: &Member, person: &PersonView, undone: Undone, asks: Option<Field>) -> Answered {
    let (view, status) = (member.view(), undone.status());
    // Somebody else may have changed them just now.
    let now = match undone {
        Undone::Stale => super::fields::person(member).await?.1,
        _ => person.clone(),
    };
    let filled = Filled::refused(&view, &member.form, undone);
    Ok(page(status, &Page::new(member, &now, &staff(member).await?, Some((filled, asks))))?)
}
