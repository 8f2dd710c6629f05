//! The root of the actors: it outlives every failure below it, and sweeps once a minute. Where many actors run, a sweep
//! looks at a part of them each second.
//!
//! ractor's default supervisor stops itself when a child fails. This one notes the failure and lives on: the next
//! request starts the business again from the store, a delivery is started again once it has rested. A failure of its own
//! ends the process: without it nothing is started again, swept or written down.

use std::sync::Weak;
use std::time::Duration;

use chrono::TimeDelta;
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use tokio::task::JoinHandle;

use crate::delivery::EndpointKey;
use crate::domain::{PersonId, SteadyTime};
use crate::housekeeping::Housekeeping;
use crate::people::{sweep_people, write_uses};
use crate::shared::Shared;
use crate::store::StoreError;

/// How often idle businesses are looked for and key uses written.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// How far apart the parts of a sweep of the actors are.
const SWEEP_PART_EVERY: Duration = Duration::from_secs(1);

/// How far apart rounds through people begin, and how long after a start the first one does, in steady time.
const PEOPLE_EVERY: TimeDelta = TimeDelta::hours(24);
const PEOPLE_FIRST: TimeDelta = TimeDelta::hours(1);

/// What the supervisor remembers.
pub(crate) struct State {
    shared: Weak<Shared>,
    housekeeping: Housekeeping,
    /// Whether another part of the sweep comes.
    part_comes: bool,
    /// When the next round through people begins.
    next_round: Option<SteadyTime>,
    /// How far this round has come, while there is one.
    people: Option<Option<PersonId>>,
}

/// What the supervisor is told.
#[derive(Debug)]
pub(crate) enum Message {
    /// The engine it sweeps.
    Watch(Weak<Shared>),
    /// A minute has passed.
    Sweep,
    /// The next part of the actors is to be swept.
    SweepPart,
    /// Start an endpoint's deliveries.
    StartDelivery(EndpointKey),
}

impl State {
    /// Sweeps a part of the actors. With `begins` a sweep begins, unless one is under way.
    fn sweep_part(&mut self, shared: &Shared, begins: bool, myself: &ActorRef<Message>) {
        let left =
            [shared.businesses.sweep(begins), shared.deliveries.sweep(begins), shared.persons.sweep(begins)];
        if left.contains(&true) && !std::mem::replace(&mut self.part_comes, true) {
            drop(myself.send_after(SWEEP_PART_EVERY, || Message::SweepPart));
        }
    }

    async fn sweep(&mut self, myself: &ActorRef<Message>) {
        let Some(shared) = self.shared.upgrade() else { return };
        shared.clocks.tell();
        self.sweep_part(&shared, true, myself);
        write_uses(&shared).await;
        if let Err(error) = shared.key_usage.write(&shared.store).await {
            tracing::warn!(%error, "the use of keys could not be noted");
        }
        // Behind what is waited for above, so that nobody waits for it.
        shared.clocks.keep(&shared.store);
        shared.ending.notify_one();
        shared.import_left.notify_one();
        if let Err(error) = self.housekeeping.go_on(&shared) {
            tracing::warn!(%error, "businesses could not be swept");
        }
        let now = shared.clocks.steady();
        if self.people.is_none() && self.next_round.is_some_and(|next| now >= next) {
            self.next_round = Some(now + PEOPLE_EVERY);
            self.people = Some(None);
        }
        if let Some(after) = self.people {
            match sweep_people(&shared, after).await {
                Ok(last) => self.people = last.map(Some),
                Err(error) => tracing::warn!(%error, "people could not be swept"),
            }
        }
    }
}

/// Ends the process, by way of the store, when the supervisor has ended though the engine does not close.
pub(crate) fn watch_over(its_end: JoinHandle<()>, shared: Weak<Shared>) {
    tokio::spawn(async move {
        // What goes with its runtime has not failed.
        if its_end.await.is_err_and(|ended| ended.is_cancelled()) {
            return;
        }
        if let Some(shared) = shared.upgrade().filter(|shared| shared.check_open().is_ok()) {
            shared.store.fail(&StoreError::Unsupervised);
        }
    });
}

/// The supervisor of every business actor.
pub(crate) struct Supervisor;

impl Actor for Supervisor {
    type Msg = Message;
    type State = State;
    type Arguments = ();

    async fn pre_start(&self, myself: ActorRef<Message>, (): ()) -> Result<State, ActorProcessingErr> {
        drop(myself.send_interval(SWEEP_EVERY, || Message::Sweep));
        let housekeeping = Housekeeping::default();
        Ok(State { shared: Weak::new(), housekeeping, part_comes: false, next_round: None, people: None })
    }

    async fn handle(
        &self,
        myself: ActorRef<Message>,
        message: Message,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            Message::Watch(shared) => {
                state.next_round = shared.upgrade().map(|shared| shared.clocks.steady() + PEOPLE_FIRST);
                state.shared = shared;
            }
            Message::StartDelivery(key) => {
                if let Some(shared) = state.shared.upgrade() {
                    shared.wake_delivery(key);
                }
            }
            Message::Sweep => state.sweep(&myself).await,
            Message::SweepPart => {
                state.part_comes = false;
                if let Some(shared) = state.shared.upgrade() {
                    state.sweep_part(&shared, false, &myself);
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
    ) -> Result<(), ActorProcessingErr> {
        let Some(shared) = state.shared.upgrade() else { return Ok(()) };
        match event {
            SupervisionEvent::ActorFailed(actor, error) => {
                let actor = actor.get_id();
                // A business or a person starts again with the next request behind the rest; a delivery waits for nobody.
                if let Some((id, rest)) = shared.businesses.failed(actor) {
                    let rest = rest.as_secs();
                    tracing::error!(business.id = %id, %error, rest, "a business failed; it starts again from the store");
                } else if let Some((id, rest)) = shared.persons.failed(actor) {
                    let rest = rest.as_secs();
                    tracing::error!(person.id = %id, %error, rest, "a person's actor failed; it starts again from the store");
                } else if let Some((key, rest)) = shared.deliveries.failed(actor) {
                    let EndpointKey { business, endpoint } = key;
                    tracing::error!(
                        business.id = %business,
                        webhook.id = %endpoint,
                        %error,
                        rest = rest.as_secs(),
                        "the deliveries of an endpoint failed; they start again from the store"
                    );
                    shared.dispatcher.rest(key, None); // no place has it started before it is time
                    drop(myself.send_after(rest, move || Message::StartDelivery(key)));
                }
            }
            SupervisionEvent::ActorTerminated(actor, _, _) => {
                shared.businesses.ended(actor.get_id());
                shared.deliveries.ended(actor.get_id());
                shared.persons.ended(actor.get_id());
            }
            _ => {}
        }
        Ok(())
    }
}
