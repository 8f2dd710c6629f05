//! A simulated relay, which records the notices that it has accepted.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use domain::{BusinessId, ContactId, EmailConsent, Locale, Mail, MailError, Timestamp};
use engine::mail::letter::{Composer, Content, Letter, NoticeLetter, Recipient, Recipients};
use parking_lot::Mutex;
use ports::{BoxFuture, Clock, MadeMail, MailFailure, Mailer};

use crate::dice::Dice;
use crate::people::Wall;

/// The behaviour of the relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mood {
    Well,
    Down,
    Hangs,
    Refuses,
    /// The relay accepts the mail, but the service gets no response.
    LosesResponses,
}

/// A notice that the relay has accepted.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    pub(super) at: Timestamp,
    pub(super) of: BusinessId,
    pub(super) to: String,
    pub(super) locale: Locale,
    pub(super) letter: NoticeLetter,
}

/// A simulated relay, and the notices that it has accepted, by `Message-ID`.
pub(super) struct Relay {
    pub(super) dice: Dice,
    pub(super) wall: Arc<Wall>,
    pub(super) mood: Mutex<Mood>,
    pub(super) made: Mutex<HashMap<String, (BusinessId, Locale, NoticeLetter)>>,
    /// All attempts to send a mail: the time, the mail's `Message-ID` and the recipient's address.
    pub(super) tried: Mutex<Vec<(Timestamp, String, String)>>,
    pub(super) taken: Mutex<BTreeMap<String, Vec<Taken>>>,
    /// The unsubscriptions by customers: the time, the business, the email address and the new consent.
    pub(super) stopped: Mutex<Vec<(Timestamp, BusinessId, String, EmailConsent)>>,
    /// The times at which contacts were erased.
    pub(super) erased: Mutex<Vec<(Timestamp, ContactId)>>,
}

impl Mailer for Relay {
    fn send<'a>(&'a self, mail: &'a MadeMail) -> BoxFuture<'a, Result<String, MailFailure>> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(self.dice.between(1, 300))).await;
            let mood = *self.mood.lock();
            match mood {
                Mood::Well | Mood::LosesResponses => {}
                Mood::Down => return Err(MailFailure::Relay(MailError::Quoted("the relay is down".into()))),
                Mood::Hangs => std::future::pending().await,
                Mood::Refuses => return Err(MailFailure::Refused(MailError::Quoted("451 later".into()))),
            }
            let id = String::from_utf8(mail.bytes.clone()).unwrap();
            let (of, locale, letter) = self.made.lock()[&id].clone();
            let taken = Taken { at: self.wall.now(), of, to: mail.to.clone(), locale, letter };
            self.taken.lock().entry(id).or_default().push(taken);
            if mood == Mood::LosesResponses {
                return Err(MailFailure::Relay(MailError::Quoted("the response is lost".into())));
            }
            Ok("250 ok".into())
        })
    }
}

impl Composer for Relay {
    fn compose(&self, letter: &Letter) -> Result<Vec<u8>, String> {
        let Content::Notice(notice) = &letter.content else { panic!("only notices are sent: {letter:?}") };
        let made = (letter.business.as_ref().unwrap().id, letter.to.locale, (**notice).clone());
        self.made.lock().insert(letter.message_id.clone(), made);
        Ok(letter.message_id.clone().into_bytes())
    }

    fn domain(&self) -> &str {
        "mail.example.com"
    }
}

/// Wraps the engine's look-up of recipients, and records each look-up as an attempt.
pub(super) struct Watched {
    pub(super) recipients: Arc<dyn Recipients>,
    pub(super) relay: Arc<Relay>,
}

impl Recipients for Watched {
    fn recipient<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<Option<Recipient>, MailError>> {
        let tried = (self.relay.wall.now(), mail.message_id.clone(), mail.to.clone().unwrap());
        self.relay.tried.lock().push(tried);
        self.recipients.recipient(mail)
    }
}
