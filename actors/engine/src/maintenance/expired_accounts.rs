//! Deletes expired links, sessions and unconfirmed accounts.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use domain::{Actor, AuditAction, BusinessId, Person, PersonId, SteadyTime};
use store::keys::installation_kind;
use store::{Order, Weight, keys};

use super::Job;
use crate::engine::Parts;
use crate::error::EngineError;
use crate::people::{People, Persons};

/// The interval between two passes over all people, and between a start and the first pass, in steady time.
const ROUND_EVERY: TimeDelta = TimeDelta::hours(24);
const FIRST_ROUND: TimeDelta = TimeDelta::hours(1);
/// The number of people that are checked in a minute.
const PEOPLE_PER_STEP: usize = 256;

#[derive(Default)]
pub(super) struct ExpiredAccounts {
    next_round: Option<SteadyTime>,
    /// The last checked person of the current pass.
    after: Option<Option<PersonId>>,
}

impl Job for ExpiredAccounts {
    const NAME: &'static str = "expired accounts";

    async fn step(&mut self, engine: Arc<Parts>) -> Result<Option<Duration>, EngineError> {
        let now = engine.shared.clocks.steady();
        let next_round = *self.next_round.get_or_insert(now + FIRST_ROUND);
        if self.after.is_none() && now >= next_round {
            self.next_round = Some(now + ROUND_EVERY);
            self.after = Some(None);
        }
        if let Some(after) = self.after {
            self.after = check_people(&engine.people, after).await?.map(Some);
        }
        Ok(None)
    }
}

/// Checks the next people. Returns the last one, or `None` at the end of the list.
async fn check_people(
    persons: &Arc<Persons>,
    after: Option<PersonId>,
) -> Result<Option<PersonId>, EngineError> {
    let mut range = keys::of_kind(BusinessId::INSTALLATION, installation_kind::PERSON);
    if let Some(after) = after {
        range = range.after(keys::person(after));
    }
    let shared = &persons.shared;
    let rows = shared.store.records::<Person>(&range, Order::Ascending).take(PEOPLE_PER_STEP);
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
