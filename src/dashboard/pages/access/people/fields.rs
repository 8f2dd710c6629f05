//! The shared parts of forms about people: roles, staff members, the password field, and names.

use domain::{Denied, MembershipId, MembershipStatus, Refusal, Right, Role, StaffId, StaffMember};
use view::PersonView;

use crate::dashboard::pages::prelude::*;

pub(super) fn staff_name(staff: &[StaffMember], id: Option<StaffId>) -> &str {
    staff.iter().find(|one| Some(one.id) == id).map_or("", |one| &one.name)
}

/// The options for the staff member: the active ones, and the chosen one.
pub(super) fn staff_field(view: &View, staff: &[StaffMember], chosen: Option<StaffId>) -> Field {
    let shown = staff.iter().filter(|one| one.active || Some(one.id) == chosen);
    let shown = shown.map(|one| Choice::new(one.id.to_string(), one.name.as_str()));
    let field = Field::select("staff_id", view.t("people-staff"), shown).or_empty(view.t("people-nobody"));
    field.hint(view.t("people-staff-hint"))
}

pub(super) fn roles(member: &Member) -> Choices {
    let given = [Role::Member, Role::Admin, Role::Owner].into_iter();
    let given = given.filter(|role| *role != Role::Owner || member.membership.role == Role::Owner);
    let choice = |role: Role| Choice {
        hint: member.t(&format!("people-role-{role}")),
        ..Choice::new(role.as_str(), member.role_word(role))
    };
    Choices { boxed: true, ..Choices::new("role", "radio", member.t("people-role"), given.map(choice)) }
}

/// The password field, if the form needs the password, with its problem. The submitted password is not shown
/// again.
pub(super) fn password(member: &Member, filled: &mut Filled) -> Option<Field> {
    let field = member.password_field()?;
    let problem = filled.problem(&member.view, &field.id);
    Some(Field { problem, ..field })
}

/// Checks that the person entered the password recently. The engine requires this for changes to people.
pub(super) async fn freshened(member: &mut Member) -> Result<(), Refused> {
    let problem = member.visit.freshen().await?;
    match problem.zip(member.password_field()) {
        Some((problem, field)) => Err(Undone::at(field.id, problem).into()),
        None => Ok(()),
    }
}

/// The person in the path, as the business may see them.
pub(super) async fn person(member: &Member) -> Result<PersonView, Refused> {
    let id: MembershipId = member.id("membership_id")?;
    let everybody = member.everybody().await?;
    let found = everybody.into_iter().find(|person| person.membership_id == id);
    found.ok_or_else(Refused::not_found)
}

/// Whether the member may change this person. Only owners may change owners.
pub(super) fn may_change(member: &Member, person: &PersonView) -> bool {
    let reaches = member.membership.role == Role::Owner || person.role != Role::Owner;
    member.may(Right::People) && reaches
}

/// Refuses a change that the member may not make, before the form asks anything.
pub(super) fn check_may_change(member: &Member, person: &PersonView) -> Result<(), Refused> {
    if member.profile.suspended {
        return Err(Refused::Suspended);
    }
    if !may_change(member, person) {
        return Err(Refusal::NotAllowed(Denied::OwnerByAdmin).into());
    }
    Ok(())
}

impl View {
    pub(super) fn of_membership(&self, status: MembershipStatus) -> (&'static str, String) {
        (status.as_str(), self.t(&format!("people-status-{status}")))
    }
}

impl Member {
    pub(super) fn is_self(&self, person: &PersonView) -> bool {
        person.id == self.signed_in.person.id
    }

    /// The sheet of a page below the list of people.
    pub(super) fn people_sheet(&self) -> Sheet<'_> {
        self.sheet("settings/people").under(vec![self.crumb("settings/people")])
    }
}
