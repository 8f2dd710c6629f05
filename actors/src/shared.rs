//! What the actors share of the engine: the store, the clocks, each other's directories, and how much may go on at
//! once.
//!
//! It is below the actors: it knows what they are told, and neither what they do with it nor how they are started.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ractor::ActorCell;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::actor::Directory;
use crate::backup::Backups;
use crate::business;
use crate::clock::Clocks;
use crate::delivery::{self, Dispatcher, EndpointKey, SteadyClock};
use crate::domain::{BusinessId, IdMint, ResourceId, Timestamp};
use crate::error::EngineError;
use crate::key_usage::KeyUsage;
use crate::limits::Limits;
use crate::mail::Outbox;
use crate::net::WebhookClient;
use crate::ports::Ports;
use crate::principals::Principals;
use crate::quota::Quota;
use crate::scans::Scans;
use crate::store::Store;

/// What the actors, the handles and the engine share.
pub(crate) struct Shared {
    pub(crate) store: Store,
    pub(crate) ports: Ports,
    /// The running businesses.
    pub(crate) businesses: Directory<BusinessId, business::Message>,
    /// The running deliveries, one actor an endpoint.
    pub(crate) deliveries: Directory<EndpointKey, delivery::Message>,
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
    /// Where mails go.
    pub(crate) mail: Outbox,
    /// The backups that are or were made.
    pub(crate) backups: Arc<Backups>,
    /// The idempotency keys of the businesses that are being created.
    pub(crate) creating: Arc<parking_lot::Mutex<HashSet<[u8; 32]>>>,
    pub(crate) secret: [u8; 32],
    pub(crate) mint: parking_lot::Mutex<IdMint>,
}

impl Shared {
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
