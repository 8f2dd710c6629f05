//! Counts the records of every business once a day and compares them with the recorded usage.
//!
//! Invariants:
//!
//! - a business is counted as it was at one point between two commits, and changes do not wait for that;
//! - at most [`ROWS_PER_SECOND`] rows are read, over the whole installation;
//! - a business is set aside only if it was counted twice, at two points, and differed at both;
//! - businesses that were ended, are set aside, or have recorded no usage are left out.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::sleep;

use crate::counting::{Counting, Difference, Differences, ROWS_TO_BEGIN};
use crate::domain::BusinessId;
use crate::shared::Shared;
use crate::store::StoreError;

/// How many rows are read in a second at most.
const ROWS_PER_SECOND: u32 = 2_000;
/// After so many rows the count rests for as long as they may take.
const ROWS_PER_REST: usize = 100;

/// The engine, until it is gone or closes.
pub(super) fn open(shared: &Weak<Shared>) -> Option<Arc<Shared>> {
    shared.upgrade().filter(|shared| shared.check_open().is_ok())
}

/// The pace of the count.
#[derive(Default)]
pub(super) struct Counter {
    /// The rows that were read since the last rest.
    read: usize,
}

impl Counter {
    /// Counts a business and sets it aside if it differs.
    ///
    /// # Errors
    /// When the engine closes or reading fails.
    pub(super) async fn count(&mut self, shared: &Weak<Shared>, of: BusinessId) -> Result<(), StoreError> {
        let Some(differences) = self.differences(shared, of).await? else { return Ok(()) };
        // A business that is set aside serves nothing, so it is counted a second time at another point.
        let confirmed = match &differences[..] {
            [] => None,
            _ => self.differences(shared, of).await?.filter(|again| !again.is_empty()),
        };
        let shared = open(shared).ok_or(StoreError::Stopped)?;
        let Some(confirmed) = confirmed else {
            shared.counted.equal.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        };
        shared.counted.different.fetch_add(1, Ordering::Relaxed);
        let mut found = Differences::default();
        confirmed.into_iter().for_each(|difference| found.add(difference));
        tracing::error!(business.id = %of, differences = %found, "the daily count did not find the recorded rows");
        let store = shared.store.clone();
        let reason = format!("the daily count did not find the recorded rows: {found}");
        waiting(&Arc::downgrade(&shared), move || store.set_business_aside(of, &reason)).await
    }

    /// What differs of a business at a point; none if it is left out.
    async fn differences(
        &mut self,
        shared: &Weak<Shared>,
        of: BusinessId,
    ) -> Result<Option<Vec<Difference>>, StoreError> {
        let store = match open(shared) {
            Some(shared) => shared.store.clone(),
            None => return Err(StoreError::Stopped),
        };
        if store.is_business_set_aside(of) {
            return Ok(None);
        }
        let frozen = Arc::new(store.freeze(&Counting::kinds(of)).await?);
        let begun = Arc::clone(&frozen);
        let begun = waiting(shared, move || Counting::begin(&begun, of)).await?;
        self.rest(ROWS_TO_BEGIN).await;
        let Some(mut counting) = begun else { return Ok(None) };
        loop {
            let rows = Arc::clone(&frozen);
            let (read, after) =
                waiting(shared, move || counting.step(&rows).map(|read| (read, counting))).await?;
            counting = after;
            match read {
                Some(read) => self.rest(read).await,
                None => return Ok(Some(counting.differences())),
            }
        }
    }

    /// Rests for as long as the rows may take that were read.
    async fn rest(&mut self, read: usize) {
        self.read += read;
        if self.read >= ROWS_PER_REST {
            let rows = u32::try_from(std::mem::take(&mut self.read)).unwrap_or(u32::MAX);
            sleep(Duration::from_secs(1) * rows / ROWS_PER_SECOND).await;
        }
    }
}

/// Uses the store on a thread that may wait, unless the engine closes; it closes only after that.
async fn waiting<T: Send + 'static>(
    shared: &Weak<Shared>,
    act: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let shared = open(shared).ok_or(StoreError::Stopped)?;
    let reads = Arc::clone(&shared.export_steps).acquire_owned().await;
    let reads = reads.map_err(|_| StoreError::Stopped)?;
    if shared.store.is_simulated() {
        tokio::task::yield_now().await;
        return act();
    }
    let done = tokio::task::spawn_blocking(move || {
        let done = act();
        drop(reads);
        done
    });
    // A panic is logged where it happens.
    done.await.map_err(|_| StoreError::Panicked)?
}
