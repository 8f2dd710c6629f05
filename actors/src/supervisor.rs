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

/// What the supervisor is told.
#[derive(Debug)]
pub(crate) enum Message {
    /// The engine it sweeps.
    Watch(Weak<Inner>),
    /// A minute has passed.
    Sweep,
}

/// The supervisor of every business actor.
pub(crate) struct Supervisor;

impl Actor for Supervisor {
    type Msg = Message;
    type State = Weak<Inner>;
    type Arguments = ();

    async fn pre_start(&self, myself: ActorRef<Message>, (): ()) -> Result<Weak<Inner>, ActorProcessingErr> {
        drop(myself.send_interval(SWEEP_EVERY, || Message::Sweep));
        Ok(Weak::new())
    }

    async fn handle(
        &self,
        _: ActorRef<Message>,
        message: Message,
        state: &mut Weak<Inner>,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            Message::Watch(inner) => *state = inner,
            Message::Sweep => {
                if let Some(inner) = state.upgrade() {
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
        _: ActorRef<Message>,
        event: SupervisionEvent,
        _: &mut Weak<Inner>,
    ) -> Result<(), ActorProcessingErr> {
        if let SupervisionEvent::ActorFailed(actor, error) = event {
            tracing::error!(actor.id = %actor.get_id(), %error, "a business actor failed; the next request starts it again");
        }
        Ok(())
    }
}
