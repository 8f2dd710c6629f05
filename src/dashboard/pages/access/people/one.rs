//! The page of one person, with a form for role and staff member.
//!
//! The form's tag covers only role and staff member, so a sign-in in the meantime does not make the form
//! stale.

use domain::{Access, MembershipPatch, MembershipStatus, Person, Right, Role, StaffId, StaffMember};
use engine::business::{IfMatch, Request};
use serde::Serialize;
use view::PersonView;

use super::fields::{
    called, check_may_change, freshened, may_change, password, person, roles, signed_in, staff, staff_field,
    staff_name, status,
};
use crate::admin::people::PersonPatch;
use crate::dashboard::days::Moment;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/access/people/one.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    path: String,
    done: String,
    name: String,
    /// Empty if the name is already the email.
    email: String,
    role: String,
    staff: String,
    status: (&'static str, String),
    signed_in: Option<Moment>,
    own: bool,
    /// The advice for an unanswered invitation. It may be empty.
    waits: String,
    /// The reason why the person cannot be changed here. It may be empty.
    fixed: String,
    edit: Option<Edit>,
    ends: Ends,
}

struct Edit {
    filled: Filled,
    versions: Versions,
    tag: String,
    role: Choices,
    staff: Field,
    password: Option<Field>,
}

struct Ends {
    disable: bool,
    enable: bool,
    remove: bool,
    invited: bool,
}

/// The values that the form's tag covers.
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
            sheet: member.sheet("settings/people").under(vec![member.crumb("settings/people")]),
            path: member.path_to(&format!("settings/people/{}", person.membership_id)),
            done: member.done(&[
                ("saved", "saved"),
                ("disabled", "people-done-disabled"),
                ("enabled", "people-done-enabled"),
            ]),
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
            filled,
        }
    }
}

pub(crate) async fn show(member: Member) -> Answered {
    let (_, person) = person(&member).await?;
    let filled = member.filled(member.path(), || Place::of(&person).form());
    page(&Page::new(&member, &person, &staff(&member).await?, Some((filled, member.password_field()))))
}

pub(crate) async fn sent(mut member: Member) -> Answered {
    let (before, person) = person(&member).await?;
    check_may_change(&member, &person)?;
    let done = save(&mut member, &before, &person).await;
    let again = |filled: Filled| async {
        // Another member may have changed the person in the meantime.
        let now = if filled.stale { super::fields::person(&member).await?.1 } else { person };
        let (status, form) = (filled.status, Some((filled, member.password_field())));
        page_as(status, &Page::new(&member, &now, &staff(&member).await?, form))
    };
    member.answered(done, again).await
}

async fn save(member: &mut Member, before: &Person, person: &PersonView) -> Result<String, Refused> {
    let PersonPatch { role, staff_id, .. } = member.body().text("role").optional("staff_id").read()?;
    let patch = MembershipPatch { role: role.set(), active: None, staff_id: staff_id.set() };
    if member.form.find("tag").is_some_and(|sent| sent != tag(&Place::of(person))) {
        return Err(Undone::Stale.into());
    }
    freshened(member).await?;
    // From here on the condition is the person's tag as read above.
    let request = Request { if_match: Some(IfMatch::Tags(vec![tag(person)])), ..member.request() };
    let changed = (before.id, patch, None);
    member.people().patch_member(&member.business, request, changed).await.map_err(Undone::of)?;
    let own = before.id == member.signed_in.person.id;
    let sees = patch.role.is_none_or(|role| role.access(Right::People) != Access::Hidden);
    Ok(match own && !sees {
        true => member.path_to("today"),
        false => format!("{}?done=saved", member.path()),
    })
}
