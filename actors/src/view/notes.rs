//! What the team notes of a contact or an appointment.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// The team's notes. An answer that was kept by a version without notes says nothing of them, and is given again as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotesView {
    /// The team's notes, up to 1,000 characters.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    notes: Option<Option<String>>,
}

impl NotesView {
    /// The notes, if there are any.
    pub fn get(&self) -> Option<&str> {
        self.notes.as_ref()?.as_deref()
    }
}

impl From<&Option<String>> for NotesView {
    fn from(notes: &Option<String>) -> Self {
        Self { notes: Some(notes.clone()) }
    }
}

/// What an answer says of the notes, null included.
fn said<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(from).map(Some)
}
