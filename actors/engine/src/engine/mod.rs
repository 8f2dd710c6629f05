//! The engine: it opens the store, starts the supervisor, returns handles and closes everything in order.

mod businesses;
mod exports;
mod figures;
mod imports;
mod mail;
mod once;
mod recipients;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use domain::{Actor, ApiKey, AuditAction, BackupId, BusinessId, IdMint, ResourceId, Timestamp};
use net::Ports;
use ports::ModelServer;
use ractor::Actor as _;
use serde_json::{Map, Value};
use store::keys::installation_kind;
use store::{Batch, DiskReserve, Order, RoomLevel, Space, Store, StoreError, Weight, keys};

pub use self::businesses::NewBusiness;
pub use self::exports::{Export, ExportError};
pub use self::once::Once;
use crate::actor::{Bounds, Directory};
use crate::backup::{BackupState, Backups};
use crate::business::{self, BusinessActor, BusinessHandle, Businesses};
use crate::calendars::EventWriter;
use crate::calendars::reading::{CalendarActor, Readings};
use crate::clock::{Clocks, SteadyClock};
use crate::credentials::Credential;
use crate::delivery::{Deliveries, DeliveryActor};
use crate::error::Result;
use crate::limits::Limits;
use crate::mail::Mails;
use crate::maintenance::{self, Maintenance};
use crate::meta;
use crate::moving::Moving;
use crate::people::{People, PersonActor, Persons, write_uses};
use crate::principals::Principal;
use crate::quota::Quota;
use crate::repair;
use crate::shared::Shared;
use crate::supervisor::{self, Supervisor};
use crate::upgrade;

/// A business's or person's actor may fail this many times before its restarts are delayed. The count starts again
/// after a minute without a failure. The restart of an endpoint's actor is delayed after every failure, because no
/// client waits for deliveries.
const PATIENCE: u32 = 1;
/// The engine closes in two phases. This is the maximum duration of each phase. It can be short, because the listeners
/// are already closed and no client waits.
const CLOSE_TIME_MAX: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub struct Engine {
    parts: Arc<Parts>,
}

/// The handles of all actors, for the engine, its supervisor and its background jobs.
pub(crate) struct Parts {
    pub(crate) shared: Arc<Shared>,
    pub(crate) businesses: Arc<Businesses>,
    pub(crate) people: Arc<Persons>,
    pub(crate) moving: Arc<Moving>,
    pub(crate) maintenance: Maintenance,
    mails: Arc<Mails>,
    backups: Arc<Backups>,
    limits: Limits,
}

