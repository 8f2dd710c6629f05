//! The jobs of the installation except the daily round.
//!
//! Invariants of the job that deletes the rows of a business: a step deletes at most [`ROWS_PER_STEP`] rows in one
//! batch, together with the installation's rows that refer to these rows. The next step waits until the batch is
//! durable. Writes that were in progress when the business was deleted can still add rows. So the business stays in the
//! list of deleted businesses until two successive steps find no row.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use domain::{Actor, AuditAction, BusinessId, KeyId, Person, PersonId, SteadyTime};
use store::keys::{installation_kind, kind};
use store::{Batch, Key, Order, Store, StoreError, Weight, keys};

use super::Job;
use crate::business::Businesses;
use crate::engine::Parts;
use crate::error::EngineError;
use crate::moving::{Moving, claim_slugs, is_finishing, is_unfinished, open_all, take_back};
use crate::people::People;

const ROWS_PER_STEP: usize = 256;
/// The maximum number of businesses with unfinished work whose actors are started in a minute.
const BUSINESSES_PER_STEP: usize = 64;
/// The interval between two passes over the accounts of all people, in steady time. The first pass begins
/// [`FIRST_ACCOUNTS`] after the start.
const ACCOUNTS_EVERY: TimeDelta = TimeDelta::hours(24);
const FIRST_ACCOUNTS: TimeDelta = TimeDelta::hours(1);
const PEOPLE_PER_STEP: usize = 256;

/// Deletes the rows of deleted businesses. A deleted business is listed (`keys::ending`) until no row is left.
#[derive(Default)]
pub(super) struct DeletedBusinesses {
    /// The business of the last step, and true if this step found no row.
    last: Option<(BusinessId, bool)>,
}

impl Job for DeletedBusinesses {
    const NAME: &'static str = "deleted businesses";

    async fn step(&mut self, engine: Arc<Parts>) -> Result<Option<Duration>, EngineError> {
        let Businesses { shared, key_usage, .. } = &*engine.businesses;
        let store = &shared.store;
        if store.check_room(Weight::Frees).is_err() {
            return Ok(None);
        }
        let Some(id) = next_deleted(store)? else { return Ok(None) };
        let last = self.last.filter(|(last, _)| *last == id);
        if last.is_none() {
            tracing::info!(business.id = %id, "deleting the rows of a deleted business");
        }
        // The scan below sees the rows of a submitted batch only after the batch is applied.
        store.wait_durable(id).await?;
        let (mut batch, used) = deletion(store, id)?;
        if !used.is_empty() {
            used.into_iter().for_each(|row| key_usage.forget(row));
            store.wait_durable(BusinessId::INSTALLATION).await?;
        }
        let is_gone = batch.is_empty();
        self.last = Some((id, is_gone));
        if is_gone {
            // A write that was in progress during the scan may add a row later. The deletion is therefore complete only
            // if two consecutive steps have found no row.
            if last != self.last {
                return Ok(Some(Duration::ZERO));
            }
            batch.delete(keys::ending(id));
            batch.delete(keys::unfinished(id));
        }
        store.write(id, batch).await?;
        if is_gone {
            tracing::info!(business.id = %id, "all rows of a deleted business are removed");
        }
        Ok(Some(Duration::ZERO))
    }
}

