//! E-mails to people (contract, second part, §3): what they tell of, and how far they have come.

use uuid::Uuid;

use super::words::words;
use super::{AlertKind, BusinessId, MailId, PersonId, Timestamp};

/// How many things one mail tells of; of what is beyond that it tells the number.
pub const ABOUT_MAX: usize = 100;

words! {
    /// How far a mail has come.
    MailStatus {
        /// It waits for its time, or for its turn.
        Pending = "pending",
        /// The relay took it.
        Sent = "sent",
        /// The relay refused it for good, or every attempt failed.
        Failed = "failed",
    }
}

words! {
    /// What a mail is for.
    MailKind {
        /// One alert, at once.
        Alert = "alert",
        /// The alerts of somebody who had too many at once.
        Gathered = "gathered",
        /// The alerts of a day.
        Daily = "daily",
        /// A link for an account without a password.
        Invitation = "invitation",
        /// A link for an account with one.
        Reset = "reset",
        /// A link that confirms a new address.
        EmailChange = "email_change",
        /// Tells an old address that it was changed.
        EmailChanged = "email_changed",
    }
}

impl MailKind {
    /// Whether all that waits of this kind for a person is sent as one mail.
    pub fn gathers(self) -> bool {
        matches!(self, Self::Gathered | Self::Daily)
    }

    /// Whether it carries a link that is minted when the mail is made, so that it cannot be sent again from the log.
    pub fn has_link(self) -> bool {
        matches!(self, Self::Invitation | Self::Reset | Self::EmailChange)
    }
}

/// What a mail tells of: something that happened to a record of the business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// What happened.
    pub kind: AlertKind,
    /// The appointment, message, call or webhook endpoint.
    pub id: Uuid,
    /// When.
    pub at: Timestamp,
}

/// A mail of the outbox or its log. It names a person: the address and the membership are looked up when it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// Its id.
    pub id: MailId,
    /// The business that it is about; none for what concerns the account alone.
    pub business_id: Option<BusinessId>,
    /// Whom it is for.
    pub person_id: PersonId,
    /// What it is for.
    pub kind: MailKind,
    /// What it tells of, oldest first, at most [`ABOUT_MAX`]; exactly one of an alert, none of mails that are no alerts.
    pub about: Vec<About>,
    /// How many more things it would tell of.
    pub more: u32,
    /// Where it goes, if not to the person's present address.
    pub to: Option<String>,
    /// Its `Message-ID` without the brackets: minted with it, and the same with every attempt.
    pub message_id: String,
    /// How far it has come.
    pub status: MailStatus,
    /// How many attempts were made.
    pub attempts: u32,
    /// Why the last one failed.
    pub last_error: Option<String>,
    /// When it was written.
    pub created_at: Timestamp,
    /// When the last attempt was made.
    pub last_attempt_at: Option<Timestamp>,
    /// When the next one is due: exactly while it is pending.
    pub next_attempt_at: Option<Timestamp>,
}

impl Mail {
    /// Takes over what another mail of its kind tells of. Past [`ABOUT_MAX`], the rest is counted.
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
