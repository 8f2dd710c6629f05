//! The handle of one business, and the state that the handles and the actors share.

use std::sync::Arc;

use domain::{BusinessId, Timestamp};
use store::StoreError;
use tokio::sync::Notify;

use super::change::{AnswerOf, AnyChange, AnyValue, Change};
use super::message::Message;
use super::request::{Answer, Request};
use crate::actor::{Claim, Directory, Reply};
use crate::delivery::Deliveries;
use crate::error::EngineError;
use crate::key_usage::KeyUsage;
use crate::live::LiveSubscription;
use crate::mail::Outbox;
use crate::maintenance::due;
use crate::principals::Principals;
use crate::scans::Scans;
use crate::shared::Shared;

/// The state that the actors and the handles of all businesses share.
pub(crate) struct Businesses {
    pub(crate) shared: Arc<Shared>,
    pub(crate) directory: Directory<BusinessId, Message>,
    pub(crate) deliveries: Arc<Deliveries>,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) scans: Arc<Scans>,
    pub(crate) principals: Principals,
    pub(crate) key_usage: KeyUsage,
    /// Notified when rows of a deleted business may exist.
    pub(crate) deleted: Arc<Notify>,
}

impl Businesses {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        directory: Directory<BusinessId, Message>,
        (deliveries, outbox): (Arc<Deliveries>, Arc<Outbox>),
        scan_rows: usize,
    ) -> Self {
        Self {
            shared: Arc::clone(shared),
            directory,
            deliveries,
            outbox,
            scans: Scans::new(scan_rows),
            principals: Principals::default(),
            key_usage: KeyUsage::default(),
            deleted: Arc::default(),
        }
    }

    /// Starts the background jobs of a business if its actor runs. A starting actor does this itself.
    pub(crate) fn maintain(&self, business: BusinessId) {
        if let Some(running) = self.directory.if_running(business) {
            let _ = running.actor.cast(Message::Maintain);
        }
    }

    /// Removes a deleted business from the directory. The actor answers the earlier messages first.
    pub(crate) fn end(&self, business: BusinessId) {
        if let Some(running) = self.directory.dismiss(business) {
            let _ = running.actor.cast(Message::End);
        }
        self.deleted.notify_one();
    }
}

/// A business. Changes go through its actor, reads go to the store. Cheap to clone.
#[derive(Clone)]
pub struct BusinessHandle {
    pub(crate) businesses: Arc<Businesses>,
    pub(crate) id: BusinessId,
    /// A guard that every message carries until its answer.
    pub(crate) claim: Option<Claim>,
}

impl BusinessHandle {
    /// Creates the handle without a check that the business exists.
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

    /// Whether the business has expired rows or due age marks. Fails when a row cannot be decoded.
    pub fn has_duties(&self) -> Result<bool, StoreError> {
        due::has_work(&self.shared().store, &self.shared().clocks, self.id)
    }

    /// Carries out a change. The answer comes after the change is durable. A dropped future does not undo the
    /// change.
    ///
    /// # Errors
    /// - [`EngineError::Refused`]: nothing is changed.
    /// - [`EngineError::Overloaded`], [`EngineError::Stopping`]: the change was not attempted.
    /// - [`EngineError::NotFound`]: the business does not exist.
    /// - [`EngineError::Failed`]: the actor failed. The change may or may not be durable.
    pub async fn change<C: Change + 'static>(
        &self,
        request: Request,
        change: C,
    ) -> Result<AnswerOf<C>, EngineError> {
        let change: Box<dyn AnyChange> = Box::new(change);
        let answer: Answer<AnyValue> = self.call(|reply| Message::Change { request, change, reply }).await?;
        Ok(answer.map(|value| *value.downcast().expect("a change answers what its type says")))
    }

    pub fn watch(&self) -> LiveSubscription {
        self.shared().live.watch(self.id)
    }

    /// A counter that increases with every change to the business. It may increase without one. It starts
    /// again with each engine.
    pub fn changes(&self) -> u64 {
        self.shared().store.synced_through(self.id)
    }

    pub(crate) async fn call<T>(&self, message: impl FnOnce(Reply<T>) -> Message) -> Result<T, EngineError> {
        self.shared().check_business(self.id)?;
        let answered = async {
            let permit = self.shared().permit()?;
            self.businesses.directory.call((self.id, permit, self.claim.clone()), message).await
        };
        let answered = answered.await;
        if answered.is_err() {
            // The business may have been set aside meanwhile, which ends its actor.
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
