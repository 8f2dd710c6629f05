//! The engine: it opens the store, starts the supervisor, returns handles and closes everything in order.

mod authenticate;
mod backups;
mod businesses;
mod exports;
mod figures;
mod imports;
mod mail;
mod once;
mod recipients;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::{BusinessId, IdMint, Timestamp};
use net::{Ports, WebhookClient};
use ractor::{Actor, ActorRef};
use store::keys::installation_kind;
use store::{DiskReserve, Order, RoomLevel, Space, Store, StoreError, keys};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};

pub use self::businesses::NewBusiness;
pub use self::exports::{Export, ExportError};
pub use self::once::Once;
use crate::actor::{Bounds, Directory, Start};
use crate::business::{self, BusinessActor, BusinessHandle};
use crate::clock::{Clocks, SteadyClock};
use crate::delivery::{DeliveryActor, Dispatcher};
use crate::error::EngineError;
use crate::key_usage::KeyUsage;
use crate::limits::Limits;
use crate::mail::Outbox;
use crate::meta;
use crate::people::{Hasher, People, PersonActor, write_uses};
use crate::principals::Principals;
use crate::quota::Quota;
use crate::repair;
use crate::scans::Scans;
use crate::shared::{Counted, EXPORTS_MAX, READERS_MAX, Shared, Swept};
use crate::supervisor::{self, Supervisor};
use crate::upgrade;

/// Upper bound of unanswered messages of all businesses. It also bounds the committer's queue.
pub const ENGINE_PERMITS: usize = 16_384;
/// Upper bound of concurrent URL look-ups before a save, and of endpoint tests: in total and per business.
/// Slow name servers and receivers must not block other businesses.
const OUTGOING_MAX: usize = 256;
const OUTGOING_PER_BUSINESS_MAX: usize = 8;
/// Failures per minute before a business waits with its restart: after one failure, the next request restarts
/// it at once. An endpoint waits after the first failure, because its deliveries have no waiting client.
const BUSINESS_PATIENCE: u32 = 1;
/// How long closing waits for running work. The listeners are closed before, so no client waits.
const CLOSE_TIME_MAX: Duration = Duration::from_secs(2);

/// Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

impl Engine {
    /// Opens or creates the store in a directory and starts the engine. `on_fatal` is called once when the
    /// store fails; then nothing more is acknowledged and the process should end. Fails when the directory is
    /// unusable, in use or damaged.
    pub async fn open(
        directory: &Path,
        ports: Ports,
        on_fatal: impl Fn(&StoreError) + Send + Sync + 'static,
    ) -> Result<Self, StoreError> {
        Self::open_within(directory, ports, Limits::default(), on_fatal).await
    }

    pub async fn open_within(
        directory: &Path,
        ports: Ports,
        limits: Limits,
        on_fatal: impl Fn(&StoreError) + Send + Sync + 'static,
    ) -> Result<Self, StoreError> {
        Self::start_within(Store::open_disk(directory, Box::new(on_fatal))?, ports, limits).await
    }

    pub async fn start(store: Store, ports: Ports) -> Result<Self, StoreError> {
        Self::start_within(store, ports, Limits::default()).await
    }

    pub async fn start_within(store: Store, ports: Ports, limits: Limits) -> Result<Self, StoreError> {
        store.watch_syncs(Arc::clone(&ports.clock));
        upgrade::upgrade(&store, limits.upgrades).await?;
        repair::check_finished(&store)?;
        let clocks = Clocks::open(&store, Arc::clone(&ports.clock)).await?;
        let meta = meta::read_or_create(&store, &ports, clocks.now()).await?;
        let mint = newest_id(&store)?.map_or_else(IdMint::default, IdMint::after);
        let steady = SteadyClock::set(clocks.now(), &ports.clock);
        let webhooks = WebhookClient::new(&ports, &ports.trust);
        let dispatcher = Dispatcher::new(limits.places, steady.clone());
        let supervisor = Supervisor::spawn(None, Supervisor, ()).await;
        let (supervisor, its_end) = supervisor.map_err(|_| StoreError::Stopped)?;
        let hasher = Hasher::new(limits.hashing, store.is_simulated());
        let shared = Arc::new_cyclic(|shared| Shared {
            store,
            ports,
            businesses: Directory::new(
                starting(shared, BusinessActor::start),
                Some(|| business::Message::Sweep),
                Bounds { patience: BUSINESS_PATIENCE, running_max: limits.business_actors },
            ),
            deliveries: Directory::new(
                starting(shared, DeliveryActor::start),
                None,
                // Actors that only wait have their own bound.
                Bounds { patience: 0, running_max: usize::MAX },
            ),
            persons: Directory::new(
                starting(shared, PersonActor::start),
                None,
                Bounds { patience: BUSINESS_PATIENCE, running_max: limits.person_actors },
            ),
            claims: Default::default(),
            known: Default::default(),
            attempts: Default::default(),
            hasher,
            sends_mail: AtomicBool::new(false),
            public_url: parking_lot::RwLock::new(None),
            supervisor: supervisor.get_cell(),
            key_usage: KeyUsage::default(),
            principals: Principals::default(),
            clocks,
            steady,
            webhooks,
            saves: Quota::new(OUTGOING_MAX, OUTGOING_PER_BUSINESS_MAX),
            tests: Quota::new(OUTGOING_MAX, OUTGOING_PER_BUSINESS_MAX),
            runtime: Handle::current(),
            permits: Arc::new(Semaphore::new(ENGINE_PERMITS)),
            closing: AtomicBool::new(false),
            scans: Scans::new(limits.scan_rows),
            limits,
            dispatcher,
            turned_off: AtomicU64::new(0),
            missed_over_budget: AtomicU64::new(0),
            swept: Swept::default(),
            counted: Counted::default(),
            round: Arc::default(),
            live: Arc::default(),
            mail: Arc::new(Outbox::new(limits.mails_waiting)),
            backups: Arc::default(),
            exports: Arc::new(Semaphore::new(EXPORTS_MAX)),
            exports_of_people: Arc::new(Quota::new(EXPORTS_MAX - 1, 1)),
            export_steps: Arc::new(Semaphore::new(READERS_MAX)),
            imports: Arc::new(Semaphore::new(1)),
            import_left: Arc::default(),
            imports_end: watch::Sender::new(false),
            creating: Arc::default(),
            ending: Arc::default(),
            secret: meta.secret,
            link_secret: meta.link_secret,
            mint: parking_lot::Mutex::new(mint),
        });
        let _ = supervisor.cast(supervisor::Message::Watch(Arc::downgrade(&shared)));
        supervisor::watch_over(its_end, Arc::downgrade(&shared));
        shared.begin_deliveries();
        tokio::spawn(crate::ending::run(Arc::downgrade(&shared)));
        tokio::spawn(crate::settling::settle_what_is_left(Arc::downgrade(&shared)));
        Ok(Self { shared })
    }

