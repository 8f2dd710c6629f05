//! What keeps the outbox running, and finds what waits for it.
//!
//! What always holds: an actor that has failed is followed by another one, which goes by what stands in the store. It
//! is told to others before what waits is looked for, so nothing that is written meanwhile is missed.

use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::BusinessId;
use ractor::{Actor, ActorRef};
use store::keys::installation_kind;
use store::{Order, StoreError, keys, past_corrupt_pages, unless_business_set_aside};
use tokio::task::yield_now;
use tokio::time::sleep;

use super::actor::OutboxActor;
use super::message::Message;
use super::outside::{MailPorts, Outside};
use super::state::State;
use crate::shared::Shared;

/// How many businesses are looked at before others get their turn.
const BUSINESSES_PER_TURN: usize = 64;
/// How long after a failure the next actor starts.
const FAILED_PAUSE: Duration = Duration::from_secs(5);

impl Shared {
    /// Mail is sent with these from now on.
    pub(crate) fn begin_mail(self: &Arc<Self>, ports: MailPorts) {
        if let Some(outside) = self.mail.set(ports) {
            self.runtime.spawn(keep(Arc::downgrade(self), outside));
        }
    }

    /// Tells the outbox for whom something waits, in bounded steps.
    async fn find_mails(&self, actor: &ActorRef<Message>) -> Result<(), StoreError> {
        let tell = |of| -> Result<(), StoreError> {
            let due = keys::mails_due(of);
            let first = past_corrupt_pages(|| self.store.scan(&due, Order::Ascending).next().transpose());
            if unless_business_set_aside(first)?.flatten().is_some() {
                let _ = actor.cast(Message::Waits(of, self.steady.now()));
            }
            Ok(())
        };
        tell(BusinessId::INSTALLATION)?;
        let mut range = keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX);
        loop {
            let rows = self.store.walk(&range, Order::Ascending, |row, _| keys::listed_business(row));
            let rows = rows.take(BUSINESSES_PER_TURN).collect::<Result<Vec<_>, _>>()?;
            for (_, of) in &rows {
                tell(*of)?;
            }
            let Some((last, _)) = rows.last() else { return Ok(()) };
            if self.check_open().is_err() {
                return Ok(());
            }
            range = range.after(*last);
            yield_now().await;
        }
    }
}

/// Has an actor run until the engine closes.
async fn keep(shared: Weak<Shared>, outside: Arc<Outside>) {
    loop {
        let Some(this) = shared.upgrade().filter(|this| this.check_open().is_ok()) else { return };
        let state = State::new(&this, Arc::clone(&outside));
        let Ok((actor, ended)) = OutboxActor::spawn(None, OutboxActor, state).await else { return };
        this.mail.runs(actor.clone());
        if let Err(error) = this.find_mails(&actor).await {
            tracing::error!(%error, "what waits in the outbox cannot be read");
        }
        drop(this);
        let _ = ended.await;
        let is_open = shared.upgrade().is_some_and(|this| this.check_open().is_ok());
        if is_open {
            tracing::error!("the outbox has failed; it starts again from the store");
            sleep(FAILED_PAUSE).await;
        }
    }
}
