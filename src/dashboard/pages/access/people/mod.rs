//! The pages about the people with access to a business. They list the people, invite a person, show one
//! person, and change the person's access.
//!
//! Invariants:
//! - Until a person accepts the invitation, the pages show only the invited address.
//! - A change to access requires a recently entered password.
//! - Only owners can change an owner on the pages.

pub(crate) mod change;
pub(crate) mod invite;
pub(crate) mod one;

use domain::{
    Denied, MembershipId, MembershipStatus, Refusal, ResourceId, Right, Role, StaffId, StaffMember,
};
use uuid::Uuid;
use view::PersonView;

use crate::dashboard::pages::prelude::*;

const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "dashboard/pages/access/people/list.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: String,
    people: Vec<PersonView>,
    staff: Vec<StaffMember>,
    pages: Pages,
}

pub(crate) async fn list(member: Member) -> Answered {
    let part = member.part("people", SHOWN, &[]);
    let after = part.request.after.as_deref().and_then(|bytes| Uuid::from_slice(bytes).ok());
    let mut people = member.everybody().await?;
    people.retain(|person| after.is_none_or(|after| person.membership_id.uuid() > after));
    let is_more = people.len() > SHOWN;
    people.truncate(SHOWN);
    let next = people.last().filter(|_| is_more).map(|person| person.membership_id.uuid().into_bytes());
    page(&Page {
        sheet: member.sheet("settings/people"),
        done: member.done(&[
            ("invited", "people-done-invited"),
            ("offered", "people-done-offered"),
            ("removed", "people-done-removed"),
        ]),
        people,
        staff: member.staff().await?,
        pages: part.pages(next.as_ref().map(|next| &next[..])),
    })
}

impl Page<'_> {
    fn staff_of(&self, person: &PersonView) -> &str {
        staff_name(&self.staff, person.staff_id)
    }
}

fn staff_name(staff: &[StaffMember], id: Option<StaffId>) -> &str {
    staff.iter().find(|one| Some(one.id) == id).map_or("", |one| &one.name)
}

fn staff_field(view: &View, staff: &[StaffMember], chosen: Option<StaffId>) -> Field {
    let shown = staff.iter().filter(|one| one.active || Some(one.id) == chosen);
    let shown = shown.map(|one| Choice::new(one.id.to_string(), one.name.as_str()));
    let field = Field::select("staff_id", view.t("people-staff"), shown).or_empty(view.t("people-none"));
    field.hint(view.t("people-staff-hint"))
}

fn roles(member: &Member) -> Field {
    let given = [Role::Member, Role::Admin, Role::Owner].into_iter();
    let given = given.filter(|role| *role != Role::Owner || member.membership.role == Role::Owner);
    let choice = |role: Role| Choice {
        hint: member.t(&format!("people-role-{role}")),
        ..Choice::new(role.as_str(), member.role_word(role))
    };
    Field::choices("role", "radio", member.t("people-role"), given.map(choice)).class("boxes")
}

/// The password field, if the form needs it, with its problem and without the submitted password.
fn password(member: &Member, filled: &mut Filled) -> Option<Field> {
    let field = member.password_field()?;
    let problem = filled.problem(&member.view, &field.id);
    Some(Field { problem, ..field })
}

/// Checks that the member entered the password recently. The engine requires this for changes to people.
async fn freshened(member: &mut Member) -> Result<(), Refused> {
    let problem = member.visit.freshen().await?;
    match problem.zip(member.password_field()) {
        Some((problem, field)) => Err(FormError::at(field.id, problem).into()),
        None => Ok(()),
    }
}

async fn person(member: &Member) -> Result<PersonView, Refused> {
    let id: MembershipId = member.id("membership_id")?;
    let everybody = member.everybody().await?;
    let found = everybody.into_iter().find(|person| person.membership_id == id);
    found.ok_or_else(Refused::not_found)
}

/// Whether the member may change this person. Only owners may change owners.
fn may_change(member: &Member, person: &PersonView) -> bool {
    let reaches = member.membership.role == Role::Owner || person.role != Role::Owner;
    member.may(Right::People) && reaches
}

fn check_may_change(member: &Member, person: &PersonView) -> Result<(), Refused> {
    if member.profile.suspended {
        return Err(Refused::Suspended);
    }
    if !may_change(member, person) {
        return Err(Refusal::NotAllowed(Denied::OwnerByAdmin).into());
    }
    Ok(())
}

impl View {
    fn of_membership(&self, status: MembershipStatus) -> (&'static str, String) {
        (status.as_str(), self.t(&format!("people-status-{status}")))
    }
}

impl Member {
    fn is_self(&self, person: &PersonView) -> bool {
        person.id == self.signed_in.person.id
    }
}