impl Engine {
    /// Opens or creates the store in a directory. `on_fatal` is called once when the store fails. After this
    /// call, no change is acknowledged, and the process should end.
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
        let supervisor = Supervisor::spawn(None, Supervisor, ()).await;
        let (supervisor, its_end) = supervisor.map_err(|_| StoreError::Stopped)?;
        let shared = Shared::new((store, ports), (clocks, steady), (meta, mint), supervisor.get_cell());
        let tests = Arc::new(Quota::outgoing());
        let mails = Mails::new(&shared, &tests, limits.mails_waiting);
        let businesses = Arc::new_cyclic(|businesses| {
            let deliveries = Arc::new_cyclic(|deliveries| {
                // `Deliveries` itself limits the number of endpoint actors, to `Limits::actors_at_rest`.
                let bounds = Bounds { patience: 0, running_max: usize::MAX };
                let start = shared.starting(deliveries, DeliveryActor::start);
                let directory = Directory::new(start, None, bounds);
                Deliveries::new(&shared, directory, (businesses, &tests), &limits)
            });
            let readings = Arc::new_cyclic(|readings| {
                let bounds = Bounds { patience: 0, running_max: limits.actors_at_rest };
                let start = shared.starting(readings, CalendarActor::start);
                Readings::new(&shared, Directory::new(start, None, bounds), businesses)
            });
            let bounds = Bounds { patience: PATIENCE, running_max: limits.business_actors };
            let start = shared.starting(businesses, BusinessActor::start);
            let directory = Directory::new(start, Some(|| business::Message::Maintain), bounds);
            let outbox = Arc::clone(&mails.outbox);
            Businesses::new(&shared, directory, (deliveries, readings, outbox), limits.scan_rows)
        });
        let people = Arc::new_cyclic(|people| {
            let bounds = Bounds { patience: PATIENCE, running_max: limits.person_actors };
            let directory = Directory::new(shared.starting(people, PersonActor::start), None, bounds);
            Persons::new(&shared, directory, (&businesses, &mails), &limits)
        });
        let moving = Moving::new(&shared, businesses.slugs.clone(), &mails.outbox);
        supervisor::watch_over(its_end, Arc::downgrade(&shared));
        let (maintenance, backups) =
            (Maintenance::new(&businesses.deleted, &moving.import_left), Arc::default());
        let parts = Parts { shared, businesses, people, moving, maintenance, mails, backups, limits };
        let parts = Arc::new(parts);
        let _ = supervisor.cast(supervisor::Message::Watch(Arc::downgrade(&parts)));
        parts.businesses.deliveries.begin();
        parts.businesses.readings.begin();
        maintenance::start(&parts);
        Ok(Self { parts })
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.parts.shared
    }

    /// Returns the handle of a business. The call marks the business as used, so its calendars are read more often for
    /// some minutes.
    pub fn business(&self, id: BusinessId) -> BusinessHandle {
        self.parts.businesses.readings.note_use(id);
        self.business_for_visitor(id)
    }

    /// Returns the handle of a business, but does not mark the business as used. It is for requests that do not count
    /// as use, such as the requests of visitors of the booking page.
    pub fn business_for_visitor(&self, id: BusinessId) -> BusinessHandle {
        BusinessHandle::new(&self.parts.businesses, id)
    }

    /// Sets the calendar servers, as `host:port`, whose addresses may be private.
    pub fn set_calendar_hosts(&self, servers: impl IntoIterator<Item = String>) {
        self.parts.businesses.readings.web.list(servers);
    }

    /// Sets the format of the events that are written to calendars. Before this call, no event is written.
    pub fn write_calendars_with(&self, writer: Arc<dyn EventWriter>) {
        self.parts.businesses.readings.write_with(writer);
    }

    /// Sets the chat model that answers for the receptionist. `options` are added to each request to its server.
    pub fn set_model(&self, server: Arc<dyn ModelServer>, model: String, options: Map<String, Value>) {
        self.parts.businesses.talking.begin(server, model, options);
    }

    pub fn people(&self) -> People {
        People::new(&self.parts.people)
    }

    /// The believed time. It follows the wall clock, but it follows a jump of the wall clock only after ten minutes.
    pub fn now(&self) -> Timestamp {
        self.shared().clocks.now()
    }

    /// Whether the wall clock has jumped and the service does not use the new time yet.
    pub fn clock_doubted(&self) -> bool {
        self.shared().clocks.doubted()
    }

    pub fn ports(&self) -> &Ports {
        &self.shared().ports
    }

    /// 32 random bytes that never change while the store exists.
    pub fn secret(&self) -> [u8; 32] {
        self.shared().meta.secret
    }

    /// Whether the engine takes requests. It takes no requests while it closes or after a failure of the store.
    pub fn is_open(&self) -> bool {
        self.shared().check_open().is_ok()
    }

    pub fn set_disk_reserve(&self, reserve: DiskReserve) {
        self.shared().store.set_disk_reserve(reserve);
    }

    pub fn room(&self) -> (RoomLevel, Option<Space>) {
        self.shared().store.room()
    }

    /// Returns the principal of an API key, or `None` if the key is unknown or revoked. Records the use of the key.
    pub async fn authenticate(&self, credential: &Credential) -> Result<Option<Arc<Principal>>> {
        let store = &self.shared().store;
        store.check()?;
        let prefix = credential.prefix_chars();
        let is_valid = |key: &ApiKey| credential.matches(&key.hash) && key.revoked_at.is_none();
        let principal = match self.parts.businesses.principals.read(store, prefix) {
            // Only a caller with a valid key may learn that the business is set aside.
            Err(error @ StoreError::BusinessSetAside { .. }) => {
                let key = store.get::<ApiKey>(&keys::api_key(prefix))?;
                return if key.as_ref().is_some_and(is_valid) { Err(error.into()) } else { Ok(None) };
            }
            read => read?,
        };
        let principal = principal.filter(|principal| is_valid(&principal.key));
        if let Some(principal) = &principal {
            self.shared().check_business(principal.key.business_id)?;
            self.parts.businesses.key_usage.note(keys::key_used(principal.key.id), self.now());
        }
        Ok(principal)
    }

    /// Begins a backup into a new or empty directory. The audit log of the installation records it.
    pub fn begin_backup(&self, by: Actor, to: &Path) -> Result<BackupId> {
        let shared = self.shared();
        shared.check_open()?;
        shared.store.check_room(Weight::Frees)?;
        let id = shared.mint_id(self.now());
        let clocks = Arc::downgrade(&self.parts.shared);
        let began = self.now();
        // This closure has only a weak reference, because a backup must not keep the engine alive.
        let now = move || clocks.upgrade().map_or(began, |shared| shared.clocks.now());
        self.parts.backups.begin((&shared.store, self.parts.limits.backup_rows), to, id, now)?;
        let mut batch = Batch::default();
        shared.note((by, AuditAction::BackupBegun), id, began, &mut batch);
        // A crash before the commit loses the audit entry. But the crash also ends the backup, so this function does
        // not wait for the commit.
        shared.store.submit(id.uuid().into(), batch, Box::new(|| ())).ok_or(StoreError::Stopped)?;
        Ok(id)
    }

    /// The state of a backup that this engine began. Only the newest backups are remembered.
    pub fn backup(&self, id: BackupId) -> Option<BackupState> {
        self.parts.backups.state(id)
    }

    /// Closes the engine. First waits, for at most 2 s, until the times at which sessions were used are written to the
    /// store. Then waits, for at most 2 s, until other work is done. Fails if the store has failed.
    pub async fn close(self) -> Result<(), StoreError> {
        let Parts { shared, businesses, people, mails, moving, maintenance, backups, .. } = &*self.parts;
        // The actors of people refuse changes after `shared.close`. So they must write the recorded uses of sessions to
        // the store before `shared.close` is called.
        let uses = async {
            for running in write_uses(people).await {
                running.wait_idle().await;
            }
        };
        let _ = tokio::time::timeout(CLOSE_TIME_MAX, uses).await;
        shared.close();
        self.end_imports();
        businesses.deliveries.dispatcher.stop();
        maintenance.wake();
        backups.stop().await;
        let closed_by = tokio::time::Instant::now() + CLOSE_TIME_MAX;
        if tokio::time::timeout_at(closed_by, shared.idle()).await.is_err() {
            tracing::warn!("some requests were still in progress when the engine closed");
        }
        let _ = tokio::time::timeout_at(closed_by, moving.end_reads()).await;
        // Deliveries whose attempts are unfinished are sent again after the next start.
        let _ = tokio::time::timeout_at(closed_by, businesses.deliveries.dispatcher.idle()).await;
        mails.outbox.stop(closed_by).await;
        businesses.readings.stop();
        businesses.directory.stop();
        businesses.deliveries.directory.stop();
        people.directory.stop();
        let written = businesses.key_usage.write(&shared.store).await;
        shared.clocks.keep(&shared.store);
        maintenance.round.end(&shared.store);
        shared.supervisor.stop(None);
        shared.store.close().await?;
        written
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Engine")
    }
}

/// The newest id among the businesses, the people, and the audit entries of the installation.
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
