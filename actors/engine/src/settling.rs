//! Settling what imports leave that broke off, in this life of the engine or in an earlier one.
//!
//! What always holds: it is taken back, or finished where all of it had been read, a step at a time beside everything else;
//! while an import is under way nothing is settled, and while something is, no import begins.

use std::sync::{Arc, Weak};

use domain::BusinessId;

use crate::error::EngineError;
use crate::moving::{is_finishing, is_unfinished, open_all, take_back};
use crate::shared::{ImportPlace, Shared};

/// Settles what imports leave that broke off, when the engine starts and whenever it is told to, which is behind every
/// import and once a minute. It ends with the engine.
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

/// Waits until the businesses of an import that was known to be good are open. They are opened here where nobody else does
/// that: whoever was to do it has hung up, or the service was killed meanwhile.
///
/// # Errors
/// [`EngineError::Stopping`], and the store's failure.
pub(crate) async fn until_opened(shared: &Arc<Shared>) -> Result<(), EngineError> {
    while is_finishing(&shared.store)? {
        shared.check_open()?;
        let place = Arc::clone(&shared.imports).acquire_owned().await;
        // If this is given up in its turn, whoever settles goes on at once.
        let _place = ImportPlace::new(shared, place.map_err(|_| EngineError::Stopping)?);
        settle_in_place(shared).await?;
    }
    Ok(())
}

/// The same of whoever has the place of the one import.
async fn settle_in_place(shared: &Shared) -> Result<(), EngineError> {
    if !is_unfinished(&shared.store)? {
        return Ok(());
    }
    tracing::info!("an import has broken off; what it has left is settled");
    // Whoever was given up while it was being finished may have handed over that all is good: what is read says so.
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
