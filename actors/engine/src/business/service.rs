//! What the actors and handles of businesses share.

use std::sync::Arc;

use domain::BusinessId;
use tokio::sync::Notify;

use super::message::Message;
use crate::actor::Directory;
use crate::delivery::Deliveries;
use crate::key_usage::KeyUsage;
use crate::mail::Outbox;
use crate::principals::Principals;
use crate::scans::Scans;
use crate::shared::Shared;

pub(crate) struct Businesses {
    pub(crate) shared: Arc<Shared>,
    pub(crate) directory: Directory<BusinessId, Message>,
    pub(crate) deliveries: Arc<Deliveries>,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) scans: Arc<Scans>,
    pub(crate) principals: Principals,
    pub(crate) key_usage: KeyUsage,
    /// Notified when rows of a deleted business may exist.
    pub(crate) deleted: Arc<Notify>,
}

impl Businesses {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        directory: Directory<BusinessId, Message>,
        (deliveries, outbox): (Arc<Deliveries>, Arc<Outbox>),
        scan_rows: usize,
    ) -> Self {
        Self {
            shared: Arc::clone(shared),
            directory,
            deliveries,
            outbox,
            scans: Scans::new(scan_rows),
            principals: Principals::default(),
            key_usage: KeyUsage::default(),
            deleted: Arc::default(),
        }
    }

    /// Starts the background jobs of a business if its actor runs. A starting actor does this itself.
    pub(crate) fn maintain(&self, business: BusinessId) {
        if let Some(running) = self.directory.if_running(business) {
            let _ = running.actor.cast(Message::Maintain);
        }
    }

    /// Removes a deleted business from the directory. The actor answers the earlier messages first.
    pub(crate) fn end(&self, business: BusinessId) {
        if let Some(running) = self.directory.dismiss(business) {
            let _ = running.actor.cast(Message::End);
        }
        self.deleted.notify_one();
    }
}
