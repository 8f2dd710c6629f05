//! The root of the actors: it outlives every failure below it, and sweeps once a minute.
//!
//! ractor's default supervisor stops itself when a child fails. This one notes the failure and lives on: the next
//! request starts the business again from the store.

use std::sync::Weak;
use std::time::Duration;

use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};

use crate::engine::Inner;

/// How often idle businesses are looked for and key uses written.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// How long after a failure the deliveries that wait are started again; it doubles with each failure, up to
/// [`BACK_OFF_MAX`], until a minute passes without one.
const BACK_OFF: Duration = Duration::from_secs(1);
/// The longest such wait.
const BACK_OFF_MAX: Duration = Duration::from_secs(60);

/// What the supervisor remembers.
pub(crate) struct State {
    inner: Weak<Inner>,
    /// How long to wait after the next failure.
    back_off: Duration,
    /// Whether an actor failed in this minute.
    failed: bool,
}

/// What the supervisor is told.
#[derive(Debug)]
pub(crate) enum Message {
    /// The engine it sweeps.
    Watch(Weak<Inner>),
    /// A minute has passed.
    Sweep,
    /// Start the deliveries that wait and have no actor.
    StartDeliveries,
}

/// The supervisor of every business actor.
pub(crate) struct Supervisor;

impl Actor for Supervisor {
    type Msg = Message;
    type State = State;
    type Arguments = ();

    async fn pre_start(&self, myself: ActorRef<Message>, (): ()) -> Result<State, ActorProcessingErr> {
        drop(myself.send_interval(SWEEP_EVERY, || Message::Sweep));
        Ok(State { inner: Weak::new(), back_off: BACK_OFF, failed: false })
    }

    async fn handle(
        &self,
        _: ActorRef<Message>,
        message: Message,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            Message::Watch(inner) => state.inner = inner,
            Message::StartDeliveries => {
                if let Some(inner) = state.inner.upgrade() {
                    tokio::spawn(inner.start_deliveries());
                }
            }
            Message::Sweep => {
                if !std::mem::take(&mut state.failed) {
                    state.back_off = BACK_OFF;
                }
                if let Some(inner) = state.inner.upgrade() {
                    inner.businesses.sweep();
                    inner.deliveries.sweep();
                    if let Err(error) = inner.key_usage.write(&inner.store).await {
                        tracing::warn!(%error, "the use of keys could not be noted");
                    }
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
        if let SupervisionEvent::ActorFailed(actor, error) = event {
            tracing::error!(actor.id = %actor.get_id(), %error, "an actor failed; it starts again from the store");
            // A business starts again with its next request; a delivery waits for nobody.
            drop(myself.send_after(state.back_off, || Message::StartDeliveries));
            state.back_off = (state.back_off * 2).min(BACK_OFF_MAX);
            state.failed = true;
        }
        Ok(())
    }
}
