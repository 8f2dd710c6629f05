//! A change of a business on a store that no engine runs on: decided and written as its actor would.

use std::sync::Arc;

use super::change::{AnyChange, Change};
use super::decide::carry_out;
use super::load::{Start, load};
use super::request::Request;
use crate::clock::Clocks;
use crate::delivery::SteadyClock;
use crate::domain::{Actor, BusinessId, Refusal};
use crate::error::EngineError;
use crate::mail::Outbox;
use crate::ports::Ports;
use crate::store::{Store, StoreError};

/// Carries a change out, made by the service itself; false when what it is about is not there.
///
/// # Errors
/// The refusal, or the store's failure.
pub(crate) async fn carry_out_alone(
    store: &Store,
    ports: &Ports,
    of: BusinessId,
    change: impl Change + 'static,
) -> Result<bool, EngineError> {
    let clocks = Clocks::open(store, Arc::clone(&ports.clock)).await?;
    let now = clocks.now();
    let (store, ports) = (store.clone(), ports.clone());
    let steady = SteadyClock::set(now);
    // Nobody is mailed by it.
    let outbox = Arc::new(Outbox::new());
    let start = Start { id: of, clocks, steady, store: store.clone(), ports, outbox };
    let Some(mut state) = load(&start).await? else { return Ok(false) };
    let change: Box<dyn AnyChange> = Box::new(change);
    let carried_out = match carry_out(&mut state, &Request::by(Actor::System), change, now) {
        Ok(carried_out) => carried_out,
        Err(EngineError::Refused(Refusal::NotFound(_))) => return Ok(false),
        Err(error) => return Err(error),
    };
    store.submit(of, carried_out.batch, Box::new(|| ())).ok_or(StoreError::Stopped)?;
    store.settled(of).await?;
    Ok(true)
}
