//! The team's notes on a contact or an appointment.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// The team's notes. Responses that versions without notes stored have no notes and are repeated unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotesView {
    /// The team's notes, up to 1,000 characters.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    notes: Option<Option<String>>,
}

impl NotesView {
    pub fn get(&self) -> Option<&str> {
        self.notes.as_ref()?.as_deref()
    }
}

impl From<&Option<String>> for NotesView {
    fn from(notes: &Option<String>) -> Self {
        Self { notes: Some(notes.clone()) }
    }
}

/// Distinguishes null from an absent property.
fn said<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(from).map(Some)
}
