//! Changes a business while no engine runs. The code of the business's actor makes the decisions and the batches.

use std::sync::Arc;

use domain::{Actor, BusinessId, Refusal};
use net::Ports;
use store::{Store, StoreError};

use super::change::Change;
use super::decide::carry_out;
use super::load::{Start, load};
use super::request::Request;
use super::state::State;
use crate::clock::{Clocks, SteadyClock};
use crate::error::{EngineError, Result};
use crate::mail::Outbox;

const IN_FLIGHT_MAX: u32 = 64;

pub(crate) struct OfflineBusiness {
    state: State,
    in_flight: u32,
}

impl OfflineBusiness {
    /// Loads a business. Returns `None` if the business does not exist, and an error if its profile cannot be decoded.
    pub(crate) async fn load(
        store: &Store,
        ports: &Ports,
        clocks: &Clocks,
        of: BusinessId,
    ) -> Result<Option<Self>, StoreError> {
        let (store, ports, clocks) = (store.clone(), ports.clone(), clocks.clone());
        let steady = SteadyClock::set(clocks.now(), &ports.clock);
        let outbox = Arc::new(Outbox::new(0, [0; 32]));
        let start = Start { id: of, clocks, steady, store, ports, outbox, has_model: Arc::default() };
        Ok(load(&start).await?.map(|state| Self { state, in_flight: 0 }))
    }

    /// Carries out a change as [`Actor::System`]. Returns false if the record to change does not exist.
    pub(crate) async fn carry_out(&mut self, change: impl Change) -> Result<bool> {
        let state = &mut self.state;
        state.overlay.drop_durable(state.store.synced_through(state.id));
        let now = state.clocks.now();
        let carried_out = match carry_out(state, &Request::by(Actor::System), change, now) {
            Ok(carried_out) => carried_out,
            Err(EngineError::Refused(Refusal::NotFound(_))) => return Ok(false),
            Err(error) => return Err(error),
        };
        state.submit(carried_out.batch, Box::new(|| ()));
        self.in_flight += 1;
        if self.in_flight == IN_FLIGHT_MAX {
            self.wait_durable().await?;
        }
        Ok(true)
    }

    pub(crate) async fn wait_durable(&mut self) -> Result<(), StoreError> {
        self.in_flight = 0;
        self.state.store.wait_durable(self.state.id).await
    }
}
