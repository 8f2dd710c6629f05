//! The engine: opens the store, starts the supervisor, hands out businesses, closes in order.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ractor::{Actor, ActorRef};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::business::{BusinessHandle, Page, PageRequest, Write, collect};
use crate::credentials::Credential;
use crate::directory::Directory;
use crate::domain::{
    Actor as Who, ApiKey, AuditEntry, AuditId, BookingMode, Business, BusinessId, IdMint, Locale, Refusal,
    ResourceId, Text, WeeklyHours,
};
use crate::key_usage::KeyUsage;
use crate::ports::Ports;
use crate::store::keys::house_kind;
use crate::store::records::MetaRecord;
use crate::store::{Batch, CommitStats, KeyRange, Order, Record, Store, StoreError, keys};
use crate::supervisor::{self, Supervisor};

/// How many messages of all businesses together may wait for an answer, which bounds the committer's queue.
pub const ENGINE_PERMITS: usize = 16_384;
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
    pub(crate) directory: Directory,
    pub(crate) supervisor: ActorRef<supervisor::Message>,
    pub(crate) key_usage: KeyUsage,
    permits: Arc<Semaphore>,
    closing: AtomicBool,
    secret: [u8; 32],
    mint: parking_lot::Mutex<IdMint>,
}

impl Inner {
    /// The right to have one more message in flight.
    pub(crate) fn permit(&self) -> Result<OwnedSemaphorePermit, EngineError> {
        self.check_open()?;
        Arc::clone(&self.permits).try_acquire_owned().map_err(|_| EngineError::Overloaded)
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

/// A key that a request carried, and what it opens.
#[derive(Clone, Debug)]
pub struct Principal {
    /// The key.
    pub key: ApiKey,
    /// Its business, as it is now.
    pub business: Business,
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
        Self::start(Store::open_disk(directory, Box::new(on_fatal))?, ports).await
    }

    /// Starts the engine on a store that is open.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn start(store: Store, ports: Ports) -> Result<Self, StoreError> {
        let secret = secret(&store, &ports).await?;
        let newest = store.scan(&businesses(), Order::Descending).next().transpose()?;
        let mint = match newest {
            Some((key, _)) => IdMint::after(keys::id_at_end::<BusinessId>(&key)?),
            None => IdMint::default(),
        };
        let supervisor = Supervisor::spawn(None, Supervisor, ()).await;
        let (supervisor, _) = supervisor.map_err(|_| StoreError::Stopped)?;
        let inner = Arc::new(Inner {
            store,
            ports,
            directory: Directory::default(),
            supervisor,
            key_usage: KeyUsage::default(),
            permits: Arc::new(Semaphore::new(ENGINE_PERMITS)),
            closing: AtomicBool::new(false),
            secret,
            mint: parking_lot::Mutex::new(mint),
        });
        let _ = inner.supervisor.cast(supervisor::Message::Watch(Arc::downgrade(&inner)));
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
    pub async fn authenticate(&self, credential: &Credential) -> Result<Option<Principal>, EngineError> {
        let store = &self.inner.store;
        let key = store.get::<ApiKey>(&keys::api_key(credential.prefix_chars()))?;
        let Some(key) = key.filter(|key| credential.matches(&key.hash)) else { return Ok(None) };
        let business = store.get::<Business>(&keys::profile(key.business_id))?;
        let business = business.ok_or_else(|| StoreError::damaged("api_key", "its business is not there"))?;
        if key.revoked_at.is_some() || business.suspended {
            // Being shut out is shown only once it is on the disk. Whoever is let in sees nothing of either record here,
            // and need not wait for the changes of others.
            store.settled(key.business_id).await?;
        }
        if key.revoked_at.is_some() {
            return Ok(None);
        }
        self.inner.key_usage.note(key.id, self.inner.ports.clock.now());
        Ok(Some(Principal { key, business }))
    }

    /// Creates a business. Until the answer nobody knows its id, so it needs no actor.
    ///
    /// # Errors
    /// [`EngineError::Stopping`], [`EngineError::Overloaded`].
    pub async fn create_business(&self, new: NewBusiness, by: Who) -> Result<Business, EngineError> {
        let permit = self.inner.permit()?;
        let now = self.inner.ports.clock.now();
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
        batch.put(keys::audit(id, audit_id), entry.encode());
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
        let store = &self.inner.store;
        let found = collect(store, businesses(), Order::Ascending, page, |key, _| {
            store.get::<Business>(&keys::profile(keys::id_at_end(key)?))
        })?;
        for business in &found.items {
            store.settled(business.id).await?;
        }
        Ok(found)
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

    /// What the committer has done so far.
    pub fn commit_stats(&self) -> CommitStats {
        self.inner.store.stats()
    }

    /// How many businesses are in memory.
    pub fn running_businesses(&self) -> usize {
        self.inner.directory.len()
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
        #[allow(clippy::cast_possible_truncation, reason = "the permits are a small constant")]
        let all = self.inner.permits.acquire_many(ENGINE_PERMITS as u32);
        if tokio::time::timeout(CLOSE_TIME_MAX, all).await.is_err() {
            tracing::warn!("some requests were still in flight when the engine closed");
        }
        self.inner.directory.stop();
        let written = self.inner.key_usage.write(&self.inner.store).await;
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

/// The store's secret, drawn at the first opening.
async fn secret(store: &Store, ports: &Ports) -> Result<[u8; 32], StoreError> {
    if let Some(meta) = store.get::<MetaRecord>(&keys::meta())? {
        return Ok(meta.secret);
    }
    let meta = MetaRecord { secret: ports.random_bytes(), created_at: ports.clock.now() };
    let mut batch = Batch::default();
    batch.put(keys::meta(), meta.encode());
    let (done, written) = oneshot::channel();
    store.submit(BusinessId::HOUSE, batch, Box::new(move || _ = done.send(())));
    written.await.map_err(|_| StoreError::Stopped)?;
    Ok(meta.secret)
}
