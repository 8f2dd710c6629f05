//! The state that the actors share: store, clocks, actor directories and bounds.
//!
//! This module is below the actors. It names their message types, but not their behaviour.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use domain::{BusinessId, IdMint, PersonId, ResourceId, Timestamp};
use net::{Ports, WebhookClient};
use ractor::ActorCell;
use store::records::RoundRecord;
use store::{Batch, Record, SNAPSHOTS_MAX, Store, Weight, keys};
use tokio::runtime::Handle;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};

use crate::actor::Directory;
use crate::backup::Backups;
use crate::business;
use crate::clock::{Clocks, SteadyClock};
use crate::delivery::{self, Dispatcher, EndpointKey};
use crate::error::EngineError;
use crate::key_usage::KeyUsage;
use crate::limits::Limits;
use crate::live::Live;
use crate::mail::Outbox;
use crate::people::{self, Attempts, Claims, Hasher, Known};
use crate::principals::Principals;
use crate::quota::Quota;
use crate::scans::Scans;

/// Upper bound of concurrent exports. A backup and the daily count have a snapshot each beside them.
pub(crate) const EXPORTS_MAX: usize = SNAPSHOTS_MAX - 2;
/// Upper bound of concurrent read steps of exports and of the daily count.
pub(crate) const READERS_MAX: usize = EXPORTS_MAX + 1;

pub(crate) struct Shared {
    pub(crate) store: Store,
    pub(crate) ports: Ports,
    pub(crate) businesses: Directory<BusinessId, business::Message>,
    /// One actor per endpoint with running or recent deliveries.
    pub(crate) deliveries: Directory<EndpointKey, delivery::Message>,
    pub(crate) persons: Directory<PersonId, people::Message>,
    /// Locks of the index rows of e-mail addresses.
    pub(crate) claims: Claims,
    /// The cache of sessions by token.
    pub(crate) known: Known,
    /// Failed sign-ins.
    pub(crate) attempts: Attempts,
    pub(crate) hasher: Hasher,
    pub(crate) sends_mail: AtomicBool,
    /// The public origin of the service, if it is configured.
    pub(crate) public_url: parking_lot::RwLock<Option<Arc<str>>>,
    /// All actors are linked to it.
    pub(crate) supervisor: ActorCell,
    pub(crate) key_usage: KeyUsage,
    pub(crate) principals: Principals,
    pub(crate) clocks: Clocks,
    /// The clock of schedules.
    pub(crate) steady: SteadyClock,
    pub(crate) webhooks: WebhookClient,
    /// The webhook URLs that are resolved before they are saved.
    pub(crate) saves: Quota,
    pub(crate) tests: Quota,
    pub(crate) runtime: Handle,
    pub(crate) permits: Arc<Semaphore>,
    pub(crate) closing: AtomicBool,
    pub(crate) limits: Limits,
    pub(crate) scans: Arc<Scans>,
    pub(crate) dispatcher: Arc<Dispatcher>,
    /// The number of endpoints that were disabled after failures.
    pub(crate) turned_off: AtomicU64,
    /// The number of deliveries that exceeded the budget.
    pub(crate) missed_over_budget: AtomicU64,
    pub(crate) swept: Swept,
    pub(crate) round: Arc<Round>,
    pub(crate) counted: Counted,
    pub(crate) live: Arc<Live>,
    pub(crate) mail: Arc<Outbox>,
    pub(crate) backups: Arc<Backups>,
    pub(crate) exports: Arc<Semaphore>,
    /// Permits of members' exports: one per business. One permit of `exports` stays free for the operator.
    pub(crate) exports_of_people: Arc<Quota>,
    pub(crate) export_steps: Arc<Semaphore>,
    /// The permit of the one import, or of the job that finishes a broken one.
    pub(crate) imports: Arc<Semaphore>,
    /// Notified when an import may have left rows.
    pub(crate) import_left: Arc<Notify>,
    /// Whether imports take no more lines.
    pub(crate) imports_end: watch::Sender<bool>,
    /// The idempotency keys of running requests with several steps: creating or deleting a business,
    /// importing, creating a link.
    pub(crate) creating: Arc<parking_lot::Mutex<HashSet<[u8; 32]>>>,
    /// Notified when background work may exist: rows of a deleted business, or jobs of a business without an
    /// actor.
    pub(crate) ending: Arc<Notify>,
    pub(crate) secret: [u8; 32],
    pub(crate) link_secret: [u8; 32],
    pub(crate) mint: parking_lot::Mutex<IdMint>,
}

/// The number of unused businesses that were checked since the engine started.
#[derive(Debug, Default)]
pub(crate) struct Swept {
    /// Without work.
    pub(crate) idle: AtomicU64,
    /// With work, so that the actor was started.
    pub(crate) started: AtomicU64,
}

/// The current round through the businesses, or the last one.
#[derive(Debug, Default)]
pub(crate) struct Round {
    /// The progress. `None` until it is loaded.
    pub(crate) record: parking_lot::Mutex<Option<RoundRecord>>,
    /// The position before the business that is being counted.
    pub(crate) counting: parking_lot::Mutex<Option<Option<BusinessId>>>,
}

