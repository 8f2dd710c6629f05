//! The interface to the outbox. It starts the outbox, writes mails and sends test mails.
//!
//! Invariants:
//!
//! - A failed actor is replaced by a new actor, which reads the store.
//! - The new actor is registered before the search for waiting mails begins, so no mail is missed.

use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::{BusinessId, Locale, Mail, MailError, MailId, ResourceId};
use ports::{MadeMail, MailFailure};
use ractor::{Actor, ActorRef};
use store::keys::installation_kind;
use store::{
    Batch, Key, KeyRange, Order, StoreError, Weight, keys, past_corrupt_pages, unless_business_set_aside,
};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep};

use super::actor::{MailKey, Message, OutboxActor};
use super::letter::{Content, Letter, Recipient};
use super::notice::is_overtaken;
use super::outbox::{MailPorts, Outbox, Transport};
use super::send::hand_over;
use super::write::{NewMail, write_mail};
use crate::error::EngineError;
use crate::quota::Quota;
use crate::shared::Shared;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestedMail {
    pub result: Result<String, MailFailure>,
    pub took: Duration,
}

pub(crate) struct Mails {
    pub(crate) shared: Arc<Shared>,
    pub(crate) outbox: Arc<Outbox>,
    tests: Arc<Quota>,
}

const BUSINESSES_PER_TURN: usize = 64;
/// The maximum number of waiting mails that one step of the search for obsolete notices reads. Before the next step,
/// the search pauses for [`OVERTAKEN_PAUSE`].
const NOTICES_PER_TURN: usize = 256;
const OVERTAKEN_PAUSE: Duration = Duration::from_millis(10);
const FAILED_PAUSE: Duration = Duration::from_secs(5);

impl Mails {
    pub(crate) fn new(shared: &Arc<Shared>, tests: &Arc<Quota>, waiting_max: u64) -> Arc<Self> {
        let outbox = Arc::new(Outbox::new(waiting_max, shared.meta.secret));
        Arc::new(Self { shared: Arc::clone(shared), outbox, tests: Arc::clone(tests) })
    }

    /// Writes a mail in a separate batch. Returns the mail's id after the commit, or `None` if there is no relay.
    pub(crate) async fn queue(&self, new: NewMail) -> Result<Option<MailId>, EngineError> {
        let Self { shared, outbox, .. } = self;
        let permit = shared.permit()?;
        let now = shared.clocks.now();
        let Some(mail) = outbox.mint(shared.mint_id(now), new, (now, shared.steady.now())) else {
            return Ok(None);
        };
        shared.store.check_room(Weight::Grows)?;
        let mut batch = Batch::default();
        write_mail(&mut batch, &mail, None);
        let of = MailKey::of(&mail).of;
        let (waiting, due) = (Arc::clone(outbox), mail.next_attempt_at.unwrap_or(mail.created_at));
        let then = move || {
            waiting.waits(of, due);
            drop(permit);
        };
        shared.write_then(of, batch, then).await.map_err(|_| EngineError::Stopping)?;
        Ok(Some(mail.id))
    }

    /// Sends a test mail, without retries. The number of simultaneous test mails of a business is limited. Returns
    /// `None` if there is no relay.
    pub(crate) async fn test(
        &self,
        of: BusinessId,
        to: &str,
        locale: Locale,
    ) -> Result<Option<TestedMail>, EngineError> {
        let _permit = self.shared.permit()?;
        let Some(transport) = self.outbox.transport() else { return Ok(None) };
        let _test = self.tests.take(of).ok_or(EngineError::Overloaded)?;
        let (now, composer) = (self.shared.clocks.now(), &transport.ports.composer);
        let id: MailId = self.shared.mint_id(now);
        let letter = Letter {
            message_id: format!("{}@{}", id.uuid().simple(), composer.domain()),
            written_at: now,
            to: Recipient { address: to.into(), name: String::new(), locale, role: None, link: None },
            business: None,
            invited_by: None,
            content: Content::Test,
            unsubscribe: None,
        };
        let began = Instant::now();
        let result = match composer.compose(&letter) {
            Ok(bytes) => hand_over(transport, &MadeMail { to: to.into(), bytes }).await,
            Err(why) => Err(MailFailure::RefusedForGood(MailError::NotMade(why))),
        };
        Ok(Some(TestedMail { result, took: began.elapsed() }))
    }

    pub(crate) fn begin(self: &Arc<Self>, ports: MailPorts) {
        if let Some(transport) = self.outbox.set(ports) {
            tokio::spawn(keep(Arc::downgrade(self), transport));
        }
    }

