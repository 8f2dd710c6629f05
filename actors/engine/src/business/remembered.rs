//! Idempotency: the answer to a request is stored in the batch of its change.
//!
//! An idempotency key is valid for 24 hours of steady time. Stamps and the wall clock do not affect this period. The
//! answers are stored by day. A look-up reads the answers of today and yesterday. A background job deletes older
//! answers.

use chrono::TimeDelta;
use domain::{
    Access, Actor as Who, ApiKey, BusinessId, Denied, KeyId, Named, PersonId, Refusal, Right, SteadyTime,
    Timestamp, check_password_at,
};
use store::records::{IdempotencyRecord, ShownAnew};
use store::{Batch, Order, Record, Store, StoreError, keys};

use super::request::{Gives, Idempotency, Request};
use super::resource::Resource;
use super::state::State;
use crate::error::{EngineError, Result};

const IDEMPOTENCY_KEPT: TimeDelta = TimeDelta::hours(24);
/// The maximum number of future days whose idempotency keys are read. Keys of future days exist only if a clock was
/// wrong.
const DAYS_AHEAD_MAX: usize = 32;

pub(super) fn given(
    state: &State,
    request: &Request,
    status: u16,
    needs: Option<Right>,
) -> Result<Option<Vec<u8>>> {
    check_actor(state, request, needs)?;
    let Some(idempotency) = request.idempotency else { return Ok(None) };
    let Some((kept, body)) = remembered(state, idempotency)? else { return Ok(None) };
    if kept != status {
        return Err(Refusal::IdempotencyKeyReused.into());
    }
    Ok(Some(body))
}

/// Stores the response in the same batch as the change that it answers, so that a repeated request gets the same
/// response. The row is stored under `of`, which is a business or the installation.
pub(crate) fn remember(
    of: BusinessId,
    answered: SteadyTime,
    idempotency: Idempotency,
    (status, body): (u16, Vec<u8>),
    batch: &mut Batch,
) {
    let Idempotency { key, fingerprint } = idempotency;
    let record = IdempotencyRecord { fingerprint, status, body, shows: None, answered };
    batch.put(keys::idempotency(of, answered.day(), &key), record.encode());
}

fn remembered(state: &State, idempotency: Idempotency) -> Result<Option<(u16, Vec<u8>)>> {
    let now = state.clocks.steady();
    let at = |day| keys::idempotency(state.id, day, &idempotency.key);
    // A background job moves keys from future days to today. If the look-up read today first, it would miss a key that
    // the job moves after this read. So the look-up reads the future days first.
    let days = state.days_ahead.iter().copied().chain(days(now));
    let Some((day, record)) = kept(days, now, idempotency.fingerprint, |day| state.read(&at(day)))? else {
        return Ok(None);
    };
    if state.overlay.ticket(&at(day)).is_some() {
        return Err(Refusal::IdempotencyInProgress.into());
    }
    if !matches!(record.status, 200 | 201 | 204) {
        let unknown = format!("the stored status {} is not known", record.status);
        return Err(StoreError::damaged("idempotency", unknown).into());
    }
    let body = match record.shows {
        None => of_survivor(state, &record.body)?.unwrap_or(record.body),
        Some(what) => state.show_anew(what)?.ok_or(Refusal::NotFound(named(what)))?,
    };
    Ok(Some((record.status, body)))
}

/// If the resource in a stored response refers to a contact that was merged into another, returns the current state of
/// the resource. Returns `None` for any other response, and if the resource was deleted.
fn of_survivor(state: &State, body: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
    let Some(resource) = Resource::of_answer(body) else { return Ok(None) };
    let alias = resource.contact_id().map(|id| keys::alias(state.id, id));
    let is_merged = alias.map_or(Ok(false), |alias| Ok(state.read_raw(&alias)?.is_some()))?;
    if is_merged { state.show_anew(resource.shown_anew()) } else { Ok(None) }
}

fn named(what: ShownAnew) -> Named {
    match what {
        ShownAnew::Contact(_) => Named::Contact,
        ShownAnew::Appointment(_) => Named::Appointment,
        ShownAnew::Call(_) => Named::Call,
        ShownAnew::Message(_) => Named::Message,
    }
}

