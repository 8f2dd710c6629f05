//! Stored sign-in links.

use std::fmt;

use chrono::TimeDelta;

use super::words::words;
use super::{BusinessId, Timestamp};

/// The maximum distance of a time stamp into the future: the believed clock can go back this far.
pub(super) const AHEAD_MAX: TimeDelta = TimeDelta::minutes(1);

words! {
    LinkKind {
        Invitation = "invitation",
        Reset = "reset",
        /// Signs in. Only the operator can create it.
        Enter = "enter",
        Email = "email",
    }
}

impl LinkKind {
    pub fn kept(self) -> TimeDelta {
        match self {
            Self::Invitation => TimeDelta::days(7),
            Self::Reset | Self::Email => TimeDelta::hours(1),
            Self::Enter => TimeDelta::minutes(10),
        }
    }
}

#[derive(Clone, PartialEq, Eq)]
pub struct Link {
    /// SHA-256 of the token.
    pub hash: [u8; 32],
    pub kind: LinkKind,
    pub created_at: Timestamp,
    /// Whether its use confirms the account: the link was mailed, or the operator created it.
    pub confirms: bool,
    pub business_id: Option<BusinessId>,
    pub email: Option<String>,
}

impl Link {
    pub fn expires_at(&self) -> Timestamp {
        self.created_at + self.kind.kept()
    }

    pub fn is_good(&self, now: Timestamp) -> bool {
        self.created_at <= now + AHEAD_MAX && now < self.expires_at()
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("kind", &self.kind).finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkChannel {
    Operator,
    Mailed,
    /// The dashboard shows it to the member who invited the person.
    Shown,
}
