//! The memory of the outbox: the lanes with waiting mails and the mails that are being sent, but not the
//! waiting mails themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::{BusinessId, Mail, PersonId};
use ractor::ActorRef;
use store::{StoreError, keys};
use tokio::task::{AbortHandle, JoinSet};

use super::limits::ALERTS;
use super::message::{MailKey, Message};
use super::order::Order;
use super::outbox::Transport;
use super::pace::Pace;
use super::positions::Positions;
use crate::shared::Shared;
use crate::window::Windows;

/// The time between two checks for room on the disk.
pub(super) const ROOM_EVERY: Duration = Duration::from_secs(2);

pub(crate) struct State {
    pub(super) shared: Weak<Shared>,
    pub(super) transport: Arc<Transport>,
    pub(super) order: Order,
    pub(super) positions: Positions,
    pub(super) pace: Pace,
    /// The recent immediate alerts of each person.
    pub(super) alerts: Windows<PersonId>,
    /// The mails at the relay, or about to be sent.
    pub(super) sending: BTreeSet<MailKey>,
    /// The mails in changes that are not durable, each with the first mail of its change.
    pub(super) recording: BTreeMap<MailKey, MailKey>,
    /// The number of the outbox's changes that are not durable yet.
    pub(super) changes: usize,
    /// The mail that gathers others, per business. With a second gathering mail, a person could get two mails
    /// instead of one.
    pub(super) gathering: BTreeMap<BusinessId, MailKey>,
    /// Unreadable mails. They are skipped.
    pub(super) damaged: BTreeSet<MailKey>,
    /// The tasks of the attempts. They end with the actor.
    pub(super) tasks: JoinSet<()>,
    pub(super) turn_asked: bool,
    pub(super) timer: Option<AbortHandle>,
}

impl State {
    pub(super) fn new(shared: &Arc<Shared>, transport: Arc<Transport>) -> Self {
        Self {
            shared: Arc::downgrade(shared),
            transport,
            order: Order::default(),
            positions: Positions::default(),
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

    /// Whether a mail is being sent, is being written or is unreadable.
    pub(super) fn is_left_alone(&self, key: &MailKey) -> bool {
        self.sending.contains(key) || self.recording.contains_key(key) || self.damaged.contains(key)
    }

    /// Reads a mail. A mail that cannot be decoded does not block the other mails.
    pub(super) fn read(&mut self, shared: &Shared, key: MailKey) -> Result<Option<Mail>, StoreError> {
        let mail = shared.store.look(&keys::mail(key.of, key.id))?;
        if mail.is_none() {
            self.damaged.insert(key);
        }
        Ok(mail.flatten())
    }

    /// Requests a turn after the messages that already wait.
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
