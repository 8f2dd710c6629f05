//! What the receptionist knows about the business.

use super::{KnowledgeId, Locale, Text, Timestamp};

/// A piece of knowledge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knowledge {
    /// Its id.
    pub id: KnowledgeId,
    /// What it is about, 1 to 200 characters.
    pub title: String,
    /// What it says, 1 to 50,000 characters.
    pub content: String,
    /// Where it comes from.
    pub source_url: Option<String>,
    /// The language it is in.
    pub locale: Option<Locale>,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// What a request says of a piece of knowledge.
#[derive(Clone, Debug)]
pub struct KnowledgeDetails {
    /// What it is about.
    pub title: Text<1, 200>,
    /// What it says.
    pub content: Text<1, 50_000>,
    /// Where it comes from.
    pub source_url: Option<String>,
    /// The language it is in.
    pub locale: Option<Locale>,
}

impl KnowledgeDetails {
    /// The piece of knowledge that these details make.
    pub fn into_knowledge(self, id: KnowledgeId, now: Timestamp) -> Knowledge {
        Knowledge {
            id,
            title: self.title.into_string(),
            content: self.content.into_string(),
            source_url: self.source_url,
            locale: self.locale,
            created_at: now,
            updated_at: now,
        }
    }
}
