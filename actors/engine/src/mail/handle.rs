//! The interface to the outbox: write a mail, send a test.

use std::sync::Arc;
use std::time::Duration;

use domain::{BusinessId, Locale, MailError, MailId, ResourceId};
use ports::{MadeMail, MailFailure};
use store::{Batch, Weight};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::letter::{Content, Letter, Recipient};
use super::message::MailKey;
use super::new::NewMail;
use super::outbox::Outbox;
use super::send::hand_over;
use super::write::write_mail;
use crate::error::EngineError;
use crate::quota::Quota;
use crate::shared::Shared;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestedMail {
    /// The relay's response, or the reason of the failure.
    pub result: Result<String, MailFailure>,
    pub took: Duration,
}

/// The outbox and the means of its interface.
pub(crate) struct Mails {
    pub(crate) shared: Arc<Shared>,
    pub(crate) outbox: Arc<Outbox>,
    tests: Arc<Quota>,
}

impl Mails {
    pub(crate) fn new(shared: &Arc<Shared>, tests: &Arc<Quota>, waiting_max: u64) -> Arc<Self> {
        let (shared, tests) = (Arc::clone(shared), Arc::clone(tests));
        Arc::new(Self { shared, outbox: Arc::new(Outbox::new(waiting_max)), tests })
    }

    /// Writes a mail that belongs to no other change. Returns its id after the commit; `None` if no mail is
    /// sent.
    pub(crate) async fn queue(&self, new: NewMail) -> Result<Option<MailId>, EngineError> {
        let Self { shared, outbox, .. } = self;
        let _permit = shared.permit()?;
        let now = shared.clocks.now();
        let Some(mail) = outbox.mint(shared.mint_id(now), new, (now, shared.steady.now())) else {
            return Ok(None);
        };
        shared.store.check_room(Weight::Grows)?;
        let mut batch = Batch::default();
        write_mail(&mut batch, &mail, None);
        let of = MailKey::of(&mail).of;
        let (done, written) = oneshot::channel();
        shared.store.submit(of, batch, Box::new(move || _ = done.send(())));
        written.await.map_err(|_| EngineError::Stopping)?;
        outbox.waits(of, mail.next_attempt_at.unwrap_or(mail.created_at));
        Ok(Some(mail.id))
    }

    /// Sends a test mail once, without a retry, with a permit of the business. `None` if no mail is sent.
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
            content: Content::Test,
            unsubscribe: None,
        };
        let began = Instant::now();
        let result = match composer.compose(&letter) {
            Ok(bytes) => hand_over(transport, &MadeMail { to: to.into(), bytes }).await,
            Err(why) => Err(MailFailure::RefusedForGood(MailError::Quoted(why))),
        };
        Ok(Some(TestedMail { result, took: began.elapsed() }))
    }
}
