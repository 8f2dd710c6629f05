//! Changes of memberships and alert settings.
//!
//! The account belongs to the person, not to the business. The caller reads the account first and passes it,
//! so that the answer can show it.

use domain::{
    Actor, AlertChoice, AlertChoices, AlertKind, AuditAction, Conflict, Denied, Editor, LinkKind, MailKind,
    Membership, MembershipPatch, MembershipStatus, Named, Offer, Person, PersonId, Problem, ProblemCode,
    Refusal, Right, Role, StaffId, Timestamp, check_membership, check_people, patched,
};
use store::Weight;
use view::{LinkView, NewPersonView, NotificationsView, PersonView};

use crate::business::Write;
use crate::business::change::{Change, weight_of_change};
use crate::business::context::Context;
use crate::business::decision::Decision;
use crate::business::request::{New, Removed, Shown};
use crate::error::EngineError;
use crate::mail::NewMail;

#[derive(Clone, Debug)]
pub struct AddMember {
    pub person: Person,
    /// The address of the offer, as the member who invites knows it.
    pub offer: Offer,
    pub role: Role,
    pub staff_id: Option<StaffId>,
    /// The kind of invitation mail; `None` for no mail.
    pub mail: Option<MailKind>,
}

impl Change for AddMember {
    type Gives = New<NewPersonView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let Self { person, offer, role, staff_id, mail } = self;
        if context.team().contains_key(&person.id) {
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
            created_at: context.at(),
            updated_at: context.at(),
        };
        check_new(context, &membership)?;
        let shown = NewPersonView::remembered(&person, &membership);
        let decision = Decision::answering(shown)
            .note(AuditAction::PersonAdded, person.id)
            .write(Write::Membership(membership));
        let of = context.business_id();
        Ok(match mail {
            Some(kind) => decision.mail(context.mint(), NewMail::of_membership(of, person.id, kind)),
            None => decision,
        })
    }

    fn weight(&self) -> Weight {
        Weight::Grows
    }

    fn needs(&self) -> Option<Right> {
        Some(Right::People)
    }
}

fn check_new(context: &Context<'_>, membership: &Membership) -> Result<(), Refusal> {
    check_people(context.team())?;
    check_staff(context, membership.staff_id)?;
    check_membership(context.team(), context.editor()?, None, Some(membership))
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
    /// The state of the person before the request, for `If-Match`.
    pub before: Person,
    pub person: Person,
    pub patch: MembershipPatch,
}

impl Change for PatchMember {
    type Gives = Shown<PersonView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let Self { before: person_before, person, patch } = self;
        let before = member(context, person.id)?;
        context.check_match(&PersonView::new(&person_before, before))?;
        if patch.staff_id != Some(before.staff_id) {
            check_staff(context, patch.staff_id.flatten())?;
        }
        let is_safe = person.is_safe() && before.is_for(&person);
        let mut after = patched(context.team(), context.editor()?, before, patch, is_safe)?;
        if person.name != person_before.name {
            person.name.clone_into(&mut after.offer.name);
        }
        if after == *before {
            return Ok(Decision::answering(PersonView::new(&person, before)));
        }
        after.updated_at = context.at();
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

    fn needs(&self) -> Option<Right> {
        Some(Right::People)
    }
}

/// Deletes a membership. The person's sessions immediately lose access to the business.
#[derive(Clone, Copy, Debug)]
pub struct RemoveMember {
    pub id: PersonId,
}

impl Change for RemoveMember {
    type Gives = Removed;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let before = member(context, self.id)?;
        check_membership(context.team(), context.editor()?, Some(before), None)?;
        let write = Write::NoMembership(self.id, before.created_at);
        Ok(Decision::gone().note(AuditAction::PersonRemoved, self.id).write(write))
    }

    fn weight(&self) -> Weight {
        Weight::Frees
    }

    fn needs(&self) -> Option<Right> {
        Some(Right::People)
    }
}

/// Writes an audit entry for a link that the operator created for a person. The link is stored with the
/// account, not with the business.
#[derive(Clone, Copy, Debug)]
pub struct NoteLink {
    pub id: PersonId,
    pub kind: LinkKind,
    pub expires_at: Timestamp,
}

impl Change for NoteLink {
    type Gives = Shown<LinkView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        member(context, self.id)?;
        if !matches!(context.editor()?, Editor::Operator) {
            return Err(Refusal::NotAllowed(Denied::LinksByOperator).into());
        }
        let shown = LinkView { kind: self.kind, link: None, expires_at: self.expires_at };
        Ok(Decision::answering(shown).note(AuditAction::PersonLinkMade, self.id))
    }

    fn weight(&self) -> Weight {
        Weight::Keeps
    }

    fn needs(&self) -> Option<Right> {
        Some(Right::Operation)
    }
}

#[derive(Clone, Debug)]
pub struct PatchNotifications {
    pub id: PersonId,
    pub choices: Vec<(AlertKind, AlertChoice)>,
}

impl Change for PatchNotifications {
    type Gives = Shown<NotificationsView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let before = member(context, self.id)?;
        let own = matches!(context.actor(), Actor::Person(id) if id == self.id);
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
        after.updated_at = context.at();
        let shown = NotificationsView::from(&after);
        Ok(Decision::answering(shown)
            .note_change_from(AuditAction::PersonNotificationsChanged, self.id, &shown_before)
            .write(Write::Membership(after)))
    }

    fn weight(&self) -> Weight {
        Weight::Keeps
    }

    fn needs(&self) -> Option<Right> {
        Some(Right::Own)
    }
}

pub(super) fn member<'a>(context: &Context<'a>, id: PersonId) -> Result<&'a Membership, Refusal> {
    context.team().get(&id).ok_or(Refusal::NotFound(Named::Person))
}
