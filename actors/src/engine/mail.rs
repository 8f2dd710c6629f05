//! What the edges ask of the outbox.

use std::sync::Arc;

use super::Engine;
use super::recipients::Accounts;
use crate::domain::{BusinessId, Email, Locale, Mail, MailId, Timestamp};
use crate::error::EngineError;
use crate::mail::letter::Recipients;
use crate::mail::unsubscribe::Unsubscribe;
use crate::mail::{Forgotten, MailFigures, MailPorts, NewMail, TestedMail};

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

    /// Sends a mail of the log again, as a new one that tells of the same; its id.
    ///
    /// # Errors
    /// When there is no such mail, it is still to be sent, or carries a link, which is minted for one mail alone.
    pub async fn resend_mail(&self, of: BusinessId, id: MailId) -> Result<MailId, EngineError> {
        self.shared.resend_mail(of, id).await
    }

    /// Counts an invitation of a business to an address.
    ///
    /// # Errors
    /// When the next one may be sent, if none may now.
    pub fn count_invitation(&self, of: BusinessId, to: &Email) -> Result<(), Timestamp> {
        self.shared.mail.count_invitation(of, to.as_str(), self.now())
    }

    /// Counts that somebody asks for a new password from a source address.
    pub fn count_forgotten(&self, email: &Email, source: &str) -> Forgotten {
        self.shared.mail.count_forgotten(email.as_str(), source, self.now())
    }

    /// What came of mails since the start; none without a relay.
    pub fn mail_figures(&self) -> Option<MailFigures> {
        self.shared.mail.figures()
    }

    /// The token by which a mail's own link ends mails like it.
    pub fn unsubscribe_token(&self, what: &Unsubscribe) -> String {
        what.token(&self.shared.secret)
    }

    /// What such a token ends, if it is one of ours.
    pub fn read_unsubscribe_token(&self, token: &str) -> Option<Unsubscribe> {
        Unsubscribe::read(token, &self.shared.secret)
    }
}
