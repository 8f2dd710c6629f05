//! Finishes interrupted imports or deletes their rows, including imports of an earlier process.
//!
//! Invariants:
//! - An import that was read completely is finished. The rows of any other import are deleted. Both happen in
//!   steps.
//! - No import runs at the same time.

use std::sync::Arc;
use std::time::Duration;

use domain::BusinessId;

use super::Job;
use crate::engine::Parts;
use crate::error::EngineError;
use crate::moving::{Moving, is_finishing, is_unfinished, open_all, take_back};
use crate::shared::Shared;

#[derive(Default)]
pub(super) struct InterruptedImports;

impl Job for InterruptedImports {
    const NAME: &'static str = "interrupted imports";

    async fn step(&mut self, engine: Arc<Parts>) -> Result<Option<Duration>, EngineError> {
        let moving = &engine.moving;
        if let Some(_permit) = moving.try_import() {
            finish_or_take_back(&moving.shared).await?;
        }
        Ok(None)
    }
}

/// Waits until the businesses of a valid import are open. Opens them here if the import's own request was
/// dropped or the service was killed.
pub(crate) async fn until_opened(moving: &Moving) -> Result<(), EngineError> {
    let shared = &moving.shared;
    while is_finishing(&shared.store)? {
        shared.check_open()?;
        // If this future is dropped, it releases the import permit, so the background job can finish the
        // import immediately.
        let _permit = moving.import().await?;
        finish_or_take_back(shared).await?;
    }
    Ok(())
}

/// The caller holds the import permit.
async fn finish_or_take_back(shared: &Shared) -> Result<(), EngineError> {
    if !is_unfinished(&shared.store)? {
        return Ok(());
    }
    tracing::info!("an import was interrupted; it is being finished or rolled back");
    // A dropped import may still have submitted its decision; the following read shows the decision.
    shared.store.settled(BusinessId::INSTALLATION).await?;
    if is_finishing(&shared.store)? {
        let businesses = open_all(&shared.store).await?;
        tracing::info!(businesses, "an interrupted import was finished: all its records had been read");
    } else {
        let businesses = take_back(shared).await?;
        tracing::info!(businesses, "an interrupted import was rolled back");
    }
    Ok(())
}
