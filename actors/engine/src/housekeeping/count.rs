//! Counts the records of every business once a day and compares them with the recorded usage.
//!
//! Invariants:
//!
//! - a business is counted at one point between two commits, and changes do not wait for the count;
//! - at most [`ROWS_PER_SECOND`] rows are read, over the whole installation;
//! - a business is set aside only if two counts at different points both differ;
//! - businesses that were ended, are set aside, or have no recorded usage are skipped.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::BusinessId;
use store::StoreError;
use tokio::time::sleep;

use crate::counting::{Counting, Difference, Differences, ROWS_TO_BEGIN};
use crate::shared::Shared;

const ROWS_PER_SECOND: u32 = 2_000;
/// The count pauses after this number of rows, to keep its rate.
const ROWS_PER_PAUSE: usize = 100;

/// `None` after the engine has closed.
pub(super) fn open(shared: &Weak<Shared>) -> Option<Arc<Shared>> {
    shared.upgrade().filter(|shared| shared.check_open().is_ok())
}

#[derive(Default)]
pub(super) struct Counter {
    read: usize,
}

impl Counter {
    /// Counts a business and sets it aside if it differs.
    pub(super) async fn count(&mut self, shared: &Weak<Shared>, of: BusinessId) -> Result<(), StoreError> {
        let Some(differences) = self.differences(shared, of).await? else { return Ok(()) };
        // A business that is set aside is unavailable, so it is counted a second time at another point.
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

    /// The differences at one point; `None` if the business is skipped.
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
        self.pause(ROWS_TO_BEGIN).await;
        let Some(mut counting) = begun else { return Ok(None) };
        loop {
            let rows = Arc::clone(&frozen);
            let (read, after) =
                waiting(shared, move || counting.step(&rows).map(|read| (read, counting))).await?;
            counting = after;
            match read {
                Some(read) => self.pause(read).await,
                None => return Ok(Some(counting.differences())),
            }
        }
    }

    async fn pause(&mut self, read: usize) {
        self.read += read;
        if self.read >= ROWS_PER_PAUSE {
            let rows = u32::try_from(std::mem::take(&mut self.read)).unwrap_or(u32::MAX);
            sleep(Duration::from_secs(1) * rows / ROWS_PER_SECOND).await;
        }
    }
}

/// Uses the store on a thread that can block. The engine closes after the thread ends.
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
    done.await.map_err(|_| StoreError::Panicked)?
}
