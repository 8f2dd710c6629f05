//! Exports while the engine runs.
//!
//! Invariants:
//! - Commits never wait for an export.
//! - An export contains the state of each business at one point in time. This state contains only durable rows.
//! - The memory of an export contains at most the records of one step and a bounded number of old values of
//!   rows.
//! - The audit entry is durable before the first record is returned.
//! - When an export is dropped, its memory is freed.
//! - If the export of one business takes longer than [`POINT_TIME_MAX`], for example because the caller reads slowly,
//!   the whole export is cancelled.

use std::sync::Arc;
use std::time::Duration;

use domain::{Actor, AuditAction, Business, BusinessId};
use store::keys::{installation_kind, kind};
use store::{Batch, Frozen, KeyRange, Order, Store, StoreError, Weight, keys, record_at};
use tokio::time::Instant;

use super::Engine;
use crate::counting::Differences;
use crate::error::{EngineError, Result};
use crate::moving::{ExportPermit, Leaving, Moved, Moving};
use crate::shared::Shared;

/// The maximum duration of the export of one business: enough for 3.6 GB at one megabyte per second.
const POINT_TIME_MAX: Duration = Duration::from_secs(60 * 60);
/// The maximum pause after a step. After each step, the export pauses for the duration of the step, but at most this
/// long. If no step takes longer than this, steps and pauses take the same time, so the export uses half a core.
const REST_MAX: Duration = Duration::from_millis(100);

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The engine takes no requests, or too many exports run.
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// For some businesses, the number of rows differs from the number in the audit log. The export contains no end
    /// record for these businesses.
    #[error("the export is incomplete: {0}")]
    Incomplete(Differences),
    #[error("the client received the records too slowly")]
    TooSlow,
}

pub struct Export {
    moving: Arc<Moving>,
    with_secrets: bool,
    /// The lane (queue of the committer) of the audit entry. It is `None` when the entry is durable.
    noted: Option<BusinessId>,
    scope: Scope,
    current: Option<Current>,
    businesses: u64,
    /// The permit is shared with the running step, which continues even if the export is dropped.
    permit: Arc<ExportPermit>,
    differences: Differences,
}

enum Scope {
    One(Option<BusinessId>),
    All(KeyRange),
}

struct Current {
    of: BusinessId,
    frozen: Frozen,
    leaving: Leaving,
    until: Instant,
}

impl Engine {
    /// Exports one business, or all in the order of creation. `with_secrets` includes webhook endpoints, which
    /// contain signing secrets. The audit log of the installation records the export before it begins.
    pub fn export(&self, by: Actor, one: Option<BusinessId>, with_secrets: bool) -> Result<Export> {
        self.shared().check_open()?;
        one.map_or(Ok(()), |one| self.shared().check_business(one))?;
        let permit = Arc::new(self.parts.moving.begin_export(by, one)?);
        let noted = self.note_export(by, one, with_secrets)?;
        let scope = match one {
            Some(id) => Scope::One(Some(id)),
            None => Scope::All(keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX)),
        };
        Ok(Export {
            moving: Arc::clone(&self.parts.moving),
            with_secrets,
            noted: Some(noted),
            scope,
            current: None,
            businesses: 0,
            permit,
            differences: Differences::default(),
        })
    }

    fn note_export(&self, by: Actor, one: Option<BusinessId>, with_secrets: bool) -> Result<BusinessId> {
        let (shared, mut batch) = (self.shared(), Batch::default());
        shared.store.check_room(Weight::Frees)?;
        let action = match (one, with_secrets) {
            (Some(_), false) => AuditAction::BusinessExported,
            (Some(_), true) => AuditAction::BusinessExportedWithSecrets,
            (None, false) => AuditAction::InstallationExported,
            (None, true) => AuditAction::InstallationExportedWithSecrets,
        };
        let now = self.now();
        // The id of the business is the lane of the write. An export of all businesses uses a new id as its lane.
        let lane = one.unwrap_or_else(|| shared.mint_id(now));
        shared.note((by, action), lane, now, &mut batch);
        shared.store.submit(lane, batch, Box::new(|| ())).ok_or(StoreError::Stopped)?;
        Ok(lane)
    }
}

impl Export {
    fn shared(&self) -> &Shared {
        &self.moving.shared
    }

