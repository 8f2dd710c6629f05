//! What the outbox keeps in memory: for whom something waits, what is under way, and nothing of the mails that wait.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::{BusinessId, Mail, PersonId};
use ractor::ActorRef;
use store::{StoreError, keys};
use tokio::task::{AbortHandle, JoinSet};

use super::limits::ALERTS;
use super::look::Looked;
use super::message::{MailKey, Message};
use super::order::Order;
use super::outside::Outside;
use super::pace::Pace;
use crate::shared::Shared;
use crate::window::Windows;

/// How often it is looked whether there is room on the disk again.
pub(super) const ROOM_EVERY: Duration = Duration::from_secs(2);

/// What the outbox keeps in memory.
pub(crate) struct State {
    pub(super) shared: Weak<Shared>,
    pub(super) outside: Arc<Outside>,
    /// For whom something waits.
    pub(super) order: Order,
    /// How far it was looked for it.
    pub(super) looked: Looked,
    /// How the relay does.
    pub(super) pace: Pace,
    /// The alerts that were sent at once of late.
    pub(super) alerts: Windows<PersonId>,
    /// What was handed to the relay, or is about to be.
    pub(super) sending: BTreeSet<MailKey>,
    /// What is on its way to the disk, each with the mail whose change it is part of.
    pub(super) recording: BTreeMap<MailKey, MailKey>,
    /// How many changes that are.
    pub(super) changes: usize,
    /// Of which businesses a mail is taking in others: no other begins to, or one of a person might become two.
    pub(super) gathering: BTreeMap<BusinessId, MailKey>,
    /// What cannot be read, and is left for whoever repairs it.
    pub(super) damaged: BTreeSet<MailKey>,
    /// The attempts, which end with the actor.
    pub(super) tasks: JoinSet<()>,
    /// Whether a turn is asked for already.
    pub(super) turn_asked: bool,
    /// What asks for a turn when it is time.
    pub(super) timer: Option<AbortHandle>,
}

impl State {
    /// An outbox that starts: nothing is under way, and what waits is still to be found.
    pub(super) fn new(shared: &Arc<Shared>, outside: Arc<Outside>) -> Self {
        Self {
            shared: Arc::downgrade(shared),
            outside,
            order: Order::default(),
            looked: Looked::default(),
            pace: Pace::default(),
            alerts: Windows::sliding(&[ALERTS]),
            sending: BTreeSet::new(),
            recording: BTreeMap::new(),
            changes: 0,
            gathering: BTreeMap::new(),
            damaged: BTreeSet::new(),
            tasks: JoinSet::new(),
            turn_asked: false,
            timer: None,
        }
    }

    /// Whether something is being done about a mail, or nothing can be.
    pub(super) fn is_left_alone(&self, key: &MailKey) -> bool {
        self.sending.contains(key) || self.recording.contains_key(key) || self.damaged.contains(key)
    }

    /// A mail as it stands; one that does not decode is set aside, and holds up no other.
    pub(super) fn read(&mut self, shared: &Shared, key: MailKey) -> Result<Option<Mail>, StoreError> {
        match shared.store.get::<Mail>(&keys::mail(key.of, key.id)) {
            Err(StoreError::SetAside(_)) => {
                self.damaged.insert(key);
                Ok(None)
            }
            read => read,
        }
    }

    /// Asks for a turn behind the messages that wait already.
    pub(super) fn ask_turn(&mut self, myself: &ActorRef<Message>) {
        if !std::mem::replace(&mut self.turn_asked, true) {
            let _ = myself.cast(Message::Turn);
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
