//! Adding knowledge.

use super::Change;
use crate::business::Write;
use crate::business::desk::{Decision, Desk};
use crate::domain::KnowledgeDetails;
use crate::engine::EngineError;
use crate::view::KnowledgeView;

/// Adds a piece of knowledge.
#[derive(Clone, Debug)]
pub struct AddKnowledge {
    /// What it is.
    pub details: KnowledgeDetails,
}

impl Change for AddKnowledge {
    fn decide(self: Box<Self>, desk: &mut Desk<'_>) -> Result<Decision, EngineError> {
        let knowledge = self.details.into_knowledge(desk.mint(), desk.at());
        let shown = KnowledgeView::from(&knowledge);
        Ok(Decision::created(&shown)
            .note("knowledge.created", "knowledge", knowledge.id)
            .write(Write::Knowledge(knowledge)))
    }

    fn grows(&self) -> bool {
        true
    }
}
