//! A turn of an endpoint's actor: it reads the due rows, begins an attempt for each permit and sets the time
//! at which the dispatcher wakes the endpoint next.

use std::sync::Arc;

use domain::WebhookEndpoint;
use net::WebhookClient;
use ractor::ActorRef;
use store::{StoreError, Weight, unless_set_aside};
use tokio::time::Instant;

use super::dispatch::ATTEMPTS_MAX;
use super::message::Message;
use super::service::Deliveries;
use super::state::State;
use super::target::Target;

/// The maximum number of outcomes of one endpoint that are not durable yet, including attempts whose response
/// body is still read.
const RECORDING_MAX: usize = 64;
impl State {
    pub(super) async fn turn(
        &mut self,
        deliveries: &Arc<Deliveries>,
        myself: &ActorRef<Message>,
    ) -> Result<(), StoreError> {
        let Deliveries { shared, dispatcher, .. } = &**deliveries;
        if shared.check_open().is_err() {
            self.attempt_permits.clear();
            return Ok(());
        }
        // An actor without a permit is being stopped. It must not overwrite newer wake-ups at the dispatcher,
        // which the next actor handles.
        self.hold();
        if self.work.is_none() {
            if !self.attempt_permits.is_empty() {
                self.attempt_permits.clear();
                dispatcher.wake(self.key);
            }
            return Ok(());
        }
        let target = unless_set_aside(Target::read(&shared.store, self.key, &self.suspended))?;
        let Some(target) = target else {
            // The endpoint's record is unreadable, so nothing can be sent. The rows stay, and the attempts in
            // progress end.
            self.wait(deliveries, None);
            self.rest(deliveries, false);
            return Ok(());
        };
        self.abort_stale(myself, target.as_ref().map(|target| &target.endpoint));
        if shared.store.check_room(Weight::Keeps).is_err() {
            // Outcomes cannot be written on a full disk, so no permit is used until there is room.
            self.attempt_permits.clear();
            dispatcher.wake(self.key);
            self.rest(deliveries, false);
            return Ok(());
        }
        let Some(Target { endpoint, suspended }) = &target else {
            self.wait(deliveries, None);
            self.purge(shared, myself)?;
            self.rest(deliveries, self.purging);
            return Ok(());
        };
        while self.tasks.try_join_next().is_some() {}
        let room = ATTEMPTS_MAX.saturating_sub(self.attempting.len());
        let room = room.min(RECORDING_MAX.saturating_sub(self.recording.len()));
        if room == 0 {
            self.wait(deliveries, None); // the attempt that ends asks for a turn
            return Ok(());
        }
        if *suspended {
            // Due deliveries wait until the suspension ends, which wakes all endpoints of the business.
            self.wait(deliveries, None);
            self.rest(deliveries, false);
            return Ok(());
        }
        if let Some(until) = self.paused_until.filter(|until| Instant::now() < *until) {
            self.wait(deliveries, Some(until - Instant::now()));
            self.rest(deliveries, false);
            return Ok(());
        }
        let now = shared.steady.now();
        let mut due = self.due(shared, endpoint, now, room).await?;
        if due.more {
            self.ask_turn(myself);
        }
        if due.now.is_empty() {
            self.wait(deliveries, due.next.map(|next| (next - now).to_std().unwrap_or_default()));
            self.rest(deliveries, due.more);
            return Ok(());
        }
        // Only an endpoint with due deliveries may use the one trial attempt of an outage.
        due.now.truncate(most_now(&deliveries.client, endpoint));
        if due.now.is_empty() {
            dispatcher.cut_off(self.key);
            self.attempt_permits.clear();
            self.rest(deliveries, due.more);
            return Ok(());
        }
        // Due deliveries wait for the business's changes in progress: a waiting client has priority, and one
        // commit may add deliveries. The endpoint may change meanwhile, so each attempt reads it anew.
        shared.store.settled_to_send(self.key.business).await?;
        let epoch = endpoint.epoch;
        let target = Target::read(&shared.store, self.key, &self.suspended)?;
        let target = target.filter(|now| now.endpoint.epoch == epoch && !now.suspended);
        let Some(Target { endpoint, .. }) = target else {
            self.ask_turn(myself);
            return Ok(());
        };
        let missing = due.now.len().saturating_sub(self.attempt_permits.len());
        if missing > 0 {
            self.attempt_permits.extend(dispatcher.want(self.key, missing));
        } else {
            let next = due.next.map(|next| (next - now).to_std().unwrap_or_default());
            dispatcher.rest(self.key, next);
        }
        for delivery in due.now {
            let Some(permit) = self.attempt_permits.pop() else { break };
            self.attempt(deliveries, myself, &endpoint, delivery, permit)?;
        }
        self.attempt_permits.clear();
        self.rest(deliveries, due.more);
        Ok(())
    }
}

/// The number of attempts that the network allows. It is 0 during a local outage that concerns the endpoint.
fn most_now(client: &WebhookClient, endpoint: &WebhookEndpoint) -> usize {
    let network = client.network();
    let is_cut_off = network.is_out() && client.is_cut_off_from(&endpoint.url);
    if is_cut_off { usize::from(network.take_trial()) } else { usize::MAX }
}
