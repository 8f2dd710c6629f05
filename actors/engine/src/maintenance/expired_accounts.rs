//! Deletes expired links, sessions and unconfirmed accounts.

use std::sync::Arc;

use domain::{Actor, AuditAction, BusinessId, Person, PersonId};
use store::keys::installation_kind;
use store::{Order, Weight, keys};

use crate::error::EngineError;
use crate::people::{People, Persons};

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
