//! The business actor. It decides one change at a time and submits the change's batch to the committer.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use domain::{Actor as Who, BusinessId, ContactId, ConversationId, Timestamp};
use ractor::{Actor, ActorRef, SpawnErr};
use store::{Batch, Done};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use view::ContactsImportedView;

use super::contact_import::{self, ImportContacts};
use super::decide::{CarriedOut, Effect, carry_out};
use super::handle::Businesses;
use super::load::{Start, load};
use super::request::{Answer, Request};
use super::state::State;
use crate::actor::{Handled, Reply};
use crate::error::{EngineError, Result};
use crate::mail::code::{self, CodeMail};
use crate::maintenance::business as jobs;
use crate::talking::summary;

/// The maximum number of overdue conversations that the actor ends at once.
const OVERDUE_MAX: usize = 32;

/// Computes an answer from the state. Returns a closure that sends the answer. The actor calls the closure when this
/// state is durable.
pub(crate) type Question = Box<dyn FnOnce(&mut State, Timestamp) -> Done + Send>;

/// Decides a change from the state. If the closure gets an error instead of the state, this error is the answer.
pub(crate) type Decide = Box<dyn FnOnce(Result<&mut State>, Timestamp) -> Decided + Send>;

pub(crate) struct Decided {
    pub(super) batch: Batch,
    pub(super) effects: Vec<Effect>,
    /// True if the answer depends on changes that may not be durable yet. The answer is then sent when they are
    /// durable.
    pub(super) waits: bool,
    pub(super) done: Done,
}

impl Decided {
    /// Returns the batch and the effects of a change that ends an overdue conversation. No caller waits for an answer.
    /// After an error, the batch and the effects are empty, and the actor tries again in the next minute.
    fn without_reply<V>(carried_out: Result<CarriedOut<V>>) -> Self {
        let (batch, effects) = match carried_out {
            Ok(CarriedOut { batch, effects, .. }) => (batch, effects),
            Err(error) => {
                tracing::warn!(%error, "overdue conversations could not be ended");
                (Batch::default(), Vec::new())
            }
        };
        Self { batch, effects, waits: true, done: Box::new(|| ()) }
    }

    /// Returns the batch and the effects of a change. The answer or the error will be sent with `reply`.
    pub(super) fn of<V: Send + 'static>(carried_out: Result<CarriedOut<V>>, reply: Reply<Answer<V>>) -> Self {
        match carried_out {
            Ok(CarriedOut { batch, answer, effects }) => {
                let done = Box::new(|| reply.send(Ok(answer)));
                Self { batch, effects, waits: true, done }
            }
            Err(error) => {
                // A refusal or `DiskFull` can result from earlier changes, so the error is sent only when these changes
                // are durable.
                let waits = matches!(error, EngineError::Refused(_) | EngineError::DiskFull(_));
                let done = Box::new(|| reply.send(Err(error)));
                Self { batch: Batch::default(), effects: Vec::new(), waits, done }
            }
        }
    }
}

pub(crate) enum Message {
    Change(Decide),
    ImportContacts(Box<(Request, ImportContacts, Reply<Answer<ContactsImportedView>>)>),
    Ask(Question),
    /// A question about the usage. The actor answers once all records are counted.
    AskUsage(Question),
    Count,
    Maintain,
    /// Starts the background jobs. The sender waits until the jobs are done or cannot continue.
    MaintainThrough(Maintained),
    Stepped,
    /// Asks the model for the summary of an ended conversation.
    Summarize(ConversationId),
    /// Mails a code to a contact.
    SendCode(ContactId, String),
    /// Ends the actor after it has answered all earlier messages.
    End,
}

/// A request that waits for the background jobs. The actor drops this value when the jobs are done or cannot continue.
/// Dropping the value ends the wait.
pub(crate) struct Maintained {
    pub(crate) _done: oneshot::Sender<()>,
    pub(crate) _permit: OwnedSemaphorePermit,
}

#[derive(Debug, thiserror::Error)]
#[error("there is no such business")]
pub(crate) struct NoSuchBusiness;

pub(crate) struct BusinessActor;

pub(crate) struct Running {
    state: State,
    businesses: Weak<Businesses>,
    asked: Vec<Question>,
    maintained: Vec<Maintained>,
    permits: Arc<Semaphore>,
    /// A permit that the actor holds during background work, so that the directory does not stop the actor.
    work: Option<OwnedSemaphorePermit>,
    has_looked: bool,
}

