//! The actor of one person: takes one change after the other, and hands each batch to the committer.

use std::sync::{Arc, Weak};

use ractor::{Actor, ActorProcessingErr, ActorRef};
use tokio::sync::Semaphore;

use super::message::{Decided, Fate, Message, Note};
use super::state::State;
use super::write::write_person;
use crate::domain::{AuditEntry, AuditId, BusinessId, PersonId, ResourceId, Timestamp, USE_WRITTEN_AFTER};
use crate::error::EngineError;
use crate::shared::Shared;
use crate::store::records::AuditRecord;
use crate::store::{Batch, Done, Record, Weight, keys};

/// The actor of one person.
pub(crate) struct PersonActor;

impl PersonActor {
    /// Loads a person and starts their actor.
    pub(crate) async fn start(
        shared: Arc<Shared>,
        id: PersonId,
        _: Arc<Semaphore>,
    ) -> Result<ActorRef<Message>, EngineError> {
        // What an actor before this one has handed to the committer is read, too.
        shared.store.settled(keys::lane_of(id)).await?;
        let person = shared.store.get(&keys::person(id))?.ok_or(EngineError::NotFound)?;
        let state = State { person: Some(person), shared: Arc::downgrade(&shared) };
        let spawned = Self::spawn_linked(None, Self, (id, state), shared.supervisor.clone()).await;
        Ok(spawned.map_err(|_| EngineError::Stopping)?.0)
    }
}

impl Actor for PersonActor {
    type Msg = Message;
    type State = State;
    type Arguments = (PersonId, State);

    async fn pre_start(
        &self,
        myself: ActorRef<Message>,
        (id, state): Self::Arguments,
    ) -> Result<State, ActorProcessingErr> {
        if let Some(shared) = state.shared.upgrade() {
            shared.persons.note(myself.get_id(), id); // before it can fail
        }
        Ok(state)
    }

    async fn handle(
        &self,
        _: ActorRef<Message>,
        message: Message,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        // The engine is closing, or the store has failed: what is decided now would never be written.
        let Some(shared) = Weak::upgrade(&state.shared).filter(|shared| !shared.store.failed()) else {
            if let Message::Change { change, .. } = message {
                (change(Err(EngineError::Stopping), Timestamp::MIN).done)();
            }
            return Ok(());
        };
        let now = shared.clocks.now();
        match message {
            Message::Change { change, weight, permits } => {
                let room = shared.store.check_room(weight).map_err(EngineError::from);
                let person = room.and_then(|()| state.person.as_ref().ok_or(EngineError::NotFound));
                let Decided { fate, note, done } = change(person, now);
                let done: Done = Box::new(move || {
                    done();
                    drop(permits);
                });
                state.carry_out(&shared, fate, note.as_ref(), now, done);
            }
            Message::Used { hash, at } => {
                // Of a session that has ended meanwhile nothing is written any more.
                let Some(mut after) = state.person.clone() else { return Ok(()) };
                let session = after.sessions.iter_mut().find(|session| session.hash == hash);
                let Some(session) = session.filter(|session| session.last_used_at + USE_WRITTEN_AFTER <= at)
                else {
                    return Ok(());
                };
                session.last_used_at = at;
                if shared.store.check_room(Weight::Keeps).is_ok() {
                    state.carry_out(&shared, Fate::Is(Box::new(after)), None, now, Box::new(|| ()));
                }
            }
        }
        Ok(())
    }
}

impl State {
    fn carry_out(&mut self, shared: &Shared, fate: Fate, note: Option<&Note>, now: Timestamp, done: Done) {
        let Some(before) = &self.person else { return done() };
        let (id, lane, mut batch) = (before.id, keys::lane_of(before.id), Batch::default());
        let after = match fate {
            Fate::Stays => {
                // An answer shows what is on the disk.
                if shared.store.is_settled(lane) {
                    return done();
                }
                let _ = shared.store.submit(lane, batch, done);
                return;
            }
            Fate::Is(after) => Some(*after),
            Fate::Gone => None,
        };
        write_person(Some(before), after.as_ref(), &mut batch);
        if let Some(Note { by, action }) = note {
            note_person(shared, id, (*by, action), now, &mut batch);
        }
        self.person = after;
        let _ = shared.store.submit(lane, batch, done);
    }
}

/// Adds an entry of the installation's audit log about a person. It names nothing of the account: that is the person's.
pub(super) fn note_person(
    shared: &Shared,
    id: PersonId,
    (by, action): (crate::domain::Actor, &'static str),
    now: Timestamp,
    batch: &mut Batch,
) {
    shared.clocks.note(now, &shared.store);
    let entry = AuditEntry {
        id: shared.mint_id::<AuditId>(now),
        at: now,
        actor: by,
        action: action.into(),
        resource_type: "person".into(),
        resource_id: id.uuid(),
        changes: Vec::new(),
    };
    batch.put(keys::audit(BusinessId::INSTALLATION, entry.id), AuditRecord { entry, usage: None }.encode());
}
