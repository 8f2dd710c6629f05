//! Emails to people: the ids of the records that a mail is about, and the status of its delivery.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

use super::words::words;
use super::{AlertKind, BusinessId, DropReason, MailId, Notice, PersonId, Stated, Timestamp};

pub const ABOUT_MAX: usize = 100;

words! {
    MailStatus {
        Pending = "pending",
        Sent = "sent",
        Failed = "failed",
        /// A notice that was not sent. Its [`DropReason`] states why.
        Dropped = "dropped",
    }

    MailKind {
        Alert = "alert",
        Gathered = "gathered",
        Daily = "daily",
        Invitation = "invitation",
        /// The mail offers a membership to an account that already has a password.
        Offer = "offer",
        Reset = "reset",
        EmailChange = "email_change",
        EmailChanged = "email_changed",
        /// A notice to a customer.
        Notice = "notice",
    }

    /// A reason why an attempt to send a mail failed. Reasons with parameters are variants of [`MailError`].
    MailFault {
        /// The task of the attempt panicked.
        Panicked = "making it has panicked",
        /// The recipient is unknown, because the lookup of the recipient failed or timed out.
        NoRecipient = "nobody says who gets it",
        /// The data for the content of the mail could not be read from the store.
        Unreadable = "the data of the mail cannot be read",
        /// The service has no public address for the link in the mail.
        NoPublicUrl = "people reach the service nowhere, so no link can be made",
        NoAddress = "the relay's name has no address",
        NoStartTls = "the relay does not offer STARTTLS",
        Closed = "the relay closed the connection",
        NoResponse = "no response",
        InvalidResponse = "the relay's response is not valid SMTP",
        LongResponse = "the relay's response is too long",
        DataBeforeTls = "the relay, or an attacker in the network, sent unexpected data before TLS",
        CertificateExpired = "the certificate has expired",
        CertificateNotYetValid = "the certificate is not valid yet",
        CertificateOtherName = "the certificate is for another name",
        CertificateIssuer = "the certificate's issuer is not trusted",
        CertificateInvalid = "the certificate is not valid",
        HandshakeRefused = "the other end refused the TLS handshake",
        NotTls = "the other end does not speak TLS",
        HandshakeFailed = "the TLS handshake failed",
    }
}

impl MailKind {
    pub fn gathers(self) -> bool {
        matches!(self, Self::Gathered | Self::Daily)
    }

    /// Whether the mail contains a sign-in link. A mail with such a link cannot be sent again from the mail log.
    pub fn has_link(self) -> bool {
        matches!(self, Self::Invitation | Self::Reset | Self::EmailChange)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subscription {
    Kind(AlertKind),
    EveryNow,
    EveryDaily,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    pub kind: AlertKind,
    pub id: Uuid,
    pub at: Timestamp,
}

/// The reason why an attempt to send a mail failed.
///
/// The text of the error is stored and parsed again ([`MailError::from_text`]), and the operator API returns it. The
/// texts must therefore never change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MailError {
    Failed(MailFault),
    NoAnswer(u64),
    NoConnection(u64),
    /// The reason why the mail library could not compose the mail.
    NotMade(String),
    /// A text of the relay, the mail library or the operating system, or a text that an earlier version stored.
    Quoted(String),
}

impl MailError {
    pub fn from_text(text: String) -> Self {
        let seconds = |of: &str| text.strip_prefix(of)?.strip_suffix(" s")?.parse().ok();
        let known = MailFault::from_word(&text)
            .map(Self::Failed)
            .or_else(|| seconds("no answer within ").map(Self::NoAnswer))
            .or_else(|| seconds("no connection within ").map(Self::NoConnection))
            .or_else(|| text.strip_prefix("the mail cannot be made: ").map(|why| Self::NotMade(why.into())));
        known.filter(|known| known.to_string() == text).unwrap_or(Self::Quoted(text))
    }
}

impl fmt::Display for MailError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(fault) => fault.fmt(f),
            Self::NoAnswer(seconds) => write!(f, "no answer within {seconds} s"),
            Self::NoConnection(seconds) => write!(f, "no connection within {seconds} s"),
            Self::NotMade(why) => write!(f, "the mail cannot be made: {why}"),
            Self::Quoted(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for MailError {}

impl Serialize for MailError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MailError {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from_text)
    }
}

