//! The state that all actors and background jobs share: the store, its clocks and ids, the request permits.
//!
//! Each kind of actor has a separate handle that contains this state: [`Businesses`](crate::business),
//! [`Deliveries`](crate::delivery), [`Persons`](crate::people) and [`Mails`](crate::mail).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use domain::{Actor, AuditAction, AuditEntry, BusinessId, IdMint, Refusal, ResourceId, Timestamp};
use net::Ports;
use parking_lot::Mutex;
use ractor::{ActorCell, ActorRef};
use store::records::{AuditRecord, MetaRecord};
use store::{Batch, Record, Store, keys};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::actor::Start;
use crate::clock::{Clocks, SteadyClock};
use crate::error::{EngineError, Result};
use crate::live::Live;
use crate::quota::{Quota, QuotaPermit};

/// The maximum number of unanswered messages to actors. It also bounds the committer's queue.
pub const ENGINE_PERMITS: usize = 16_384;

pub(crate) type OnceGuard = QuotaPermit<[u8; 32], Arc<Quota<[u8; 32]>>>;

pub(crate) struct Shared {
    pub(crate) store: Store,
    pub(crate) ports: Ports,
    pub(crate) clocks: Clocks,
    pub(crate) steady: SteadyClock,
    pub(crate) meta: MetaRecord,
    pub(crate) live: Arc<Live>,
    pub(crate) supervisor: ActorCell,
    permits: Arc<Semaphore>,
    closing: AtomicBool,
    /// The idempotency key of each request in progress that makes several changes.
    running: Arc<Quota<[u8; 32]>>,
    mint: Mutex<IdMint>,
}

impl Shared {
    pub(crate) fn new(
        (store, ports): (Store, Ports),
        (clocks, steady): (Clocks, SteadyClock),
        (meta, mint): (MetaRecord, IdMint),
        supervisor: ActorCell,
    ) -> Arc<Self> {
        Arc::new(Self {
            store,
            ports,
            clocks,
            steady,
            meta,
            live: Arc::default(),
            supervisor,
            permits: Arc::new(Semaphore::new(ENGINE_PERMITS)),
            closing: AtomicBool::new(false),
            running: Arc::new(Quota::new(usize::MAX, 1)),
            mint: Mutex::new(mint),
        })
    }

    pub(crate) fn permit(&self) -> Result<OwnedSemaphorePermit> {
        self.check_open()?;
        Arc::clone(&self.permits).try_acquire_owned().map_err(|_| EngineError::Overloaded)
    }

    pub(crate) fn permits_available(&self) -> usize {
        self.permits.available_permits()
    }

    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Release);
    }

    /// Waits until all permits are returned, so that no message is in progress.
    pub(crate) async fn idle(&self) {
        #[allow(clippy::cast_possible_truncation, reason = "the constant is small")]
        let _ = self.permits.acquire_many(ENGINE_PERMITS as u32).await;
    }

    pub(crate) fn begin_once(&self, key: [u8; 32]) -> Result<OnceGuard, Refusal> {
        self.running.take_owned(key).ok_or(Refusal::IdempotencyInProgress)
    }

    /// Waits for the commit of a batch. Drops `held` after the commit, even if the caller is cancelled.
    pub(crate) async fn write(
        &self,
        lane: BusinessId,
        batch: Batch,
        held: impl Send + 'static,
    ) -> Result<()> {
        self.write_then(lane, batch, move || drop(held)).await
    }

    /// Like [`Shared::write`], but calls `then` after the commit, even if the caller is cancelled before the commit.
    pub(crate) async fn write_then(
        &self,
        lane: BusinessId,
        batch: Batch,
        then: impl FnOnce() + Send + 'static,
    ) -> Result<()> {
        let (done, written) = oneshot::channel();
        let done = move || {
            then();
            _ = done.send(());
        };
        self.store.submit(lane, batch, Box::new(done));
        written.await.map_err(|_| EngineError::Failed)
    }

    /// Adds an entry for the audit log of the installation to `batch`. The subject of the entry is an account, an
    /// export, a backup or a deleted business. The caller then submits `batch` in the lane of the subject. A lane is a
    /// queue of the committer. The entry contains only the id of the subject, because erased data must not remain in
    /// the log.
    pub(crate) fn note(
        &self,
        (by, action): (Actor, AuditAction),
        id: impl ResourceId,
        now: Timestamp,
        batch: &mut Batch,
    ) {
        self.clocks.note(now, &self.store);
        let entry = AuditEntry::new((self.mint_id(now), now), (by, action), id.uuid());
        let record = AuditRecord { entry, usage: None };
        batch.put(keys::audit(BusinessId::INSTALLATION, record.entry.id), record.encode());
    }

    /// A new id that does not belong to the sequence of a business.
    pub(crate) fn mint_id<I: ResourceId>(&self, now: Timestamp) -> I {
        self.mint.lock().next(now, self.ports.random_bytes())
    }

    pub(crate) fn check_business(&self, business: BusinessId) -> Result<()> {
        Ok(self.store.check_business(business)?)
    }

    pub(crate) fn check_open(&self) -> Result<()> {
        let closed = self.closing.load(Ordering::Acquire) || self.store.failed();
        if closed { Err(EngineError::Stopping) } else { Ok(()) }
    }

    /// Returns a function that starts an actor. The function fails after the engine is closed or dropped.
    pub(crate) fn starting<H, I, M, F>(
        self: &Arc<Self>,
        handle: &Weak<H>,
        start: impl Fn(Arc<H>, I, Arc<Semaphore>) -> F + Copy + Send + Sync + 'static,
    ) -> Start<I, M>
    where
        H: Send + Sync + 'static,
        I: Send + 'static,
        F: Future<Output = Result<ActorRef<M>>> + Send + 'static,
    {
        let (shared, handle) = (Arc::clone(self), Weak::clone(handle));
        Box::new(move |id, permits| {
            let handle = shared.check_open().and_then(|()| handle.upgrade().ok_or(EngineError::Stopping));
            Box::pin(async move { start(handle?, id, permits).await })
        })
    }
}
