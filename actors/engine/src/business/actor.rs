//! The actor itself: takes messages one after the other, decides, hands the batch to the committer.

use std::sync::{Arc, Weak};

use domain::{BusinessId, Timestamp};
use ractor::{Actor, ActorProcessingErr, ActorRef, SpawnErr};
use store::{Batch, unless_set_aside};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::decide::{Effect, carry_out};
use super::load::{Start, load};
use super::message::{Message, Question, SweptThrough};
use super::state::State;
use super::steps;
use super::sweep::sweep;
use crate::error::EngineError;
use crate::shared::Shared;

/// There is no business with this id.
#[derive(Debug, thiserror::Error)]
#[error("there is no such business")]
pub(crate) struct NoSuchBusiness;

/// The actor of one business.
pub(crate) struct BusinessActor;

/// What it keeps while it runs.
pub(crate) struct Running {
    state: State,
    /// Who is told what follows from a change.
    shared: Weak<Shared>,
    /// Who waits until all that the business keeps is counted.
    asked: Vec<Question>,
    /// Who waits until what has outlived its time is deleted.
    swept: Vec<SweptThrough>,
    /// The permits of this actor.
    permits: Arc<Semaphore>,
    /// Held while the actor has work of its own, so that it is not stopped.
    work: Option<OwnedSemaphorePermit>,
    /// Whether it has looked for work since it was started.
    has_looked: bool,
}

impl BusinessActor {
    /// Loads a business and starts its actor.
    pub(crate) async fn start(
        shared: Arc<Shared>,
        id: BusinessId,
        permits: Arc<Semaphore>,
    ) -> Result<ActorRef<Message>, EngineError> {
        shared.check_business(id)?;
        let start = Start {
            id,
            clocks: shared.clocks.clone(),
            steady: shared.steady.clone(),
            store: shared.store.clone(),
            ports: shared.ports.clone(),
            outbox: Arc::clone(&shared.mail),
        };
        let arguments = (start, Arc::downgrade(&shared), permits);
        match Self::spawn_linked(None, Self, arguments, shared.supervisor.clone()).await {
            Ok((actor, _)) => Ok(actor),
            Err(SpawnErr::StartupFailed(error)) if error.is::<NoSuchBusiness>() => Err(EngineError::NotFound),
            Err(_) if shared.store.failed() => Err(EngineError::Stopping),
            Err(error) => {
                tracing::error!(business.id = %id, error = %error, "a business could not be loaded");
                Err(EngineError::Failed)
            }
        }
    }
}

impl Actor for BusinessActor {
    type Msg = Message;
    /// Boxed, for the runtime keeps a place for it in each of the futures that it is handed through.
    type State = Box<Running>;
    type Arguments = (Start, Weak<Shared>, Arc<Semaphore>);

    async fn pre_start(
        &self,
        myself: ActorRef<Message>,
        (start, shared, permits): Self::Arguments,
    ) -> Result<Box<Running>, ActorProcessingErr> {
        let state = load(&start).await?.ok_or(NoSuchBusiness)?;
        if let Some(shared) = shared.upgrade() {
            shared.businesses.note(myself.get_id(), start.id); // before it can fail
        }
        let work = Arc::clone(&permits).try_acquire_owned().ok();
        let (asked, swept) = (Vec::new(), Vec::new());
        Ok(Box::new(Running { state, shared, asked, swept, permits, work, has_looked: false }))
    }

    async fn post_start(
        &self,
        myself: ActorRef<Message>,
        running: &mut Box<Running>,
    ) -> Result<(), ActorProcessingErr> {
        let _ = myself.cast(Message::Sweep);
        let _ = myself.cast(Message::Chores);
        if !running.state.accounts.are_complete() {
            let _ = myself.cast(Message::Count);
        }
        Ok(())
    }

    async fn handle(
        &self,
        myself: ActorRef<Message>,
        message: Message,
        running: &mut Box<Running>,
    ) -> Result<(), ActorProcessingErr> {
        let is_set_aside = |running: &Running| running.state.store.is_business_set_aside(running.state.id);
        let handled =
            if is_set_aside(running) { Ok(()) } else { running.handle(myself.clone(), message).await };
        if is_set_aside(running) {
            // What was asked is dropped, which answers it. The actor has not failed: nothing starts it again.
            if let Some(shared) = running.shared.upgrade() {
                shared.businesses.dismiss(running.state.id);
            }
            myself.stop(Some("the business is set aside".into()));
            return Ok(());
        }
        handled
    }
}

