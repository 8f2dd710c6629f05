//! The engine: opens the store, starts the supervisor, hands out businesses, closes in order.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use ractor::{Actor, ActorRef};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::business::{BusinessActor, BusinessHandle, Page, PageRequest, Write, collect, read_page};
use crate::clock::Clocks;
use crate::credentials::Credential;
use crate::delivery::{DeliveryActor, Dispatcher, EndpointKey, SteadyClock};
use crate::directory::Directory;
use crate::domain::{
    Actor as Who, AuditEntry, AuditId, BookingMode, Business, BusinessId, IdMint, Locale, Refusal,
    ResourceId, Text, Timestamp, Usage, WeeklyHours,
};
use crate::key_usage::KeyUsage;
use crate::limits::Limits;
use crate::meta;
use crate::net::WebhookClient;
use crate::ports::Ports;
use crate::principals::{Principal, Principals};
use crate::repair;
use crate::scans::Scans;
use crate::shares::Shares;
use crate::store::keys::house_kind;
use crate::store::records::AuditRecord;
use crate::store::{
    Batch, CommitStats, DiskFull, DiskReserve, KeyRange, Order, Record, RoomLevel, Space, Store, StoreError,
    Weight, keys,
};
use crate::supervisor::{self, Supervisor};

/// How many messages of all businesses together may wait for an answer, which bounds the committer's queue.
pub const ENGINE_PERMITS: usize = 16_384;
/// How many businesses that nobody uses are swept in a minute.
const BUSINESSES_PER_SWEEP: usize = 10;
/// How many webhook URLs may be looked up to be saved at once, and how many endpoints tested: over all, and for each
/// business. What waits for somebody's slow name server or receiver must leave room for everybody else.
const OUTGOING_MAX: usize = 256;
const OUTGOING_PER_BUSINESS_MAX: usize = 8;
/// How long closing waits for what is in flight; the listeners have drained by then, so nobody waits for it.
const CLOSE_TIME_MAX: Duration = Duration::from_secs(2);