impl BusinessActor {
    pub(crate) async fn start(
        businesses: Arc<Businesses>,
        id: BusinessId,
        permits: Arc<Semaphore>,
    ) -> Result<ActorRef<Message>> {
        let shared = &businesses.shared;
        shared.check_business(id)?;
        let start = Start {
            id,
            clocks: shared.clocks.clone(),
            steady: shared.steady.clone(),
            store: shared.store.clone(),
            ports: shared.ports.clone(),
            outbox: Arc::clone(&businesses.outbox),
            has_model: Arc::clone(&businesses.talking.has_model),
        };
        let arguments = (start, Arc::downgrade(&businesses), permits);
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
    /// The state is boxed, because ractor moves it through several futures.
    type State = Box<Running>;
    type Arguments = (Start, Weak<Businesses>, Arc<Semaphore>);

    async fn pre_start(
        &self,
        myself: ActorRef<Message>,
        (start, businesses, permits): Self::Arguments,
    ) -> Handled<Box<Running>> {
        let state = load(&start).await?.ok_or(NoSuchBusiness)?;
        if let Some(businesses) = businesses.upgrade() {
            businesses.directory.note(myself.get_id(), start.id); // before the actor can fail
        }
        let work = Arc::clone(&permits).try_acquire_owned().ok();
        let (asked, maintained) = (Vec::new(), Vec::new());
        Ok(Box::new(Running { state, businesses, asked, maintained, permits, work, has_looked: false }))
    }

    async fn post_start(&self, myself: ActorRef<Message>, running: &mut Box<Running>) -> Handled {
        let _ = myself.cast(Message::Maintain);
        if !running.state.budget.are_complete() {
            let _ = myself.cast(Message::Count);
        }
        Ok(())
    }

    async fn handle(
        &self,
        myself: ActorRef<Message>,
        message: Message,
        running: &mut Box<Running>,
    ) -> Handled {
        let is_set_aside = |running: &Running| running.state.store.is_business_set_aside(running.state.id);
        let handled =
            if is_set_aside(running) { Ok(()) } else { running.handle(myself.clone(), message).await };
        if is_set_aside(running) {
            // The actor stops, and the requests that it has not handled get an error. `dismiss` announces the stop.
            // An unannounced stop would count as a failure and cause a back-off.
            if let Some(businesses) = running.businesses.upgrade() {
                businesses.directory.dismiss(running.state.id);
            }
            myself.stop(Some("the business is set aside".into()));
            return Ok(());
        }
        handled
    }
}

impl Running {
    async fn handle(&mut self, myself: ActorRef<Message>, message: Message) -> Handled {
        let Self { state, businesses, asked, maintained, has_looked, .. } = self;
        // A store that has failed writes nothing more, so a new decision would be lost.
        if state.store.failed() {
            match message {
                Message::Change(decide) => (decide(Err(EngineError::Stopping), Timestamp::MIN).done)(),
                Message::ImportContacts(import) => import.2.send(Err(EngineError::Stopping)),
                _ => {}
            }
            return Ok(());
        }
        if state.ended {
            match message {
                Message::Change(decide) => {
                    let done = decide(Err(EngineError::NotFound), Timestamp::MIN).done;
                    state.submit(Batch::default(), done);
                }
                Message::ImportContacts(import) => {
                    let done = || import.2.send(Err(EngineError::NotFound));
                    state.submit(Batch::default(), Box::new(done));
                }
                Message::Ask(question) | Message::AskUsage(question) => {
                    answer(state, question, state.clocks.now());
                }
                Message::End => myself.stop(Some("the business was ended".into())),
                _ => {}
            }
            return Ok(());
        }
        state.overlay.drop_durable(state.store.synced_through(state.id));
        let now = state.clocks.now();
        match message {
            Message::Change(decide) => {
                state.reach_back(now).await?;
                let decided = decide(Ok(&mut *state), now);
                finish(state, decided, businesses, &myself);
            }
            Message::ImportContacts(import) => {
                let (request, import, reply) = *import;
                let imported = Box::pin(contact_import::import(state, &request, import, now)).await;
                let is_refused = imported.is_err();
                finish(state, Decided::of(imported, reply), businesses, &myself);
                // If the contacts of a failed import could not be deleted, the actor ends. The next start of the actor
                // deletes them.
                if is_refused && contact_import::is_unfinished(state)? {
                    return Err(EngineError::Failed.into());
                }
            }
            Message::Ask(question) => {
                state.reach_back(now).await?;
                answer(state, question, now);
            }
            Message::AskUsage(question) if state.budget.are_complete() => {
                answer(state, question, now);
            }
            Message::AskUsage(question) => asked.push(question),
            Message::Count => {
                if state.count_on()? {
                    let _ = myself.cast(Message::Count);
                } else {
                    asked.drain(..).for_each(|question| answer(state, question, now));
                }
            }
            Message::Maintain => {
                *has_looked = true;
                for overdue in state.overdue(now, OVERDUE_MAX)? {
                    let ended = carry_out(state, &Request::by(Who::System), overdue, now);
                    finish(state, Decided::without_reply(ended), businesses, &myself);
                }
                jobs::begin(state, (businesses, &myself), now)?;
            }
            Message::MaintainThrough(waits) => {
                jobs::begin(state, (businesses, &myself), now)?;
                maintained.push(waits);
            }
            Message::Summarize(id) => {
                if let Some(businesses) = businesses.upgrade() {
                    summary::begin(&businesses, state.id, id);
                }
            }
            Message::SendCode(contact, code) => {
                if let Some(businesses) = businesses.upgrade() {
                    code::send(&businesses, CodeMail { of: state.id, contact, code });
                }
            }
            Message::Stepped => jobs::go_on(state, (businesses, &myself), now)?,
            Message::End => {} // sent to an earlier actor with this id
        }
        if state.jobs.are_done() {
            maintained.clear();
        }
        self.hold_while_working();
        Ok(())
    }

