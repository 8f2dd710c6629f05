//! E-mails to people: their contents by reference, and their delivery status.

use uuid::Uuid;

use super::words::words;
use super::{AlertKind, BusinessId, MailId, PersonId, Timestamp};

/// The maximum number of records that a mail lists. It states the number of further records.
pub const ABOUT_MAX: usize = 100;

words! {
    MailStatus {
        Pending = "pending",
        Sent = "sent",
        Failed = "failed",
    }
}

words! {
    MailKind {
        Alert = "alert",
        Gathered = "gathered",
        Daily = "daily",
        Invitation = "invitation",
        /// An offer of a membership to an account with a password.
        Offer = "offer",
        Reset = "reset",
        EmailChange = "email_change",
        EmailChanged = "email_changed",
    }
}

impl MailKind {
    pub fn gathers(self) -> bool {
        matches!(self, Self::Gathered | Self::Daily)
    }

    /// Whether the link is created at sending. Such a mail cannot be sent again from the log.
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

/// A mail in the outbox or the log. Address and membership are looked up at sending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    pub id: MailId,
    pub business_id: Option<BusinessId>,
    pub person_id: PersonId,
    pub kind: MailKind,
    /// Oldest first, at most [`ABOUT_MAX`]. An alert has exactly one; mails other than alerts have none.
    pub about: Vec<About>,
    pub more: u32,
    /// `None` means the person's current address.
    pub to: Option<String>,
    /// The `Message-ID` without brackets. It is the same for every attempt.
    pub message_id: String,
    pub status: MailStatus,
    pub attempts: u32,
    pub last_error: Option<String>,
    pub created_at: Timestamp,
    pub last_attempt_at: Option<Timestamp>,
    /// Set exactly while the mail is pending.
    pub next_attempt_at: Option<Timestamp>,
}

impl Mail {
    /// Whether the mail is in the log of a business. Password resets are private to the person.
    pub fn is_logged(&self) -> bool {
        self.business_id.is_some() && self.kind != MailKind::Reset
    }

    /// Adds the records of another mail of the same kind. Records beyond [`ABOUT_MAX`] are only counted.
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