/// Why the engine does not carry out a request.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// It is refused; nothing was changed.
    #[error("refused: {0:?}")]
    Refused(Refusal),
    /// Too much is in flight already; nothing was changed.
    #[error("too many requests are in flight")]
    Overloaded,
    /// The engine is closing or has failed.
    #[error("the service is stopping")]
    Stopping,
    /// There is no such business.
    #[error("there is no such business")]
    NotFound,
    /// The key was revoked after the request had come in.
    #[error("the key is revoked")]
    KeyRevoked,
    /// The business was suspended after the request had come in.
    #[error("the business is suspended")]
    Suspended,
    /// The disk has too little room for it; nothing was changed.
    #[error(transparent)]
    DiskFull(#[from] DiskFull),
    /// The actor failed while it held the request.
    #[error("the business's actor failed")]
    Failed,
    /// The store failed.
    #[error("the store failed")]
    Store(#[source] StoreError),
}

/// What every handle shares.
pub(crate) struct Inner {
    pub(crate) store: Store,
    pub(crate) ports: Ports,
    /// The running businesses.
    pub(crate) businesses: Directory<BusinessActor>,
    /// The running deliveries, one actor an endpoint.
    pub(crate) deliveries: Directory<DeliveryActor>,
    pub(crate) supervisor: ActorRef<supervisor::Message>,
    pub(crate) key_usage: KeyUsage,
    principals: Principals,
    /// What time it is.
    pub(crate) clocks: Clocks,
    /// The clock of schedules.
    pub(crate) steady: SteadyClock,
    /// The client that deliveries are sent with.
    pub(crate) webhooks: WebhookClient,
    /// The webhook URLs that are being looked up before they are saved.
    pub(crate) saves: Shares,
    /// The tests of webhook endpoints that are being made.
    pub(crate) tests: Shares,
    pub(crate) runtime: Handle,
    permits: Arc<Semaphore>,
    closing: AtomicBool,
    /// How much is done at once.
    pub(crate) limits: Limits,
    /// The requests for parts of lists that read.
    pub(crate) scans: Arc<Scans>,
    /// Who gets a place for an attempt to deliver.
    pub(crate) dispatcher: Arc<Dispatcher>,
    /// How many endpoints were turned off for their failures.
    turned_off: AtomicU64,
    /// How many deliveries were missed at once, for as many waited as may.
    missed_over_budget: AtomicU64,
    secret: [u8; 32],
    mint: parking_lot::Mutex<IdMint>,
}

impl Inner {
    /// The right to have one more message in flight.
    pub(crate) fn permit(&self) -> Result<OwnedSemaphorePermit, EngineError> {
        self.check_open()?;
        Arc::clone(&self.permits).try_acquire_owned().map_err(|_| EngineError::Overloaded)
    }

    /// Tells the team that an endpoint was turned off for its failures (spec §6 rule 8). People and their settings come
    /// later; until then it is a line of the log, a metric, and the change's own entry in the audit log.
    pub(crate) fn alert_team(&self, key: EndpointKey) {
        self.turned_off.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(
            business.id = %key.business,
            webhook.id = %key.endpoint,
            "a webhook endpoint was turned off: an event failed every attempt and nothing reached it meanwhile"
        );
    }

    /// Counts deliveries that were missed at once, for as many waited as may.
    pub(crate) fn note_missed(&self, deliveries: u64) {
        self.missed_over_budget.fetch_add(deliveries, Ordering::Relaxed);
    }

    /// Has the next businesses after this one swept that nobody uses; gives the last one, or `None` at the end.
    pub(crate) async fn sweep_unused(
        self: &Arc<Self>,
        after: Option<BusinessId>,
    ) -> Result<Option<BusinessId>, StoreError> {
        let mut range = businesses();
        if let Some(after) = after {
            range = range.after(keys::business_index(after));
        }
        let rows: Result<Vec<_>, _> =
            self.store.scan(&range, Order::Ascending).take(BUSINESSES_PER_SWEEP).collect();
        let mut last = None;
        for (key, _) in rows? {
            let id = keys::id_at_end::<BusinessId>(&key)?;
            last = Some(id);
            // One that is in memory sweeps itself, and one that starts does so first of all.
            if self.businesses.if_running(id).is_none() {
                let _ = self.businesses.running(self, id).await;
            }
        }
        Ok(last)
    }

    /// A new id for something that belongs to no business's own sequence.
    pub(crate) fn mint_id<I: ResourceId>(&self, now: Timestamp) -> I {
        self.mint.lock().next(now, self.ports.random_bytes())
    }

    /// Refuses what comes while the engine closes.
    pub(crate) fn check_open(&self) -> Result<(), EngineError> {
        let closed = self.closing.load(Ordering::Acquire) || self.store.failed();
        if closed { Err(EngineError::Stopping) } else { Ok(()) }
    }
}

/// The engine. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

/// A business as it is created.
#[derive(Clone, Debug)]
pub struct NewBusiness {
    /// Its name.
    pub name: Text<1, 200>,
    /// Its zone.
    pub zone: chrono_tz::Tz,
    /// Its default language.
    pub locale: Locale,
    /// Its web site.
    pub website_url: Option<String>,
    /// How appointments come about.
    pub booking_mode: BookingMode,
    /// Its opening hours.
    pub hours: WeeklyHours,
    /// The region in which national phone numbers are read.
    pub phone_region: String,
}

impl Engine {
    /// Opens the store in a directory, creating it if need be, and starts the engine on it. `on_fatal` is called once
    /// if the store fails; nothing is acknowledged after that, and the process had best end.
    ///
    /// # Errors
    /// When the directory cannot be used, is in use, or holds a damaged store.
    pub async fn open(
        directory: &Path,
        ports: Ports,
        on_fatal: impl Fn(&StoreError) + Send + Sync + 'static,
    ) -> Result<Self, StoreError> {
        Self::open_within(directory, ports, Limits::default(), on_fatal).await
    }

    /// [`Engine::open`] with other bounds.
    ///
    /// # Errors
    /// As there.
    pub async fn open_within(
        directory: &Path,
        ports: Ports,
        limits: Limits,
        on_fatal: impl Fn(&StoreError) + Send + Sync + 'static,
    ) -> Result<Self, StoreError> {
        Self::start_within(Store::open_disk(directory, Box::new(on_fatal))?, ports, limits).await
    }

    /// Starts the engine on a store that is open.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn start(store: Store, ports: Ports) -> Result<Self, StoreError> {
        Self::start_within(store, ports, Limits::default()).await
    }

    /// [`Engine::start`] with other bounds.
    ///
    /// # Errors
    /// As there.
    pub async fn start_within(store: Store, ports: Ports, limits: Limits) -> Result<Self, StoreError> {
        meta::mark_format(&store).await?;
        repair::check_finished(&store)?;
        let clocks = Clocks::open(&store, Arc::clone(&ports.clock)).await?;
        let secret = meta::secret(&store, &ports, clocks.now()).await?;
        let newest = store.scan(&businesses(), Order::Descending).next().transpose()?;
        let mint = match newest {
            Some((key, _)) => IdMint::after(keys::id_at_end::<BusinessId>(&key)?),
            None => IdMint::default(),
        };
        let steady = SteadyClock::set(clocks.now());
        let webhooks = WebhookClient::new(&ports, &ports.trust);
        let supervisor = Supervisor::spawn(None, Supervisor, ()).await;
        let (supervisor, _) = supervisor.map_err(|_| StoreError::Stopped)?;
        let inner = Arc::new(Inner {
            store,
            ports,
            businesses: Directory::default(),
            deliveries: Directory::default(),
            supervisor,
            key_usage: KeyUsage::default(),
            principals: Principals::default(),
            clocks,
            steady,
            webhooks,
            saves: Shares::new(OUTGOING_MAX, OUTGOING_PER_BUSINESS_MAX),
            tests: Shares::new(OUTGOING_MAX, OUTGOING_PER_BUSINESS_MAX),
            runtime: Handle::current(),
            permits: Arc::new(Semaphore::new(ENGINE_PERMITS)),
            closing: AtomicBool::new(false),
            scans: Scans::new(limits.scan_rows),
            limits,
            dispatcher: Dispatcher::new(limits.places),
            turned_off: AtomicU64::new(0),
            missed_over_budget: AtomicU64::new(0),
            secret,
            mint: parking_lot::Mutex::new(mint),
        });
        let _ = inner.supervisor.cast(supervisor::Message::Watch(Arc::downgrade(&inner)));
        inner.dispatcher.begin(Arc::downgrade(&inner));
        // In a task of its own: what waits for a slow receiver holds nobody else up.
        tokio::spawn(Arc::clone(&inner).start_deliveries());
        Ok(Self { inner })
    }

    /// The handle of a business, whether or not there is one.
    pub fn business(&self, id: BusinessId) -> BusinessHandle {
        BusinessHandle { inner: Arc::clone(&self.inner), id }
    }

    /// What a key opens, or `None` when it is unknown or revoked. Notes its use.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn authenticate(&self, credential: &Credential) -> Result<Option<Arc<Principal>>, EngineError> {
        let store = &self.inner.store;
        let principal = self.inner.principals.read(store, credential.prefix_chars())?;
        let Some(principal) = principal.filter(|principal| credential.matches(&principal.key.hash)) else {
            return Ok(None);
        };
        let Principal { key, business } = &*principal;
        if key.revoked_at.is_some() || business.suspended {
            // Being shut out is shown only once it is on the disk. Whoever is let in sees nothing of either record here,
            // and need not wait for the changes of others.
            store.settled(key.business_id).await?;
        }
        if key.revoked_at.is_some() {
            return Ok(None);
        }
        self.inner.key_usage.note(key.id, self.now());
        Ok(Some(principal))
    }

    /// Creates a business. Until the answer nobody knows its id, so it needs no actor.
    ///
    /// # Errors
    /// [`EngineError::Stopping`], [`EngineError::Overloaded`], [`EngineError::DiskFull`].
    pub async fn create_business(&self, new: NewBusiness, by: Who) -> Result<Business, EngineError> {
        let permit = self.inner.permit()?;
        self.inner.store.check_room(Weight::Grows)?;
        let now = self.now();
        self.inner.clocks.note(now, &self.inner.store);
        let (id, audit_id): (BusinessId, AuditId) = {
            let mut mint = self.inner.mint.lock();
            let next = || self.inner.ports.random_bytes();
            (mint.next(now, next()), mint.next(now, next()))
        };
        let business = Business {
            id,
            name: new.name.into_string(),
            zone: new.zone,
            locale: new.locale,
            website_url: new.website_url,
            booking_mode: new.booking_mode,
            hours: new.hours,
            phone_region: new.phone_region,
            suspended: false,
            created_at: now,
            updated_at: now,
        };
        let mut batch = Batch::default();
        Write::Business(business.clone()).encode(id, &mut batch);
        batch.put(keys::business_index(id), Vec::new());
        let entry = AuditEntry {
            id: audit_id,
            at: now,
            actor: by,
            action: "business.created".into(),
            resource_type: "business".into(),
            resource_id: id.uuid(),
            changes: Vec::new(),
        };
        let record = AuditRecord { entry, usage: Some(Usage::default()) };
        batch.put(keys::audit(id, audit_id), record.encode());
        let (done, written) = oneshot::channel();
        self.inner.store.submit(
            id,
            batch,
            Box::new(move || {
                drop(permit);
                _ = done.send(());
            }),
        );
        written.await.map_err(|_| EngineError::Failed)?;
        Ok(business)
    }

    /// The businesses in the order of their creation.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn businesses(&self, page: &PageRequest) -> Result<Page<Business>, EngineError> {
        let Inner { store, scans, .. } = &*self.inner;
        let found = read_page((scans, store), BusinessId::HOUSE, page, |reader, page| {
            collect(reader, businesses(), Order::Ascending, page, |key, _| {
                reader.get::<Business>(&keys::profile(keys::id_at_end(key)?))
            })
        })
        .await?;
        for business in &found.items {
            store.settled(business.id).await?;
        }
        Ok(found)
    }

    /// The present instant: what the wall clock shows, as far as the steady clock bears it out.
    pub fn now(&self) -> Timestamp {
        self.inner.clocks.now()
    }

    /// Whether the wall clock has jumped and is not followed yet.
    pub fn clock_doubted(&self) -> bool {
        self.inner.clocks.doubted()
    }

    /// The ports the engine runs on.
    pub fn ports(&self) -> &Ports {
        &self.inner.ports
    }

    /// 32 random bytes that stay the same as long as the store does.
    pub fn secret(&self) -> [u8; 32] {
        self.inner.secret
    }

    /// Whether it takes requests: not while it closes, and never again once the store has failed.
    pub fn is_open(&self) -> bool {
        self.inner.check_open().is_ok()
    }

    /// Sets how much of the disk the store leaves free; [`DiskReserve::Usual`] until then.
    pub fn set_disk_reserve(&self, reserve: DiskReserve) {
        self.inner.store.set_disk_reserve(reserve);
    }

    /// What the disk has room for, and how much of it is free, if that is known.
    pub fn room(&self) -> (RoomLevel, Option<Space>) {
        self.inner.store.room()
    }

    /// What the committer has done so far.
    pub fn commit_stats(&self) -> CommitStats {
        self.inner.store.stats()
    }

    /// How many businesses are in memory.
    pub fn running_businesses(&self) -> usize {
        self.inner.businesses.len()
    }

    /// How many endpoints have an actor: those at which something is under way, or was a while ago.
    pub fn running_deliveries(&self) -> usize {
        self.inner.deliveries.len()
    }

    /// How many attempts to deliver are under way, up to the heads of their responses.
    pub fn attempts_under_way(&self) -> usize {
        self.inner.dispatcher.places_taken()
    }

    /// How many endpoints wait for a place for an attempt, or for the time at which one is due.
    pub fn endpoints_waiting(&self) -> usize {
        self.inner.dispatcher.waiting()
    }

    /// Whether webhooks are held back because this machine has no network.
    pub fn is_cut_off(&self) -> bool {
        self.inner.webhooks.network().is_out()
    }

    /// How many attempts to deliver reached their endpoint, and how many failed, since the engine started.
    pub fn attempts_made(&self) -> (u64, u64) {
        self.inner.dispatcher.made()
    }

    /// How many endpoints were turned off for their failures since the engine started.
    pub fn endpoints_turned_off(&self) -> u64 {
        self.inner.turned_off.load(Ordering::Relaxed)
    }

    /// How many deliveries were missed at once since the start, for as many of their business waited as may.
    pub fn missed_over_budget(&self) -> u64 {
        self.inner.missed_over_budget.load(Ordering::Relaxed)
    }

    /// How many rows were read for parts of lists since the engine started.
    pub fn rows_listed(&self) -> u64 {
        self.inner.scans.rows_read()
    }

    /// How many requests for parts of lists read on threads of their own, or wait to.
    pub fn long_lists(&self) -> usize {
        self.inner.scans.under_way()
    }

    /// How many more messages may be in flight, of [`ENGINE_PERMITS`].
    pub fn permits_available(&self) -> usize {
        self.inner.permits.available_permits()
    }

    /// Whether the store has failed for good.
    pub fn store_failed(&self) -> bool {
        self.inner.store.failed()
    }

    /// Refuses what comes from now on, waits for what is in flight (at most 2 s), and closes the store.
    ///
    /// # Errors
    /// When the store failed meanwhile.
    pub async fn close(self) -> Result<(), StoreError> {
        self.inner.closing.store(true, Ordering::Release);
        self.inner.dispatcher.stop();
        #[allow(clippy::cast_possible_truncation, reason = "the permits are a small constant")]
        let all = self.inner.permits.acquire_many(ENGINE_PERMITS as u32);
        let closed_by = tokio::time::Instant::now() + CLOSE_TIME_MAX;
        if tokio::time::timeout_at(closed_by, all).await.is_err() {
            tracing::warn!("some requests were still in flight when the engine closed");
        }
        // What is not done by then is sent again by the next start.
        let _ = tokio::time::timeout_at(closed_by, self.inner.dispatcher.idle()).await;
        self.inner.businesses.stop();
        self.inner.deliveries.stop();
        let written = self.inner.key_usage.write(&self.inner.store).await;
        self.inner.clocks.keep(&self.inner.store);
        self.inner.supervisor.stop(None);
        self.inner.store.close().await?;
        written
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Engine")
    }
}

/// The index of all businesses.
fn businesses() -> KeyRange {
    keys::of_kind(BusinessId::HOUSE, house_kind::BUSINESS_INDEX)
}