/// The days whose rows can contain an idempotency key of the last 24 hours.
pub(crate) fn days(now: SteadyTime) -> impl Iterator<Item = u32> {
    let today = now.day();
    [Some(today), today.checked_sub(1)].into_iter().flatten()
}

pub(crate) fn kept(
    days: impl Iterator<Item = u32>,
    now: SteadyTime,
    fingerprint: [u8; 32],
    read: impl Fn(u32) -> Result<Option<IdempotencyRecord>, StoreError>,
) -> Result<Option<(u32, IdempotencyRecord)>> {
    for day in days {
        let Some(record) = read(day)? else { continue };
        if now - record.answered >= IDEMPOTENCY_KEPT {
            continue;
        }
        if record.fingerprint != fingerprint {
            return Err(Refusal::IdempotencyKeyReused.into());
        }
        return Ok(Some((day, record)));
    }
    Ok(None)
}

pub(crate) fn read_kept<G: Gives>(kept: &[u8]) -> Result<G::Value, StoreError> {
    G::read(kept)
        .map_err(|_| StoreError::damaged("idempotency", "the stored answer does not fit this request"))
}

/// The future days with stored idempotency keys, latest first, at most [`DAYS_AHEAD_MAX`].
pub(super) fn days_ahead(store: &Store, of: BusinessId, today: u32) -> Result<Vec<u32>, StoreError> {
    let mut range = keys::idempotency_from(of, today.saturating_add(1));
    let mut days = Vec::new();
    while days.len() < DAYS_AHEAD_MAX {
        let mut rows = store.walk(&range, Order::Descending, |key, _| keys::day_and_hash(key));
        let Some((_, (day, _))) = rows.next().transpose()? else { break };
        days.push(day);
        range = range.before(keys::idempotency_from(of, day).from);
    }
    Ok(days)
}

/// Checks the caller's rights. The caller keeps them until the change is decided, because only the actor of the
/// business removes rights, and the actor decides one change at a time.
pub(super) fn check_actor(state: &State, request: &Request, needs: Option<Right>) -> Result<()> {
    match request.actor {
        Who::ApiKey(_) | Who::Person(_) if state.business.suspended => Err(EngineError::Suspended),
        Who::ApiKey(id) => check_key(state, id),
        Who::Person(id) => check_person(state, (id, request.password_at), needs),
        Who::Operator | Who::System | Who::Customer | Who::Receptionist(_) => Ok(()),
    }
}

fn check_person(
    state: &State,
    (id, password_at): (PersonId, Option<Timestamp>),
    needs: Option<Right>,
) -> Result<()> {
    let Some(right) = needs else { return Ok(()) };
    let membership = state.people.get(&id).filter(|membership| membership.is_active());
    match membership.map_or(Access::Hidden, |membership| membership.role.access(right)) {
        Access::Change if right == Right::People => Ok(check_password_at(password_at, state.clocks.now())?),
        Access::Change => Ok(()),
        Access::Read => Err(Refusal::NotAllowed(Denied::OwnersAndAdmins).into()),
        Access::Hidden => Err(EngineError::NotFound),
    }
}

fn check_key(state: &State, id: KeyId) -> Result<()> {
    // The credentials generation counts the changes to credentials. It is read before the rows. If it is the same at
    // the next check, the rows have not changed.
    let checked = (id, state.store.credentials_generation());
    if state.checked_key.get() == Some(checked) {
        return Ok(());
    }
    // The revocation of an API key does not delete the row of the key. A missing row is therefore no sign of a
    // revocation, and the check succeeds.
    let Some(prefix) = state.read_raw(&keys::key(state.id, id))? else { return Ok(()) };
    let key = state.read::<ApiKey>(&keys::api_key(keys::prefix_from_value(&prefix)?))?;
    if key.is_some_and(|key| key.revoked_at.is_some()) {
        return Err(EngineError::KeyRevoked);
    }
    state.checked_key.set(Some(checked));
    Ok(())
}
