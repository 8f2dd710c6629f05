//! The actor of the outbox. Its queue is the store's index of due mails. Most messages to the actor request a
//! [turn](super::turn), which sends due mails. The actor's memory contains the mails that are being sent. It does not
//! contain the waiting mails, only their [lanes](super::order) (groups of mails).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::{AppointmentId, BusinessId, Mail, MailError, MailId, PersonId, Timestamp};
use ports::MailFailure;
use ractor::{Actor, ActorRef, RpcReplyPort};
use store::{Order, StoreError, keys, unless_business_set_aside};
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::{AbortHandle, JoinSet};

use super::limits::ALERTS;
use super::notice::NoticeCounts;
use super::order::{self, Lane, Positions};
use super::outbox::Transport;
use super::pace::Pace;
use crate::actor::Handled;
use crate::shared::Shared;
use crate::window::Windows;

/// The location of a mail's row: under its business or under the installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MailKey {
    pub(super) of: BusinessId,
    pub(super) id: MailId,
}

impl MailKey {
    pub(super) fn of(mail: &Mail) -> Self {
        Self { of: mail.business_id.unwrap_or(BusinessId::INSTALLATION), id: mail.id }
    }
}

/// Waiting mails are counted only up to this number, so that a count takes a few milliseconds.
pub(super) const COUNTED_MAX: usize = 10_000;
/// When the outbox counts the waiting mails, it reads at most this many mails that are not due yet.
const NOT_DUE_READ_MAX: usize = 1_000;

#[derive(Debug)]
pub(crate) enum Message {
    /// The business has a waiting mail, so the outbox must read the mails of the business at the given time.
    Waits(BusinessId, Timestamp),
    Turn,
    Ended(Box<Ended>),
    Recorded(MailKey),
    /// An appointment of a business has changed, so some of its waiting notices may be obsolete.
    Changed(BusinessId, AppointmentId),
    /// A change to the counts of notices is now durable. This actor had submitted the change to the store.
    Counted,
    CountWaiting(RpcReplyPort<usize>),
}

#[derive(Debug)]
pub(crate) struct Ended {
    pub(super) mail: Mail,
    pub(super) began: Timestamp,
    pub(super) outcome: Outcome,
    /// The permit of the attempt, held until the outcome is durable.
    pub(super) under_way: Option<OwnedSemaphorePermit>,
}

#[derive(Debug)]
pub(crate) enum Outcome {
    Tried(Result<String, MailFailure>),
    /// The recipient no longer has access, or the content was deleted.
    Dropped,
    /// The mail could not be composed in this attempt, for this reason. The relay did not cause the failure.
    NotMade(MailError),
}

pub(crate) struct OutboxActor;

impl Actor for OutboxActor {
    type Msg = Message;
    type State = State;
    type Arguments = (Weak<Shared>, Arc<Transport>);

    async fn pre_start(
        &self,
        myself: ActorRef<Message>,
        (shared, transport): Self::Arguments,
    ) -> Handled<State> {
        Ok(State::new(shared, transport, myself))
    }

    async fn handle(&self, _: ActorRef<Message>, message: Message, state: &mut State) -> Handled {
        // The engine is closing. The message can be dropped, because the waiting mails are in the store.
        let Some(shared) = state.shared.upgrade() else { return Ok(()) };
        match message {
            Message::Turn => {
                state.turn_asked = false;
                if unless_business_set_aside(state.turn(&shared))?.is_none() {
                    state.ask_turn(); // the next turn skips the business
                }
                return Ok(());
            }
            Message::Waits(of, due) => {
                let is_next = state.order.next_due().is_none_or(|next| due < next);
                state.positions.go_back(of, due);
                Lane::under(of).for_each(|lane| state.order.add(lane, due));
                if !is_next {
                    return Ok(()); // the next turn, or the timer of an earlier due time, is enough
                }
            }
            Message::Ended(ended) => _ = unless_business_set_aside(state.ended(&shared, *ended))?,
            Message::Recorded(key) => state.recorded(&shared, key)?,
            Message::Changed(of, appointment) => {
                _ = unless_business_set_aside(state.drop_overtaken(&shared, of, appointment))?;
            }
            Message::Counted => state.counts.counted(),
            Message::CountWaiting(reply) => {
                let _ = reply.send(state.count_waiting(&shared));
                return Ok(());
            }
        }
        state.ask_turn();
        Ok(())
    }
}

pub(super) const ROOM_EVERY: Duration = Duration::from_secs(2);

pub(crate) struct State {
    pub(super) shared: Weak<Shared>,
    pub(super) myself: ActorRef<Message>,
    pub(super) transport: Arc<Transport>,
    pub(super) order: order::Order,
    pub(super) positions: Positions,
    pub(super) pace: Pace,
    pub(super) alerts: Windows<PersonId>,
    pub(super) counts: NoticeCounts,
    pub(super) sending: BTreeSet<MailKey>,
    /// The mails whose attempt has ended, but whose outcome is not durable yet.
    pub(super) tried: BTreeSet<MailKey>,
    /// The start of this actor. The outcomes of attempts by earlier actors may be lost, so a mail that was due
    /// before this instant may have been sent.
    pub(super) began: Timestamp,
    /// The mails whose change is not durable yet. A change can concern several mails. The value is the first mail of
    /// the change, which identifies the change.
    pub(super) recording: BTreeMap<MailKey, MailKey>,
    pub(super) changes: usize,
    /// A change can gather several mails of a business into one mail. Until the change is durable, this map contains
    /// that one mail, and no mail of the business is sent, because any of its mails may be among the gathered ones.
    pub(super) gathering: BTreeMap<BusinessId, MailKey>,
    pub(super) damaged: BTreeSet<MailKey>,
    pub(super) tasks: JoinSet<()>,
    pub(super) turn_asked: bool,
    pub(super) timer: Option<AbortHandle>,
}