    async fn find_all(&self, actor: &ActorRef<Message>) -> Result<(), StoreError> {
        self.find_mails(actor).await?;
        self.find_overtaken(actor).await
    }

    /// Finds the businesses that have waiting mails, and reports them to the outbox, in bounded steps.
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
        let mut after = None;
        while let Some(businesses) = self.businesses(&mut after)? {
            businesses.into_iter().try_for_each(tell)?;
            yield_now().await;
        }
        Ok(())
    }

    /// Finds the appointments whose waiting notices are obsolete, and reports them to the outbox, in bounded steps. An
    /// appointment is also reported when it is changed. But that report is lost if the outbox's actor ends before it
    /// handles the report.
    async fn find_overtaken(&self, actor: &ActorRef<Message>) -> Result<(), StoreError> {
        let mut after = None;
        while let Some(businesses) = self.businesses(&mut after)? {
            for of in businesses {
                let mut left = keys::mails_due(of);
                while let Some(rest) =
                    unless_business_set_aside(self.report_overtaken(actor, of, left))?.flatten()
                {
                    left = rest;
                    sleep(OVERTAKEN_PAUSE).await;
                }
            }
            yield_now().await;
        }
        Ok(())
    }

    /// Reads the next waiting mails of a business. If a mail is an obsolete notice, reports the notice's appointment to
    /// the outbox. Returns the range of the mails that have not been read yet, or `None` if all have been read or the
    /// engine closes.
    fn report_overtaken(
        &self,
        actor: &ActorRef<Message>,
        of: BusinessId,
        left: KeyRange,
    ) -> Result<Option<KeyRange>, StoreError> {
        if self.shared.check_open().is_err() {
            return Ok(None);
        }
        let store = &self.shared.store;
        let rows = store.walk(&left, Order::Ascending, |row, _| keys::instant_and_id::<MailId>(row));
        let (mut last, mut read) = (None, 0);
        for row in rows.take(NOTICES_PER_TURN) {
            let (row, (_, id)) = row?;
            (last, read) = (Some(row), read + 1);
            let mail = store.look::<Mail>(&keys::mail(of, id))?.flatten();
            if let Some(notice) = mail.and_then(|mail| mail.notice)
                && is_overtaken(store, of, &notice)?
            {
                let _ = actor.cast(Message::Changed(of, notice.appointment_id));
            }
        }
        Ok(last.filter(|_| read == NOTICES_PER_TURN).map(|last| left.after(last)))
    }

    /// Returns the next businesses after the key `after`, or `None` after the last business and when the engine closes.
    fn businesses(&self, after: &mut Option<Key>) -> Result<Option<Vec<BusinessId>>, StoreError> {
        let all = keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX);
        let range = after.map_or(all, |after| all.after(after));
        let rows = self.shared.store.walk(&range, Order::Ascending, |row, _| keys::listed_business(row));
        let rows = rows.take(BUSINESSES_PER_TURN).collect::<Result<Vec<_>, _>>()?;
        let Some((last, _)) = rows.last().filter(|_| self.shared.check_open().is_ok()) else {
            return Ok(None);
        };
        *after = Some(*last);
        Ok(Some(rows.into_iter().map(|(_, of)| of).collect()))
    }
}

async fn keep(mails: Weak<Mails>, transport: Arc<Transport>) {
    loop {
        let Some(this) = mails.upgrade().filter(|this| this.shared.check_open().is_ok()) else { return };
        let of = (Arc::downgrade(&this.shared), Arc::clone(&transport));
        let Ok((actor, mut ended)) = OutboxActor::spawn(None, OutboxActor, of).await else { return };
        *this.outbox.actor.lock() = Some(actor.clone());
        let search = async {
            while let Err(error) = this.find_all(&actor).await {
                tracing::error!(%error, "the mails in the outbox cannot be read");
                if this.shared.check_open().is_err() {
                    return;
                }
                sleep(FAILED_PAUSE).await;
            }
        };
        // The actor can fail during the search.
        tokio::select! {
            () = search => {}
            _ = &mut ended => {}
        }
        drop(this);
        if !ended.is_finished() {
            let _ = ended.await;
        }
        let is_open = mails.upgrade().is_some_and(|this| this.shared.check_open().is_ok());
        if is_open {
            tracing::error!("the outbox has failed; it starts again from the store");
            sleep(FAILED_PAUSE).await;
        }
    }
}
