//! Exports while the engine runs: each business as it was at a point of its own, read as fast as somebody takes it.
//!
//! What always holds: commits wait for nothing; a business is one point of its history, and that is on the disk; in memory
//! is one step of records and what was overwritten meanwhile of those that are still to come, within the bound of a tap.
//! What leaves is noted before it does. Whoever takes nothing any more drops the export, and with it everything that was kept for it; one that dawdles loses it
//! after [`POINT_TIME_MAX`].

use std::sync::Arc;
use std::time::Duration;

use domain::{Actor, AuditAction, Business, BusinessId};
use store::keys::{installation_kind, kind};
use store::{Batch, Frozen, KeyRange, Order, Store, StoreError, Weight, keys, record_at};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::Engine;
use crate::counting::Differences;
use crate::error::EngineError;
use crate::installation_log::note;
use crate::moving::{Leaving, Moved};
use crate::quota::{Quota, QuotaPermit};
use crate::shared::Shared;

/// For how long a business is kept as it was at its point: at a megabyte in a second, 3.6 GB.
const POINT_TIME_MAX: Duration = Duration::from_secs(60 * 60);
/// The longest rest behind a step; usually as long as the step took, so that an export takes half of one core at most.
const REST_MAX: Duration = Duration::from_millis(100);

/// Why an export ended before its end.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The engine takes no requests, or as many exports are under way as may be.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The store failed, or more was overwritten than could be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Of some businesses another number of records is recorded than was found. Those have no end; all others are whole.
    #[error("the export is incomplete: {0}")]
    Incomplete(Differences),
    /// The records were not taken fast enough: others wait for the place.
    #[error("the records were taken too slowly")]
    TooSlow,
}

/// Businesses on their way out.
pub struct Export {
    shared: Arc<Shared>,
    with_secrets: bool,
    /// The lane of its entry in the audit log of the installation, until that is known to be on the disk.
    noted: Option<BusinessId>,
    meant: Meant,
    current: Option<Current>,
    businesses: u64,
    /// Shared with the step under way, which goes on although the caller goes away.
    place: Arc<Place>,
    differences: Differences,
}

/// A place among the exports under way, and of those of people.
type Place = (OwnedSemaphorePermit, Option<QuotaPermit<BusinessId, Arc<Quota>>>);

/// Which businesses are still to come.
enum Meant {
    One(Option<BusinessId>),
    All(KeyRange),
}

/// A business as it was at its point.
struct Current {
    of: BusinessId,
    frozen: Frozen,
    leaving: Leaving,
    until: Instant,
}

impl Engine {
    /// Begins to export a business, or all of them in the order of their creation. Of webhook endpoints only
    /// `with_secrets`: those tell what their deliveries are signed with. The audit log of the installation says who asked
    /// for it, before anything leaves.
    ///
    /// # Errors
    /// [`EngineError::Overloaded`] when as many exports are under way as may be, [`EngineError::DiskFull`] when there is no
    /// room to note it, and what says that the engine takes no requests.
    pub fn export(
        &self,
        by: Actor,
        one: Option<BusinessId>,
        with_secrets: bool,
    ) -> Result<Export, EngineError> {
        self.shared.check_open()?;
        one.map_or(Ok(()), |one| self.shared.check_business(one))?;
        let of_person = match (by, one) {
            (Actor::Person(_), Some(one)) => {
                Some(self.shared.exports_of_people.take_owned(one).ok_or(EngineError::Overloaded)?)
            }
            _ => None,
        };
        let place = Arc::clone(&self.shared.exports).try_acquire_owned();
        let place = place.map_err(|_| EngineError::Overloaded)?;
        let noted = self.note_export(by, one, with_secrets)?;
        let meant = match one {
            Some(id) => Meant::One(Some(id)),
            None => Meant::All(keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX)),
        };
        Ok(Export {
            shared: Arc::clone(&self.shared),
            with_secrets,
            noted: Some(noted),
            meant,
            current: None,
            businesses: 0,
            place: Arc::new((place, of_person)),
            differences: Differences::default(),
        })
    }

    /// Notes an export, and gives in which lane.
    fn note_export(
        &self,
        by: Actor,
        one: Option<BusinessId>,
        with_secrets: bool,
    ) -> Result<BusinessId, EngineError> {
        let (shared, mut batch) = (&self.shared, Batch::default());
        shared.store.check_room(Weight::Frees)?;
        let action = match (one, with_secrets) {
            (Some(_), false) => AuditAction::BusinessExported,
            (Some(_), true) => AuditAction::BusinessExportedWithSecrets,
            (None, false) => AuditAction::InstallationExported,
            (None, true) => AuditAction::InstallationExportedWithSecrets,
        };
        let now = self.now();
        // One of everything is about no record, so it has an id for this alone.
        let lane = one.unwrap_or_else(|| shared.mint_id(now));
        note(shared, (by, action), lane, now, &mut batch);
        shared.store.submit(lane, batch, Box::new(|| ())).ok_or(StoreError::Stopped)?;
        Ok(lane)
    }
}