impl State {
    /// Returns the number of mails that are due or wait for a retry, at most [`COUNTED_MAX`]. Reads at most
    /// [`NOT_DUE_READ_MAX`] of the mails that are not due yet. Does not count unreadable rows.
    fn count_waiting(&self, shared: &Shared) -> usize {
        let lanes = self.order.lanes().map(Lane::rows);
        let owners: BTreeSet<BusinessId> = lanes.chain(self.sending.iter().map(|key| key.of)).collect();
        let (mut count, mut left) = (0, NOT_DUE_READ_MAX);
        for of in owners {
            let (all, later) =
                (keys::mails_due(of), keys::mail_due(of, shared.steady.now(), uuid::Uuid::nil().into()));
            let due = shared.store.scan(&all.before(later), Order::Ascending);
            count += due.take(COUNTED_MAX - count).filter(Result::is_ok).count();
            let not_due = shared.store.walk(&all.starting_at(later), Order::Ascending, |row, _| {
                keys::instant_and_id::<MailId>(row)
            });
            for row in not_due.take(left.min(COUNTED_MAX - count)) {
                left -= 1;
                let Ok((_, (_, id))) = row else { continue };
                let mail = shared.store.look::<Mail>(&keys::mail(of, id)).ok().flatten().flatten();
                count += usize::from(mail.is_some_and(|mail| mail.attempts > 0));
            }
        }
        count
    }

    fn recorded(&mut self, shared: &Shared, first: MailKey) -> Result<(), StoreError> {
        if self.positions.goes_on(first.of)
            && let Some(mail) = unless_business_set_aside(self.read(shared, first))?.flatten().flatten()
            && let Some(due) = mail.next_attempt_at
        {
            self.positions.go_back(first.of, due); // the retry is due at that time
        }
        let recorded = self.recording.iter().filter(|(_, part_of)| **part_of == first);
        let recorded: Vec<MailKey> = recorded.map(|(key, _)| *key).collect();
        self.recording.retain(|_, part_of| *part_of != first);
        self.tried.retain(|key| self.recording.contains_key(key));
        self.changes -= 1;
        self.gathering.retain(|_, part_of| *part_of != first);
        let now = shared.steady.now();
        Lane::under(first.of).for_each(|lane| self.order.set(lane, Some(now)));
        for key in recorded {
            // `drop_overtaken` skips the notices in `recording`. This notice was one of them until now. If its
            // appointment has changed meanwhile, the notice may be obsolete, so it is checked now.
            if let Some(notice) = unless_business_set_aside(self.read(shared, key))?
                .flatten()
                .flatten()
                .and_then(|mail| mail.notice)
            {
                _ = unless_business_set_aside(self.drop_overtaken(shared, key.of, notice.appointment_id))?;
            }
        }
        Ok(())
    }

    pub(super) fn new(shared: Weak<Shared>, transport: Arc<Transport>, myself: ActorRef<Message>) -> Self {
        let began = shared.upgrade().map_or(Timestamp::MIN, |shared| shared.steady.now());
        Self {
            shared,
            myself,
            transport,
            order: order::Order::default(),
            positions: Positions::default(),
            pace: Pace::default(),
            alerts: Windows::sliding(&[ALERTS]),
            counts: NoticeCounts::default(),
            sending: BTreeSet::new(),
            tried: BTreeSet::new(),
            began,
            recording: BTreeMap::new(),
            changes: 0,
            gathering: BTreeMap::new(),
            damaged: BTreeSet::new(),
            tasks: JoinSet::new(),
            turn_asked: false,
            timer: None,
        }
    }

    pub(super) fn is_left_alone(&self, key: &MailKey) -> bool {
        self.sending.contains(key) || self.recording.contains_key(key) || self.damaged.contains(key)
    }

    /// Reads a mail. The outer option is `None` if the mail cannot be decoded; later turns then skip the mail. The
    /// inner option is `None` if the mail does not exist.
    pub(super) fn read(&mut self, shared: &Shared, key: MailKey) -> Result<Option<Option<Mail>>, StoreError> {
        let mail = shared.store.look(&keys::mail(key.of, key.id))?;
        if mail.is_none() {
            self.damaged.insert(key);
        }
        Ok(mail)
    }

    /// Requests a turn, which the actor begins after the messages that are already in its mailbox.
    pub(super) fn ask_turn(&mut self) {
        if !std::mem::replace(&mut self.turn_asked, true) {
            let _ = self.myself.cast(Message::Turn);
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        if let Some(timer) = self.timer.take() {
            timer.abort();
        }
    }
}
