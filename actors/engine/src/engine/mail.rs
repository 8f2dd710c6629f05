//! What the edges ask of the outbox.

use std::sync::Arc;

use domain::{About, Actor, BusinessId, Email, Locale, Mail, MailId, Person, Refusal};

use super::Engine;
use super::recipients::Accounts;
use crate::business::Request;
use crate::business::commands::alerts::Unsubscribe as EndSubscription;
use crate::error::EngineError;
use crate::mail::letter::{Recipients, What};
use crate::mail::unsubscribe::Unsubscribe;
use crate::mail::{MailFigures, MailPorts, NewMail, TestedMail, read_about};

impl Engine {
    /// Mail is sent with these from now on. Until it was called nothing is written for the outbox, and what it holds
    /// waits.
    pub fn begin_mail(&self, ports: MailPorts) {
        self.shared.begin_mail(ports);
    }

    /// The accounts, for whoever asks who gets a mail.
    pub fn recipients(&self) -> Arc<dyn Recipients> {
        Arc::new(Accounts(Arc::downgrade(&self.shared)))
    }

    /// What an alert tells of, as it is now; `None` once that is gone.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn told(&self, of: BusinessId, about: &About) -> Result<Option<What>, EngineError> {
        Ok(read_about(&self.shared.store, of, about)?)
    }

    /// Whether mail is sent at all.
    pub fn sends_mail(&self) -> bool {
        self.shared.mail.outside().is_some()
    }

    /// Writes a mail, and has it sent once it is on the disk. Its id; none where no mail is sent.
    ///
    /// # Errors
    /// When the engine is overloaded or closes.
    pub async fn queue_mail(&self, mail: NewMail) -> Result<Option<MailId>, EngineError> {
        self.shared.queue_mail(mail).await
    }

    /// Sends a mail at once that says nothing but that it has arrived; none where no mail is sent.
    ///
    /// # Errors
    /// When the engine is overloaded or closes, or as many tests are made as may be.
    pub async fn test_mail(&self, to: &Email, locale: Locale) -> Result<Option<TestedMail>, EngineError> {
        self.shared.test_mail(to, locale).await
    }

    /// Sends such a mail to a person who asks for it in a business; none where no mail is sent.
    ///
    /// # Errors
    /// [`Refusal::Conflict`] where they have had too many of late; as [`Self::test_mail`].
    pub async fn test_mail_of(
        &self,
        of: BusinessId,
        person: &Person,
    ) -> Result<Option<TestedMail>, EngineError> {
        self.shared.test_mail_of(of, person).await
    }

    /// The newest mails of a business before this one, at most so many.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn mail_log(
        &self,
        of: BusinessId,
        before: Option<MailId>,
        count: usize,
    ) -> Result<Vec<Mail>, EngineError> {
        self.shared.mail_log(of, before, count).await
    }

    /// What came of mails since the start; none without a relay.
    pub fn mail_figures(&self) -> Option<MailFigures> {
        self.shared.mail.figures()
    }

    /// How many mails wait to be sent, at most 10,000; none without a relay, or when the outbox does not answer.
    pub async fn mails_waiting(&self) -> Option<usize> {
        self.shared.mail.count_waiting().await
    }

    /// The token by which a mail's own link ends mails like it.
    pub fn unsubscribe_token(&self, what: &Unsubscribe) -> String {
        what.token(&self.shared.secret)
    }

    /// Ends the mails that a token is of, and says which those are. A second time nothing changes, and where the person
    /// belongs no more nothing is mailed any more.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] when it is none of ours, or the engine's failure.
    pub async fn unsubscribe(&self, token: &str) -> Result<Unsubscribe, EngineError> {
        let what = self.read_unsubscribe_token(token).ok_or(Refusal::NotFound("subscription"))?;
        let Unsubscribe { person_id: id, business_id, from } = what;
        let business = self.business(business_id);
        let ends = |by| business.change(Request::by(by), EndSubscription { id, from });
        let ended = match ends(Actor::Person(id)).await {
            // Of a suspended business nobody changes anything; what is mailed of it can be ended all the same.
            Err(EngineError::Suspended) => ends(Actor::System).await,
            ended => ended,
        };
        match ended {
            Ok(_) | Err(EngineError::NotFound | EngineError::Refused(Refusal::NotFound(_))) => Ok(what),
            Err(error) => Err(error),
        }
    }

    /// What such a token ends, if it is one of ours.
    pub fn read_unsubscribe_token(&self, token: &str) -> Option<Unsubscribe> {
        Unsubscribe::read(token, &self.shared.secret)
    }
}
