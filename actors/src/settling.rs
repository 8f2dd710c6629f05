//! Settling what imports leave that broke off, in this life of the engine or in an earlier one.
//!
//! What always holds: it is taken back, or finished where all of it had been read, a step at a time beside everything else;
//! while an import is under way nothing is settled, and while something is, no import begins.

use std::sync::{Arc, Weak};

use crate::moving::{MoveError, Settled, is_unfinished, settle_while};
use crate::shared::Shared;
use crate::store::{StoreError, Weight};

/// Settles what imports leave that broke off, when the engine starts and whenever it is told to, which is behind every
/// import and once a minute. It ends with the engine.
pub(crate) async fn settle_what_is_left(shared: Weak<Shared>) {
    loop {
        let Some(engine) = shared.upgrade().filter(|engine| engine.check_open().is_ok()) else { return };
        if let Err(error) = settle(&engine).await
            && !engine.store.failed()
            && engine.check_open().is_ok()
        {
            tracing::error!(%error, "what an import has left that broke off is settled later");
        }
        let left = Arc::clone(&engine.import_left);
        drop(engine);
        left.notified().await;
    }
}

async fn settle(shared: &Arc<Shared>) -> Result<(), MoveError> {
    let Ok(_place) = Arc::clone(&shared.imports).try_acquire_owned() else { return Ok(()) };
    if !is_unfinished(&shared.store)? {
        return Ok(());
    }
    tracing::info!("an import has broken off; what it has left is settled");
    let settled = settle_while(&shared.store, || {
        shared.check_open().map_err(|_| StoreError::Stopped)?;
        Ok(shared.store.check_room(Weight::Frees)?)
    });
    match settled.await? {
        Settled::Nothing => {}
        Settled::TakenBack(businesses) => {
            tracing::info!(businesses, "an import that broke off was taken back");
        }
        Settled::Finished(businesses) => {
            tracing::info!(businesses, "an import that broke off was finished: all of it had been read");
        }
    }
    Ok(())
}