    /// Returns the handle without a check that the business exists.
    pub fn business(&self, id: BusinessId) -> BusinessHandle {
        BusinessHandle::new(&self.shared, id)
    }

    pub fn people(&self) -> People {
        People::new(&self.shared)
    }

    /// The believed time: the wall clock, as far as the steady clock confirms it.
    pub fn now(&self) -> Timestamp {
        self.shared.clocks.now()
    }

    /// Whether the wall clock has jumped and is not believed yet.
    pub fn clock_doubted(&self) -> bool {
        self.shared.clocks.doubted()
    }

    pub fn ports(&self) -> &Ports {
        &self.shared.ports
    }

    /// 32 random bytes that stay the same for the life of the store.
    pub fn secret(&self) -> [u8; 32] {
        self.shared.secret
    }

    /// Whether the engine takes requests. False while it closes, and permanently after a store failure.
    pub fn is_open(&self) -> bool {
        self.shared.check_open().is_ok()
    }

    /// Sets the reserve of free disk space. The default is [`DiskReserve::Usual`].
    pub fn set_disk_reserve(&self, reserve: DiskReserve) {
        self.shared.store.set_disk_reserve(reserve);
    }

    /// The disk level, and the free space if it is known.
    pub fn room(&self) -> (RoomLevel, Option<Space>) {
        self.shared.store.room()
    }

    /// Refuses new requests, waits at most 2 s for running work, and closes the store. Fails when the store
    /// has failed.
    pub async fn close(self) -> Result<(), StoreError> {
        // The actors of people write the uses, so they must still take messages.
        let uses = async {
            for running in write_uses(&self.shared).await {
                running.wait_idle().await;
            }
        };
        let _ = tokio::time::timeout(CLOSE_TIME_MAX, uses).await;
        self.shared.closing.store(true, Ordering::Release);
        self.end_imports();
        self.shared.dispatcher.stop();
        self.shared.ending.notify_one();
        self.shared.import_left.notify_one();
        self.shared.backups.stop().await;
        #[allow(clippy::cast_possible_truncation, reason = "the permits are a small constant")]
        let all = self.shared.permits.acquire_many(ENGINE_PERMITS as u32);
        let closed_by = tokio::time::Instant::now() + CLOSE_TIME_MAX;
        if tokio::time::timeout_at(closed_by, all).await.is_err() {
            tracing::warn!("some requests were still in flight when the engine closed");
        }
        let _ = tokio::time::timeout_at(closed_by, self.shared.end_exports()).await;
        // Unfinished attempts are sent again after the next start.
        let _ = tokio::time::timeout_at(closed_by, self.shared.dispatcher.idle()).await;
        self.shared.mail.stop(closed_by).await;
        self.shared.businesses.stop();
        self.shared.deliveries.stop();
        self.shared.persons.stop();
        let written = self.shared.key_usage.write(&self.shared.store).await;
        self.shared.clocks.keep(&self.shared.store);
        self.shared.round.end(&self.shared.store);
        self.shared.supervisor.stop(None);
        self.shared.store.close().await?;
        written
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Engine")
    }
}

/// The newest id outside of the sequences of businesses: of businesses, people and the installation's log.
fn newest_id(store: &Store) -> Result<Option<BusinessId>, StoreError> {
    let mut newest = None;
    for kind in [installation_kind::BUSINESS_INDEX, installation_kind::PERSON, installation_kind::AUDIT] {
        let all = keys::of_kind(BusinessId::INSTALLATION, kind);
        let mut ids = store.walk(&all, Order::Descending, |key, _| match kind {
            installation_kind::BUSINESS_INDEX => keys::listed_business(key),
            _ => keys::id_at_end(key),
        });
        newest = newest.max(ids.next().transpose()?.map(|(_, id)| id));
    }
    Ok(newest)
}

/// Turns the start function of one actor into that of a directory. It fails after the engine is closed or
/// dropped.
fn starting<I, M, F>(
    shared: &Weak<Shared>,
    start: impl Fn(Arc<Shared>, I, Arc<Semaphore>) -> F + Copy + Send + Sync + 'static,
) -> Start<I, M>
where
    I: Send + 'static,
    F: Future<Output = Result<ActorRef<M>, EngineError>> + Send + 'static,
{
    let shared = Weak::clone(shared);
    Box::new(move |id, permits| {
        let shared = shared.upgrade();
        Box::pin(async move {
            let shared = shared.ok_or(EngineError::Stopping)?;
            shared.check_open()?;
            start(shared, id, permits).await
        })
    })
}
