//! Adds, changes and removes knowledge.

use domain::{AuditAction, Knowledge, KnowledgeDetails, KnowledgeId, KnowledgePatch, Named, Refusal};
use store::{Weight, keys};
use view::KnowledgeView;

use crate::business::Write;
use crate::business::change::Change;
use crate::business::context::Context;
use crate::business::decision::Decision;
use crate::business::request::{New, Removed, Shown};
use crate::error::EngineError;

#[derive(Clone, Debug)]
pub struct AddKnowledge {
    pub details: KnowledgeDetails,
}

impl Change for AddKnowledge {
    type Gives = New<KnowledgeView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let knowledge = self.details.into_knowledge(context.mint(), context.at());
        let shown = KnowledgeView::from(&knowledge);
        // The stored answer omits the content, which may be long: a repeated request contains it. A real
        // content is never empty.
        let remembered = KnowledgeView { content: String::new(), ..shown.clone() };
        Ok(Decision::answering(shown)
            .remember(remembered)
            .note(AuditAction::KnowledgeCreated, knowledge.id)
            .write(Write::put(context.business_id(), None, &knowledge)))
    }

    fn replay(&self, remembered: KnowledgeView) -> KnowledgeView {
        if !remembered.content.is_empty() {
            return remembered; // stored by an earlier version
        }
        let KnowledgeView { id, created_at, .. } = remembered;
        KnowledgeView::from(&self.details.clone().into_knowledge(id, created_at))
    }

    fn weight(&self) -> Weight {
        Weight::Grows
    }
}

#[derive(Clone, Debug)]
pub struct PatchKnowledge {
    pub id: KnowledgeId,
    pub patch: KnowledgePatch,
}

impl Change for PatchKnowledge {
    type Gives = Shown<KnowledgeView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let before = stored(context, self.id)?;
        let shown = KnowledgeView::from(&before);
        context.check_match(&shown)?;
        let mut after = self.patch.apply(&before);
        if after == before {
            return Ok(Decision::answering(shown));
        }
        after.updated_at = context.at();
        let now_shown = KnowledgeView::from(&after);
        let (from, to) = in_brief(shown, &now_shown);
        Ok(Decision::answering(now_shown)
            .note_changes(AuditAction::KnowledgeUpdated, self.id, (&from, &to))
            .write(Write::put(context.business_id(), Some(&before), &after)))
    }

    fn weight(&self) -> Weight {
        Weight::Grows
    }
}

#[derive(Clone, Copy, Debug)]
pub struct DeleteKnowledge {
    pub id: KnowledgeId,
}

impl Change for DeleteKnowledge {
    type Gives = Removed;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let gone = Write::delete(context.business_id(), &stored(context, self.id)?);
        Ok(Decision::gone().note(AuditAction::KnowledgeDeleted, self.id).write(gone))
    }

    fn weight(&self) -> Weight {
        Weight::Frees
    }
}

fn stored(context: &Context<'_>, id: KnowledgeId) -> Result<Knowledge, EngineError> {
    let knowledge = context.read(&keys::knowledge(context.business_id(), id))?;
    Ok(knowledge.ok_or(Refusal::NotFound(Named::Knowledge))?)
}

/// The audited form of a change: the length of the content instead of the content, which may be long.
fn in_brief(before: KnowledgeView, after: &KnowledgeView) -> (KnowledgeView, KnowledgeView) {
    let length = |shown: &KnowledgeView| format!("{} characters", shown.content.chars().count());
    let (from, mut to) = (length(&before), length(after));
    if before.content != after.content && from == to {
        to = format!("{to}, others");
    }
    (KnowledgeView { content: from, ..before }, KnowledgeView { content: to, ..after.clone() })
}
