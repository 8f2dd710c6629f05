//! What a person answers to a membership that is offered to them: yes or no.
//!
//! What always holds: nobody else answers than its person, and of an account that is not confirmed only whoever came by
//! a link of this very offer: somebody else may have set its password.

use domain::{
    Actor, AuditAction, Conflict, Denied, Membership, MembershipStatus, Person, Problem, ProblemCode,
    Refusal, Right, Timestamp,
};
use store::Weight;
use view::PersonView;

use super::people::member;
use crate::business::Write;
use crate::business::change::Change;
use crate::business::context::Context;
use crate::business::decision::Decision;
use crate::business::request::{Removed, Shown};
use crate::error::EngineError;

/// Accepts the membership that was offered to whoever asks.
#[derive(Clone, Debug)]
pub struct AcceptMembership {
    /// The person who asks.
    pub person: Person,
    /// Since when they are in a session that a link of a membership of this business has begun, if they are: enough of
    /// an account that is not confirmed, for what was offered before.
    pub by_link: Option<Timestamp>,
}

impl Change for AcceptMembership {
    type Gives = Shown<PersonView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let person = self.person;
        let before = own(context, &person)?;
        if before.status != MembershipStatus::Invited {
            return Ok(Decision::answering(PersonView::new(&person, before)));
        }
        if !before.is_for(&person) {
            return Err(Refusal::NotAllowed(Denied::OfferedElsewhere).into());
        }
        check_confirmed(&person, before, self.by_link)?;
        let after = Membership {
            status: MembershipStatus::Active,
            accepted: true,
            updated_at: context.at(),
            ..before.clone()
        };
        let shown = PersonView::new(&person, &after);
        // What of the account shows from now on was not changed by it.
        let shown_before = PersonView { status: before.status, ..shown.clone() };
        Ok(Decision::answering(shown)
            .note_change_from(AuditAction::PersonAccepted, person.id, &shown_before)
            .write(Write::Membership(after)))
    }

    fn weight(&self) -> Weight {
        Weight::Keeps
    }

    /// Nobody else than the person, who need not be active yet.
    fn needs(&self) -> Option<Right> {
        None
    }
}

/// Declines the membership that was offered to whoever asks: it is gone, and may be offered again. One that was offered
/// to an address which the account has no more can be declined, for nobody can accept it.
#[derive(Clone, Debug)]
pub struct DeclineMembership {
    /// The person who asks.
    pub person: Person,
    /// As for [`AcceptMembership`].
    pub by_link: Option<Timestamp>,
}

impl Change for DeclineMembership {
    type Gives = Removed;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let before = own(context, &self.person)?;
        if before.status != MembershipStatus::Invited {
            let details = vec![Problem::new("status", ProblemCode::StatusNow(before.status.as_str()))];
            return Err(Refusal::Conflict { conflict: Conflict::NotOnOffer, details }.into());
        }
        check_confirmed(&self.person, before, self.by_link)?;
        let (id, offered) = (self.person.id, before.created_at);
        Ok(Decision::gone().note(AuditAction::PersonDeclined, id).write(Write::NoMembership(id, offered)))
    }

    fn weight(&self) -> Weight {
        Weight::Frees
    }

    /// Nobody else than the person, who is not active yet.
    fn needs(&self) -> Option<Right> {
        None
    }
}

/// The membership of the person who asks.
fn own<'a>(context: &Context<'a>, person: &Person) -> Result<&'a Membership, Refusal> {
    let membership = member(context, person.id)?;
    if context.actor() == Actor::Person(person.id) {
        return Ok(membership);
    }
    Err(Refusal::NotAllowed(Denied::OfferOfAnother))
}

fn check_confirmed(person: &Person, offered: &Membership, by_link: Option<Timestamp>) -> Result<(), Refusal> {
    if person.confirmed || by_link.is_some_and(|since| offered.created_at <= since) {
        return Ok(());
    }
    Err(Refusal::NotAllowed(Denied::AccountUnconfirmed))
}
