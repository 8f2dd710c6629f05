//! The handle of one business, and the state that the handles and the actors share.

use std::sync::Arc;

use domain::{BusinessId, Timestamp};
use store::StoreError;
use tokio::sync::Notify;

use super::actor::{Decided, Message};
use super::change::{AnswerOf, Change};
use super::decide::carry_out;
use super::request::Request;
use crate::actor::{Claim, Directory, Reply};
use crate::calendars::reading::Readings;
use crate::claims::Claims;
use crate::delivery::Deliveries;
use crate::error::Result;
use crate::key_usage::KeyUsage;
use crate::live::LiveSubscription;
use crate::mail::Outbox;
use crate::maintenance::due;
use crate::principals::Principals;
use crate::scans::Scans;
use crate::shared::Shared;
use crate::talking::Talking;

pub(crate) struct Businesses {
    pub(crate) shared: Arc<Shared>,
    pub(crate) directory: Directory<BusinessId, Message>,
    pub(crate) deliveries: Arc<Deliveries>,
    pub(crate) readings: Arc<Readings>,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) scans: Arc<Scans>,
    pub(crate) talking: Talking,
    pub(crate) principals: Principals,
    pub(crate) key_usage: KeyUsage,
    /// The locks on the slugs of booking pages ([`crate::claims`]).
    pub(crate) slugs: Claims,
    /// Notified when a business is deleted, so that a background job deletes its rows.
    pub(crate) deleted: Arc<Notify>,
}

impl Businesses {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        directory: Directory<BusinessId, Message>,
        (deliveries, readings, outbox): (Arc<Deliveries>, Arc<Readings>, Arc<Outbox>),
        scan_rows: usize,
    ) -> Self {
        Self {
            shared: Arc::clone(shared),
            directory,
            deliveries,
            readings,
            outbox,
            scans: Scans::new(scan_rows),
            talking: Talking::default(),
            principals: Principals::default(),
            key_usage: KeyUsage::default(),
            slugs: Claims::default(),
            deleted: Arc::default(),
        }
    }

    /// Starts the background jobs of a business if its actor runs. If the actor does not run, its next start also
    /// starts the jobs.
    pub(crate) fn maintain(&self, business: BusinessId) {
        if let Some(running) = self.directory.if_running(business) {
            let _ = running.actor.cast(Message::Maintain);
        }
    }

    /// Ends the actor of a deleted business after the actor has answered the earlier messages.
    pub(crate) fn end(&self, business: BusinessId) {
        if let Some(running) = self.directory.dismiss(business) {
            let _ = running.actor.cast(Message::End);
        }
        self.deleted.notify_one();
    }
}

/// Sends changes to the actor of a business, and reads from the store. The handle is cheap to clone.
#[derive(Clone)]
pub struct BusinessHandle {
    pub(crate) businesses: Arc<Businesses>,
    pub(crate) id: BusinessId,
    /// A lock that the changes of this handle need, or `None`. Each message contains a copy of the lock. So the lock
    /// lasts until the actor has answered the message, even if the handle is dropped earlier.
    pub(crate) claim: Option<Claim>,
}

impl BusinessHandle {
    pub(crate) fn new(businesses: &Arc<Businesses>, id: BusinessId) -> Self {
        Self { businesses: Arc::clone(businesses), id, claim: None }
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.businesses.shared
    }

    pub(crate) fn with_claim(&self, claim: Option<Claim>) -> Self {
        Self { claim, ..self.clone() }
    }

    pub fn id(&self) -> BusinessId {
        self.id
    }

    pub fn now(&self) -> Timestamp {
        self.shared().clocks.now()
    }

    /// True if a background job has work, for example expired rows. Returns an error if a row is undecodable.
    pub fn has_duties(&self) -> Result<bool, StoreError> {
        due::has_work(&self.shared().store, &self.shared().clocks, self.id)
    }

    /// Makes a change, and returns its answer when the change is durable. Dropping the future does not undo
    /// the change. After [`crate::EngineError::Failed`] the change may or may not be durable.
    pub async fn change<C: Change + 'static>(&self, request: Request, change: C) -> Result<AnswerOf<C>> {
        let message = |reply: Reply<AnswerOf<C>>| {
            Message::Change(Box::new(move |state, now| {
                Decided::of(state.and_then(|state| carry_out(state, &request, change, now)), reply)
            }))
        };
        self.call(message).await
    }

    pub fn watch(&self) -> LiveSubscription {
        self.shared().live.watch(self.id)
    }

    /// A counter that increases with every change to the business. It can also increase without a change.
    pub fn changes(&self) -> u64 {
        self.shared().store.synced_through(self.id)
    }

    pub(crate) async fn call<T>(&self, message: impl FnOnce(Reply<T>) -> Message) -> Result<T> {
        self.shared().check_business(self.id)?;
        let answered = match self.shared().permit() {
            Ok(permit) => {
                self.businesses.directory.call((self.id, permit, self.claim.clone()), message).await
            }
            Err(error) => Err(error),
        };
        if answered.is_err() {
            // If the business was set aside during the call, its actor has ended. In this case, the check returns the
            // error for a business that is set aside.
            self.shared().check_business(self.id)?;
        }
        answered
    }
}

impl std::fmt::Debug for BusinessHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BusinessHandle({})", self.id)
    }
}
