//! The start of the outbox and the search for waiting mails.
//!
//! Invariants:
//!
//! - A failed actor is replaced by a new one, which reads the store.
//! - The new actor is registered before the search begins, so no mail that is written meanwhile is missed.

use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::BusinessId;
use ractor::{Actor, ActorRef};
use store::keys::installation_kind;
use store::{Order, StoreError, keys, past_corrupt_pages, unless_business_set_aside};
use tokio::task::yield_now;
use tokio::time::sleep;

use super::actor::OutboxActor;
use super::handle::Mails;
use super::message::Message;
use super::outbox::{MailPorts, Transport};
use super::state::State;
use crate::shared::Shared;

const BUSINESSES_PER_TURN: usize = 64;
/// The pause between a failure and the next actor.
const FAILED_PAUSE: Duration = Duration::from_secs(5);

impl Mails {
    pub(crate) fn begin(self: &Arc<Self>, ports: MailPorts) {
        if let Some(transport) = self.outbox.set(ports) {
            tokio::spawn(keep(Arc::downgrade(self), transport));
        }
    }

    /// Reports the businesses with waiting mails to the outbox, in bounded steps.
    async fn find_mails(&self, actor: &ActorRef<Message>) -> Result<(), StoreError> {
        let Shared { store, steady, .. } = &*self.shared;
        let tell = |of| -> Result<(), StoreError> {
            let due = keys::mails_due(of);
            let first = past_corrupt_pages(|| store.scan(&due, Order::Ascending).next().transpose());
            if unless_business_set_aside(first)?.flatten().is_some() {
                let _ = actor.cast(Message::Waits(of, steady.now()));
            }
            Ok(())
        };
        tell(BusinessId::INSTALLATION)?;
        let mut range = keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX);
        loop {
            let rows = store.walk(&range, Order::Ascending, |row, _| keys::listed_business(row));
            let rows = rows.take(BUSINESSES_PER_TURN).collect::<Result<Vec<_>, _>>()?;
            for (_, of) in &rows {
                tell(*of)?;
            }
            let Some((last, _)) = rows.last() else { return Ok(()) };
            if self.shared.check_open().is_err() {
                return Ok(());
            }
            range = range.after(*last);
            yield_now().await;
        }
    }
}

/// Restarts the actor until the engine closes.
async fn keep(mails: Weak<Mails>, transport: Arc<Transport>) {
    loop {
        let Some(this) = mails.upgrade().filter(|this| this.shared.check_open().is_ok()) else { return };
        let state = State::new(&this.shared, Arc::clone(&transport));
        let Ok((actor, ended)) = OutboxActor::spawn(None, OutboxActor, state).await else { return };
        this.outbox.runs(actor.clone());
        if let Err(error) = this.find_mails(&actor).await {
            tracing::error!(%error, "the mails in the outbox cannot be read");
        }
        drop(this);
        let _ = ended.await;
        let is_open = mails.upgrade().is_some_and(|this| this.shared.check_open().is_ok());
        if is_open {
            tracing::error!("the outbox has failed; it starts again from the store");
            sleep(FAILED_PAUSE).await;
        }
    }
}