impl From<MailFault> for MailError {
    fn from(fault: MailFault) -> Self {
        Self::Failed(fault)
    }
}

/// A mail in the outbox or the log. The address and the membership are looked up when the mail is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    pub id: MailId,
    pub business_id: Option<BusinessId>,
    /// The recipient. It is nil for a notice, which is sent to a customer.
    pub person_id: PersonId,
    pub kind: MailKind,
    /// The alerts in the mail, oldest first, at most [`ABOUT_MAX`]. A mail of the kind [`MailKind::Alert`] contains
    /// exactly one alert.
    pub about: Vec<About>,
    pub more: u32,
    /// The recipient's address. For a mail to a person, `None` means the current address of the person. For a notice,
    /// this is the address that the last attempt used. It is `None` before the first attempt and after the address was
    /// removed.
    pub to: Option<String>,
    /// The `Message-ID` header without the angle brackets. It is the same for every attempt.
    pub message_id: String,
    pub status: MailStatus,
    pub attempts: u32,
    pub last_error: Option<MailError>,
    pub created_at: Timestamp,
    /// The time of the last attempt, or the time at which a notice was dropped.
    pub last_attempt_at: Option<Timestamp>,
    /// The time of the next attempt. It is set if and only if the mail is pending.
    pub next_attempt_at: Option<Timestamp>,
    /// The notice. It is set if and only if the kind is [`MailKind::Notice`].
    pub notice: Option<Notice>,
    /// The appointment before the change that the notice reports. It is `None` for a new appointment, a reminder, a
    /// notice that is sent again, and a mail that an earlier version has written.
    pub before: Option<Stated>,
}

impl Mail {
    /// True if the mail appears in a log of a business: in its mail log, or in its log of notices. Password
    /// resets are private to the person, so they are not in these logs.
    pub fn is_logged(&self) -> bool {
        self.business_id.is_some() && self.kind != MailKind::Reset
    }

    /// Marks a notice as dropped. Panics if the mail is not a notice.
    #[must_use]
    pub fn dropped(&self, reason: DropReason, at: Timestamp) -> Self {
        let notice = self.notice.expect("only a notice is dropped");
        let is_erased = reason == DropReason::NoAddress;
        Self {
            status: MailStatus::Dropped,
            to: self.to.clone().filter(|_| !is_erased),
            last_error: self.last_error.clone().filter(|_| !is_erased),
            last_attempt_at: Some(at),
            next_attempt_at: None,
            notice: Some(Notice { dropped: Some(reason), ..notice }),
            ..self.clone()
        }
    }

    /// Adds the alerts of another mail of the same kind. Alerts beyond [`ABOUT_MAX`] are only counted.
    pub fn absorb(&mut self, other: Self) {
        self.more = self.more.saturating_add(other.more);
        for about in other.about {
            if self.about.len() < ABOUT_MAX {
                self.about.push(about);
            } else {
                self.more = self.more.saturating_add(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::de::IntoDeserializer as _;
    use serde::de::value::StringDeserializer;

    use super::*;

    #[test]
    fn an_error_is_read_back_from_its_text() {
        let errors = MailFault::ALL.iter().map(|fault| (*fault).into()).chain([
            MailError::NoAnswer(60),
            MailError::NoConnection(15),
            MailError::NotMade("no".into()),
            MailError::Quoted("550 no".into()),
            MailError::Quoted("no answer within 060 s".into()),
        ]);
        for error in errors {
            assert_eq!(MailError::from_text(error.to_string()), error);
            let text: StringDeserializer<serde::de::value::Error> = error.to_string().into_deserializer();
            assert_eq!(MailError::deserialize(text).unwrap(), error);
        }
    }
}
