//! The form next to the message about a change. The form undoes the change: it reopens a resolved message, or removes
//! the mark from a handled call.

use domain::{CallId, MessageId, MessageStatus};

use super::input::Member;

/// A form with one button.
pub(super) struct Undo {
    pub(super) path: String,
    pub(super) fields: Vec<(&'static str, String)>,
}

impl Member {
    /// Returns the form that undoes a change. The query parameter `done` names the change. If the change cannot be
    /// undone, or if the query does not name the changed record, returns `None`. `back` is the page to return to.
    pub(super) fn undo(&self, back: &str) -> Option<Undo> {
        let (query, back) = (&self.query, ("back", back.to_owned()));
        match query.get("done") {
            "resolved" => {
                let id: MessageId = query.get("message").parse().ok()?;
                let was = MessageStatus::from_word(query.get("was"))?.to_string();
                let fields = vec![("seen", "resolved".to_owned()), ("status", was), back];
                Some(Undo { path: self.path_to(&format!("messages/{id}/status")), fields })
            }
            "handled" => {
                let id: CallId = query.get("call").parse().ok()?;
                let fields = vec![("handled", "false".to_owned()), back];
                Some(Undo { path: self.path_to(&format!("calls/{id}/handled")), fields })
            }
            _ => None,
        }
    }
}