    /// Holds a permit while the actor has work, so that the actor is not stopped. The actor has work if it has not
    /// checked for due background work yet, if a background job runs, or if the rows of the business are being counted.
    fn hold_while_working(&mut self) {
        let Self { state, has_looked, permits, work, .. } = self;
        let is_idle = *has_looked && state.jobs.are_done() && state.budget.are_complete();
        if is_idle {
            *work = None;
        } else if work.is_none() {
            // If no permit is free, `work` stays `None`. The requests that hold the permits keep the actor running.
            *work = Arc::clone(permits).try_acquire_owned().ok();
        }
    }
}

/// Submits the batch of a decision. Once the batch is durable, carries out the effects and sends the answer.
fn finish(state: &mut State, decided: Decided, businesses: &Weak<Businesses>, myself: &ActorRef<Message>) {
    let Decided { batch, effects, waits, done } = decided;
    let (businesses, id, myself) = (Weak::clone(businesses), state.id, myself.clone());
    let done = move || {
        if let Some(businesses) = businesses.upgrade() {
            effects.into_iter().for_each(|effect| follow(effect, id, &myself, &businesses));
        }
        done();
    };
    if waits { state.submit(batch, Box::new(done)) } else { done() }
}

/// Carries out an effect. This function runs on a thread of the store, outside of the runtime, so it must not start a
/// task.
fn follow(effect: Effect, id: BusinessId, myself: &ActorRef<Message>, businesses: &Arc<Businesses>) {
    let Businesses { shared, deliveries, readings, outbox, .. } = &**businesses;
    match effect {
        Effect::Maintain => _ = myself.cast(Message::Maintain),
        Effect::End => businesses.end(id),
        Effect::Deliver(key) => deliveries.wake(key),
        Effect::StopDelivering(key) => deliveries.refresh(key),
        Effect::TurnedOff(key) => deliveries.note_turned_off(key),
        Effect::Missed(count) => _ = deliveries.missed_over_budget.fetch_add(count, Ordering::Relaxed),
        Effect::MailWaits(until) => outbox.waits(id, until),
        Effect::ReadCalendar(key) => readings.wake(key),
        Effect::WriteCalendar(key) => readings.wake_write(key),
        Effect::NoticesChange(appointment) => outbox.changed(id, appointment),
        Effect::MailsLeftOut(alerts) => _ = outbox.left_out.fetch_add(alerts, Ordering::Relaxed),
        Effect::Summarize(conversation) => _ = myself.cast(Message::Summarize(conversation)),
        Effect::SendCode(contact, code) => _ = myself.cast(Message::SendCode(contact, code)),
        Effect::Tell(happened) => shared.live.tell(id, happened),
    }
}

/// Computes the answer now. The answer is sent once all changes up to now are durable.
fn answer(state: &mut State, question: Question, now: Timestamp) {
    let done = question(state, now);
    state.submit(Batch::default(), done);
}
