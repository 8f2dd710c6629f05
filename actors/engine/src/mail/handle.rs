//! What others ask of the outbox: to write a mail, to send a test, what is in the log.

use std::time::Duration;

use domain::{
    BusinessId, Conflict, Email, Locale, Mail, MailId, MailStatus, Person, ProblemCode, Refusal, ResourceId,
};
use ports::{MadeMail, MailFailure};
use store::{Batch, Order, Weight, keys};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::letter::{Content, Letter, Recipient};
use super::message::MailKey;
use super::new::NewMail;
use super::schedule::LOG_DAYS;
use super::send::hand_over;
use super::write::write_mail;
use crate::error::EngineError;
use crate::shared::Shared;

/// What came of a test mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestedMail {
    /// What the relay answered, or why it did not take the mail.
    pub result: Result<String, MailFailure>,
    /// How long that took.
    pub took: Duration,
}

impl Shared {
    /// Writes a mail that belongs to no other change, and has it sent once it is on the disk. Its id; none where no mail
    /// is sent.
    pub(crate) async fn queue_mail(&self, new: NewMail) -> Result<Option<MailId>, EngineError> {
        let _permit = self.permit()?;
        let now = self.clocks.now();
        let Some(mail) = self.mail.mint(self.mint_id(now), new, (now, self.steady.now())) else {
            return Ok(None);
        };
        self.store.check_room(Weight::Grows)?;
        let mut batch = Batch::default();
        write_mail(&mut batch, &mail, None);
        let of = MailKey::of(&mail).of;
        let (done, written) = oneshot::channel();
        self.store.submit(of, batch, Box::new(move || _ = done.send(())));
        written.await.map_err(|_| EngineError::Stopping)?;
        self.mail.waits(of, mail.next_attempt_at.unwrap_or(mail.created_at));
        Ok(Some(mail.id))
    }

    /// Sends a mail to this address that says nothing but that it has arrived, at once and once; none where no mail is
    /// sent.
    pub(crate) async fn test_mail(
        &self,
        to: &Email,
        locale: Locale,
    ) -> Result<Option<TestedMail>, EngineError> {
        self.send_test(BusinessId::INSTALLATION, to.as_str(), locale).await
    }

    /// Sends such a mail to a person who asks for it in a business, where they had not too many of late; it takes a place
    /// of that business's.
    pub(crate) async fn test_mail_of(
        &self,
        of: BusinessId,
        person: &Person,
    ) -> Result<Option<TestedMail>, EngineError> {
        if self.mail.outside().is_none() {
            return Ok(None);
        }
        self.mail.count_test(person.id, self.clocks.now()).map_err(|free| {
            Refusal::conflict(Conflict::TestMailsUsedUp(free), "", ProblemCode::NextAt(free))
        })?;
        self.send_test(of, &person.email, person.locale).await
    }

    async fn send_test(
        &self,
        of: BusinessId,
        to: &str,
        locale: Locale,
    ) -> Result<Option<TestedMail>, EngineError> {
        let _permit = self.permit()?;
        let Some(outside) = self.mail.outside() else { return Ok(None) };
        let _place = self.tests.take(of).ok_or(EngineError::Overloaded)?;
        let (now, composer) = (self.clocks.now(), &outside.ports.composer);
        let id: MailId = self.mint_id(now);
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
            Ok(bytes) => hand_over(outside, &MadeMail { to: to.into(), bytes }).await,
            Err(why) => Err(MailFailure::RefusedForGood(why)),
        };
        Ok(Some(TestedMail { result, took: began.elapsed() }))
    }

    /// The newest mails of a business before this one, at most so many; none is older than 30 days.
    pub(crate) async fn mail_log(
        &self,
        of: BusinessId,
        before: Option<MailId>,
        count: usize,
    ) -> Result<Vec<Mail>, EngineError> {
        let mut range = keys::mails(of);
        if let Some(before) = before {
            range = range.before(keys::mail(of, before));
        }
        let shown_from = self.clocks.now() - LOG_DAYS;
        let mut mails = Vec::new();
        for row in self.store.records::<Mail>(&range, Order::Descending) {
            let (_, mail) = row?;
            if mails.len() == count {
                break;
            }
            if mail.created_at < shown_from && mail.status != MailStatus::Pending {
                break;
            }
            if mail.is_logged() {
                mails.push(mail);
            }
        }
        Ok(mails)
    }
}
