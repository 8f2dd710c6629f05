//! The supervisor of all actors. It survives the failures of actors. Once a minute it *sweeps* the actors: it
//! stops unused actors and makes the others continue their background jobs. If there are many actors, it sweeps
//! one part of them per second.
//!
//! ractor's default supervisor stops itself when a child fails. This supervisor only records the failure. The
//! next request starts the failed actor of a business or a person again from the store. The failed actor of
//! an endpoint or a calendar is started again after a pause. A failure of the supervisor itself ends the
//! process, because otherwise no actors would be restarted or swept.

use std::sync::Weak;
use std::time::Duration;

use ractor::{Actor, ActorRef, SupervisionEvent};
use store::StoreError;
use tokio::task::JoinHandle;

use crate::actor::Handled;
use crate::calendars::reading::CalendarKey;
use crate::delivery::EndpointKey;
use crate::engine::Parts;
use crate::people::write_uses;
use crate::shared::Shared;

const SWEEP_EVERY: Duration = Duration::from_secs(60);

const SWEEP_PART_EVERY: Duration = Duration::from_secs(1);

pub(crate) struct State {
    engine: Weak<Parts>,
    part_comes: bool,
}

#[derive(Debug)]
pub(crate) enum Message {
    Watch(Weak<Parts>),
    Sweep,
    SweepPart,
    StartDelivery(EndpointKey),
}

impl State {
    /// Sweeps a part of the actors. If `begins` is true and no sweep is in progress, starts a sweep first.
    fn sweep_part(&mut self, engine: &Parts, begins: bool, myself: &ActorRef<Message>) {
        let Parts { businesses, people, .. } = engine;
        let left = [
            businesses.directory.sweep(begins),
            businesses.deliveries.directory.sweep(begins),
            businesses.readings.directory.sweep(begins),
            people.directory.sweep(begins),
        ];
        if left.contains(&true) && !std::mem::replace(&mut self.part_comes, true) {
            drop(myself.send_after(SWEEP_PART_EVERY, || Message::SweepPart));
        }
    }

    async fn sweep(&mut self, myself: &ActorRef<Message>) {
        let Some(engine) = self.engine.upgrade() else { return };
        let Parts { shared, businesses, people, maintenance, .. } = &*engine;
        shared.clocks.check_wall_clock();
        self.sweep_part(&engine, true, myself);
        write_uses(people).await;
        if let Err(error) = businesses.key_usage.write(&shared.store).await {
            tracing::warn!(%error, "the last uses of API keys could not be written");
        }
        // These writes are submitted last, and no task waits for them, so they delay no request.
        shared.clocks.keep(&shared.store);
        maintenance.minute(shared);
    }
}

/// Makes the store fail if the supervisor ends while the engine is open. The failure of the store ends the
/// process.
pub(crate) fn watch_over(its_end: JoinHandle<()>, shared: Weak<Shared>) {
    tokio::spawn(async move {
        // The runtime has ended, which is not a failure of the supervisor.
        if its_end.await.is_err_and(|ended| ended.is_cancelled()) {
            return;
        }
        if let Some(shared) = shared.upgrade().filter(|shared| shared.check_open().is_ok()) {
            shared.store.fail(&StoreError::Unsupervised);
        }
    });
}

pub(crate) struct Supervisor;

impl Actor for Supervisor {
    type Msg = Message;
    type State = State;
    type Arguments = ();

    async fn pre_start(&self, myself: ActorRef<Message>, (): ()) -> Handled<State> {
        drop(myself.send_interval(SWEEP_EVERY, || Message::Sweep));
        Ok(State { engine: Weak::new(), part_comes: false })
    }

    async fn handle(&self, myself: ActorRef<Message>, message: Message, state: &mut State) -> Handled {
        match message {
            Message::Watch(engine) => state.engine = engine,
            Message::StartDelivery(key) => {
                if let Some(engine) = state.engine.upgrade() {
                    engine.businesses.deliveries.wake(key);
                }
            }
            Message::Sweep => state.sweep(&myself).await,
            Message::SweepPart => {
                state.part_comes = false;
                if let Some(engine) = state.engine.upgrade() {
                    state.sweep_part(&engine, false, &myself);
                }
            }
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<Message>,
        event: SupervisionEvent,
        state: &mut State,
    ) -> Handled {
        let Some(engine) = state.engine.upgrade() else { return Ok(()) };
        let Parts { businesses, people, .. } = &*engine;
        let deliveries = &businesses.deliveries;
        match event {
            SupervisionEvent::ActorFailed(actor, error) => {
                let actor = actor.get_id();
                // A failed actor of a business or a person is started by the next request. No request starts
                // the actor of an endpoint, so a timer starts it.
                if let Some((id, rest)) = businesses.directory.failed(actor) {
                    let rest = rest.as_secs();
                    tracing::error!(business.id = %id, %error, rest, "the actor of a business failed; it restarts from the store");
                } else if let Some((id, rest)) = people.directory.failed(actor) {
                    let rest = rest.as_secs();
                    tracing::error!(person.id = %id, %error, rest, "the actor of a person failed; it restarts from the store");
                } else if let Some((key, rest)) = businesses.readings.directory.failed(actor) {
                    let CalendarKey { business, calendar } = key;
                    tracing::error!(business.id = %business, calendar.id = %calendar, %error, "the actor of a calendar failed; the calendar is read again later");
                    businesses.readings.failed(key, rest);
                } else if let Some((key, rest)) = deliveries.directory.failed(actor) {
                    let EndpointKey { business, endpoint } = key;
                    tracing::error!(
                        business.id = %business,
                        webhook.id = %endpoint,
                        %error,
                        rest = rest.as_secs(),
                        "the delivery actor of an endpoint failed; it restarts from the store"
                    );
                    deliveries.dispatcher.rest(key, None); // so that no permit starts it earlier
                    drop(myself.send_after(rest, move || Message::StartDelivery(key)));
                }
            }
            SupervisionEvent::ActorTerminated(actor, _, _) => {
                businesses.directory.ended(actor.get_id());
                deliveries.directory.ended(actor.get_id());
                businesses.readings.directory.ended(actor.get_id());
                people.directory.ended(actor.get_id());
            }
            _ => {}
        }
        Ok(())
    }
}
