//! The content of a mail as data. The composer chooses the words.

use chrono_tz::Tz;
use domain::{
    AlertKind, Appointment, AppointmentId, AppointmentStatus, BusinessId, CalendarId, CallId, CallStatus,
    Locale, Mail, MailError, Membership, MessageId, NoticeKind, Role, StaffId, Timestamp, WebhookId, Website,
};
use ports::BoxFuture;

/// Finds the person who gets a mail, and checks that the person may still get it. The outbox uses this trait
/// whenever it composes a mail.
pub trait Recipients: Send + Sync + 'static {
    /// Returns the current recipient of a mail, with the link that the mail contains. Returns `None` if the account was
    /// deleted or the membership is not active. After an error, the mail is retried.
    fn recipient<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<Option<Recipient>, MailError>>;
}

pub trait Composer: Send + Sync + 'static {
    /// The headers and body of a mail (RFC 5322), or the permanent reason why it cannot be composed.
    fn compose(&self, letter: &Letter) -> Result<Vec<u8>, String>;

    /// The part of a `Message-ID` after the `@`.
    fn domain(&self) -> &str;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient {
    pub address: String,
    pub name: String,
    pub locale: Locale,
    /// The recipient's role in the business that the mail is about. The role limits the data that the mail may show.
    pub role: Option<Role>,
    pub link: Option<Link>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Link {
    pub url: String,
    pub expires_at: Timestamp,
}

/// The URL gives access to the account, so it is not logged.
impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// The `Message-ID` without the brackets.
    pub message_id: String,
    /// The time of the mail's creation, or for a reminder the time at which it is due, if that is later. It is the same
    /// in every attempt.
    pub written_at: Timestamp,
    pub to: Recipient,
    pub business: Option<Sender>,
    /// The name of the person who offered the membership. It is `None` if the mail is not about an offer or the name is
    /// unknown.
    pub invited_by: Option<String>,
    pub content: Content,
    /// The unsubscribe token, if the mail has one ([`super::unsubscribe`]).
    pub unsubscribe: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    pub id: BusinessId,
    pub name: String,
    pub zone: Tz,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    Alert(AlertItem),
    /// The alerts of one mail, and the number of further alerts, which the mail does not list. This mail replaces the
    /// immediate alert mails that would exceed the person's limit.
    Gathered(Vec<AlertItem>, u32),
    /// The alerts of a day, and the number of further alerts, which the mail does not list.
    Daily(Vec<AlertItem>, u32),
    /// A link that sets the first password of an account.
    Invitation(Link),
    Offer,
    Reset(Link),
    /// A link that confirms a new address.
    EmailChange(Link),
    EmailChanged,
    /// A notice to the customer of an appointment.
    Notice(Box<NoticeLetter>),
    /// A code that verifies a caller as a contact.
    Code(String),
    Test,
}

/// The content of a notice. The mail must not contain any text that a customer has entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoticeLetter {
    pub kind: NoticeKind,
    /// The `phone_region` of the business, which determines the format of times.
    pub region: String,
    pub website: Website,
    pub appointment: Appointment,
    /// The name of the service. `staff` is the name of the staff member. A name is `None` if its record is missing or
    /// cannot be decoded.
    pub service: Option<String>,
    pub staff: Option<String>,
    /// The manage link of this mail. The URL ends with the link's token.
    pub manage: Link,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertItem {
    pub kind: AlertKind,
    pub at: Timestamp,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    Appointment {
        id: AppointmentId,
        status: AppointmentStatus,
        contact: Option<String>,
        service: Option<String>,
        staff: Option<String>,
        starts_at: Timestamp,
    },
    Message {
        id: MessageId,
        caller: Option<String>,
        phone: Option<String>,
        body: String,
    },
    Call {
        id: CallId,
        status: CallStatus,
        caller: Option<String>,
        started_at: Timestamp,
    },
    Webhook {
        id: WebhookId,
        url: String,
    },
    Calendar {
        id: CalendarId,
        staff: StaffId,
        name: String,
    },
}

impl What {
    /// Whether the person may see the record. For a calendar, see [`Membership::sees_calendars_of`].
    pub fn is_seen_by(&self, membership: &Membership) -> bool {
        match self {
            Self::Calendar { staff, .. } => membership.sees_calendars_of(Some(*staff)),
            Self::Appointment { .. } | Self::Message { .. } | Self::Call { .. } | Self::Webhook { .. } => {
                true
            }
        }
    }

    /// The path of the record's page, relative to the path of the business.
    pub fn page(&self) -> String {
        match self {
            Self::Appointment { id, .. } => format!("appointments/{id}"),
            Self::Message { id, .. } => format!("messages/{id}"),
            Self::Call { id, .. } => format!("calls/{id}"),
            Self::Webhook { id, .. } => format!("settings/webhooks/{id}"),
            Self::Calendar { .. } => "settings/calendars".to_owned(),
        }
    }
}
