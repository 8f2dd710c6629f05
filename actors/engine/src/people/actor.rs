//! The actor of one person. It handles one change at a time and submits each batch to the committer.

use std::sync::Arc;

use domain::{Actor as Who, AuditAction, BusinessId, Person, PersonId, Timestamp, USE_WRITTEN_AFTER};
use ractor::{Actor, ActorRef};
use store::{Batch, Done, Weight, keys};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::state::{Persons, State};
use super::write::write_person;
use crate::actor::Handled;
use crate::error::{EngineError, Result};
use crate::mail::{NewMail, write_mail};
use crate::shared::Shared;

#[derive(Debug, Default)]
pub(crate) enum Outcome {
    #[default]
    Unchanged,
    Changed(Box<Person>),
    Deleted,
}

#[derive(Default)]
pub(crate) struct Decided {
    pub(super) outcome: Outcome,
    /// The author and the action for the audit entry. It is `None` if the change writes no audit entry.
    pub(super) note: Option<(Who, AuditAction)>,
    /// The mail that the change sends to the person, if any. It is written only if the service sends mails.
    pub(super) mail: Option<NewMail>,
}

/// Decides a change. The function gets the newest state of the person, or an error if no change is possible.
/// The returned [`Done`] runs after the commit.
pub(crate) type Change = Box<dyn FnOnce(Result<&Person>, Timestamp) -> (Decided, Done) + Send>;

pub(crate) enum Message {
    Change { change: Change, weight: Weight },
    Used { hash: [u8; 32], at: Timestamp, permit: OwnedSemaphorePermit },
}

pub(crate) struct PersonActor;

impl PersonActor {
    pub(crate) async fn start(
        persons: Arc<Persons>,
        id: PersonId,
        _: Arc<Semaphore>,
    ) -> Result<ActorRef<Message>> {
        // The state must include every change that an earlier actor of the person submitted, so this function waits
        // until these changes are durable.
        let Shared { store, supervisor, .. } = &*persons.shared;
        store.wait_durable(keys::lane_of(id)).await?;
        let person = store.get(&keys::person(id))?.ok_or(EngineError::NotFound)?;
        let state = State { person: Some(person), persons: Arc::downgrade(&persons) };
        let spawned = Self::spawn_linked(None, Self, (id, state), supervisor.clone()).await;
        Ok(spawned.map_err(|_| EngineError::Stopping)?.0)
    }
}

impl Actor for PersonActor {
    type Msg = Message;
    type State = State;
    type Arguments = (PersonId, State);

    async fn pre_start(&self, myself: ActorRef<Message>, (id, state): Self::Arguments) -> Handled<State> {
        if let Some(persons) = state.persons.upgrade() {
            persons.directory.note(myself.get_id(), id); // before the first possible failure
        }
        Ok(state)
    }

    async fn handle(&self, _: ActorRef<Message>, message: Message, state: &mut State) -> Handled {
        // If the engine is closing or the store has failed, the change cannot be written, so it is refused.
        let persons = state.persons.upgrade().filter(|persons| !persons.shared.store.failed());
        let Some(persons) = persons else {
            if let Message::Change { change, .. } = message {
                change(Err(EngineError::Stopping), Timestamp::MIN).1();
            }
            return Ok(());
        };
        let shared = &persons.shared;
        let now = shared.clocks.now();
        match message {
            Message::Change { change, weight } => {
                let room = shared.store.check_room(weight).map_err(EngineError::from);
                let person = room.and_then(|()| state.person.as_ref().ok_or(EngineError::NotFound));
                let (decided, done) = change(person, now);
                state.carry_out(&persons, decided, now, done);
            }
            Message::Used { hash, at, permit } => {
                let Some(mut after) = state.person.clone() else { return Ok(()) };
                let session = after.sessions.iter_mut().find(|session| session.hash == hash);
                let Some(session) = session.filter(|session| session.last_used_at + USE_WRITTEN_AFTER <= at)
                else {
                    return Ok(());
                };
                session.last_used_at = at;
                if shared.store.check_room(Weight::Keeps).is_ok() {
                    let done: Done = Box::new(move || drop(permit));
                    let decided =
                        Decided { outcome: Outcome::Changed(Box::new(after)), ..Decided::default() };
                    state.carry_out(&persons, decided, now, done);
                }
            }
        }
        Ok(())
    }
}

impl State {
    fn carry_out(&mut self, persons: &Persons, decided: Decided, now: Timestamp, done: Done) {
        let Some(before) = &self.person else { return done() };
        let (shared, outbox) = (&persons.shared, Arc::clone(&persons.mails.outbox));
        let (id, lane, mut batch) = (before.id, keys::lane_of(before.id), Batch::default());
        let Decided { outcome, note, mail } = decided;
        let after = match outcome {
            Outcome::Unchanged => {
                // The reply shows the current state, so it waits until this state is durable.
                if shared.store.is_settled(lane) {
                    return done();
                }
                let _ = shared.store.submit(lane, batch, done);
                return;
            }
            Outcome::Changed(after) => Some(*after),
            Outcome::Deleted => None,
        };
        write_person(Some(before), after.as_ref(), &mut batch);
        if let Some(note) = note {
            shared.note(note, id, now, &mut batch);
        }
        let minted = |new| outbox.mint(shared.mint_id(now), new, (now, shared.steady.now()));
        let mail = mail.and_then(minted);
        if let Some(mail) = &mail {
            write_mail(&mut batch, mail, None);
        }
        let due = mail.and_then(|mail| mail.next_attempt_at);
        self.person = after;
        let done = move || {
            done();
            due.into_iter().for_each(|due| outbox.waits(BusinessId::INSTALLATION, due));
        };
        let _ = shared.store.submit(lane, batch, Box::new(done));
    }
}