    /// Returns the next records, or none after the last business. A business begins with its profile and ends with an
    /// end record. A business with missing records has no end record. The export then continues, but fails after the
    /// last business.
    pub async fn next(&mut self) -> Result<Vec<Moved>, ExportError> {
        if let Some(lane) = self.noted.take() {
            self.shared().store.wait_durable(lane).await?;
        }
        loop {
            let current = match self.current.take() {
                Some(current) => current,
                None => match self.next_business().await? {
                    Some(current) => current,
                    None if self.differences.is_empty() => return Ok(Vec::new()),
                    None => return Err(ExportError::Incomplete(std::mem::take(&mut self.differences))),
                },
            };
            if Instant::now() > current.until {
                return Err(ExportError::TooSlow);
            }
            let (current, moved) = self.step(current).await?;
            if !moved.is_empty() {
                self.current = Some(current);
                return Ok(moved);
            }
            let differences = current.leaving.differences();
            self.businesses += u64::from(differences.is_empty());
            differences.into_iter().for_each(|difference| self.differences.add(difference));
        }
    }

    pub fn businesses(&self) -> u64 {
        self.businesses
    }

    async fn next_business(&mut self) -> Result<Option<Current>, ExportError> {
        while let Some(of) = self.next_id()? {
            let shared = self.shared();
            shared.check_open()?;
            let kinds: Vec<_> = Leaving::kinds().chain([kind::PROFILE]).map(|kind| (of, kind)).collect();
            let frozen = shared.store.freeze(&kinds).await;
            let frozen = match (frozen, &self.scope) {
                // An export of all businesses skips a business that is already set aside when the export reaches it.
                (Err(error @ StoreError::BusinessSetAside { .. }), Scope::All(_)) => {
                    tracing::warn!(business.id = %of, %error, "an export omits a business");
                    continue;
                }
                (frozen, _) => frozen?,
            };
            // An undecodable profile is logged, and the business is omitted like a deleted business.
            let profile = keys::profile(of);
            let read = shared.store.usable(&profile, record_at::<Business>(&frozen, &profile))?;
            let Some(business) = read.flatten() else { continue };
            frozen.release(of, kind::PROFILE);
            let leaving = Leaving::of(business, self.with_secrets);
            return Ok(Some(Current { of, frozen, leaving, until: Instant::now() + POINT_TIME_MAX }));
        }
        Ok(None)
    }

    fn next_id(&mut self) -> Result<Option<BusinessId>, StoreError> {
        match &mut self.scope {
            Scope::One(id) => Ok(id.take()),
            Scope::All(left) => {
                let store = &self.moving.shared.store;
                let mut ids = store.walk(left, Order::Ascending, |key, _| keys::listed_business(key));
                let Some((key, id)) = ids.next().transpose()? else { return Ok(None) };
                *left = left.after(key);
                Ok(Some(id))
            }
        }
    }

    /// Reads the next records, if any, on a separate thread, and then pauses.
    async fn step(&self, mut current: Current) -> Result<(Current, Vec<Moved>), ExportError> {
        let (store, permit) = (self.shared().store.clone(), Arc::clone(&self.permit));
        let read = move || {
            let began = Instant::now();
            let moved = current.step(&store);
            drop(permit);
            moved.map(|moved| (current, moved, began.elapsed()))
        };
        let (current, moved, took) = self.moving.read(read).await??;
        if !self.shared().store.is_simulated() {
            tokio::time::sleep(took.min(REST_MAX)).await;
        }
        Ok((current, moved))
    }
}

impl Current {
    fn step(&mut self, store: &Store) -> Result<Vec<Moved>, StoreError> {
        let before: Vec<u8> = Leaving::kinds().filter(|kind| self.leaving.still_reads(*kind)).collect();
        let moved = self.leaving.next(store, &self.frozen)?;
        // After all rows of a kind have been read, the old values of these rows are no longer needed.
        for kind in before.into_iter().filter(|kind| !self.leaving.still_reads(*kind)) {
            self.frozen.release(self.of, kind);
        }
        Ok(moved)
    }
}

impl std::fmt::Debug for Export {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Export").field("businesses", &self.businesses).finish_non_exhaustive()
    }
}
