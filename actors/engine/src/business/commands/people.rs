//! Changes to memberships and alert settings.
//!
//! An account belongs to the person, so the state of the business does not contain it. But the answer to a change
//! contains data of the account. Therefore the sender of the change reads the account and passes it with the change.

use domain::{
    Actor, AlertChoice, AlertChoices, AlertKind, AuditAction, Conflict, Denied, Editor, LinkKind, MailKind,
    Membership, MembershipPatch, MembershipStatus, Named, Offer, Person, PersonId, Problem, ProblemCode,
    Refusal, Right, Role, StaffId, Timestamp, check_membership, check_people, patched,
};
use store::Weight;
use view::{LinkView, NewPersonView, NotificationsView, PersonView};

use crate::business::{Change, Context, Decision, New, Removed, Shown, Write, change::weight_of_change};
use crate::error::Result;
use crate::mail::NewMail;

super::listed!(AddMember, NoteLink, PatchMember, PatchNotifications, RemoveMember);

#[derive(Clone, Debug)]
pub struct AddMember {
    pub person: Person,
    /// The name and the address as the inviting member entered them.
    pub offer: Offer,
    pub role: Role,
    pub staff_id: Option<StaffId>,
    pub mail: Option<MailKind>,
}

impl Change for AddMember {
    type Gives = New<NewPersonView>;
    const RIGHT: Option<Right> = Some(Right::People);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Self { person, offer, role, staff_id, mail } = self;
        if context.state.people.contains_key(&person.id) {
            let details = vec![Problem::new("email", ProblemCode::OfPerson(person.id))];
            return Err(Refusal::Conflict { conflict: Conflict::BelongsAlready, details }.into());
        }
        let membership = Membership {
            person_id: person.id,
            role,
            status: MembershipStatus::Invited,
            accepted: false,
            staff_id,
            alerts: AlertChoices::default(),
            offer,
            created_at: context.at,
            updated_at: context.at,
        };
        check_people(&context.state.people)?;
        check_staff(context, staff_id)?;
        check_membership(&context.state.people, context.editor()?, None, Some(&membership))?;
        let shown = NewPersonView::remembered(&person, &membership);
        let decision = Decision::answering(shown)
            .note(AuditAction::PersonAdded, person.id)
            .write(Write::Membership(membership));
        let of = context.state.id;
        Ok(match mail {
            Some(kind) => decision.mail(context.mint(), NewMail::of_membership(of, person.id, kind)),
            None => decision,
        })
    }
}

fn check_staff(context: &Context<'_>, staff_id: Option<StaffId>) -> Result<(), Refusal> {
    match staff_id {
        Some(id) if context.staff(id).is_none() => {
            Err(Refusal::invalid("staff_id", ProblemCode::NotOfTheBusiness(Named::Staff)))
        }
        _ => Ok(()),
    }
}

#[derive(Clone, Debug)]
pub struct PatchMember {
    /// The account before the request. The `If-Match` condition is checked against it.
    pub before: Person,
    pub person: Person,
    pub patch: MembershipPatch,
}

impl Change for PatchMember {
    type Gives = Shown<PersonView>;
    const RIGHT: Option<Right> = Some(Right::People);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Self { before: person_before, person, patch } = self;
        let before = member(context, person.id)?;
        context.check_match(&PersonView::new(&person_before, before))?;
        if patch.staff_id != Some(before.staff_id) {
            check_staff(context, patch.staff_id.flatten())?;
        }
        let is_safe = person.is_safe() && before.is_for(&person);
        let mut after = patched(&context.state.people, context.editor()?, before, patch, is_safe)?;
        if person.name != person_before.name {
            person.name.clone_into(&mut after.offer.name);
        }
        if after == *before {
            return Ok(Decision::answering(PersonView::new(&person, before)));
        }
        after.updated_at = context.at;
        let (shown_before, shown) = (PersonView::new(&person, before), PersonView::new(&person, &after));
        Ok(Decision::answering(shown)
            .note_change_from(AuditAction::PersonChanged, person.id, &shown_before)
            .write(Write::Membership(after)))
    }

    fn weight(&self) -> Weight {
        weight_of_change(
            self.patch.active == Some(false),
            self.patch.role.is_some() || self.patch.staff_id.is_some(),
        )
    }
}

/// Deletes a membership. The person's sessions immediately lose access to the business.
#[derive(Clone, Copy, Debug)]
pub struct RemoveMember {
    pub id: PersonId,
}

impl Change for RemoveMember {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Frees;
    const RIGHT: Option<Right> = Some(Right::People);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = member(context, self.id)?;
        check_membership(&context.state.people, context.editor()?, Some(before), None)?;
        let write = Write::NoMembership(self.id, before.created_at);
        Ok(Decision::gone().note(AuditAction::PersonRemoved, self.id).write(write))
    }
}

/// Writes an audit entry for a link that the operator creates for a person. The account, and not the business, stores
/// the link.
#[derive(Clone, Copy, Debug)]
pub struct NoteLink {
    pub id: PersonId,
    pub kind: LinkKind,
    pub expires_at: Timestamp,
}

impl Change for NoteLink {
    type Gives = Shown<LinkView>;
    const WEIGHT: Weight = Weight::Keeps;
    const RIGHT: Option<Right> = Some(Right::Operation);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        member(context, self.id)?;
        if !matches!(context.editor()?, Editor::Operator) {
            return Err(Refusal::NotAllowed(Denied::LinksByOperator).into());
        }
        let shown = LinkView { kind: self.kind, link: None, expires_at: self.expires_at };
        Ok(Decision::answering(shown).note(AuditAction::PersonLinkMade, self.id))
    }
}

#[derive(Clone, Debug)]
pub struct PatchNotifications {
    pub id: PersonId,
    pub choices: Vec<(AlertKind, AlertChoice)>,
}

impl Change for PatchNotifications {
    type Gives = Shown<NotificationsView>;
    const WEIGHT: Weight = Weight::Keeps;
    const RIGHT: Option<Right> = Some(Right::Own);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = member(context, self.id)?;
        let own = matches!(context.request.actor, Actor::Person(id) if id == self.id);
        if !own && matches!(context.editor()?, Editor::Member(_)) {
            return Err(Refusal::NotAllowed(Denied::NotificationsOfAnother).into());
        }
        let shown_before = NotificationsView::from(before);
        context.check_match(&shown_before)?;
        let mut after = before.clone();
        for (kind, choice) in self.choices {
            after.choose_alert(kind, choice);
        }
        if after == *before {
            return Ok(Decision::answering(shown_before));
        }
        after.updated_at = context.at;
        let shown = NotificationsView::from(&after);
        Ok(Decision::answering(shown)
            .note_change_from(AuditAction::PersonNotificationsChanged, self.id, &shown_before)
            .write(Write::Membership(after)))
    }
}

pub(super) fn member<'a>(context: &Context<'a>, id: PersonId) -> Result<&'a Membership, Refusal> {
    context.state.people.get(&id).ok_or(Refusal::NotFound(Named::Person))
}
