//! Changes of a business on a store that no engine runs on: decided and written as its actor would.

use std::sync::Arc;

use domain::{Actor, BusinessId, Refusal};
use net::Ports;
use store::{Store, StoreError};

use super::change::{AnyChange, Change};
use super::decide::carry_out;
use super::load::{Start, load};
use super::request::Request;
use super::state::State;
use crate::clock::{Clocks, SteadyClock};
use crate::error::EngineError;
use crate::mail::Outbox;

/// How many changes are queued before they are waited for.
const IN_FLIGHT_MAX: u32 = 64;

/// A business that is in memory without its actor.
pub(crate) struct Alone {
    state: State,
    in_flight: u32,
}

impl Alone {
    /// Loads a business; `None` when there is none.
    ///
    /// # Errors
    /// When the store fails, or the profile does not decode and is set aside.
    pub(crate) async fn load(
        store: &Store,
        ports: &Ports,
        clocks: &Clocks,
        of: BusinessId,
    ) -> Result<Option<Self>, StoreError> {
        let (store, ports, clocks) = (store.clone(), ports.clone(), clocks.clone());
        let steady = SteadyClock::set(clocks.now(), &ports.clock);
        // Nobody is mailed by what is changed so.
        let outbox = Arc::new(Outbox::new(0));
        let start = Start { id: of, clocks, steady, store, ports, outbox };
        Ok(load(&start).await?.map(|state| Self { state, in_flight: 0 }))
    }

    /// Carries a change out, made by the service itself; false when what it is about is not there. It is on the disk once
    /// [`Alone::settle`] has come back.
    ///
    /// # Errors
    /// The refusal, or the store's failure.
    pub(crate) async fn carry_out(&mut self, change: impl Change + 'static) -> Result<bool, EngineError> {
        let state = &mut self.state;
        state.overlay.settle(state.store.synced_through(state.id));
        let (change, now): (Box<dyn AnyChange>, _) = (Box::new(change), state.clocks.now());
        let carried_out = match carry_out(state, &Request::by(Actor::System), change, now) {
            Ok(carried_out) => carried_out,
            Err(EngineError::Refused(Refusal::NotFound(_))) => return Ok(false),
            Err(error) => return Err(error),
        };
        state.submit(carried_out.batch, Box::new(|| ()));
        self.in_flight += 1;
        if self.in_flight == IN_FLIGHT_MAX {
            self.settle().await?;
        }
        Ok(true)
    }

    /// Waits until all that was carried out is on the disk.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) async fn settle(&mut self) -> Result<(), StoreError> {
        self.in_flight = 0;
        self.state.store.settled(self.state.id).await
    }
}
