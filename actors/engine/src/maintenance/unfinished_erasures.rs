//! Starts the businesses with an unfinished erasure, so that their actors continue it.
//!
//! Invariant: a list of the installation (`keys::unfinished`) names the business until the erasure is complete.

use std::sync::Arc;
use std::time::Duration;

use domain::BusinessId;
use store::keys::installation_kind;
use store::{Key, Order, keys};

use super::Job;
use crate::business::Businesses;
use crate::engine::Parts;
use crate::error::EngineError;

const BUSINESSES_PER_STEP: usize = 64;

#[derive(Default)]
pub(super) struct UnfinishedErasures {
    /// The last row that was read.
    after: Option<Key>,
}

impl Job for UnfinishedErasures {
    const NAME: &'static str = "unfinished erasures";

    async fn step(&mut self, engine: Arc<Parts>) -> Result<Option<Duration>, EngineError> {
        let Businesses { shared, directory, .. } = &*engine.businesses;
        let all = keys::of_kind(BusinessId::INSTALLATION, installation_kind::UNFINISHED);
        let range = self.after.take().map_or(all, |after| all.after(after));
        let rows = shared.store.scan(&range, Order::Ascending).take(BUSINESSES_PER_STEP);
        for (row, _) in rows.collect::<Result<Vec<_>, _>>()? {
            self.after = Some(Key::new(&row));
            let id = keys::id_at_end(&row)?;
            // The error of a failed start is logged; the next step tries again.
            if directory.if_running(id).is_none() {
                let _ = directory.enter(id).await;
            }
        }
        Ok(None)
    }
}
