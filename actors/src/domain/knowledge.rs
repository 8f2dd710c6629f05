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

/// What of a piece of knowledge is to change.
#[derive(Clone, Debug, Default)]
pub struct KnowledgePatch {
    /// What it is about.
    pub title: Option<Text<1, 200>>,
    /// What it says.
    pub content: Option<Text<1, 50_000>>,
    /// Where it comes from; the inner `None` clears it.
    pub source_url: Option<Option<String>>,
    /// The language it is in; the inner `None` clears it.
    pub locale: Option<Option<Locale>>,
}

impl KnowledgePatch {
    /// The piece of knowledge as it is with this change; when it changed is not part of it.
    pub fn apply(self, before: &Knowledge) -> Knowledge {
        Knowledge {
            title: self.title.map_or_else(|| before.title.clone(), Text::into_string),
            content: self.content.map_or_else(|| before.content.clone(), Text::into_string),
            source_url: self.source_url.unwrap_or_else(|| before.source_url.clone()),
            locale: self.locale.unwrap_or(before.locale),
            ..before.clone()
        }
    }
}