impl Export {
    /// The next records: of each business itself first and its end last; none at the end. A business of which another number
    /// of records is recorded has no end, and the export ends with [`ExportError::Incomplete`].
    ///
    /// # Errors
    /// Why it ended before its end.
    pub async fn next(&mut self) -> Result<Vec<Moved>, ExportError> {
        if let Some(lane) = self.noted.take() {
            self.shared.store.settled(lane).await?;
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

    /// How many businesses came to their end.
    pub fn businesses(&self) -> u64 {
        self.businesses
    }

    /// The next business that is still there, from now on as it is now.
    async fn next_business(&mut self) -> Result<Option<Current>, ExportError> {
        while let Some(of) = self.next_id()? {
            self.shared.check_open()?;
            let kinds: Vec<_> = Leaving::kinds().chain([kind::PROFILE]).map(|kind| (of, kind)).collect();
            let frozen = self.shared.store.freeze(&kinds).await;
            let frozen = match (frozen, &self.meant) {
                // An export of everything goes on with the others; one that has begun with it ends.
                (Err(error @ StoreError::BusinessSetAside { .. }), Meant::All(_)) => {
                    tracing::warn!(business.id = %of, %error, "an export leaves a business out");
                    continue;
                }
                (frozen, _) => frozen?,
            };
            // One that does not decode is told of in the log, and left out like one that is gone.
            let profile = keys::profile(of);
            let read = self.shared.store.usable(&profile, record_at::<Business>(&frozen, &profile))?;
            let Some(business) = read.flatten() else { continue };
            frozen.release(of, kind::PROFILE);
            let leaving = Leaving::of(business, self.with_secrets);
            return Ok(Some(Current { of, frozen, leaving, until: Instant::now() + POINT_TIME_MAX }));
        }
        Ok(None)
    }

    fn next_id(&mut self) -> Result<Option<BusinessId>, StoreError> {
        match &mut self.meant {
            Meant::One(id) => Ok(id.take()),
            Meant::All(left) => {
                let store = &self.shared.store;
                let mut ids = store.walk(left, Order::Ascending, |key, _| keys::listed_business(key));
                let Some((key, id)) = ids.next().transpose()? else { return Ok(None) };
                *left = left.after(key);
                Ok(Some(id))
            }
        }
    }

    /// Reads the next records, on a thread of its own where there are any, and rests.
    async fn step(&self, mut current: Current) -> Result<(Current, Vec<Moved>), ExportError> {
        // The engine closes behind the last step.
        let reads = Arc::clone(&self.shared.export_steps).acquire_owned().await;
        let reads = reads.map_err(|_| EngineError::Stopping)?;
        self.shared.check_open()?;
        if self.shared.store.is_simulated() {
            let moved = current.step(&self.shared.store)?;
            tokio::task::yield_now().await;
            return Ok((current, moved));
        }
        let began = Instant::now();
        let (store, place) = (self.shared.store.clone(), Arc::clone(&self.place));
        let read = tokio::task::spawn_blocking(move || {
            let moved = current.step(&store);
            drop((reads, place));
            moved.map(|moved| (current, moved))
        });
        // A panic is logged where it happens.
        let read = read.await.map_err(|_| EngineError::Failed)??;
        tokio::time::sleep(began.elapsed().min(REST_MAX)).await;
        Ok(read)
    }
}

impl Current {
    fn step(&mut self, store: &Store) -> Result<Vec<Moved>, StoreError> {
        let before: Vec<u8> = Leaving::kinds().filter(|kind| self.leaving.still_reads(*kind)).collect();
        let moved = self.leaving.next(store, &self.frozen)?;
        // What was read to its end need not be kept as it was.
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
