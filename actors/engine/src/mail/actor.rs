//! The actor of the outbox. Its queue is the store's index of due mails, and every message requests a turn.

use std::collections::BTreeSet;

use domain::BusinessId;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use store::{Order, StoreError, keys, unless_business_set_aside};

use super::message::{COUNTED_MAX, MailKey, Message};
use super::order::Lane;
use super::state::State;
use crate::shared::Shared;

pub(crate) struct OutboxActor;

impl Actor for OutboxActor {
    type Msg = Message;
    type State = State;
    type Arguments = State;

    async fn pre_start(&self, _: ActorRef<Message>, state: State) -> Result<State, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<Message>,
        message: Message,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        // The engine is closing. The waiting mails are in the store.
        let Some(shared) = state.shared.upgrade() else { return Ok(()) };
        match message {
            Message::Turn => {
                state.turn_asked = false;
                if unless_business_set_aside(state.turn(&shared, &myself))?.is_none() {
                    state.ask_turn(&myself); // the next turn skips the business
                }
                return Ok(());
            }
            Message::Waits(of, due) => {
                state.positions.go_back(of, due);
                Lane::under(of).for_each(|lane| state.order.add(lane, due));
            }
            Message::Ended(ended) => {
                unless_business_set_aside(state.ended(&shared, &myself, *ended))?;
            }
            Message::Recorded(key) => state.recorded(&shared, key)?,
            Message::CountWaiting(reply) => {
                let _ = reply.send(state.count_waiting(&shared));
                return Ok(());
            }
        }
        state.ask_turn(&myself);
        Ok(())
    }
}

impl State {
    /// The number of waiting mails, at most [`COUNTED_MAX`], without businesses whose rows are unreadable.
    fn count_waiting(&self, shared: &Shared) -> usize {
        let lanes = self.order.lanes().map(Lane::rows);
        let owners: BTreeSet<BusinessId> = lanes.chain(self.sending.iter().map(|key| key.of)).collect();
        owners.into_iter().fold(0, |count, of| {
            let due = shared.store.scan(&keys::mails_due(of), Order::Ascending);
            count + due.take(COUNTED_MAX - count).filter(Result::is_ok).count()
        })
    }

    fn recorded(&mut self, shared: &Shared, first: MailKey) -> Result<(), StoreError> {
        if self.positions.goes_on(first.of)
            && let Some(mail) = unless_business_set_aside(self.read(shared, first))?.flatten()
            && let Some(due) = mail.next_attempt_at
        {
            self.positions.go_back(first.of, due); // the retry is due then
        }
        self.recording.retain(|_, part_of| *part_of != first);
        self.changes -= 1;
        self.gathering.retain(|_, part_of| *part_of != first);
        let now = shared.steady.now();
        Lane::under(first.of).for_each(|lane| self.order.set(lane, Some(now)));
        Ok(())
    }
}
