//! The engine's interface to mails.

use std::sync::Arc;

use domain::{
    About, Actor, BusinessId, Conflict, Email, Locale, Mail, MailId, MailStatus, Named, Person, ProblemCode,
    Refusal,
};
use store::{Order, keys};

use super::Engine;
use super::recipients::PeopleRecipients;
use crate::business::Request;
use crate::business::commands::alerts::Unsubscribe as EndSubscription;
use crate::error::{EngineError, Result};
use crate::mail::letter::{Recipients, What};
use crate::mail::unsubscribe::Unsubscribe;
use crate::mail::{LOG_DAYS, MailFigures, MailPorts, NewMail, TestedMail, read_about};

impl Engine {
    /// Starts sending mails. Before this call, stored mails wait, and no new mail is written to the outbox.
    pub fn begin_mail(&self, ports: MailPorts) {
        self.parts.mails.begin(ports);
    }

    pub fn recipients(&self) -> Arc<dyn Recipients> {
        Arc::new(PeopleRecipients(Arc::downgrade(&self.parts.people)))
    }

    /// Returns the current content of an alert, or `None` if the record to which the alert refers was deleted.
    pub async fn alert_content(&self, of: BusinessId, about: &About) -> Result<Option<What>> {
        Ok(read_about(&self.shared().store, of, about)?)
    }

    pub fn sends_mail(&self) -> bool {
        self.parts.mails.outbox.transport().is_some()
    }

    /// Writes a mail to the outbox, which sends the mail when the row is durable. Returns `None` if the service sends
    /// no mail.
    pub async fn queue_mail(&self, mail: NewMail) -> Result<Option<MailId>> {
        self.parts.mails.queue(mail).await
    }

    pub async fn test_mail(&self, to: &Email, locale: Locale) -> Result<Option<TestedMail>> {
        self.parts.mails.test(BusinessId::INSTALLATION, to.as_str(), locale).await
    }

    /// Sends a test mail to a member. Returns `None` if the service has no mail relay. Fails with [`Refusal::Conflict`]
    /// after too many test mails.
    pub async fn test_mail_of(&self, of: BusinessId, person: &Person) -> Result<Option<TestedMail>> {
        let mails = &self.parts.mails;
        if !self.sends_mail() {
            return Ok(None);
        }
        mails.outbox.allowances().test(person.id, self.now()).map_err(|free| {
            Refusal::conflict(Conflict::TestMailsUsedUp(free), "", ProblemCode::NextAt(free))
        })?;
        mails.test(of, &person.email, person.locale).await
    }

    /// Returns the newest mails of a business that are older than the mail `before`: at most `count` mails, and at most
    /// 30 days old.
    pub async fn mail_log(&self, of: BusinessId, before: Option<MailId>, count: usize) -> Result<Vec<Mail>> {
        let all = keys::mails(of);
        let range = before.map_or(all, |before| all.before(keys::mail(of, before)));
        let shown_from = self.now() - LOG_DAYS;
        let mut mails = Vec::new();
        for row in self.shared().store.records::<Mail>(&range, Order::Descending) {
            let (_, mail) = row?;
            let is_waiting = mail.status == MailStatus::Pending;
            if mails.len() == count || mail.created_at < shown_from && !is_waiting {
                break;
            }
            if mail.is_logged() && mail.notice.is_none() {
                mails.push(mail);
            }
        }
        Ok(mails)
    }

    pub fn mail_figures(&self) -> Option<MailFigures> {
        self.parts.mails.outbox.figures()
    }

    /// Returns the number of mails that are due or wait for a retry, at most 10,000. Returns `None` if there is no
    /// relay, or if the outbox does not respond.
    pub async fn mails_waiting(&self) -> Option<usize> {
        self.parts.mails.outbox.count_waiting().await
    }

    pub fn unsubscribe_token(&self, what: &Unsubscribe) -> String {
        what.token(&self.shared().meta.secret)
    }

    /// Ends the subscription that the token identifies. Succeeds even if the subscription or the membership has already
    /// ended. Fails with [`Refusal::NotFound`] if the token is invalid.
    pub async fn unsubscribe(&self, token: &str) -> Result<Unsubscribe> {
        let what = self.read_unsubscribe_token(token).ok_or(Refusal::NotFound(Named::Subscription))?;
        let Unsubscribe { person_id: id, business_id, from } = what;
        let business = self.business_for_visitor(business_id);
        let ends = |by| business.change(Request::by(by), EndSubscription { id, from });
        let ended = match ends(Actor::Person(id)).await {
            // The business is suspended, so its members cannot change it. They must still be able to unsubscribe, so
            // the change is made as the system.
            Err(EngineError::Suspended) => ends(Actor::System).await,
            ended => ended,
        };
        match ended {
            Ok(_) | Err(EngineError::NotFound | EngineError::Refused(Refusal::NotFound(_))) => Ok(what),
            Err(error) => Err(error),
        }
    }

    pub fn read_unsubscribe_token(&self, token: &str) -> Option<Unsubscribe> {
        Unsubscribe::read(token, &self.shared().meta.secret)
    }
}
