//! Accepts or declines an *offer*: an invitation to a business for a person who already has an account.
//!
//! Invariant: only the invited person accepts or declines. If the account is unconfirmed, the session must
//! have begun with a link of this offer, because another person may have set the account's password.

use domain::{
    Actor, AuditAction, Conflict, Denied, Membership, MembershipStatus, Person, Problem, ProblemCode,
    Refusal, Right, Timestamp,
};
use store::Weight;
use view::PersonView;

use super::people::member;
use crate::business::{Change, Context, Decision, Removed, Shown, Write};
use crate::error::Result;

super::listed!(AcceptMembership, DeclineMembership);

#[derive(Clone, Debug)]
pub struct AcceptMembership {
    pub person: Person,
    /// The start of the session if the session began with a link of an offer.
    pub by_link: Option<Timestamp>,
}

impl Change for AcceptMembership {
    type Gives = Shown<PersonView>;
    const WEIGHT: Weight = Weight::Keeps;
    /// The membership is not active yet and gives no right. Instead, `decide` checks that the person is the invited
    /// person.
    const RIGHT: Option<Right> = None;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
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
            updated_at: context.at,
            ..before.clone()
        };
        let shown = PersonView::new(&person, &after);
        // `shown_before` differs from `shown` only in the status, so the audit entry contains only this change.
        let shown_before = PersonView { status: before.status, ..shown.clone() };
        Ok(Decision::answering(shown)
            .note_change_from(AuditAction::PersonAccepted, person.id, &shown_before)
            .write(Write::Membership(after)))
    }
}

/// Declines and deletes an offered membership. The person can be invited again. An offer to an address that the account
/// no longer has can be declined, but not accepted.
#[derive(Clone, Debug)]
pub struct DeclineMembership {
    pub person: Person,
    pub by_link: Option<Timestamp>,
}

impl Change for DeclineMembership {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Frees;
    const RIGHT: Option<Right> = None;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = own(context, &self.person)?;
        if before.status != MembershipStatus::Invited {
            let details = vec![Problem::new("status", ProblemCode::now(before.status))];
            return Err(Refusal::Conflict { conflict: Conflict::NotOnOffer, details }.into());
        }
        check_confirmed(&self.person, before, self.by_link)?;
        let (id, offered) = (self.person.id, before.created_at);
        Ok(Decision::gone().note(AuditAction::PersonDeclined, id).write(Write::NoMembership(id, offered)))
    }
}

fn own<'a>(context: &Context<'a>, person: &Person) -> Result<&'a Membership, Refusal> {
    let membership = member(context, person.id)?;
    if context.request.actor == Actor::Person(person.id) {
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
