//! Sign-in links, as they are kept.

use std::fmt;

use chrono::TimeDelta;

use super::words::words;
use super::{BusinessId, Timestamp};

/// How far a stamp may lie ahead: what the believed clock goes back without a doubt.
pub(super) const AHEAD_MAX: TimeDelta = TimeDelta::minutes(1);

words! {
    /// What a link is for.
    LinkKind {
        /// Choosing the first password.
        Invitation = "invitation",
        /// Choosing another one.
        Reset = "reset",
        /// Signing in; the operator alone makes one.
        Enter = "enter",
        /// Proving a new e-mail address.
        Email = "email",
    }
}

impl LinkKind {
    /// How long it is good.
    pub fn kept(self) -> TimeDelta {
        match self {
            Self::Invitation => TimeDelta::days(7),
            Self::Reset | Self::Email => TimeDelta::hours(1),
            Self::Enter => TimeDelta::minutes(10),
        }
    }
}

/// A link that was made and not used.
#[derive(Clone, PartialEq, Eq)]
pub struct Link {
    /// SHA-256 of its token.
    pub hash: [u8; 32],
    /// What it is for.
    pub kind: LinkKind,
    /// When it was made.
    pub created_at: Timestamp,
    /// Whether using it shows that the person is who they are: it was mailed, or the operator made it.
    pub confirms: bool,
    /// The membership that using it accepts.
    pub business_id: Option<BusinessId>,
    /// The e-mail address that using it proves.
    pub email: Option<String>,
}

impl Link {
    /// When it expires.
    pub fn expires_at(&self) -> Timestamp {
        self.created_at + self.kind.kept()
    }

    /// Whether it may be used.
    pub fn is_good(&self, now: Timestamp) -> bool {
        self.created_at <= now + AHEAD_MAX && now < self.expires_at()
    }
}

/// A token is a secret even as a hash: it does not show in a log.
impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// How a link comes to its person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handed {
    /// The operator hands it over.
    Operator,
    /// It is mailed to the person's address.
    Mailed,
    /// A dashboard shows it to whoever invited the person.
    Shown,
}
