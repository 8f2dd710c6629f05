//! What the actors share of the engine: the store, the clocks, each other's directories, and how much may go on at
//! once.
//!
//! It is below the actors: it knows what they are told, and neither what they do with it nor how they are started.

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

/// How many exports may be under way. A backup and the daily count have a snapshot each beside them.
pub(crate) const EXPORTS_MAX: usize = SNAPSHOTS_MAX - 2;
/// How many steps of exports and of the daily count may read at once.
pub(crate) const READERS_MAX: usize = EXPORTS_MAX + 1;

/// What the actors, the handles and the engine share.
pub(crate) struct Shared {
    pub(crate) store: Store,
    pub(crate) ports: Ports,
    /// The running businesses.
    pub(crate) businesses: Directory<BusinessId, business::Message>,
    /// The running deliveries, one actor an endpoint.
    pub(crate) deliveries: Directory<EndpointKey, delivery::Message>,
    /// The running people.
    pub(crate) persons: Directory<PersonId, people::Message>,
    /// Who may write the rows of e-mail addresses.
    pub(crate) claims: Claims,
    /// Whom tokens of sessions lead to.
    pub(crate) known: Known,
    /// Who failed to sign in.
    pub(crate) attempts: Attempts,
    /// What hashes passwords.
    pub(crate) hasher: Hasher,
    /// Whether mail can be sent.
    pub(crate) sends_mail: AtomicBool,
    /// The origin at which people reach the service, if they do.
    pub(crate) public_url: parking_lot::RwLock<Option<Arc<str>>>,
    /// The actor that all others are linked to.
    pub(crate) supervisor: ActorCell,
    pub(crate) key_usage: KeyUsage,
    pub(crate) principals: Principals,
    /// What time it is.
    pub(crate) clocks: Clocks,
    /// The clock of schedules.
    pub(crate) steady: SteadyClock,
    /// The client that deliveries are sent with.
    pub(crate) webhooks: WebhookClient,
    /// The webhook URLs that are being looked up before they are saved.
    pub(crate) saves: Quota,
    /// The tests of webhook endpoints that are being made.
    pub(crate) tests: Quota,
    pub(crate) runtime: Handle,
    pub(crate) permits: Arc<Semaphore>,
    pub(crate) closing: AtomicBool,
    /// How much is done at once.
    pub(crate) limits: Limits,
    /// The requests for parts of lists that read.
    pub(crate) scans: Arc<Scans>,
    /// Who gets a place for an attempt to deliver.
    pub(crate) dispatcher: Arc<Dispatcher>,
    /// How many endpoints were turned off for their failures.
    pub(crate) turned_off: AtomicU64,
    /// How many deliveries were missed at once, for as many waited as may.
    pub(crate) missed_over_budget: AtomicU64,
    /// The businesses that nobody uses and that were looked at.
    pub(crate) swept: Swept,
    /// The round through the businesses.
    pub(crate) round: Arc<Round>,
    /// The businesses that were counted.
    pub(crate) counted: Counted,
    /// Who is told what changes.
    pub(crate) live: Arc<Live>,
    /// Where mails go.
    pub(crate) mail: Arc<Outbox>,
    /// The backups that are or were made.
    pub(crate) backups: Arc<Backups>,
    /// The exports that may be under way, and the steps of them and of the daily count that may be reading.
    pub(crate) exports: Arc<Semaphore>,
    /// Those of people: one of a business, and a place is left to the operator.
    pub(crate) exports_of_people: Arc<Quota>,
    pub(crate) export_steps: Arc<Semaphore>,
    /// The import that may be under way, or what one has left that is being settled.
    pub(crate) imports: Arc<Semaphore>,
    /// Told when an import may have left something.
    pub(crate) import_left: Arc<Notify>,
    /// Whether no more lines of imports are taken.
    pub(crate) imports_end: watch::Sender<bool>,
    /// The idempotency keys of what is being done once in more than one step: creating or ending a business, importing,
    /// making a link.
    pub(crate) creating: Arc<parking_lot::Mutex<HashSet<[u8; 32]>>>,
    /// Told when something may be left to be done that nobody asks for: rows of a business that was ended, steps of one
    /// that has no actor.
    pub(crate) ending: Arc<Notify>,
    pub(crate) secret: [u8; 32],
    /// The secret of the tokens in mailed links.
    pub(crate) link_secret: [u8; 32],
    pub(crate) mint: parking_lot::Mutex<IdMint>,
}

/// How many businesses that nobody uses were looked at since the engine started.
#[derive(Debug, Default)]
pub(crate) struct Swept {
    /// Those with nothing to do.
    pub(crate) idle: AtomicU64,
    /// Those whose actor was started.
    pub(crate) started: AtomicU64,
}

/// The round through the businesses that is under way, or the last one.
#[derive(Debug, Default)]
pub(crate) struct Round {
    /// How far it has come; nothing until that was read.
    pub(crate) record: parking_lot::Mutex<Option<RoundRecord>>,
    /// Where the round was before the business that is being counted, if one is.
    pub(crate) counting: parking_lot::Mutex<Option<Option<BusinessId>>>,
}

