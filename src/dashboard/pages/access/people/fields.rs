//! The shared parts of forms about people: roles, staff members, the password field, and names.

use domain::{Denied, MembershipId, MembershipStatus, Person, Refusal, Right, Role, StaffId, StaffMember};
use engine::business::PageRequest;
use view::PersonView;

use crate::dashboard::days::Moment;
use crate::dashboard::pages::prelude::*;

const STAFF_READ: usize = 200;

pub(super) async fn staff(member: &Member) -> Result<Vec<StaffMember>, Refused> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let read = member.business.staff(&PageRequest { limit: STAFF_READ, after }).await?;
        all.extend(read.items);
        after = read.next;
        if after.is_none() {
            return Ok(all);
        }
    }
}

pub(super) fn staff_name(staff: &[StaffMember], id: Option<StaffId>) -> &str {
    staff.iter().find(|one| Some(one.id) == id).map_or("", |one| &one.name)
}

/// The options for the staff member: the active ones, and the chosen one.
pub(super) fn staff_field(view: &View, staff: &[StaffMember], chosen: Option<StaffId>) -> Field {
    let shown = staff.iter().filter(|one| one.active || Some(one.id) == chosen);
    let shown = shown.map(|one| Choice::new(one.id.to_string(), one.name.as_str()));
    let nobody = Choice::new("", view.t("people-nobody"));
    let field =
        Field::select("staff_id", view.t("people-staff"), std::iter::once(nobody).chain(shown).collect());
    field.hint(view.t("people-staff-hint"))
}

pub(super) fn roles(member: &Member, view: &View) -> Choices {
    let given = [Role::Member, Role::Admin, Role::Owner].into_iter();
    let given = given.filter(|role| *role != Role::Owner || member.membership.role == Role::Owner);
    let choice = |role: Role| Choice {
        hint: view.t(&format!("people-role-{role}")),
        ..Choice::new(role.as_str(), view.t(&format!("role-{role}")))
    };
    Choices {
        boxed: true,
        ..Choices::new("role", "radio", view.t("people-role"), given.map(choice).collect())
    }
}

/// The password field with its problem. The submitted password is not shown again.
pub(super) fn password(filled: &mut Filled, view: &View, field: Option<Field>) -> Option<Field> {
    let field = field?;
    let problem = filled.problem(view, &field.id);
    Some(Field { problem, ..field })
}

/// Checks that the person entered the password recently. The engine requires this for changes to people.
pub(super) async fn freshened(member: &mut Member) -> Result<(), Refused> {
    let problem = member.freshen().await?;
    match problem.zip(member.password_field()) {
        Some((problem, field)) => Err(Undone::at(field.id, problem).into()),
        None => Ok(()),
    }
}

/// The person in the path, as the business may see them.
pub(super) async fn person(member: &Member) -> Result<(Person, PersonView), Refused> {
    let id: MembershipId = member.id("membership_id")?;
    let everybody = member.everybody().await?;
    let found = everybody.into_iter().find(|person| person.membership_id == id);
    let found = found.ok_or_else(Refused::not_found)?;
    let (person, membership) = member.people().member(&member.business, found.id).await?;
    let shown = PersonView::new(&person, &membership);
    Ok((person, shown))
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

/// The person's name, else the email.
pub(super) fn called(person: &PersonView) -> &str {
    if person.name.trim().is_empty() { &person.email } else { &person.name }
}

pub(super) fn status(view: &View, status: MembershipStatus) -> (&'static str, String) {
    (status.as_str(), view.t(&format!("people-status-{status}")))
}

pub(super) fn signed_in(member: &Member, view: &View, person: &PersonView) -> Option<Moment> {
    Some(days::moment(view, person.last_sign_in_at?, member.profile.zone))
}

pub(super) fn about(view: &View, id: &str, who: &str) -> String {
    view.words.say(id, &[("who", Value::Text(who))])
}
