//! Deletes a business whose profile cannot be decoded, so that no actor can start.
//!
//! Invariant: one batch ends the business, as for any other. Its rows are deleted afterwards.

use domain::{Business, BusinessId, ENDPOINTS_MAX, SteadyTime, WebhookId};
use store::keys::kind;
use store::{Batch, Order, Store, StoreError, keys};
use view::EndedView;

use super::remembered::remember;
use super::request::{Ended, Gives, Idempotency};
use super::write::Write;

pub(crate) fn is_undecodable(store: &Store, of: BusinessId) -> Result<bool, StoreError> {
    Ok(store.look::<Business>(&keys::profile(of))?.is_none())
}

/// The batch that ends the business, and its endpoints.
pub(crate) fn end_undecodable(store: &Store, of: BusinessId) -> Result<(Batch, Vec<WebhookId>), StoreError> {
    let (mut batch, mut endpoints) = (Batch::default(), Vec::new());
    Write::NoBusiness.encode(of, &mut batch);
    for row in store.rows().scan(&keys::of_kind(of, kind::WEBHOOK), Order::Ascending).take(ENDPOINTS_MAX) {
        let key = row?.0;
        if let Some(id) = store.usable(&key, keys::id_at_end(&key))? {
            Write::NoWebhook(id).encode(of, &mut batch);
            endpoints.push(id);
        }
    }
    Ok((batch, endpoints))
}

/// Adds the answer for a repeated deletion to the batch, in the rows of the installation: the rows of the
/// business are deleted.
pub(crate) fn remember_end(of: BusinessId, now: SteadyTime, once: Idempotency, batch: &mut Batch) {
    let kept = Ended::render(&EndedView { id: of });
    remember(BusinessId::INSTALLATION, now, once, (Ended::STATUS, kept), batch);
}
