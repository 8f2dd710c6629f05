//! Finishes or removes broken imports, including those of an earlier process.
//!
//! Invariants:
//! - A completely read import is finished, any other one is removed. Both happen in steps in the background.
//! - No import runs at the same time.

use std::sync::{Arc, Weak};

use domain::BusinessId;

use super::{Maintenance, open};
use crate::error::EngineError;
use crate::moving::{Moving, is_finishing, is_unfinished, open_all, take_back};
use crate::shared::Shared;

/// Handles broken imports at the start, after each import and once a minute, until the engine ends.
pub(crate) async fn settle_what_is_left(maintenance: Weak<Maintenance>) {
    loop {
        let Some(engine) = open(&maintenance) else { return };
        if let Err(error) = settle(&engine.moving).await
            && !engine.shared.store.failed()
            && engine.shared.check_open().is_ok()
        {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "what an import has left that broke off is settled later"
            );
        }
        let left = Arc::clone(&engine.moving.import_left);
        drop(engine);
        left.notified().await;
    }
}

async fn settle(moving: &Moving) -> Result<(), EngineError> {
    let Some(_permit) = moving.try_import() else { return Ok(()) };
    settle_in_place(&moving.shared).await
}

/// Waits until the businesses of a valid import are open. Opens them here if the import's own request was
/// dropped or the service was killed.
pub(crate) async fn until_opened(moving: &Moving) -> Result<(), EngineError> {
    let shared = &moving.shared;
    while is_finishing(&shared.store)? {
        shared.check_open()?;
        // If this future is dropped, the job continues at once.
        let _permit = moving.import().await?;
        settle_in_place(shared).await?;
    }
    Ok(())
}

/// The caller holds the import permit.
async fn settle_in_place(shared: &Shared) -> Result<(), EngineError> {
    if !is_unfinished(&shared.store)? {
        return Ok(());
    }
    tracing::info!("an import has broken off; what it has left is settled");
    // A dropped import may still have submitted its decision; the read shows it.
    shared.store.settled(BusinessId::INSTALLATION).await?;
    if is_finishing(&shared.store)? {
        let businesses = open_all(&shared.store).await?;
        tracing::info!(businesses, "an import that broke off was finished: all of it had been read");
    } else {
        let businesses = take_back(shared).await?;
        tracing::info!(businesses, "an import that broke off was taken back");
    }
    Ok(())
}
