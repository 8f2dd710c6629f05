//! API keys and their scopes.

use super::words::words;
use super::{BusinessId, KeyId, PersonId, Timestamp};

words! {
    Scope {
        /// Allows reading the profile, the services and the staff.
        BusinessRead = "business:read",
        /// Allows changing the profile and the opening hours.
        BusinessWrite = "business:write",
        CallsRead = "calls:read",
        ContactsRead = "contacts:read",
        ContactsWrite = "contacts:write",
        AppointmentsRead = "appointments:read",
        AppointmentsWrite = "appointments:write",
        MessagesRead = "messages:read",
        KnowledgeWrite = "knowledge:write",
        WebhooksManage = "webhooks:manage",
    }
}

/// A set of scopes, stored as one bit per scope in the order of [`Scope::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(u16);

impl Scopes {
    pub fn all() -> Self {
        Scope::ALL.iter().copied().collect()
    }

    pub fn contains(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u16) != 0
    }

    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.contains(*scope))
    }

    pub fn bits(self) -> u16 {
        self.0
    }

    /// Creates a set from its bits. Unknown bits are ignored.
    pub fn from_bits(bits: u16) -> Self {
        Self(bits & Self::all().0)
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | 1 << scope as u16))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyCreator {
    Operator,
    Person(PersonId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    pub id: KeyId,
    pub business_id: BusinessId,
    pub name: String,
    /// The visible prefix of the key: `rcpt_` and 8 characters.
    pub prefix: String,
    /// The SHA-256 of the whole key.
    pub hash: [u8; 32],
    pub scopes: Scopes,
    pub created_by: KeyCreator,
    pub created_at: Timestamp,
    pub revoked_at: Option<Timestamp>,
}
