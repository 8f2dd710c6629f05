//! A mail as it is made: whom it goes to and what it tells, as data. The words are the composer's.

use chrono_tz::Tz;
use domain::{
    AlertKind, AppointmentId, AppointmentStatus, BusinessId, CallId, CallStatus, Locale, Mail, MessageId,
    Role, Timestamp, WebhookId,
};
use ports::BoxFuture;

/// Knows the people: the account of a mail's person, and whether they may get it. Asked each time that a mail is made.
pub trait Recipients: Send + Sync + 'static {
    /// Whom a mail goes to now. `None` when nobody may get it any more: the account is gone, or the membership in its
    /// business is not active. For a mail that carries a link, it is minted here.
    ///
    /// # Errors
    /// Why that is not known just now; the mail waits a minute.
    fn recipient<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<Option<Recipient>, String>>;
}

/// Makes the bytes of mails.
pub trait Composer: Send + Sync + 'static {
    /// The head and body of a mail (RFC 5322).
    ///
    /// # Errors
    /// Why it cannot be made, which it will never be.
    fn compose(&self, letter: &Letter) -> Result<Vec<u8>, String>;

    /// What stands behind the `@` of the ids of mails.
    fn domain(&self) -> &str;
}

/// Whom a mail goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient {
    /// The address.
    pub address: String,
    /// The person's name; may be empty.
    pub name: String,
    /// The language they read.
    pub locale: Locale,
    /// What they are in the business, if it is about one: what is not shown to that is in no mail.
    pub role: Option<Role>,
    /// The link that was minted for this mail.
    pub link: Option<Link>,
}

/// A link that a mail carries.
#[derive(Clone, PartialEq, Eq)]
pub struct Link {
    /// Where it leads.
    pub url: String,
    /// Until when.
    pub expires_at: Timestamp,
}

/// Whoever sees where it leads is let in, so that shows in no log.
impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}

/// A mail as it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// Its `Message-ID`, without the brackets.
    pub message_id: String,
    /// When it was written, the same with every attempt.
    pub written_at: Timestamp,
    /// Whom it goes to.
    pub to: Recipient,
    /// The business that it is about, if it is about one.
    pub business: Option<Sender>,
    /// What it tells.
    pub content: Content,
    /// What unsubscribes from mails like this, if anything does ([`super::unsubscribe`]).
    pub unsubscribe: Option<String>,
}

/// The business that a mail is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    /// Its id.
    pub id: BusinessId,
    /// Its name.
    pub name: String,
    /// The zone in which times are told.
    pub zone: Tz,
}

/// What a mail tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// One thing that happened.
    Alert(Told),
    /// What happened while there were too many alerts, and how much more.
    Gathered(Vec<Told>, u32),
    /// What happened in a day, and how much more.
    Daily(Vec<Told>, u32),
    /// A link to an account that has no password yet.
    Invitation(Link),
    /// That a membership is offered, to be accepted by whoever signs in.
    Offer,
    /// A link that leads to a new password.
    Reset(Link),
    /// A link that confirms a new address.
    EmailChange(Link),
    /// The address was changed.
    EmailChanged,
    /// Nothing but that it has arrived.
    Test,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What kind of thing.
    pub kind: AlertKind,
    /// When.
    pub at: Timestamp,
    /// The record, as it is now.
    pub what: What,
}

/// A record that something happened to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// An appointment.
    Appointment {
        /// Its id.
        id: AppointmentId,
        /// Its status now.
        status: AppointmentStatus,
        /// What the contact is called, or the phone number.
        contact: Option<String>,
        /// The service.
        service: Option<String>,
        /// The staff member.
        staff: Option<String>,
        /// When it begins.
        starts_at: Timestamp,
    },
    /// A message.
    Message {
        /// Its id.
        id: MessageId,
        /// Who left it.
        caller: Option<String>,
        /// Their number.
        phone: Option<String>,
        /// Its words.
        body: String,
    },
    /// A call.
    Call {
        /// Its id.
        id: CallId,
        /// How it ended.
        status: CallStatus,
        /// Who called, or the number.
        caller: Option<String>,
        /// When it began.
        started_at: Timestamp,
    },
    /// A webhook endpoint.
    Webhook {
        /// Its id.
        id: WebhookId,
        /// Where it leads.
        url: String,
    },
}
