//! Passages of the knowledge entries and their search.

use domain::{KnowledgeId, Locale};

use crate::facts::Passage;

/// A knowledge entry.
#[derive(Clone, Debug)]
pub struct Entry {
    pub id: KnowledgeId,
    pub title: String,
    pub text: String,
    pub source_url: Option<String>,
    /// The entry's language, else the business's.
    pub locale: Locale,
}

/// The passages of a business, ready for searches.
#[derive(Clone, Debug, Default)]
pub struct Index {}

impl Index {
    pub fn new(entries: &[Entry]) -> Self {
        let _ = entries;
        Self {}
    }

    /// The best passages for a question, at most 3.
    pub fn search(&self, query: &str) -> Vec<Passage> {
        let _ = query;
        Vec::new()
    }
}