impl Running {
    async fn handle(
        &mut self,
        myself: ActorRef<Message>,
        message: Message,
    ) -> Result<(), ActorProcessingErr> {
        let Self { state, shared, asked, swept, has_looked, .. } = self;
        // What is decided now would never be written, and nothing may be decided on top of it.
        if state.store.failed() {
            if let Message::Change { reply, permits, .. } = message {
                permits.answer(|| _ = reply.send(Err(EngineError::Stopping)));
            }
            return Ok(());
        }
        // Nor of a business that is no more.
        if state.ended {
            match message {
                // That it is no more is told once that is on the disk.
                Message::Change { reply, permits, .. } => {
                    let done = move || permits.answer(|| _ = reply.send(Err(EngineError::NotFound)));
                    state.submit(Batch::default(), Box::new(done));
                }
                Message::Ask { question } | Message::AskAccounts { question } => {
                    answer(state, question, state.clocks.now());
                }
                Message::End => myself.stop(Some("the business was ended".into())),
                _ => {}
            }
            return Ok(());
        }
        state.overlay.settle(state.store.synced_through(state.id));
        let now = state.clocks.now();
        match message {
            Message::Change { request, change, reply, permits } => {
                state.reach_back(now).await?;
                match carry_out(state, &request, change, now) {
                    Ok(made) => {
                        let (shared, id, myself) = (Weak::clone(shared), state.id, myself.clone());
                        let done = move || {
                            if let Some(shared) = shared.upgrade() {
                                let effects = made.effects.into_iter();
                                effects.for_each(|effect| follow(effect, id, &myself, &shared));
                            }
                            permits.answer(|| _ = reply.send(Ok(made.answer)));
                        };
                        state.submit(made.batch, Box::new(done));
                    }
                    // A refusal shows state too, so it waits for what it shows. With little room on the disk, a change
                    // is refused if it changes nothing, which shows that an earlier change was made.
                    Err(error @ (EngineError::Refused(_) | EngineError::DiskFull(_))) => {
                        let done = move || permits.answer(|| _ = reply.send(Err(error)));
                        state.submit(Batch::default(), Box::new(done));
                    }
                    Err(error) => permits.answer(|| _ = reply.send(Err(error))),
                }
            }
            Message::Ask { question } => {
                state.reach_back(now).await?;
                answer(state, question, now);
            }
            Message::AskAccounts { question } if state.accounts.are_complete() => {
                answer(state, question, now);
            }
            Message::AskAccounts { question } => asked.push(question),
            Message::Count => {
                if state.count_on()? {
                    let _ = myself.cast(Message::Count);
                } else {
                    asked.drain(..).for_each(|question| answer(state, question, now));
                }
            }
            Message::Sweep => {
                unless_set_aside(sweep(state, now, &myself))?;
                steps::begin(state, shared, &myself, now)?;
            }
            Message::SweepThrough(waits) => {
                unless_set_aside(sweep(state, now, &myself))?;
                steps::begin(state, shared, &myself, now)?;
                swept.push(waits);
            }
            Message::Chores => {
                *has_looked = true;
                steps::begin(state, shared, &myself, now)?;
            }
            Message::Stepped => steps::stepped(state, shared, &myself, now)?,
            Message::End => {} // it goes on: what ended it was another one of its id
            Message::Swept { more } => {
                state.sweeping = false;
                if more {
                    unless_set_aside(sweep(state, now, &myself))?;
                }
            }
        }
        if !state.sweeping && state.chores.are_done() {
            swept.clear();
        }
        self.hold_while_working();
        Ok(())
    }
}

impl Running {
    /// Holds a permit exactly while the actor counts, sweeps or does chores, or has not yet looked for these.
    fn hold_while_working(&mut self) {
        let Self { state, has_looked, permits, work, .. } = self;
        let rests =
            *has_looked && !state.sweeping && state.chores.are_done() && state.accounts.are_complete();
        if rests {
            *work = None;
        } else if work.is_none() {
            // Without a free permit there are requests, which keep it from being stopped until it looks here again.
            *work = Arc::clone(permits).try_acquire_owned().ok();
        }
    }
}

/// Carries out what follows from a change of this business.
fn follow(effect: Effect, id: BusinessId, myself: &ActorRef<Message>, shared: &Arc<Shared>) {
    match effect {
        Effect::Chores => _ = myself.cast(Message::Chores),
        Effect::End => shared.end(id),
        Effect::Deliver(key) => shared.wake_delivery(key),
        Effect::StopDelivering(key) => shared.look_after(key),
        Effect::TurnedOff(key) => shared.note_turned_off(key),
        Effect::Missed(deliveries) => shared.note_missed(deliveries),
        Effect::MailWaits(until) => shared.mail.waits(id, until),
        Effect::MailsLeftOut(alerts) => shared.mail.note_left_out(alerts),
        Effect::Tell(happened) => shared.live.tell(id, happened),
    }
}

/// Answers a question once what it is answered from is on the disk.
fn answer(state: &mut State, question: Question, now: Timestamp) {
    let done = question(state, now);
    state.submit(Batch::default(), done);
}
