//! API keys and what they may do (spec §5).

use super::words::words;
use super::{BusinessId, KeyId, PersonId, Timestamp};

words! {
    /// A permission of a key.
    Scope {
        /// Read the profile, services and staff.
        BusinessRead = "business:read",
        /// Change the profile and the opening hours.
        BusinessWrite = "business:write",
        /// Read calls.
        CallsRead = "calls:read",
        /// Read contacts.
        ContactsRead = "contacts:read",
        /// Create and change contacts.
        ContactsWrite = "contacts:write",
        /// Read appointments and open times.
        AppointmentsRead = "appointments:read",
        /// Book, move and cancel appointments.
        AppointmentsWrite = "appointments:write",
        /// Read messages.
        MessagesRead = "messages:read",
        /// Add knowledge.
        KnowledgeWrite = "knowledge:write",
        /// Manage webhook endpoints.
        WebhooksManage = "webhooks:manage",
    }
}

/// A set of scopes, one bit each in the order of [`Scope::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(u16);

impl Scopes {
    /// Every scope there is.
    pub fn all() -> Self {
        Scope::ALL.iter().copied().collect()
    }

    /// Whether the scope is among them.
    pub fn contains(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u16) != 0
    }

    /// The scopes in the order of the specification.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.contains(*scope))
    }

    /// The set as bits, for the store.
    pub fn bits(self) -> u16 {
        self.0
    }

    /// The set with these bits; unknown ones are dropped.
    pub fn from_bits(bits: u16) -> Self {
        Self(bits & Self::all().0)
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | 1 << scope as u16))
    }
}

/// Who created a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyCreator {
    /// The operator.
    Operator,
    /// One of the business's people.
    Person(PersonId),
}

/// An API key as it is stored: never the key itself, only its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// Its id, which logs and the audit log name.
    pub id: KeyId,
    /// The business it belongs to.
    pub business_id: BusinessId,
    /// What its owner calls it.
    pub name: String,
    /// The visible prefix, `rcpt_` and 8 characters.
    pub prefix: String,
    /// SHA-256 of the whole key.
    pub hash: [u8; 32],
    /// What it may do.
    pub scopes: Scopes,
    /// Who created it.
    pub created_by: KeyCreator,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
}
