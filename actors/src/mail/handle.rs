//! What others ask of the outbox: to write a mail, to send a test, what is in the log.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::letter::{Content, Letter, Recipient};
use super::message::MailKey;
use super::schedule::LOG_DAYS;
use super::send::hand_over;
use super::write::write_mail;
use crate::domain::{
    About, BusinessId, Email, Locale, Mail, MailId, MailKind, MailStatus, PersonId, Refusal, ResourceId,
    Timestamp,
};
use crate::error::EngineError;
use crate::ports::{MadeMail, MailFailure};
use crate::shared::Shared;
use crate::store::{Batch, Order, Weight, keys};

/// A mail to be written.
#[derive(Clone, Debug)]
pub struct NewMail {
    /// The business that it is about, if it is about one.
    pub business_id: Option<BusinessId>,
    /// Whom it is for.
    pub person_id: PersonId,
    /// What it is for.
    pub kind: MailKind,
    /// What it tells of.
    pub about: Vec<About>,
    /// Where it goes, if not to the person's present address.
    pub to: Option<String>,
    /// When it is due; at once where this is not later.
    pub due: Option<Timestamp>,
}

/// What came of a test mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestedMail {
    /// What the relay answered, or why it did not take the mail.
    pub result: Result<String, MailFailure>,
    /// How long that took.
    pub took: Duration,
}

impl Shared {
    /// A mail with an id and a `Message-ID` of its own; none where no mail is sent.
    pub(crate) fn mint_mail(&self, new: NewMail, now: Timestamp) -> Option<Mail> {
        let domain = self.mail.outside()?.ports.composer.domain().to_owned();
        let id: MailId = self.mint_id(now);
        let due = self.steady.now();
        Some(Mail {
            id,
            business_id: new.business_id,
            person_id: new.person_id,
            kind: new.kind,
            about: new.about,
            more: 0,
            to: new.to,
            message_id: format!("{}@{domain}", id.uuid().simple()),
            status: MailStatus::Pending,
            attempts: 0,
            last_error: None,
            created_at: now,
            last_attempt_at: None,
            next_attempt_at: Some(new.due.map_or(due, |at| at.max(due))),
        })
    }

    /// Writes a mail that belongs to no other change, and has it sent once it is on the disk. Its id; none where no mail
    /// is sent.
    pub(crate) async fn queue_mail(&self, new: NewMail) -> Result<Option<MailId>, EngineError> {
        let _permit = self.permit()?;
        let Some(mail) = self.mint_mail(new, self.clocks.now()) else { return Ok(None) };
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

    /// Sends a mail of the log again, as a new one that tells of the same; its id.
    pub(crate) async fn resend_mail(&self, of: BusinessId, id: MailId) -> Result<MailId, EngineError> {
        const MAIL: Refusal = Refusal::NotFound("mail");
        let mail = self.store.get::<Mail>(&keys::mail(of, id))?.ok_or(MAIL)?;
        self.store.settled(of).await?;
        let refused = |why: &str| Err(Refusal::conflict(why, "mail_id", why).into());
        if mail.status == MailStatus::Pending {
            return refused("the mail is still to be sent");
        }
        if mail.kind.has_link() {
            return refused("a mail with a link is not sent again: its link is minted for it alone");
        }
        let Mail { business_id, person_id, kind, about, to, .. } = mail;
        let new = NewMail { business_id, person_id, kind, about, to, due: None };
        self.queue_mail(new)
            .await?
            .ok_or_else(|| Refusal::conflict("no mail is sent", "mail_id", "the service has no relay").into())
    }

    /// Sends a mail to this address that says nothing but that it has arrived, at once and once; none where no mail is
    /// sent.
    pub(crate) async fn test_mail(
        &self,
        to: &Email,
        locale: Locale,
    ) -> Result<Option<TestedMail>, EngineError> {
        let _permit = self.permit()?;
        let Some(outside) = self.mail.outside() else { return Ok(None) };
        let _place = self.tests.take(BusinessId::INSTALLATION).ok_or(EngineError::Overloaded)?;
        let (now, composer) = (self.clocks.now(), &outside.ports.composer);
        let id: MailId = self.mint_id(now);
        let letter = Letter {
            message_id: format!("{}@{}", id.uuid().simple(), composer.domain()),
            written_at: now,
            to: Recipient { address: to.as_str().into(), name: String::new(), locale, link: None },
            business: None,
            content: Content::Test,
            unsubscribe: None,
        };
        let began = Instant::now();
        let result = match composer.compose(&letter) {
            Ok(bytes) => hand_over(outside, &MadeMail { to: to.as_str().into(), bytes }).await,
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
        for row in self.store.records::<Mail>(&range, Order::Descending).take(count) {
            let (_, mail) = row?;
            if mail.created_at < shown_from && mail.status != MailStatus::Pending {
                break;
            }
            mails.push(mail);
        }
        self.store.settled(of).await?;
        Ok(mails)
    }
}
