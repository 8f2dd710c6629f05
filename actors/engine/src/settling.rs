//! Finishes or removes broken imports, including those of an earlier process.
//!
//! Invariants:
//! - A completely read import is finished, any other one is removed. Both happen in steps in the background.
//! - No import runs at the same time.

use std::sync::{Arc, Weak};

use domain::BusinessId;

use crate::error::EngineError;
use crate::moving::{is_finishing, is_unfinished, open_all, take_back};
use crate::shared::{ImportPlace, Shared};

/// Handles broken imports at the start, after each import and once a minute, until the engine ends.
pub(crate) async fn settle_what_is_left(shared: Weak<Shared>) {
    loop {
        let Some(engine) = shared.upgrade().filter(|engine| engine.check_open().is_ok()) else { return };
        if let Err(error) = settle(&engine).await
            && !engine.store.failed()
            && engine.check_open().is_ok()
        {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "what an import has left that broke off is settled later"
            );
        }
        let left = Arc::clone(&engine.import_left);
        drop(engine);
        left.notified().await;
    }
}

async fn settle(shared: &Arc<Shared>) -> Result<(), EngineError> {
    let Ok(_place) = Arc::clone(&shared.imports).try_acquire_owned() else { return Ok(()) };
    settle_in_place(shared).await
}

/// Waits until the businesses of a valid import are open. Opens them here if the import's own request was
/// dropped or the service was killed.
pub(crate) async fn until_opened(shared: &Arc<Shared>) -> Result<(), EngineError> {
    while is_finishing(&shared.store)? {
        shared.check_open()?;
        let place = Arc::clone(&shared.imports).acquire_owned().await;
        // If this future is dropped, the job continues at once.
        let _place = ImportPlace::new(shared, place.map_err(|_| EngineError::Stopping)?);
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
