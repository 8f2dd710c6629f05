//! Adding knowledge.

use serde_json::Value;

use crate::business::change::Change;
use crate::business::context::Context;
use crate::business::decision::Decision;
use crate::business::request::New;
use crate::business::{Answer, Write};
use crate::domain::{KnowledgeDetails, KnowledgeId, Timestamp};
use crate::error::EngineError;
use crate::store::{StoreError, Weight};
use crate::view::{self, KnowledgeView};

/// Adds a piece of knowledge.
#[derive(Clone, Debug)]
pub struct AddKnowledge {
    /// What it is.
    pub details: KnowledgeDetails,
}

impl Change for AddKnowledge {
    type Gives = New<KnowledgeView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let knowledge = self.details.into_knowledge(context.mint(), context.at());
        let shown = KnowledgeView::from(&knowledge);
        let decision = Decision::created(&shown).note("knowledge.created", "knowledge", knowledge.id);
        // The content may be long, and whoever asks again sends it again: no content has no characters.
        let remembered = KnowledgeView { content: String::new(), ..shown };
        Ok(decision.remember(&remembered).write(Write::Knowledge(knowledge)))
    }

    fn replay(&self, remembered: Answer) -> Result<Answer, StoreError> {
        let damaged = || StoreError::damaged("idempotency", "what it remembers is no piece of knowledge");
        let shown: Value = serde_json::from_slice(&remembered.body).map_err(|_| damaged())?;
        if shown["content"] != "" {
            return Ok(remembered); // as earlier versions remember it
        }
        let id = shown["id"].as_str().and_then(|id| id.parse::<KnowledgeId>().ok());
        let at = shown["created_at"].as_str().and_then(|at| Timestamp::parse(at).ok());
        let (id, at) = id.zip(at).ok_or_else(damaged)?;
        let knowledge = self.details.clone().into_knowledge(id, at);
        Ok(Answer { body: view::render(&KnowledgeView::from(&knowledge)).into(), ..remembered })
    }

    fn weight(&self) -> Weight {
        Weight::Grows
    }
}
