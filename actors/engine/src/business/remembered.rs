//! Requests that shall happen once: what was answered to them is remembered, in the batch of the change.
//!
//! An idempotency key is kept for 24 hours of steady time, whatever stamps and the wall clock say. Its record stands
//! under its day, so a look-up tries today and yesterday, and what is older goes in one sweep.

use chrono::TimeDelta;
use domain::{
    Access, Actor as Who, ApiKey, BusinessId, Denied, KeyId, PersonId, Refusal, Right, SteadyTime, Timestamp,
    check_password_at,
};
use store::records::{IdempotencyRecord, ShownAnew};
use store::{Batch, Order, Record, Store, StoreError, keys};

use super::request::{AnswerStatus, Gives, Idempotency, Request};
use super::state::State;
use crate::error::EngineError;

/// How long an idempotency key is kept, in steady time.
const IDEMPOTENCY_KEPT: TimeDelta = TimeDelta::hours(24);
/// How many days ahead of steady time are looked at: each is of a time when an earlier version ran on a wrong clock.
const DAYS_AHEAD_MAX: usize = 32;

/// The kept answer of this kind that was given to a request, if it is to happen once and did. Whoever may not make the
/// change does not learn of it either.
pub(super) fn given(
    state: &State,
    request: &Request,
    status: AnswerStatus,
    needs: Option<Right>,
) -> Result<Option<Vec<u8>>, EngineError> {
    check_actor(state, request, needs)?;
    let Some(idempotency) = request.idempotency else { return Ok(None) };
    let Some((kept, body)) = remembered(state, idempotency)? else { return Ok(None) };
    if kept != status {
        // Its fingerprint has the method and the path in it, so that was a version to which they meant another change.
        return Err(Refusal::IdempotencyKeyReused.into());
    }
    Ok(Some(body))
}

/// Adds to the batch of a change what it answers, among the rows of a business or of the installation.
pub(crate) fn remember(
    of: BusinessId,
    answered: SteadyTime,
    idempotency: Idempotency,
    (status, body): (AnswerStatus, Vec<u8>),
    batch: &mut Batch,
) {
    let Idempotency { key, fingerprint } = idempotency;
    let record = IdempotencyRecord { fingerprint, status: status_code(status), body, shows: None, answered };
    batch.put(keys::idempotency(of, answered.day(), &key), record.encode());
}

/// The answer that was given to the same request, if it was, and its kind.
fn remembered(
    state: &State,
    idempotency: Idempotency,
) -> Result<Option<(AnswerStatus, Vec<u8>)>, EngineError> {
    let now = state.clocks.steady();
    let at = |day| keys::idempotency(state.id, day, &idempotency.key);
    // Days ahead first: what the sweep moves from there to today is found in one place or the other.
    let days = state.days_ahead.iter().copied().chain(days(now));
    let Some((day, record)) = kept(days, now, idempotency.fingerprint, |day| state.read(&at(day)))? else {
        return Ok(None);
    };
    if state.overlay.ticket(&at(day)).is_some() {
        return Err(Refusal::IdempotencyInProgress.into());
    }
    let status = status_from_code(record.status)?;
    let body = match record.shows {
        None => record.body,
        Some(what) => state.show_anew(what)?.ok_or(Refusal::NotFound(name_of(what)))?,
    };
    Ok(Some((status, body)))
}

/// The kind of a resource, as it is called.
fn name_of(what: ShownAnew) -> &'static str {
    match what {
        ShownAnew::Contact(_) => "contact",
        ShownAnew::Appointment(_) => "appointment",
        ShownAnew::Call(_) => "call",
        ShownAnew::Message(_) => "message",
    }
}

/// The days under which a key may stand that was used in the last 24 hours.
pub(crate) fn days(now: SteadyTime) -> impl Iterator<Item = u32> {
    let today = now.day();
    [Some(today), today.checked_sub(1)].into_iter().flatten()
}

/// What is kept of an answer under one of these days, and under which: for a request of this fingerprint.
pub(crate) fn kept(
    days: impl Iterator<Item = u32>,
    now: SteadyTime,
    fingerprint: [u8; 32],
    read: impl Fn(u32) -> Result<Option<IdempotencyRecord>, StoreError>,
) -> Result<Option<(u32, IdempotencyRecord)>, EngineError> {
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

/// What the answer shows that is kept as these bytes.
pub(crate) fn read_kept<G: Gives>(kept: &[u8]) -> Result<G::Value, StoreError> {
    G::read(kept).map_err(|_| StoreError::damaged("idempotency", "what it remembers is no such answer"))
}

/// The days behind today under which anything is remembered, the last ones first.
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

/// How a kind of answer is kept in the store.
fn status_code(status: AnswerStatus) -> u16 {
    match status {
        AnswerStatus::Done => 200,
        AnswerStatus::Created => 201,
        AnswerStatus::Gone => 204,
    }
}

/// The kind of answer that the store keeps as this number.
fn status_from_code(code: u16) -> Result<AnswerStatus, StoreError> {
    match code {
        200 => Ok(AnswerStatus::Done),
        201 => Ok(AnswerStatus::Created),
        204 => Ok(AnswerStatus::Gone),
        other => Err(StoreError::damaged("idempotency", format!("its status {other} is not known"))),
    }
}

/// Refuses what somebody asks for who may not, or may no more: both what takes the right away and what is asked for are
/// decided here, so one of them comes first.
pub(super) fn check_actor(state: &State, request: &Request, needs: Option<Right>) -> Result<(), EngineError> {
    match request.actor {
        Who::ApiKey(id) => check_key(state, id),
        Who::Person(id) => check_person(state, (id, request.password_at), needs),
        Who::Operator | Who::System => Ok(()),
    }
}

/// Refuses what one of the people asks for whose role does not go so far, or who belongs no more; and changes of people,
/// whoever asks in whichever page, where they did not give their password lately.
fn check_person(
    state: &State,
    (id, password_at): (PersonId, Option<Timestamp>),
    needs: Option<Right>,
) -> Result<(), EngineError> {
    if state.business.suspended {
        return Err(EngineError::Suspended);
    }
    let Some(right) = needs else { return Ok(()) };
    let membership = state.people.get(&id).filter(|membership| membership.is_active());
    match membership.map_or(Access::Hidden, |membership| membership.role.access(right)) {
        Access::Change if right == Right::People => Ok(check_password_at(password_at, state.clocks.now())?),
        Access::Change => Ok(()),
        Access::Read => Err(Refusal::NotAllowed(Denied::OwnersAndAdmins).into()),
        Access::Hidden => Err(EngineError::NotFound),
    }
}

/// Refuses what a key asks for that was revoked, or whose business was suspended, while the request was on its way.
fn check_key(state: &State, id: KeyId) -> Result<(), EngineError> {
    if state.business.suspended {
        return Err(EngineError::Suspended);
    }
    // Before the rows are read: while nothing is written that lets in, they say the same.
    let checked = (id, state.store.credentials_generation());
    if state.checked_key.get() == Some(checked) {
        return Ok(());
    }
    // A row is never deleted, so an id without one is of no key that could have been revoked.
    let Some(prefix) = state.read_raw(&keys::key(state.id, id))? else { return Ok(()) };
    let key = state.read::<ApiKey>(&keys::api_key(keys::prefix_from_value(&prefix)?))?;
    if key.is_some_and(|key| key.revoked_at.is_some()) {
        return Err(EngineError::KeyRevoked);
    }
    state.checked_key.set(Some(checked));
    Ok(())
}
