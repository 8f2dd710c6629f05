//! A turn: looks at what is due, begins what there are places for, and tells the dispatcher what waits beside that.

use std::sync::Arc;

use domain::WebhookEndpoint;
use net::WebhookUrl;
use ractor::ActorRef;
use store::{StoreError, Weight, unless_set_aside};
use tokio::time::Instant;

use super::dispatch::ATTEMPTS_MAX;
use super::message::Message;
use super::state::State;
use super::target::Target;
use crate::shared::Shared;

/// How many outcomes of one endpoint may be on their way to the disk at once, those included of which only the body of
/// the response is still read.
const RECORDING_MAX: usize = 64;
impl State {
    /// Begins what is due, as far as there are places, and tells the dispatcher what waits beside that.
    pub(super) async fn turn(
        &mut self,
        shared: &Arc<Shared>,
        myself: &ActorRef<Message>,
    ) -> Result<(), StoreError> {
        if shared.check_open().is_err() {
            self.places.clear();
            return Ok(());
        }
        // A turn tells the dispatcher what waits. Whoever puts the actor away would not let it tell that of a moment
        // ago: what it is woken for meanwhile is the next one's.
        self.hold();
        if self.work.is_none() {
            if !self.places.is_empty() {
                self.places.clear();
                shared.dispatcher.wake(self.key);
            }
            return Ok(());
        }
        let target = unless_set_aside(Target::read(&shared.store, self.key, &self.suspended))?;
        let Some(target) = target else {
            // Nobody knows any more where to send what waits. It stays as it is, and what is under way ends.
            self.wait(shared, None);
            self.rest(shared, false);
            return Ok(());
        };
        self.abort_stale(myself, target.as_ref().map(|target| &target.endpoint));
        if shared.store.check_room(Weight::Keeps).is_err() {
            // Nothing could be written of what is done, so nobody gets a place until there is room again.
            self.places.clear();
            shared.dispatcher.wake(self.key);
            self.rest(shared, false);
            return Ok(());
        }
        let Some(Target { endpoint, suspended }) = &target else {
            self.wait(shared, None);
            self.purge(shared, myself)?;
            self.rest(shared, self.purging);
            return Ok(());
        };
        while self.tasks.try_join_next().is_some() {}
        let room = ATTEMPTS_MAX.saturating_sub(self.attempting.len());
        let room = room.min(RECORDING_MAX.saturating_sub(self.recording.len()));
        if room == 0 {
            self.wait(shared, None); // what ends asks for a turn
            return Ok(());
        }
        if *suspended {
            // What is due waits for whoever lets the business in again, who has all its endpoints woken.
            self.wait(shared, None);
            self.rest(shared, false);
            return Ok(());
        }
        if let Some(until) = self.paused_until.filter(|until| Instant::now() < *until) {
            self.wait(shared, Some(until - Instant::now()));
            self.rest(shared, false);
            return Ok(());
        }
        let now = shared.steady.now();
        let mut due = self.due(shared, endpoint, now, room).await?;
        if due.more {
            self.ask_turn(myself);
        }
        if due.now.is_empty() {
            self.wait(shared, due.next.map(|next| (next - now).to_std().unwrap_or_default()));
            self.rest(shared, due.more);
            return Ok(());
        }
        // Only whoever has something to send may take the one attempt that an outage of ours lets through.
        due.now.truncate(most_now(shared, endpoint));
        if due.now.is_empty() {
            shared.dispatcher.cut_off(self.key);
            self.places.clear();
            self.rest(shared, due.more);
            return Ok(());
        }
        // While changes of the business are on their way, what is due goes out behind them: whoever waits for an answer
        // comes first, and more goes out at once. The endpoint may change meanwhile: what begins then begins with what it
        // is then.
        shared.store.settled_to_send(self.key.business).await?;
        let epoch = endpoint.epoch;
        let target = Target::read(&shared.store, self.key, &self.suspended)?;
        let target = target.filter(|now| now.endpoint.epoch == epoch && !now.suspended);
        let Some(Target { endpoint, .. }) = target else {
            self.ask_turn(myself);
            return Ok(());
        };
        let missing = due.now.len().saturating_sub(self.places.len());
        if missing > 0 {
            self.places.extend(shared.dispatcher.want(self.key, missing));
        } else {
            let next = due.next.map(|next| (next - now).to_std().unwrap_or_default());
            shared.dispatcher.rest(self.key, next);
        }
        for delivery in due.now {
            let Some(place) = self.places.pop() else { break };
            self.attempt(shared, myself, &endpoint, delivery, place)?;
        }
        self.places.clear();
        self.rest(shared, due.more);
        Ok(())
    }
}

/// How much may begin as far as the network goes: nothing during an outage of ours that concerns the endpoint.
fn most_now(shared: &Shared, endpoint: &WebhookEndpoint) -> usize {
    let network = shared.webhooks.network();
    // A URL that cannot be used fails without any network.
    let is_cut_off = network.is_out()
        && WebhookUrl::parse(&endpoint.url).is_ok_and(|url| shared.webhooks.is_cut_off_from(&url));
    if is_cut_off { usize::from(network.take_trial()) } else { usize::MAX }
}
