//! The knowledge entries of a business: texts from which the receptionist answers the questions of callers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{KnowledgeId, Locale, Text, Timestamp};

/// A knowledge entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Knowledge {
    /// The entry's id.
    pub id: KnowledgeId,
    /// The subject.
    pub title: String,
    /// The content.
    pub content: String,
    /// The address of the source.
    #[schemars(extend("format" = "uri"))]
    pub source_url: Option<String>,
    /// The language of the entry.
    pub locale: Option<Locale>,
    /// The time of creation.
    pub created_at: Timestamp,
    /// The time of the last change.
    pub updated_at: Timestamp,
}

#[derive(Clone, Debug)]
pub struct KnowledgeDetails {
    pub title: Text<1, 200>,
    pub content: Text<1, 50_000>,
    pub source_url: Option<String>,
    pub locale: Option<Locale>,
}

impl KnowledgeDetails {
    pub fn into_knowledge(self, id: KnowledgeId, now: Timestamp) -> Knowledge {
        let Self { title, content, source_url, locale } = self;
        let (title, content) = (title.into_string(), content.into_string());
        Knowledge { id, title, content, source_url, locale, created_at: now, updated_at: now }
    }
}

/// A partial update: `None` keeps a field, and `Some(None)` clears it.
#[derive(Clone, Debug, Default)]
pub struct KnowledgePatch {
    pub title: Option<Text<1, 200>>,
    pub content: Option<Text<1, 50_000>>,
    pub source_url: Option<Option<String>>,
    pub locale: Option<Option<Locale>>,
}

impl KnowledgePatch {
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