/// The first deleted business that is not set aside.
fn next_deleted(store: &Store) -> Result<Option<BusinessId>, StoreError> {
    let listed = keys::of_kind(BusinessId::INSTALLATION, installation_kind::ENDING);
    for row in store.scan(&listed, Order::Ascending) {
        let id = keys::id_at_end(&row?.0)?;
        if !store.is_business_set_aside(id) {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Returns a batch that deletes the next rows of a business. Also returns the keys of those deleted rows that store the
/// time of the last use of an API key or a feed.
fn deletion(store: &Store, of: BusinessId) -> Result<(Batch, Vec<Key>), StoreError> {
    let (mut batch, mut used) = (Batch::default(), Vec::new());
    for row in store.rows().scan(&keys::all(of), Order::Ascending).take(ROWS_PER_STEP) {
        let (key, value) = row?;
        if keys::kind_of(&key)? == kind::KEY
            && let Ok(prefix) = keys::prefix_from_value(&value)
        {
            let id = keys::id_at_end::<KeyId>(&key)?;
            batch.delete(keys::api_key(prefix));
            used.push(keys::key_used(id));
        }
        if keys::kind_of(&key)? == kind::FEED {
            used.push(keys::feed_fetched(of, keys::id_at_end(&key)?));
        }
        if keys::kind_of(&key)? == kind::FEED_LIVE
            && let Ok(hash) = <&[u8; 32]>::try_from(value.as_slice())
        {
            batch.delete(keys::feed_by_token(hash));
        }
        if keys::kind_of(&key)? == kind::MEMBERSHIP {
            batch.delete(keys::member_of(keys::id_at_end(&key)?, of));
        }
        batch.delete(Key::new(&key));
    }
    if batch.is_empty() {
        for listed in [keys::endpoints_of(of), keys::calendars_of(of)] {
            for row in store.scan(&listed, Order::Ascending).take(ROWS_PER_STEP) {
                batch.delete(Key::new(&row?.0));
            }
        }
    }
    used.iter().for_each(|row| batch.delete(*row));
    Ok((batch, used))
}

/// Starts the actors of businesses with unfinished work (`keys::unfinished`). The actors then continue this work.
/// Unfinished work is an erasure, a merge, missing reminders, an event to wipe or an open conversation.
#[derive(Default)]
pub(super) struct UnfinishedErasures {
    after: Option<Key>,
}

impl Job for UnfinishedErasures {
    const NAME: &'static str = "unfinished erasures";

    async fn step(&mut self, engine: Arc<Parts>) -> Result<Option<Duration>, EngineError> {
        let Businesses { shared, directory, .. } = &*engine.businesses;
        let all = keys::of_kind(BusinessId::INSTALLATION, installation_kind::UNFINISHED);
        let range = self.after.take().map_or(all, |after| all.after(after));
        let rows = shared.store.scan(&range, Order::Ascending).take(BUSINESSES_PER_STEP);
        for (row, _) in rows.collect::<Result<Vec<_>, _>>()? {
            self.after = Some(Key::new(&row));
            let id = keys::id_at_end(&row)?;
            // If the start fails, its error is logged, and a later step tries again.
            if directory.if_running(id).is_none() {
                let _ = directory.enter(id).await;
            }
        }
        Ok(None)
    }
}

/// Deletes expired links, sessions and unconfirmed accounts.
#[derive(Default)]
pub(super) struct ExpiredAccounts {
    next_round: Option<SteadyTime>,
    after: Option<Option<PersonId>>,
}

impl Job for ExpiredAccounts {
    const NAME: &'static str = "expired accounts";

    async fn step(&mut self, engine: Arc<Parts>) -> Result<Option<Duration>, EngineError> {
        let now = engine.shared.clocks.steady();
        let next_round = *self.next_round.get_or_insert(now + FIRST_ACCOUNTS);
        if self.after.is_none() && now >= next_round {
            self.next_round = Some(now + ACCOUNTS_EVERY);
            self.after = Some(None);
        }
        let Some(after) = self.after else { return Ok(None) };
        let all = keys::of_kind(BusinessId::INSTALLATION, installation_kind::PERSON);
        let range = after.map_or(all, |after| all.after(keys::person(after)));
        let shared = &engine.shared;
        let rows = shared.store.records::<Person>(&range, Order::Ascending).take(PEOPLE_PER_STEP);
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        let people = People::new(&engine.people);
        let mut last = None;
        for (_, mut person) in rows {
            last = Some(person.id);
            let now = shared.clocks.now();
            if person.may_be_orphan(now) {
                people.end_orphan(person).await?;
            } else if person.forget_expired(now) {
                let of = (Actor::System, AuditAction::PersonSessionsEnded, Weight::Frees);
                let forgotten =
                    people.change(person.id, of, |person, now| Ok(_ = person.forget_expired(now)));
                if !matches!(forgotten.await, Ok(()) | Err(EngineError::NotFound)) {
                    break; // the next round tries this person again
                }
            }
        }
        self.after = last.map(Some);
        Ok(None)
    }
}

/// Finishes interrupted imports whose records were all valid, and rolls back other interrupted imports. This includes
/// imports of an earlier process. While this job runs, no other import can begin.
#[derive(Default)]
pub(super) struct InterruptedImports;

impl Job for InterruptedImports {
    const NAME: &'static str = "interrupted imports";

    async fn step(&mut self, engine: Arc<Parts>) -> Result<Option<Duration>, EngineError> {
        let moving = &engine.moving;
        if let Some(_permit) = moving.try_import() {
            finish_or_take_back(moving).await?;
        }
        Ok(None)
    }
}

/// Waits while an import opens its businesses (makes them visible). Opens them if the import was interrupted.
pub(crate) async fn until_opened(moving: &Moving) -> Result<(), EngineError> {
    let shared = &moving.shared;
    while is_finishing(&shared.store)? {
        shared.check_open()?;
        // If this future is dropped, the permit is dropped too. This wakes the job [`InterruptedImports`], which then
        // finishes the import.
        let _permit = moving.import().await?;
        finish_or_take_back(moving).await?;
    }
    Ok(())
}

async fn finish_or_take_back(moving: &Moving) -> Result<(), EngineError> {
    let shared = &moving.shared;
    if !is_unfinished(&shared.store)? {
        return Ok(());
    }
    tracing::info!("an import was interrupted; it is being finished or rolled back");
    // The interrupted import may have submitted the row that `is_finishing` reads. The row cannot be read before it
    // is durable. So this function first waits until all submitted rows are durable.
    shared.store.wait_durable(BusinessId::INSTALLATION).await?;
    if is_finishing(&shared.store)? {
        let (claim, _) = claim_slugs(moving).await?;
        let businesses = open_all(moving, &claim).await?;
        tracing::info!(businesses, "an interrupted import was finished: all its records had been read");
    } else {
        let businesses = take_back(shared).await?;
        tracing::info!(businesses, "an interrupted import was rolled back");
    }
    Ok(())
}