impl Round {
    /// Writes how far a round has come.
    pub(crate) fn write(&self, round: RoundRecord, store: &Store) {
        let mut batch = Batch::default();
        batch.put(keys::round(), round.encode());
        store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ()));
    }

    /// The engine closes: the next one counts the business first that is being counted. After a crash it is passed over
    /// until the next round, so a count that ends the process does not end it again and again.
    pub(crate) fn end(&self, store: &Store) {
        let (counting, record) = (self.counting.lock().take(), *self.record.lock());
        if let (Some(after), Some(round)) = (counting, record)
            && store.check_room(Weight::Keeps).is_ok()
        {
            self.write(RoundRecord { after, ..round }, store);
        }
    }
}

/// How many times a business was counted since the engine started.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// The recorded number of rows was found.
    pub(crate) equal: AtomicU64,
    /// Another number was found.
    pub(crate) different: AtomicU64,
}

impl Swept {
    /// Counts one, which had something to do or not.
    pub(crate) fn note(&self, has_any: bool) {
        let counted = if has_any { &self.started } else { &self.idle };
        counted.fetch_add(1, Ordering::Relaxed);
    }
}

impl Shared {
    /// The right to have one more message in flight.
    pub(crate) fn permit(&self) -> Result<OwnedSemaphorePermit, EngineError> {
        self.check_open()?;
        Arc::clone(&self.permits).try_acquire_owned().map_err(|_| EngineError::Overloaded)
    }

    /// Notes that an endpoint was turned off for its failures, for the log and a metric. The team's alerts stand in the
    /// batch of that change.
    pub(crate) fn note_turned_off(&self, key: EndpointKey) {
        self.turned_off.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(
            business.id = %key.business,
            webhook.id = %key.endpoint,
            "a webhook endpoint was turned off: an event failed every attempt and nothing reached it meanwhile"
        );
    }

    /// Has a business go on with what it does in steps, if it runs; one that starts does so by itself.
    pub(crate) fn go_on(&self, business: BusinessId) {
        if let Some(running) = self.businesses.if_running(business) {
            let _ = running.actor.cast(business::Message::Chores);
        }
    }

    /// A business is no more: whoever asks for it from now on finds none. What was asked before is answered first.
    pub(crate) fn end(&self, business: BusinessId) {
        if let Some(running) = self.businesses.dismiss(business) {
            let _ = running.actor.cast(business::Message::End);
        }
        self.ending.notify_one();
    }

    /// Counts deliveries that were missed at once, for as many waited as may.
    pub(crate) fn note_missed(&self, deliveries: u64) {
        self.missed_over_budget.fetch_add(deliveries, Ordering::Relaxed);
    }

    /// Begins a request that shall happen once, until what is given is dropped: the same one is refused meanwhile.
    pub(crate) fn begin_once(&self, key: [u8; 32]) -> Result<OnceGuard, domain::Refusal> {
        if !self.creating.lock().insert(key) {
            return Err(domain::Refusal::IdempotencyInProgress);
        }
        Ok(OnceGuard { all: Arc::clone(&self.creating), key })
    }

    /// A new id for something that belongs to no business's own sequence.
    pub(crate) fn mint_id<I: ResourceId>(&self, now: Timestamp) -> I {
        self.mint.lock().next(now, self.ports.random_bytes())
    }

    /// Waits until no export and no count reads the store; none does after that.
    pub(crate) async fn end_exports(&self) {
        #[allow(clippy::cast_possible_truncation, reason = "it is a small constant")]
        let all = self.export_steps.acquire_many(READERS_MAX as u32).await;
        self.export_steps.close();
        drop(all);
    }

    /// Refuses lines of imports that come while the engine takes none.
    pub(crate) fn check_imports(&self) -> Result<(), EngineError> {
        self.check_open()?;
        if *self.imports_end.borrow() { Err(EngineError::Stopping) } else { Ok(()) }
    }

    /// Refuses what is asked of a business that is set aside.
    pub(crate) fn check_business(&self, business: BusinessId) -> Result<(), EngineError> {
        Ok(self.store.check_business(business)?)
    }

    /// Refuses what comes while the engine closes.
    pub(crate) fn check_open(&self) -> Result<(), EngineError> {
        let closed = self.closing.load(Ordering::Acquire) || self.store.failed();
        if closed { Err(EngineError::Stopping) } else { Ok(()) }
    }
}

/// The place of the one import that may be under way. Whoever settles looks at what is left once it is given back.
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
        // Before whoever settles looks.
        self.place = None;
        self.left.notify_one();
    }
}

/// A request that happens once and is being carried out.
pub(crate) struct OnceGuard {
    all: Arc<parking_lot::Mutex<HashSet<[u8; 32]>>>,
    key: [u8; 32],
}

impl Drop for OnceGuard {
    fn drop(&mut self) {
        self.all.lock().remove(&self.key);
    }
}