impl Round {
    pub(crate) fn write(&self, round: RoundRecord, store: &Store) {
        let mut batch = Batch::default();
        batch.put(keys::round(), round.encode());
        store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ()));
    }

    /// Ends the round when the engine closes. The next engine begins with the business that is being counted.
    /// After a crash it skips that business until the next round, so that a count cannot crash the process
    /// repeatedly.
    pub(crate) fn end(&self, store: &Store) {
        let (counting, record) = (self.counting.lock().take(), *self.record.lock());
        if let (Some(after), Some(round)) = (counting, record)
            && store.check_room(Weight::Keeps).is_ok()
        {
            self.write(RoundRecord { after, ..round }, store);
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// The count equals the recorded number.
    pub(crate) equal: AtomicU64,
    /// The count differs from the recorded number.
    pub(crate) different: AtomicU64,
}

impl Swept {
    pub(crate) fn note(&self, has_any: bool) {
        let counted = if has_any { &self.started } else { &self.idle };
        counted.fetch_add(1, Ordering::Relaxed);
    }
}

impl Shared {
    /// A permit for one more message in flight.
    pub(crate) fn permit(&self) -> Result<OwnedSemaphorePermit, EngineError> {
        self.check_open()?;
        Arc::clone(&self.permits).try_acquire_owned().map_err(|_| EngineError::Overloaded)
    }

    /// Logs and counts an endpoint that was disabled after failures. The batch of the change contains the
    /// team's alerts.
    pub(crate) fn note_turned_off(&self, key: EndpointKey) {
        self.turned_off.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(
            business.id = %key.business,
            webhook.id = %key.endpoint,
            "a webhook endpoint was turned off: an event failed every attempt and nothing reached it meanwhile"
        );
    }

    /// Starts the background jobs of a business if its actor runs. A starting actor does this itself.
    pub(crate) fn go_on(&self, business: BusinessId) {
        if let Some(running) = self.businesses.if_running(business) {
            let _ = running.actor.cast(business::Message::Chores);
        }
    }

    /// Removes a deleted business from the directory. The actor answers the earlier messages first.
    pub(crate) fn end(&self, business: BusinessId) {
        if let Some(running) = self.businesses.dismiss(business) {
            let _ = running.actor.cast(business::Message::End);
        }
        self.ending.notify_one();
    }

    pub(crate) fn note_missed(&self, deliveries: u64) {
        self.missed_over_budget.fetch_add(deliveries, Ordering::Relaxed);
    }

    /// Registers an idempotent request. The same request is refused until the guard is dropped.
    pub(crate) fn begin_once(&self, key: [u8; 32]) -> Result<OnceGuard, domain::Refusal> {
        if !self.creating.lock().insert(key) {
            return Err(domain::Refusal::IdempotencyInProgress);
        }
        Ok(OnceGuard { all: Arc::clone(&self.creating), key })
    }

    /// A new id outside of the sequence of a business.
    pub(crate) fn mint_id<I: ResourceId>(&self, now: Timestamp) -> I {
        self.mint.lock().next(now, self.ports.random_bytes())
    }

    /// Waits until no export and no count reads the store, and prevents further reads.
    pub(crate) async fn end_exports(&self) {
        #[allow(clippy::cast_possible_truncation, reason = "it is a small constant")]
        let all = self.export_steps.acquire_many(READERS_MAX as u32).await;
        self.export_steps.close();
        drop(all);
    }

    pub(crate) fn check_imports(&self) -> Result<(), EngineError> {
        self.check_open()?;
        if *self.imports_end.borrow() { Err(EngineError::Stopping) } else { Ok(()) }
    }

    /// Fails for a business that is set aside.
    pub(crate) fn check_business(&self, business: BusinessId) -> Result<(), EngineError> {
        Ok(self.store.check_business(business)?)
    }

    pub(crate) fn check_open(&self) -> Result<(), EngineError> {
        let closed = self.closing.load(Ordering::Acquire) || self.store.failed();
        if closed { Err(EngineError::Stopping) } else { Ok(()) }
    }
}

/// The permit of the one import. Its drop notifies the job that finishes broken imports.
pub(crate) struct ImportPlace {
    place: Option<OwnedSemaphorePermit>,
    left: Arc<Notify>,
}

impl ImportPlace {
    pub(crate) fn new(shared: &Shared, place: OwnedSemaphorePermit) -> Self {
        Self { place: Some(place), left: Arc::clone(&shared.import_left) }
    }
}

impl Drop for ImportPlace {
    fn drop(&mut self) {
        // Released before the job is notified.
        self.place = None;
        self.left.notify_one();
    }
}

pub(crate) struct OnceGuard {
    all: Arc<parking_lot::Mutex<HashSet<[u8; 32]>>>,
    key: [u8; 32],
}

impl Drop for OnceGuard {
    fn drop(&mut self) {
        self.all.lock().remove(&self.key);
    }
}
