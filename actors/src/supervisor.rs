//! The root of the actors: it outlives every failure below it, and sweeps once a minute.
//!
//! ractor's default supervisor stops itself when a child fails. This one notes the failure and lives on: the next
//! request starts the business again from the store.

use std::collections::HashMap;
use std::sync::Weak;
use std::time::Duration;

use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use tokio::time::Instant;

use crate::delivery::EndpointKey;
use crate::domain::{BusinessId, PersonId};
use crate::people::{sweep_people, write_uses};
use crate::shared::Shared;
use crate::store::keys::installation_kind;
use crate::store::{Order, StoreError, keys};

/// How often idle businesses are looked for and key uses written.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// How long after a failure an endpoint's deliveries are started again; it doubles with each failure, up to
/// [`BACK_OFF_MAX`], until a minute passes without one.
const BACK_OFF: Duration = Duration::from_secs(1);
/// The longest such wait.
const BACK_OFF_MAX: Duration = Duration::from_secs(60);
/// How often the businesses that nobody uses are swept, one after the other.
const SWEEP_UNUSED_EVERY: Duration = Duration::from_secs(24 * 60 * 60);

/// How many businesses that nobody uses are swept in a minute.
const BUSINESSES_PER_SWEEP: usize = 10;

/// What the supervisor remembers.
pub(crate) struct State {
    shared: Weak<Shared>,
    /// The endpoints whose actors failed of late.
    failed: HashMap<EndpointKey, Failed>,
    /// When the next round of sweeping begins.
    next_round: Instant,
    /// How far this round has come, while there is one.
    round: Option<Option<BusinessId>>,
    /// How far the round through people has come, while there is one.
    people: Option<Option<PersonId>>,
}

/// An endpoint whose actor failed.
struct Failed {
    /// How long to wait after the next failure.
    back_off: Duration,
    /// Whether it failed since the last minute began.
    of_late: bool,
    /// Whether it is going to be started: once, however often it fails meanwhile.
    starting: bool,
}

/// What the supervisor is told.
#[derive(Debug)]
pub(crate) enum Message {
    /// The engine it sweeps.
    Watch(Weak<Shared>),
    /// A minute has passed.
    Sweep,
    /// Start an endpoint's deliveries.
    StartDelivery(EndpointKey),
}

impl State {
    async fn sweep(&mut self) {
        self.failed.retain(|_, failed| std::mem::take(&mut failed.of_late) || failed.starting);
        let Some(shared) = self.shared.upgrade() else { return };
        shared.clocks.tell();
        shared.businesses.sweep();
        shared.deliveries.sweep();
        shared.persons.sweep();
        write_uses(&shared).await;
        if let Err(error) = shared.key_usage.write(&shared.store).await {
            tracing::warn!(%error, "the use of keys could not be noted");
        }
        // Behind what is waited for above, so that nobody waits for it.
        shared.clocks.keep(&shared.store);
        if self.round.is_none() && Instant::now() >= self.next_round {
            self.next_round = Instant::now() + SWEEP_UNUSED_EVERY;
            self.round = Some(None);
            self.people = Some(None);
        }
        if let Some(after) = self.people {
            match sweep_people(&shared, after).await {
                Ok(last) => self.people = last.map(Some),
                Err(error) => tracing::warn!(%error, "people could not be swept"),
            }
        }
        if let Some(after) = self.round {
            match sweep_unused(&shared, after).await {
                Ok(last) => self.round = last.map(Some),
                Err(error) => tracing::warn!(%error, "businesses could not be swept"),
            }
        }
    }
}

/// The supervisor of every business actor.
pub(crate) struct Supervisor;

impl Actor for Supervisor {
    type Msg = Message;
    type State = State;
    type Arguments = ();

    async fn pre_start(&self, myself: ActorRef<Message>, (): ()) -> Result<State, ActorProcessingErr> {
        drop(myself.send_interval(SWEEP_EVERY, || Message::Sweep));
        let next_round = Instant::now() + SWEEP_UNUSED_EVERY / 24;
        Ok(State { shared: Weak::new(), failed: HashMap::new(), next_round, round: None, people: None })
    }

    async fn handle(
        &self,
        _: ActorRef<Message>,
        message: Message,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            Message::Watch(shared) => state.shared = shared,
            Message::StartDelivery(key) => {
                if let Some(failed) = state.failed.get_mut(&key) {
                    failed.starting = false;
                }
                if let Some(shared) = state.shared.upgrade() {
                    shared.wake_delivery(key);
                }
            }
            Message::Sweep => state.sweep().await,
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<Message>,
        event: SupervisionEvent,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        let (actor, failure) = match event {
            SupervisionEvent::ActorFailed(actor, error) => (actor.get_id(), Some(error)),
            SupervisionEvent::ActorTerminated(actor, _, _) => (actor.get_id(), None),
            _ => return Ok(()),
        };
        let key = state.shared.upgrade().and_then(|shared| shared.deliveries.ended(actor));
        if let Some(error) = failure {
            tracing::error!(actor.id = %actor, %error, "an actor failed; it starts again from the store");
            // A business starts again with its next request; a delivery waits for nobody.
            if let Some(key) = key {
                if let Some(shared) = state.shared.upgrade() {
                    shared.dispatcher.rest(key, None); // no place has it started before it is time
                }
                let fresh = Failed { back_off: BACK_OFF, of_late: true, starting: false };
                let failed = state.failed.entry(key).or_insert(fresh);
                failed.of_late = true;
                if !std::mem::replace(&mut failed.starting, true) {
                    drop(myself.send_after(failed.back_off, move || Message::StartDelivery(key)));
                    failed.back_off = (failed.back_off * 2).min(BACK_OFF_MAX);
                }
            }
        }
        Ok(())
    }
}

/// Has the next businesses after this one swept that nobody uses; gives the last one, or `None` at the end.
async fn sweep_unused(shared: &Shared, after: Option<BusinessId>) -> Result<Option<BusinessId>, StoreError> {
    let mut range = keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX);
    if let Some(after) = after {
        range = range.after(keys::business_index(after));
    }
    let rows: Result<Vec<_>, _> =
        shared.store.scan(&range, Order::Ascending).take(BUSINESSES_PER_SWEEP).collect();
    let mut last = None;
    for (key, _) in rows? {
        let id = keys::id_at_end::<BusinessId>(&key)?;
        last = Some(id);
        // One that is in memory sweeps itself, and one that starts does so first of all.
        if shared.businesses.if_running(id).is_none() {
            let _ = shared.businesses.running(id).await;
        }
    }
    Ok(last)
}
