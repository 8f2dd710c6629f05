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

use super::open;
use crate::counting::{Counting, Difference, Differences, ROWS_TO_BEGIN};
use crate::engine::Parts;
use crate::error::EngineError;

const ROWS_PER_SECOND: u32 = 2_000;
/// The count pauses after this number of rows, to keep its rate.
const ROWS_PER_PAUSE: usize = 100;

#[derive(Default)]
pub(super) struct DailyCount {
    read: usize,
}

impl DailyCount {
    /// Counts a business and sets it aside if it differs.
    pub(super) async fn count(&mut self, engine: &Weak<Parts>, of: BusinessId) -> Result<(), StoreError> {
        let Some(differences) = self.differences(engine, of).await? else { return Ok(()) };
        // A business that is set aside is unavailable, so it is counted a second time at another point.
        let confirmed = match &differences[..] {
            [] => None,
            _ => self.differences(engine, of).await?.filter(|again| !again.is_empty()),
        };
        let open = open(engine).ok_or(StoreError::Stopped)?;
        open.maintenance.round.counted[usize::from(confirmed.is_some())].fetch_add(1, Ordering::Relaxed);
        let Some(confirmed) = confirmed else { return Ok(()) };
        let mut found = Differences::default();
        confirmed.into_iter().for_each(|difference| found.add(difference));
        tracing::error!(business.id = %of, differences = %found, "the daily count did not find the recorded rows");
        let store = open.shared.store.clone();
        let reason = format!("the daily count did not find the recorded rows: {found}");
        waiting(engine, move || store.set_business_aside(of, &reason)).await
    }

    /// The differences at one point; `None` if the business is skipped.
    async fn differences(
        &mut self,
        engine: &Weak<Parts>,
        of: BusinessId,
    ) -> Result<Option<Vec<Difference>>, StoreError> {
        let store = open(engine).ok_or(StoreError::Stopped)?.shared.store.clone();
        if store.is_business_set_aside(of) {
            return Ok(None);
        }
        let frozen = Arc::new(store.freeze(&Counting::kinds(of)).await?);
        let begun = Arc::clone(&frozen);
        let begun = waiting(engine, move || Counting::begin(&begun, of)).await?;
        self.pause(ROWS_TO_BEGIN).await;
        let Some(mut counting) = begun else { return Ok(None) };
        loop {
            let rows = Arc::clone(&frozen);
            let (read, after) =
                waiting(engine, move || counting.step(&rows).map(|read| (read, counting))).await?;
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

/// Uses the store on a thread that can block.
async fn waiting<T: Send + 'static>(
    engine: &Weak<Parts>,
    act: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let moving = Arc::clone(&open(engine).ok_or(StoreError::Stopped)?.moving);
    moving.read(act).await.map_err(|error| match error {
        EngineError::Failed => StoreError::Panicked,
        _ => StoreError::Stopped,
    })?
}
