//! The background job for people. It deletes expired links, sessions and unconfirmed accounts, and writes the
//! last use of sessions.

use std::sync::Arc;

use domain::{Actor, AuditAction, BusinessId, Person, PersonId};
use store::keys::installation_kind;
use store::{Order, Weight, keys};

use super::handle::{Comes, People};
use super::message::{Fate, Message, Note};
use super::state::Persons;
use crate::actor::Running;
use crate::error::EngineError;

/// How many people are checked in a minute.
const PEOPLE_PER_SWEEP: usize = 256;

/// Checks the next people. Returns the last one, or `None` at the end of the list.
pub(crate) async fn sweep_people(
    persons: &Arc<Persons>,
    after: Option<PersonId>,
) -> Result<Option<PersonId>, EngineError> {
    let mut range = keys::of_kind(BusinessId::INSTALLATION, installation_kind::PERSON);
    if let Some(after) = after {
        range = range.after(keys::person(after));
    }
    let shared = &persons.shared;
    let rows = shared.store.records::<Person>(&range, Order::Ascending).take(PEOPLE_PER_SWEEP);
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    let people = People::new(persons);
    let mut last = None;
    for (_, mut person) in rows {
        last = Some(person.id);
        let now = shared.clocks.now();
        if person.may_be_orphan(now) {
            people.end_orphan(person).await?;
        } else if person.forget_expired(now) {
            let of = (Actor::System, AuditAction::PersonSessionsEnded, Weight::Frees);
            let forgotten = people.change(person.id, of, |person, now| Ok(_ = person.forget_expired(now)));
            if !matches!(forgotten.await, Ok(()) | Err(EngineError::NotFound)) {
                break; // the next round finds it again
            }
        }
    }
    Ok(last)
}

/// Has the noted uses of sessions written by the returned actors. The uses of people without an available
/// actor stay noted.
pub(crate) async fn write_uses(persons: &Persons) -> Vec<Arc<Running<Message>>> {
    let mut writing = Vec::new();
    for (person, hash, at) in persons.known.take_uses() {
        match persons.directory.enter(person).await {
            Ok((running, permit)) => {
                let _ = running.actor.cast(Message::Used { hash, at, permit });
                writing.push(running);
            }
            Err(_) => persons.known.note_use(person, hash, at),
        }
    }
    writing
}

impl People {
    /// Deletes an account without an owner and without memberships. The claim keeps an invitation out
    /// meanwhile.
    async fn end_orphan(&self, person: Person) -> Result<(), EngineError> {
        let claim = self.persons.claims.on(&[&person.email_folded()]).await;
        if !self.businesses_of(person.id)?.is_empty() {
            return Ok(());
        }
        let people = self.holding(Some(claim));
        let ended = people.change_fate(person.id, Weight::Frees, |person, now| {
            let orphan = person.may_be_orphan(now);
            let note = orphan.then_some(Note { by: Actor::System, action: AuditAction::PersonEnded });
            let fate = if orphan { Fate::Gone } else { Fate::Stays };
            Ok(Comes { fate, note, mail: None, given: () })
        });
        match ended.await {
            Err(EngineError::NotFound) => Ok(()),
            ended => ended,
        }
    }
}
